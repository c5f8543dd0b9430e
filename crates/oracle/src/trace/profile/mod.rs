//! Where the time of a traced session went.
//!
//! Definitions, all of them tested against sums made by hand:
//!
//! - **Response time** is what the user waited for the database: elapsed time of the calls of the
//!   user (`dep=0`, and LOB calls), less idle waits within them, plus waits for the database
//!   between calls (such as a `log file sync` after the call that commits).
//! - It is made of **processor time** (`c` of the same calls), **waits** (all that are not idle),
//!   and what is **not accounted for**: elapsed time that is neither. That is time the process
//!   stood in the operating system's run queue or was paged out, waits the server does not
//!   measure, and the rounding of all the others. It is negative where the server counts
//!   processor time during waits.
//! - A call's `e` and `c` contain those of the deeper calls (`dep` one more) that stand before
//!   it. Its **own** time is without them, so own times add up and `e` of all depths does not.
//! - **Idle** waits (`SQL*Net message from client` and its kind) are kept apart.
//! - Calls that the file does not show the outer call of count as calls of the user: their outer
//!   call began or ended outside the file.

mod between;
mod binds;
mod calls;
mod cardinality;
mod client_time;
mod events;
mod findings;
mod groups;
mod lane;
mod nesting;
mod plans;
mod profiler;
mod quick_hash;
mod ranking;
mod reads;
mod seconds;
mod statement;
mod statements;
#[cfg(test)]
mod tests;
mod time_stacks;
mod time_tree;
#[cfg(test)]
mod writers_tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

pub use between::{BetweenCalls, ClientWaits};
pub use binds::{BindVariable, Binds};
pub use calls::{CallCosts, CostsByKind};
pub use cardinality::Distinct;
pub use client_time::ClientTime;
pub use events::{Event, Events};
pub use findings::{Damage, Finding, FindingKind, Findings};
pub use groups::{Condition, Group, GroupBy, Groups, Longest, Tally, Values};
pub use plans::{Plan, Plans, RowSource, RowSourceCosts};
pub use profiler::Profiler;
pub use ranking::{Part, Rank, SpentOn};
pub use reads::{ReadTallies, ReadTally, Reads};
pub use statement::{EventShare, OwnTime, Statement, StatementId, StatementKey};
pub use statements::{Limits, Statements};
pub use time_stacks::TimeStacks;

/// Where the time of one or several traces went.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What was read.
    pub inputs: Inputs,
    /// Time by where it was spent.
    pub spent: Spent,
    /// Calls of the user, `dep=0`.
    pub user_calls: CostsByKind,
    /// Calls of the database on its own, `dep>0`: their work is in those of the user.
    pub recursive_calls: CostsByKind,
    /// LOB calls by name.
    pub lob_calls: BTreeMap<String, CallCosts>,
    /// Waits by event.
    pub events: Events,
    /// Waits for the client by the call before.
    pub between: BetweenCalls,
    /// Costs by statement.
    pub statements: Statements,
    /// The plans they were executed with.
    pub plans: Plans,
    /// What was bound to the variables of statements.
    pub binds: Binds,
    /// Blocks read.
    pub reads: Reads,
    /// Ends of transactions.
    pub transactions: Transactions,
    /// How often each ORA- error was met.
    pub errors: BTreeMap<u32, u64>,
    /// What limits all this.
    pub findings: Findings,
    /// Response time by groups, where that is wanted.
    pub groups: Option<Groups>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The number of files.
    pub files: u64,
    /// The first of them.
    pub first: Option<Arc<str>>,
    /// Time from the first moment of each file to its last, added up, in nanoseconds.
    pub traced_ns: u64,
    /// Waits read.
    pub waits: u64,
    /// Database calls read, of all depths and LOB calls.
    pub calls: u64,
    /// The sessions named, `sid.serial`, at most a thousand.
    pub sessions: BTreeSet<String>,
    /// The instances named, at most a thousand.
    pub instances: BTreeSet<String>,
    /// The releases named, at most a thousand.
    pub releases: BTreeSet<String>,
}

/// Time by where it was spent, in nanoseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Elapsed time of outermost calls.
    pub calls_ns: u64,
    /// Their processor time.
    pub cpu_ns: u64,
    /// Waits for the database within calls.
    pub waits_within_ns: u64,
    /// Idle waits within calls.
    pub idle_within_ns: u64,
    /// Waits for the database outside of calls.
    pub waits_between_ns: u64,
    /// Idle waits outside of calls.
    pub idle_between_ns: u64,
}

/// How transactions ended.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Transactions {
    /// Commits of changes.
    pub commits: u64,
    /// Rollbacks of changes.
    pub rollbacks: u64,
    /// Ends of transactions that changed nothing.
    pub read_only: u64,
}

impl Spent {
    /// What the user waited for the database.
    pub fn response_ns(&self) -> u64 {
        let calls = self.calls_ns.saturating_sub(self.idle_within_ns);
        calls.saturating_add(self.waits_between_ns)
    }

    /// Waits for the database.
    pub fn waits_ns(&self) -> u64 {
        self.waits_within_ns.saturating_add(self.waits_between_ns)
    }

    /// Idle waits.
    pub fn idle_ns(&self) -> u64 {
        self.idle_within_ns.saturating_add(self.idle_between_ns)
    }

