//! What took most of it.

use std::cmp::Reverse;

use super::{Event, EventShare, Profile, Statement};

/// Elapsed time that is neither processor time nor a wait.
pub(super) const NOT_ACCOUNTED_FOR: &str = "not accounted for";
/// Processor time and waits beyond the elapsed time: the server counted processor time during waits, or its clock of
/// processor time is coarse.
pub(super) const OVER_ACCOUNTED: &str = "over-accounted for";

/// What statements are put in order by, most first.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Rank {
    /// Response time: for recursive statements their own, since the rest is their callers'.
    #[default]
    Elapsed,
    /// Own time, without deeper calls.
    Own,
    /// Processor time.
    Cpu,
    /// Own waits for the database.
    Waits,
    /// The number of calls.
    Calls,
    /// Rows.
    Rows,
    /// Blocks read from disk.
    Reads,
    /// Consistent and current gets.
    Gets,
}

/// A part of the response time.
#[derive(Copy, Clone, Debug)]
pub struct Part<'a> {
    /// What it was spent on.
    pub on: SpentOn<'a>,
    /// How much, in nanoseconds; negative only for what is not accounted for.
    pub ns: i64,
    /// The share of the response time, 1 for all of it; `None` if there is none.
    pub share: Option<f64>,
}

/// What response time is spent on.
#[derive(Copy, Clone, Debug)]
pub enum SpentOn<'a> {
    /// The processor.
    Cpu,
    /// Waits for the database.
    Wait(&'a Event),
    /// Neither.
    Unaccounted,
}

impl<'a> Part<'a> {
    /// What it is called, on every surface.
    pub fn name(&self) -> &'a str {
        match self.on {
            SpentOn::Cpu => "CPU",
            SpentOn::Wait(event) => &event.name,
            SpentOn::Unaccounted if self.ns < 0 => OVER_ACCOUNTED,
            SpentOn::Unaccounted => NOT_ACCOUNTED_FOR,
        }
    }
}

impl Rank {
    /// What is compared, and what decides among equals.
    fn key(self, statement: &Statement) -> (u64, u64) {
        let own = statement.own_response_ns();
        let all = statement.calls.all();
        let elapsed = if statement.key.recursive { own } else { statement.response_ns() };
        let key = match self {
            Rank::Elapsed => elapsed,
            Rank::Own => own,
            Rank::Cpu => all.cpu_ns,
            Rank::Waits => statement.own.waits_ns.saturating_add(statement.own.between_ns),
            Rank::Calls => all.count,
            Rank::Rows => all.rows,
            Rank::Reads => all.physical_reads,
            Rank::Gets => all.logical_reads(),
        };
        (key, elapsed)
    }
}

impl Profile {
    /// The parts of the response time, largest first; what is not accounted for comes where its
    /// size puts it, whichever its sign.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let response = self.spent.response_ns();
        let part = |on, ns: i64| {
            let share = (response > 0).then(|| ns as f64 / response as f64);
            Part { on, ns, share }
        };
        let busy = self.events.iter().filter(|event| !event.idle);
        let mut parts: Vec<Part<'_>> =
            busy.map(|event| part(SpentOn::Wait(event), super::signed(event.total_ns))).collect();
        parts.push(part(SpentOn::Cpu, super::signed(self.spent.cpu_ns)));
        parts.push(part(SpentOn::Unaccounted, self.spent.unaccounted_ns()));
        parts.retain(|part| part.ns != 0 || !matches!(part.on, SpentOn::Unaccounted));
        parts.sort_by_key(|part| Reverse(part.ns.unsigned_abs()));
        parts
    }

    /// The statements the user called, or those called within others, in this order; without
    /// those that cost nothing and were never called.
    pub fn ranked(&self, recursive: bool, rank: Rank) -> Vec<&Statement> {
        let wanted = |statement: &&Statement| {
            statement.key.recursive == recursive
                && (statement.calls.all().count > 0 || statement.own.between_ns > 0)
        };
        let mut ranked: Vec<&Statement> = self.statements.iter().filter(wanted).collect();
        ranked.sort_by_cached_key(|statement| (Reverse(rank.key(statement)), statement.key));
        ranked
    }

    /// What a statement waited for, most time first, idle waits last.
    pub fn waits_of<'a>(&'a self, statement: &'a Statement) -> Vec<(&'a Event, &'a EventShare)> {
        let shares = statement.waits.iter();
        let mut waits: Vec<_> =
            shares.filter_map(|share| Some((self.event_of(share)?, share))).collect();
        waits.sort_by_key(|(event, share)| (event.idle, Reverse(share.ns)));
        waits
    }
}
