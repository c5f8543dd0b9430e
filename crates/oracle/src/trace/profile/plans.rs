//! The plans that statements were executed with: the row sources of `STAT` lines.

use std::collections::BTreeMap;

use super::statement::{Statement, StatementKey};
use super::statements::Statements;
use crate::trace::{Cursor, Stat};

/// A plan that a statement was executed with, and what its row sources did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// `plh` of the statement's calls, which 11g and later write.
    pub hash: Option<u64>,
    /// How often it was written: by default once for a cursor, after its first execution.
    pub written: u64,
    /// Its row sources, in the order of the trace.
    pub row_sources: Vec<RowSource>,
}

/// A line of a plan. Times, gets and reads of a row source hold those of the ones below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSource {
    /// Its number.
    pub id: u32,
    /// The number of the one that takes its rows; 0 is none.
    pub parent: u32,
    /// How many stand between it and the whole plan.
    pub depth: usize,
    /// The number of its object; 0 is none.
    pub object: u64,
    /// What it does, without its numbers; bytes that are not UTF-8 replaced.
    pub operation: Box<str>,
    /// Rows of the first time that it was written.
    pub first_rows: u64,
    /// The most rows of one time.
    pub most_rows: u64,
    /// Rows of all times.
    pub rows: u64,
    /// What it cost, of all times; 8i does not say.
    pub costs: RowSourceCosts,
}

/// What a row source and those below it cost, as far as the trace says.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSourceCosts {
    /// `cr`: consistent gets.
    pub consistent_gets: Option<u64>,
    /// `pr`: blocks read from disk.
    pub physical_reads: Option<u64>,
    /// `pw`: blocks written.
    pub physical_writes: Option<u64>,
    /// `str`: how often it was started.
    pub starts: Option<u64>,
    /// `time`, in nanoseconds.
    pub time_ns: Option<u64>,
}

/// All plans, in bounded memory.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    by_statement: BTreeMap<StatementKey, Vec<Plan>>,
    /// How many row sources are kept.
    row_sources: usize,
    /// How often plans were written that are not kept.
    pub left_out: u64,
}

/// The lines of a plan that is being read.
#[derive(Clone, Debug)]
pub(super) struct OpenPlan {
    cursor: Cursor,
    key: StatementKey,
    plan: Plan,
}

/// How many row sources are kept: some 10 MB.
const MOST_ROW_SOURCES: usize = 60_000;
/// How many different plans of a statement are kept.
const MOST_PLANS: usize = 16;
/// How many lines a plan has at most; what is beyond is damaged input.
const MOST_LINES: usize = 5_000;

impl RowSource {
    fn of(stat: &Stat<'_>, above: &[RowSource]) -> RowSource {
        let written = String::from_utf8_lossy(stat.operation);
        let (operation, numbers) = match written.rfind(" (cr=") {
            Some(at) => written.split_at(at),
            None => (&*written, ""),
        };
        let parent = above.iter().rev().find(|one| one.id == stat.parent);
        RowSource {
            id: stat.id,
            parent: stat.parent,
            depth: parent.map_or(0, |parent| parent.depth + 1),
            object: stat.object,
            operation: operation.trim_start().into(),
            first_rows: stat.rows,
            most_rows: stat.rows,
            rows: stat.rows,
            costs: RowSourceCosts::read(numbers),
        }
    }

    fn is_same(&self, other: &RowSource) -> bool {
        let key = |one: &RowSource| (one.id, one.parent, one.object);
        key(self) == key(other) && self.operation == other.operation
    }

    fn add(&mut self, other: &RowSource) {
        self.rows = self.rows.saturating_add(other.rows);
        self.most_rows = self.most_rows.max(other.most_rows);
        self.costs.add(other.costs);
    }
}

impl RowSourceCosts {
    /// Reads ` (cr=154 pr=0 pw=0 str=1 time=6274 us cost=40 size=1 card=1)`; 9i has `r` and `w`.
    fn read(numbers: &str) -> RowSourceCosts {
        let words = || numbers.split([' ', '(', ')']).filter_map(|word| word.split_once('='));
        let named = |names: [&str; 2]| {
            let (_, value) = words().find(|(name, _)| names.contains(name))?;
            value.parse::<u64>().ok()
        };
        RowSourceCosts {
            consistent_gets: named(["cr", "cr"]),
            physical_reads: named(["pr", "r"]),
            physical_writes: named(["pw", "w"]),
            starts: named(["str", "str"]),
            time_ns: named(["time", "time"]).map(|us| us.saturating_mul(1_000)),
        }
    }

