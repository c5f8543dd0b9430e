//! Makes a profile of the records of one trace.

mod records;

use std::sync::Arc;

use super::calls::CallCosts;
use super::findings::FindingKind;
use super::groups::{Called, GroupBy, Grouper};
use super::lane::Lane;
use super::nesting::{Inside, OpenCall, Span};
use super::statement::{StatementId, StatementKey};
use super::statements::{Limits, Slot};
use super::time_stacks::TimeStacks;
use super::time_tree::{Branch, Step};
use super::{Profile, add_name, signed};
use crate::trace::writer::Writer;
use crate::trace::{Call, Cursor, TraceUnit};

/// Takes the records of one trace and makes a [`Profile`] of them.
///
/// Memory is bounded whatever the size of the trace: some 60 MB with the default [`Limits`], and
/// 50 MB with groups.
#[derive(Debug)]
pub struct Profiler {
    profile: Profile,
    file: Arc<str>,
    /// Nanoseconds in the trace's unit of time.
    tick_ns: u64,
    /// One for each process and session that the trace names before their lines.
    lanes: Vec<Lane>,
    lane: usize,
    writer: Writer,
    /// The line of the record at hand, from 1.
    line: u64,
    header: bool,
    /// Waits that do not say when they ended.
    clockless: u64,
    /// Waits of no length.
    zero: u64,
    /// Whether the user says what the unit of time is.
    unit_given: bool,
    release: Option<String>,
    /// What time was spent in by statement and call, where that is wanted.
    tree: Option<Box<Branch>>,
    /// Groups of waits and calls, where these are wanted.
    grouper: Option<Box<Grouper>>,
}

/// Nanoseconds in a microsecond, the unit of 9i and later.
const MICROSECOND: u64 = 1_000;
/// Nanoseconds in a hundredth of a second, the unit of 8i.
const CENTISECOND: u64 = 10_000_000;
/// Lines of one session may be out of order by so much.
const SLACK_NS: u64 = 1_000_000;
/// How many different ORA- numbers, and names of LOB calls, are counted.
const MOST_NUMBERS: usize = 1_000;

impl Profiler {
    /// A profile of the trace `file`, of a database with blocks of `block_bytes` bytes.
    pub fn new(file: &str, limits: Limits, block_bytes: u64) -> Profiler {
        let file: Arc<str> = file.into();
        Profiler {
            profile: Profile::new(Arc::clone(&file), limits, block_bytes),
            file,
            tick_ns: MICROSECOND,
            lanes: vec![Lane::default()],
            lane: 0,
            writer: Writer::default(),
            line: 0,
            header: false,
            clockless: 0,
            zero: 0,
            unit_given: false,
            release: None,
            tree: None,
            grouper: None,
        }
    }

    /// The same, and what time was spent in is kept by statement and call: see
    /// [`Profiler::finish_with_stacks`].
    #[must_use]
    pub fn with_stacks(mut self) -> Profiler {
        self.tree = Some(Box::default());
        self
    }

    /// The same, and waits and calls are grouped: see [`Profile::groups`].
    #[must_use]
    pub fn with_groups(mut self, request: GroupBy) -> Profiler {
        self.grouper = Some(Box::new(Grouper::new(request)));
        self
    }

    /// The same, and values of bind variables are kept, not only counted.
    #[must_use]
    pub fn with_bind_values(mut self) -> Profiler {
        self.profile.binds.keep_values();
        self
    }

    /// The same, with times in `unit` where no header says which release wrote the trace.
    #[must_use]
    pub fn with_unit(mut self, unit: Option<TraceUnit>) -> Profiler {
        if let Some(unit) = unit {
            self.unit_given = true;
            self.set_tick(unit.as_nanos().as_nanos());
        }
        self
    }

    fn set_tick(&mut self, tick_ns: u64) {
        self.tick_ns = tick_ns;
        self.profile.events.tick_ns = tick_ns;
    }

    /// Ends the trace.
    pub fn finish(mut self) -> Profile {
        self.end();
        self.profile
    }

    /// Ends the trace; with what its time was spent in if [`Profiler::with_stacks`] was called.
    pub fn finish_with_stacks(mut self) -> (Profile, TimeStacks) {
        self.end();
        let tree = self.tree.take().unwrap_or_default();
        let stacks = TimeStacks::of(&tree, &self.profile);
        (self.profile, stacks)
    }

