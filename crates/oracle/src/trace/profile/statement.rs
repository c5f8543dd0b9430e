//! One statement and what it cost.

use std::sync::Arc;

use super::calls::{CallCosts, CostsByKind};
use super::events::EventId;
use super::quick_hash::of_bytes;
use crate::trace::{CallKind, Parsing};

/// What tells statements apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementId {
    /// The `sqlid` of 11g and later, padded with zeros.
    SqlId([u8; 16]),
    /// The hash of the text, `hv`, of earlier versions.
    Hash(u64),
    /// A hash of our own, where the trace gives neither.
    Text(u64),
    /// Calls and waits of cursors whose statement is not in the file.
    Missing,
    /// LOB calls: the trace does not say whose.
    Lob,
    /// Waits that belong to no cursor.
    None,
    /// The statements that were not kept, together.
    Others,
}

/// A statement as the user called it, or as the database called it on its own: the same text may
/// be both.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementKey {
    /// Which.
    pub id: StatementId,
    /// Whether it was called from within other calls.
    pub recursive: bool,
}

/// Time of a statement in nanoseconds, beyond what its calls say.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnTime {
    /// Elapsed time of its calls less that of the calls below them. Rounding may leave it slightly
    /// below zero.
    pub elapsed_ns: i64,
    /// Processor time likewise.
    pub cpu_ns: i64,
    /// Waits for the database within its calls and not within deeper ones.
    pub waits_ns: u64,
    /// Idle waits likewise.
    pub idle_ns: u64,
    /// Idle waits within its calls and all deeper ones.
    pub idle_with_below_ns: u64,
    /// Waits for the database on its cursors outside of any call, such as a `log file sync`.
    pub between_ns: u64,
}

/// The waits of one statement for one event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EventShare {
    /// The place of the event in the profile's list.
    pub(super) event: EventId,
    /// The number of waits.
    pub count: u64,
    /// Their time in nanoseconds.
    pub ns: u64,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What tells it from others.
    pub key: StatementKey,
    /// How its text begins; empty if unknown.
    pub text: Box<str>,
    /// The least recursion depth it was called at.
    pub depth: u32,
    /// The module it was first parsed by.
    pub module: Option<Arc<str>>,
    /// What its calls cost, the work of deeper calls in it.
    pub calls: CostsByKind,
    /// Its own time.
    pub own: OwnTime,
    /// Its waits, in the order in which the events were first met. Those of deeper statements
    /// are not among them.
    pub waits: Vec<EventShare>,
    /// From which statements it was called, and how much elapsed time of it: the first four.
    pub parents: Vec<(StatementKey, u64)>,
    /// How many statements were put together here: 1, but for [`StatementId::Others`].
    pub folded: u64,
}

/// How many of a statement's parents are kept.
const MOST_PARENTS: usize = 4;

impl StatementId {
    /// What names the statement of a `PARSING IN CURSOR`.
    pub(super) fn of(parsing: &Parsing<'_>) -> StatementId {
        match (parsing.sql_id, parsing.hash) {
            (Some(sql_id), _) if (1..=16).contains(&sql_id.len()) => {
                let mut padded = [0; 16];
                padded[..sql_id.len()].copy_from_slice(sql_id);
                StatementId::SqlId(padded)
            }
            (_, Some(hash)) => StatementId::Hash(hash),
            _ => StatementId::Text(of_bytes(parsing.text)),
        }
    }
}

impl std::fmt::Display for StatementId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StatementId::SqlId(padded) => {
                f.pad(String::from_utf8_lossy(padded).trim_end_matches('\0'))
            }
            StatementId::Hash(hash) => f.pad(&format!("hv={hash}")),
            StatementId::Text(hash) => f.pad(&format!("text={hash:016x}")),
            StatementId::Missing => f.pad("(not in the file)"),
            StatementId::Lob => f.pad("(LOB calls)"),
            StatementId::None => f.pad("(no cursor)"),
            StatementId::Others => f.pad("(all others)"),
        }
    }
}

impl Statement {
    pub(super) fn new(key: StatementKey) -> Statement {
        Statement {
            key,
            text: Box::default(),
            depth: u32::from(key.recursive),
            module: None,
            calls: CostsByKind::default(),
            own: OwnTime::default(),
            waits: Vec::new(),
            parents: Vec::new(),
            folded: 1,
        }
    }