    /// Response time that is neither processor time nor a wait; negative where the two overlap.
    pub fn unaccounted_ns(&self) -> i64 {
        signed(self.calls_ns)
            .saturating_sub(signed(self.idle_within_ns))
            .saturating_sub(signed(self.cpu_ns))
            .saturating_sub(signed(self.waits_within_ns))
    }

    fn add(&mut self, other: &Spent) {
        let sum = |one: &mut u64, more: u64| *one = one.saturating_add(more);
        sum(&mut self.calls_ns, other.calls_ns);
        sum(&mut self.cpu_ns, other.cpu_ns);
        sum(&mut self.waits_within_ns, other.waits_within_ns);
        sum(&mut self.idle_within_ns, other.idle_within_ns);
        sum(&mut self.waits_between_ns, other.waits_between_ns);
        sum(&mut self.idle_between_ns, other.idle_between_ns);
    }
}

/// What is more than fits becomes the largest that does.
fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

impl Profile {
    fn new(file: Arc<str>, limits: Limits, block_bytes: u64) -> Profile {
        Profile {
            inputs: Inputs { files: 1, first: Some(file), ..Inputs::default() },
            spent: Spent::default(),
            user_calls: CostsByKind::default(),
            recursive_calls: CostsByKind::default(),
            lob_calls: BTreeMap::new(),
            events: Events::default(),
            between: BetweenCalls::default(),
            statements: Statements::new(limits),
            plans: Plans::default(),
            binds: Binds::default(),
            reads: Reads::new(block_bytes),
            transactions: Transactions::default(),
            errors: BTreeMap::new(),
            findings: Findings::default(),
            groups: None,
        }
    }

    /// Round trips between client and server: the number of `SQL*Net message from client` waits.
    /// A round trip may bundle several calls, and a call may need several.
    pub fn round_trips(&self) -> u64 {
        self.client_event().map_or(0, |event| event.count)
    }

    /// LOB calls together.
    pub fn lob_costs(&self) -> CallCosts {
        let mut all = CallCosts::default();
        self.lob_calls.values().for_each(|costs| all.add(costs));
        all
    }

    /// Response time that is in no statement the user called: that of recursive calls whose outer
    /// call is not in the trace, and of waits between such calls. In nanoseconds.
    pub fn recursive_only_ns(&self) -> u64 {
        let called = self.statements.iter().filter(|statement| !statement.key.recursive);
        let above = called.fold(0_u64, |sum, one| sum.saturating_add(one.response_ns()));
        self.spent.response_ns().saturating_sub(above)
    }

    /// Time traced in which there was neither a call nor a wait, in nanoseconds: the trace was
    /// switched off, or the session did what is not traced. `None` where the clock went back, so
    /// that it cannot be known; negative where calls and waits overlap by rounding.
    pub fn untraced_ns(&self) -> Option<i64> {
        if self.findings.get(FindingKind::ClockGoesBack).is_some() || self.inputs.traced_ns == 0 {
            return None;
        }
        let accounted_ns = self.spent.response_ns().saturating_add(self.spent.idle_ns());
        Some(signed(self.inputs.traced_ns).saturating_sub(signed(accounted_ns)))
    }

    /// The event that a statement's share is of.
    pub fn event_of(&self, share: &EventShare) -> Option<&Event> {
        self.events.get(share.event)
    }

    /// Adds another profile: of another file of the same database, with blocks of the same size.
    pub fn merge(&mut self, other: &Profile) {
        self.inputs.merge(&other.inputs);
        self.spent.add(&other.spent);
        self.user_calls.add(&other.user_calls);
        self.recursive_calls.add(&other.recursive_calls);
        for (name, costs) in &other.lob_calls {
            self.lob_calls.entry(name.clone()).or_default().add(costs);
        }
        let places = self.events.merge(&other.events);
        self.between.merge(&other.between);
        self.statements.merge(&other.statements, &places);
        self.plans.merge(&other.plans, &self.statements);
        self.binds.merge(&other.binds, &self.statements);
        self.reads.merge(&other.reads);
        self.transactions.commits += other.transactions.commits;
        self.transactions.rollbacks += other.transactions.rollbacks;
        self.transactions.read_only += other.transactions.read_only;
        for (&error, count) in &other.errors {
            *self.errors.entry(error).or_default() += count;
        }
        self.findings.merge(&other.findings);
        if let (Some(groups), Some(more)) = (&mut self.groups, &other.groups) {
            groups.merge(more);
        }
        if let (Some(first), 2..) = (&self.inputs.first, self.inputs.instances.len()) {
            self.findings.put(FindingKind::SeveralInstances, self.inputs.instances.len(), first);
        }
    }
}

/// How many names of a kind are kept.
const MOST_NAMES: usize = 1_000;

impl Inputs {
    fn merge(&mut self, other: &Inputs) {
        self.files += other.files;
        self.first = self.first.take().or_else(|| other.first.clone());
        self.traced_ns = self.traced_ns.saturating_add(other.traced_ns);
        self.waits += other.waits;
        self.calls += other.calls;
        let names = [
            (&mut self.sessions, &other.sessions),
            (&mut self.instances, &other.instances),
            (&mut self.releases, &other.releases),
        ];
        for (mine, theirs) in names {
            for name in theirs {
                add_name(mine, name);
            }
        }
    }
}

fn add_name(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < MOST_NAMES && !name.is_empty() && !names.contains(name) {
        names.insert(name.to_owned());
    }
}