    fn end(&mut self) {
        let (mut passed, mut backwards) = (0_u64, 0);
        for number in 0..self.lanes.len() {
            self.lane = number;
            self.settle();
            if let Some(plan) = self.lanes[number].plan.take() {
                self.profile.plans.close(plan, &self.profile.statements);
            }
            passed = passed.saturating_add(self.lanes[number].clock.passed());
            backwards += self.lanes[number].clock.backwards;
        }
        if let Some(grouper) = self.grouper.take() {
            self.profile.groups = Some(grouper.finish(&self.file, &self.profile.events));
        }
        let unknown_unit = self.is_unit_unknown();
        let releases = &mut self.profile.inputs.releases;
        self.release.take().into_iter().for_each(|release| add_name(releases, &release));
        self.profile.inputs.traced_ns = passed.saturating_mul(self.tick_ns);
        self.judge(backwards);
        if unknown_unit {
            self.profile.findings.add(FindingKind::UnknownUnit, self.zero, &self.file);
        }
    }

    /// Whether the trace may count hundredths of a second: neither a header nor the user says that
    /// it does not, nor `tim` on its waits, which 10.2 began to write.
    fn is_unit_unknown(&self) -> bool {
        self.release.is_none() && !self.unit_given && 2 * self.clockless > self.profile.inputs.waits
    }

    /// What the trace as a whole lacks.
    fn judge(&mut self, backwards: u64) {
        let calls = self.profile.inputs.calls;
        let waits = self.profile.inputs.waits;
        let judgements = [
            (FindingKind::NoWaits, calls > 0 && waits == 0, calls),
            (FindingKind::BeginsInTheMiddle, !self.header && calls + waits > 0, 1),
            (FindingKind::Centiseconds, self.tick_ns == CENTISECOND, 1),
            (FindingKind::ClockGoesBack, backwards > 0, backwards),
            // Fewer may be lines that were cut.
            (FindingKind::NoClock, self.clockless > waits / 2, self.clockless),
        ];
        for (kind, holds, count) in judgements {
            if holds {
                self.profile.findings.add(kind, count, &self.file);
            }
        }
    }

    fn ns(&self, ticks: u64) -> u64 {
        ticks.saturating_mul(self.tick_ns)
    }

    fn slack(&self) -> u64 {
        SLACK_NS / self.tick_ns
    }

    /// What is open when a call of the user ends happened between calls: waits of the database,
    /// and calls whose outer call is not in the file.
    fn settle(&mut self) {
        if let Some(grouper) = &mut self.grouper {
            grouper.settle(self.lane, &self.profile.statements);
        }
        self.settle_between();
        let spent = &mut self.profile.spent;
        let (waits, calls) = self.lanes[self.lane].nesting.drain();
        for wait in waits {
            spent.waits_between_ns = spent.waits_between_ns.saturating_add(wait.busy_ns);
            spent.idle_between_ns = spent.idle_between_ns.saturating_add(wait.idle_ns);
            let own = &mut self.profile.statements.at(wait.slot).own;
            own.between_ns = own.between_ns.saturating_add(wait.busy_ns);
            if let Some(tree) = &mut self.tree {
                let key = self.profile.statements.key_at(wait.slot);
                tree.at((key, Step::Between)).wait(wait.event, wait.busy_ns);
            }
        }
        for call in calls {
            spent.calls_ns = spent.calls_ns.saturating_add(call.elapsed_ns);
            spent.cpu_ns = spent.cpu_ns.saturating_add(call.cpu_ns);
            if let (Some(tree), Some(branch)) = (&mut self.tree, call.branch) {
                tree.merge(*branch);
            }
        }
    }

    /// Counts the waits for the client that no call has taken.
    fn settle_between(&mut self) {
        for (behind, ns) in self.lanes[self.lane].between_calls() {
            self.profile.between.add(behind, ns);
        }
    }

    /// The row for calls and waits without a statement.
    fn without(&mut self, id: StatementId, recursive: bool) -> Slot {
        self.profile.statements.slot(StatementKey { id, recursive })
    }

    /// The statement that a call is of, as called by the user or by the database.
    fn statement_called(&mut self, call: &Call) -> Slot {
        let recursive = call.depth > 0;
        let Some(slot) = self.lanes[self.lane].statement(call.cursor, true) else {
            self.profile.findings.add(FindingKind::StatementsMissing, 1, &self.file);
            return self.without(StatementId::Missing, recursive);
        };
        let key = self.profile.statements.key_at(slot);
        if key.recursive == recursive {
            return slot;
        }
        let twin = self.profile.statements.slot(StatementKey { recursive, ..key });
        if self.profile.statements.at(twin).text.is_empty() {
            let known = self.profile.statements.at(slot);
            let (text, module) = (known.text.clone(), known.module.clone());
            let fresh = self.profile.statements.at(twin);
            (fresh.text, fresh.module) = (text, module);
        }
        twin
    }