    /// What the user waited because of it, in nanoseconds: its calls, deeper ones in them, less
    /// idle time, and its waits between calls. For recursive statements this is part of what
    /// those that called them cost.
    pub fn response_ns(&self) -> u64 {
        let calls = self.calls.elapsed_ns().saturating_sub(self.own.idle_with_below_ns);
        calls.saturating_add(self.own.between_ns)
    }

    /// What it is ranked by where there is no room for all: its response time or, if they are longer, its
    /// waits.
    pub(super) fn cost_ns(&self) -> u64 {
        let waited_ns = self.waits.iter().map(|share| share.ns).sum();
        self.response_ns().max(waited_ns)
    }

    /// Its own part of its response time: without deeper calls.
    pub fn own_response_ns(&self) -> u64 {
        let own = u64::try_from(self.own.elapsed_ns).unwrap_or(0);
        own.saturating_sub(self.own.idle_ns).saturating_add(self.own.between_ns)
    }

    /// Own elapsed time of its calls that is neither processor time nor a wait; negative where
    /// the two overlap.
    pub fn own_unaccounted_ns(&self) -> i64 {
        let waits = self.own.waits_ns.saturating_add(self.own.idle_ns);
        let waits = i64::try_from(waits).unwrap_or(i64::MAX);
        self.own.elapsed_ns.saturating_sub(self.own.cpu_ns).saturating_sub(waits)
    }

    /// The time of its waits for the database in nanoseconds; `idle` says which events are not.
    pub(super) fn waited(&mut self, event: EventId, ns: u64) {
        match self.waits.iter_mut().find(|share| share.event == event) {
            Some(share) => {
                share.count += 1;
                share.ns = share.ns.saturating_add(ns);
            }
            None => self.waits.push(EventShare { event, count: 1, ns }),
        }
    }

    /// Takes one wait back that turned out to be another statement's.
    pub(super) fn unwaited(&mut self, event: EventId, ns: u64) {
        if let Some(share) = self.waits.iter_mut().find(|share| share.event == event) {
            share.count = share.count.saturating_sub(1);
            share.ns = share.ns.saturating_sub(ns);
        }
        self.waits.retain(|share| share.count > 0);
    }

    /// Counts one of its calls.
    pub(super) fn called(&mut self, kind: CallKind, costs: &CallCosts, depth: u32) {
        self.depth = self.depth.min(depth);
        self.calls.add_one(kind, costs);
    }

    /// Says from where it was called.
    pub(super) fn called_from(&mut self, parent: StatementKey, elapsed_ns: u64) {
        let known = self.parents.len();
        match self.parents.iter_mut().find(|(key, _)| *key == parent) {
            Some((_, sum)) => *sum = sum.saturating_add(elapsed_ns),
            None if known < MOST_PARENTS => self.parents.push((parent, elapsed_ns)),
            None => {}
        }
    }

    /// Adds what another cost; `events` says where its events are here.
    pub(super) fn absorb(&mut self, other: &Statement, events: impl Fn(EventId) -> EventId) {
        self.depth = self.depth.min(other.depth);
        self.calls.add(&other.calls);
        self.own.add(&other.own);
        for share in &other.waits {
            let event = events(share.event);
            match self.waits.iter_mut().find(|mine| mine.event == event) {
                Some(mine) => {
                    mine.count += share.count;
                    mine.ns = mine.ns.saturating_add(share.ns);
                }
                None => self.waits.push(EventShare { event, ..*share }),
            }
        }
        for &(parent, ns) in &other.parents {
            self.called_from(parent, ns);
        }
    }
}

impl OwnTime {
    fn add(&mut self, other: &OwnTime) {
        self.elapsed_ns = self.elapsed_ns.saturating_add(other.elapsed_ns);
        self.cpu_ns = self.cpu_ns.saturating_add(other.cpu_ns);
        self.waits_ns = self.waits_ns.saturating_add(other.waits_ns);
        self.idle_ns = self.idle_ns.saturating_add(other.idle_ns);
        self.idle_with_below_ns = self.idle_with_below_ns.saturating_add(other.idle_with_below_ns);
        self.between_ns = self.between_ns.saturating_add(other.between_ns);
    }
}