    /// A sum of which a part is not known is not known.
    fn add(&mut self, other: RowSourceCosts) {
        let sum = |one: &mut Option<u64>, more: Option<u64>| {
            *one = one.zip(more).map(|(one, more)| one.saturating_add(more));
        };
        sum(&mut self.consistent_gets, other.consistent_gets);
        sum(&mut self.physical_reads, other.physical_reads);
        sum(&mut self.physical_writes, other.physical_writes);
        sum(&mut self.starts, other.starts);
        sum(&mut self.time_ns, other.time_ns);
    }
}

impl OpenPlan {
    pub(super) fn new(cursor: Cursor, key: StatementKey, hash: Option<u64>) -> OpenPlan {
        OpenPlan { cursor, key, plan: Plan { hash, written: 1, row_sources: Vec::new() } }
    }

    /// Whether a line is the next of this plan: of the same cursor, with a higher number.
    pub(super) fn goes_on(&self, stat: &Stat<'_>) -> bool {
        let last = self.plan.row_sources.last();
        self.cursor == stat.cursor && last.is_none_or(|last| last.id < stat.id)
    }

    pub(super) fn push(&mut self, stat: &Stat<'_>) {
        if self.plan.row_sources.len() < MOST_LINES {
            let row_source = RowSource::of(stat, &self.plan.row_sources);
            self.plan.row_sources.push(row_source);
        }
    }
}

impl Plan {
    fn is_same(&self, other: &Plan) -> bool {
        let mut pairs = self.row_sources.iter().zip(&other.row_sources);
        self.hash == other.hash
            && self.row_sources.len() == other.row_sources.len()
            && pairs.all(|(one, other)| one.is_same(other))
    }
}

impl Plans {
    /// The plans of a statement, in the order in which they were first met.
    pub fn of(&self, key: StatementKey) -> &[Plan] {
        self.by_statement.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Adds a plan whose lines have all been read.
    pub(super) fn close(&mut self, open: OpenPlan, statements: &Statements) {
        self.add(open.key, open.plan, statements);
    }

    /// Adds those of another profile, whose statements have been added already.
    pub(super) fn merge(&mut self, other: &Plans, statements: &Statements) {
        self.left_out = self.left_out.saturating_add(other.left_out);
        for (key, plans) in &other.by_statement {
            for plan in plans {
                self.add(*key, plan.clone(), statements);
            }
        }
        self.keep(statements);
    }

    /// Drops the plans of statements that are not told apart any more.
    pub(super) fn keep(&mut self, statements: &Statements) {
        let lines =
            |plans: &Vec<Plan>| plans.iter().map(|plan| plan.row_sources.len()).sum::<usize>();
        self.by_statement.retain(|key, _| statements.get(*key).is_some());
        self.row_sources = self.by_statement.values().map(lines).sum();
    }

    /// Drops the plans of the cheaper half of the statements that have some.
    fn make_room(&mut self, statements: &Statements) {
        let cost = |key: &StatementKey| (statements.get(*key).map_or(0, Statement::cost_ns), *key);
        let mut by_cost: Vec<(u64, StatementKey)> = self.by_statement.keys().map(cost).collect();
        by_cost.sort_unstable();
        for (_, key) in by_cost.iter().take(by_cost.len() / 2) {
            for plan in self.by_statement.remove(key).unwrap_or_default() {
                self.row_sources -= plan.row_sources.len();
                self.left_out = self.left_out.saturating_add(plan.written);
            }
        }
    }

    fn add(&mut self, key: StatementKey, plan: Plan, statements: &Statements) {
        let known = self.by_statement.get_mut(&key).map_or(&mut [][..], Vec::as_mut_slice);
        let plans = known.len();
        if let Some(same) = known.iter_mut().find(|known| known.is_same(&plan)) {
            same.written = same.written.saturating_add(plan.written);
            for (one, more) in same.row_sources.iter_mut().zip(&plan.row_sources) {
                one.add(more);
            }
            return;
        }
        let lines = plan.row_sources.len();
        if plans < MOST_PLANS && self.row_sources + lines > MOST_ROW_SOURCES {
            self.make_room(statements);
        }
        if plans >= MOST_PLANS || self.row_sources + lines > MOST_ROW_SOURCES {
            self.left_out = self.left_out.saturating_add(plan.written);
            return;
        }
        self.row_sources += lines;
        self.by_statement.entry(key).or_default().push(plan);
    }
}