    /// A call is at hand.
    fn begin_call(&mut self, cursor: Cursor) {
        if let Some(grouper) = &mut self.grouper {
            (grouper.line, grouper.cursor) = (self.line, cursor);
        }
    }

    /// Gives a call that ended what happened in it, and it to what it is part of.
    fn place(&mut self, (slot, step): (Slot, Step), costs: &CallCosts, span: Span) {
        let statements = &mut self.profile.statements;
        let parent = statements.key_at(slot);
        let mut branch = self.tree.as_ref().map(|_| Branch::default());
        let taken =
            self.lanes[self.lane].nesting.take(span, |inside| match (inside, &mut branch) {
                (Inside::Wait(wait), Some(branch)) => branch.wait(wait.event, wait.busy_ns),
                (Inside::Wait(_), None) => {}
                (Inside::Call(below), branch) => {
                    statements.at(below.slot).called_from(parent, below.elapsed_ns);
                    if let (Some(branch), Some(theirs)) = (branch, below.branch) {
                        branch.merge(*theirs);
                    }
                }
            });
        self.lanes[self.lane].called_within(span);
        let spent = &mut self.profile.spent;
        spent.waits_within_ns = spent.waits_within_ns.saturating_add(taken.busy_ns);
        spent.idle_within_ns = spent.idle_within_ns.saturating_add(taken.idle_ns);
        let idle_with_below = taken.idle_ns.saturating_add(taken.idle_below_ns);
        let own = &mut statements.at(slot).own;
        let elapsed_ns = signed(costs.elapsed_ns) - signed(taken.elapsed_below_ns);
        let cpu_ns = signed(costs.cpu_ns) - signed(taken.cpu_below_ns);
        own.elapsed_ns += elapsed_ns;
        own.cpu_ns += cpu_ns;
        own.waits_ns = own.waits_ns.saturating_add(taken.busy_ns);
        own.idle_ns = own.idle_ns.saturating_add(taken.idle_ns);
        own.idle_with_below_ns = own.idle_with_below_ns.saturating_add(idle_with_below);
        if let Some(grouper) = &mut self.grouper {
            let waited_ns = signed(taken.busy_ns).saturating_add(signed(taken.idle_ns));
            let own_ns = elapsed_ns.saturating_sub(waited_ns);
            let called = Called { slot, step, span, own_ns };
            grouper.call(self.lane, called, statements);
        }
        let mut open = OpenCall::new(slot, costs.elapsed_ns, costs.cpu_ns, idle_with_below);
        open.branch = branch.map(|mut branch| {
            branch.spend(elapsed_ns, cpu_ns, taken.idle_ns);
            Box::new(branch.below((parent, step)))
        });
        self.lanes[self.lane].nesting.leave(span, open);
        if span.depth == 0 || step == Step::Lob {
            self.lanes[self.lane].last_call = Some((parent, step.word()));
        }
        if span.depth == 0 {
            self.settle();
        }
    }

    /// Keeps the number of statements within its limit.
    fn tidy(&mut self) {
        if !self.profile.statements.is_full() {
            return;
        }
        let places = self.profile.statements.tidy();
        let grouped = self.grouper.iter_mut().flat_map(|grouper| grouper.slots());
        for slot in self.lanes.iter_mut().flat_map(Lane::slots).chain(grouped) {
            *slot = places.get(*slot as usize).copied().unwrap_or(0);
        }
        let statements = &self.profile.statements;
        self.profile.plans.keep(statements);
        self.profile.binds.keep(statements);
        if let Some(tree) = &mut self.tree {
            tree.keep(&|key| statements.get(key).is_some());
        }
    }

    /// The line that names the release, such as `Oracle8i Enterprise Edition Release 8.1.7.4.1`.
    /// Times are in hundredths of a second up to 8i.
    fn banner(&mut self, banner: &[u8]) {
        let text = String::from_utf8_lossy(banner);
        let release = text.split_once(" Release ").map_or("", |(_, release)| release);
        let release = release.split(' ').next().unwrap_or_default();
        let major = release.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if let Some(major) = major {
            self.set_tick(if major <= 8 { CENTISECOND } else { MICROSECOND });
        }
        self.release = (!release.is_empty()).then(|| release.to_owned());
    }

    fn count_error(&mut self, error: u32) {
        let errors = &mut self.profile.errors;
        if errors.len() < MOST_NUMBERS || errors.contains_key(&error) {
            *errors.entry(error).or_default() += 1;
        }
    }

    /// The lines that follow are of the writer with this number.
    fn switch(&mut self, writer: usize) {
        if writer >= self.lanes.len() {
            self.lanes.resize_with(writer + 1, Lane::default);
        }
        self.lane = writer;
    }
}
