//! What time was spent in, by statement and call: calls within calls are branches of a tree.

use std::collections::BTreeMap;

use super::events::EventId;
use super::statement::{StatementId, StatementKey};
use crate::trace::CallKind;

/// What a branch stands for: a statement and what was done with it.
pub(super) type Label = (StatementKey, Step);

/// What was done with a statement.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Step {
    /// A database call.
    Call(CallKind),
    /// A LOB call.
    Lob,
    /// Nothing: its cursor waited between calls.
    Between,
}

impl Step {
    /// What it is called.
    pub fn word(self) -> &'static str {
        match self {
            Step::Call(kind) => kind.word(),
            Step::Lob => "LOB call",
            Step::Between => "between calls",
        }
    }
}

/// Time spent in calls of one kind, in nanoseconds, and what was called within them.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    /// Elapsed time without deeper calls. Rounding may leave it slightly below zero.
    pub elapsed_ns: i64,
    /// Processor time likewise.
    pub cpu_ns: i64,
    /// Idle waits likewise.
    pub idle_ns: u64,
    /// Waits for the database by event.
    pub waits: BTreeMap<EventId, u64>,
    /// Deeper calls.
    pub calls: BTreeMap<Label, Branch>,
    /// How many branches stand on top of each other in it.
    height: u32,
}

/// The highest tree. Calls that are deeper count as part of those at this depth: no database calls so
/// deep, and a file that says so must not exhaust the stack.
const MOST_HEIGHT: u32 = 60;

impl Branch {
    /// A wait for the database within it.
    pub fn wait(&mut self, event: EventId, ns: u64) {
        if ns > 0 {
            let sum = self.waits.entry(event).or_default();
            *sum = sum.saturating_add(ns);
        }
    }

    /// Time of its own.
    pub fn spend(&mut self, elapsed_ns: i64, cpu_ns: i64, idle_ns: u64) {
        self.elapsed_ns = self.elapsed_ns.saturating_add(elapsed_ns);
        self.cpu_ns = self.cpu_ns.saturating_add(cpu_ns);
        self.idle_ns = self.idle_ns.saturating_add(idle_ns);
    }

    /// The branch of this label in it.
    pub fn at(&mut self, label: Label) -> &mut Branch {
        self.height = self.height.max(1);
        self.calls.entry(label).or_default()
    }

    /// A tree with this branch as its only one.
    pub fn below(mut self, label: Label) -> Branch {
        if self.height >= MOST_HEIGHT {
            self.flatten();
        }
        let height = self.height + 1;
        Branch { calls: BTreeMap::from([(label, self)]), height, ..Branch::default() }
    }

    /// Adds another of the same place.
    pub fn merge(&mut self, other: Branch) {
        self.spend(other.elapsed_ns, other.cpu_ns, other.idle_ns);
        for (event, ns) in other.waits {
            self.wait(event, ns);
        }
        for (label, branch) in other.calls {
            match self.calls.get_mut(&label) {
                Some(known) => known.merge(branch),
                None => drop(self.calls.insert(label, branch)),
            }
        }
        self.height = self.height.max(other.height);
    }

    /// Makes everything in deeper calls its own.
    fn flatten(&mut self) {
        for (_, mut branch) in std::mem::take(&mut self.calls) {
            branch.flatten();
            self.merge(branch);
        }
        self.height = 0;
    }

    /// Puts the branches of statements that are not kept together.
    pub fn keep(&mut self, is_kept: &dyn Fn(StatementKey) -> bool) {
        for ((key, step), mut branch) in std::mem::take(&mut self.calls) {
            branch.keep(is_kept);
            let id = if is_kept(key) { key.id } else { StatementId::Others };
            self.at((StatementKey { id, ..key }, step)).merge(branch);
        }
    }
}
