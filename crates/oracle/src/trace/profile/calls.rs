//! Database calls and what they cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::seconds;
use crate::trace::{Call, CallKind, LobCall};

/// What calls cost, the work of deeper calls in it, as the server writes it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallCosts {
    /// The number of calls.
    pub count: u64,
    /// Elapsed time (e).
    #[serde(rename = "elapsed_s", serialize_with = "seconds::of_ns")]
    #[schemars(with = "f64")]
    pub elapsed_ns: u64,
    /// Processor time (c).
    #[serde(rename = "cpu_s", serialize_with = "seconds::of_ns")]
    #[schemars(with = "f64")]
    pub cpu_ns: u64,
    /// Rows.
    pub rows: u64,
    /// Blocks read from disk.
    pub physical_reads: u64,
    /// Consistent gets.
    pub consistent_gets: u64,
    /// Current gets.
    pub current_gets: u64,
    /// Library cache misses.
    pub misses: u64,
}

/// Costs by kind of call.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "BTreeMap<String, CallCosts>")]
pub struct CostsByKind([CallCosts; CallKind::ALL.len()]);

/// The kinds that were called, by their words.
impl Serialize for CostsByKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.called().map(|(kind, costs)| (kind.word(), costs)))
    }
}

impl CallKind {
    /// Every kind, in the order in which a statement goes through them.
    pub const ALL: [CallKind; 6] = [
        CallKind::Parse,
        CallKind::Exec,
        CallKind::Fetch,
        CallKind::Close,
        CallKind::Unmap,
        CallKind::SortUnmap,
    ];

    /// The word in lower case.
    pub fn word(self) -> &'static str {
        match self {
            CallKind::Parse => "parse",
            CallKind::Exec => "exec",
            CallKind::Fetch => "fetch",
            CallKind::Close => "close",
            CallKind::Unmap => "unmap",
            CallKind::SortUnmap => "sort unmap",
        }
    }
}

impl CallCosts {
    /// The costs of one call; `tick_ns` is the unit of its times.
    pub(super) fn of(call: &Call, tick_ns: u64) -> CallCosts {
        CallCosts {
            count: 1,
            cpu_ns: call.cpu.saturating_mul(tick_ns),
            elapsed_ns: call.elapsed.saturating_mul(tick_ns),
            physical_reads: call.physical_reads,
            consistent_gets: call.consistent_gets,
            current_gets: call.current_gets,
            misses: call.misses,
            rows: call.rows,
        }
    }

    /// The costs of one LOB call.
    pub(super) fn of_lob(call: &LobCall<'_>, tick_ns: u64) -> CallCosts {
        CallCosts {
            count: 1,
            cpu_ns: call.cpu.saturating_mul(tick_ns),
            elapsed_ns: call.elapsed.saturating_mul(tick_ns),
            physical_reads: call.physical_reads,
            consistent_gets: call.consistent_gets,
            current_gets: call.current_gets,
            misses: 0,
            rows: 0,
        }
    }

    /// Blocks looked at: consistent and current gets.
    pub fn logical_reads(&self) -> u64 {
        self.consistent_gets.saturating_add(self.current_gets)
    }

    pub(super) fn add(&mut self, other: &CallCosts) {
        let sum = |one: &mut u64, more: u64| *one = one.saturating_add(more);
        sum(&mut self.count, other.count);
        sum(&mut self.cpu_ns, other.cpu_ns);
        sum(&mut self.elapsed_ns, other.elapsed_ns);
        sum(&mut self.physical_reads, other.physical_reads);
        sum(&mut self.consistent_gets, other.consistent_gets);
        sum(&mut self.current_gets, other.current_gets);
        sum(&mut self.misses, other.misses);
        sum(&mut self.rows, other.rows);
    }
}

impl CostsByKind {
    /// The costs of this kind.
    pub fn of(&self, kind: CallKind) -> &CallCosts {
        &self.0[kind as usize]
    }

    /// The costs of all kinds.
    pub fn all(&self) -> CallCosts {
        let mut all = CallCosts::default();
        self.0.iter().for_each(|costs| all.add(costs));
        all
    }

    /// Elapsed time of all kinds in nanoseconds.
    pub fn elapsed_ns(&self) -> u64 {
        self.0.iter().fold(0, |sum, costs| sum.saturating_add(costs.elapsed_ns))
    }

    /// The kinds that were called, with their costs.
    pub fn called(&self) -> impl Iterator<Item = (CallKind, &CallCosts)> {
        CallKind::ALL.into_iter().zip(&self.0).filter(|(_, costs)| costs.count > 0)
    }

    pub(super) fn add_one(&mut self, kind: CallKind, costs: &CallCosts) {
        self.0[kind as usize].add(costs);
    }

    pub(super) fn add(&mut self, other: &CostsByKind) {
        for (costs, more) in self.0.iter_mut().zip(&other.0) {
            costs.add(more);
        }
    }
}
