//! Makes a profile of the records of one trace.

use std::sync::Arc;

use super::calls::CallCosts;
use super::findings::FindingKind;
use super::lane::Lane;
use super::nesting::{LOB_DEPTH, OpenCall, Span};
use super::quick_hash::QuickMap;
use super::statement::{StatementId, StatementKey};
use super::statements::{Limits, Slot};
use super::{Profile, add_name, signed};
use crate::trace::{
    Call, CallKind, Cursor, Damage, LobCall, Notice, ParseError, Parsing, TraceUnit, Visitor, Wait,
    Wants,
};

/// Takes the records of one trace and makes a [`Profile`] of them.
///
/// Memory is bounded whatever the size of the trace: some 60 MB with the default [`Limits`].
#[derive(Debug)]
pub struct Profiler {
    profile: Profile,
    file: Arc<str>,
    /// Nanoseconds in the trace's unit of time.
    tick_ns: u64,
    /// The sessions, distinguished where the trace names the process before its lines.
    lanes: Vec<Lane>,
    lane: usize,
    by_process: QuickMap<Box<[u8]>, usize>,
    header: bool,
    /// Waits that do not say when they ended.
    clockless: u64,
    /// Waits of no length.
    zero: u64,
    /// Whether the user says what the unit of time is.
    unit_given: bool,
    release: Option<String>,
}

/// Nanoseconds in a microsecond, the unit of 9i and later.
const MICROSECOND: u64 = 1_000;
/// Nanoseconds in a hundredth of a second, the unit of 8i.
const CENTISECOND: u64 = 10_000_000;
/// Lines of one session may be out of order by so much.
const SLACK_NS: u64 = 1_000_000;
/// How many sessions of one file are distinguished.
const MOST_LANES: usize = 256;
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
            by_process: QuickMap::default(),
            header: false,
            clockless: 0,
            zero: 0,
            unit_given: false,
            release: None,
        }
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
        let (mut passed, mut backwards) = (0_u64, 0);
        for number in 0..self.lanes.len() {
            self.lane = number;
            self.settle();
            passed = passed.saturating_add(self.lanes[number].clock.passed());
            backwards += self.lanes[number].clock.backwards;
        }
        let unknown_unit = self.is_unit_unknown();
        let releases = &mut self.profile.inputs.releases;
        self.release.take().into_iter().for_each(|release| add_name(releases, &release));
        self.profile.inputs.traced_ns = passed.saturating_mul(self.tick_ns);
        self.judge(backwards);
        if unknown_unit {
            self.profile.findings.add(FindingKind::UnknownUnit, self.zero, &self.file);
        }
        self.profile
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
        let spent = &mut self.profile.spent;
        let (waits, calls) = self.lanes[self.lane].nesting.drain();
        for wait in waits {
            spent.waits_between_ns = spent.waits_between_ns.saturating_add(wait.busy_ns);
            spent.idle_between_ns = spent.idle_between_ns.saturating_add(wait.idle_ns);
            let own = &mut self.profile.statements.at(wait.slot).own;
            own.between_ns = own.between_ns.saturating_add(wait.busy_ns);
        }
        for call in calls {
            spent.calls_ns = spent.calls_ns.saturating_add(call.elapsed_ns);
            spent.cpu_ns = spent.cpu_ns.saturating_add(call.cpu_ns);
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

    /// Gives a call that ended what happened in it, and it to what it is part of.
    fn place(&mut self, slot: Slot, costs: &CallCosts, span: Span) {
        let statements = &mut self.profile.statements;
        let parent = statements.key_at(slot);
        let taken = self.lanes[self.lane].nesting.take(span, |below| {
            statements.at(below.slot).called_from(parent, below.elapsed_ns);
        });
        let spent = &mut self.profile.spent;
        spent.waits_within_ns = spent.waits_within_ns.saturating_add(taken.busy_ns);
        spent.idle_within_ns = spent.idle_within_ns.saturating_add(taken.idle_ns);
        let idle_with_below = taken.idle_ns.saturating_add(taken.idle_below_ns);
        let own = &mut statements.at(slot).own;
        own.elapsed_ns += signed(costs.elapsed_ns) - signed(taken.elapsed_below_ns);
        own.cpu_ns += signed(costs.cpu_ns) - signed(taken.cpu_below_ns);
        own.waits_ns = own.waits_ns.saturating_add(taken.busy_ns);
        own.idle_ns = own.idle_ns.saturating_add(taken.idle_ns);
        own.idle_with_below_ns = own.idle_with_below_ns.saturating_add(idle_with_below);
        let open = OpenCall::new(slot, costs.elapsed_ns, costs.cpu_ns, idle_with_below);
        self.lanes[self.lane].nesting.leave(span, open);
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
        for slot in self.lanes.iter_mut().flat_map(Lane::slots) {
            *slot = places.get(*slot as usize).copied().unwrap_or(0);
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

    /// The lines that follow are of this process.
    fn switch(&mut self, process: &[u8]) {
        self.lane = match self.by_process.get(process) {
            Some(&lane) => lane,
            None if self.lanes.len() >= MOST_LANES => 0,
            None => {
                let first = self.by_process.is_empty();
                if !first {
                    self.lanes.push(Lane::default());
                }
                let lane = self.lanes.len() - 1;
                self.by_process.insert(process.into(), lane);
                lane
            }
        };
    }
}

impl Visitor for Profiler {
    const WANTS: Wants = Wants::ALL_BUT_STATS;

    fn wait(&mut self, wait: &Wait<'_>) {
        let ns = self.ns(wait.ela);
        let slack = self.slack();
        self.profile.inputs.waits += 1;
        self.clockless += u64::from(wait.tim.is_none());
        self.zero += u64::from(wait.ela == 0);
        let (id, event) = self.profile.events.record(wait.event, ns);
        let (idle, read, network) = (event.idle, event.read, event.network);
        if let Some(kind) = read {
            self.profile.reads.record(kind, wait.parameters, ns);
        }
        let lane = &mut self.lanes[self.lane];
        let middle = lane.clock.pass(wait.tim, wait.ela, slack);
        let slot = match lane.statement(wait.cursor, network) {
            Some(slot) => slot,
            None if wait.cursor == 0 => self.without(StatementId::None, false),
            None => {
                lane.waits_early(wait.cursor, id, ns);
                self.without(StatementId::Missing, false)
            }
        };
        self.profile.statements.at(slot).waited(id, ns);
        let (busy_ns, idle_ns) = if idle { (0, ns) } else { (ns, 0) };
        self.lanes[self.lane].nesting.wait(middle, slot, busy_ns, idle_ns);
    }

    fn call(&mut self, call: &Call) {
        let costs = CallCosts::of(call, self.tick_ns);
        let slack = self.slack();
        self.profile.inputs.calls += 1;
        let slot = self.statement_called(call);
        let lane = &mut self.lanes[self.lane];
        lane.called(call.cursor, call.close_type == Some(0));
        let middle = lane.clock.pass(call.tim, call.elapsed, slack);
        let start = call.tim.map(|tim| tim.saturating_sub(call.elapsed));
        let (calls, depth) = match call.depth {
            0 => (&mut self.profile.user_calls, 0),
            depth => (&mut self.profile.recursive_calls, depth.min(LOB_DEPTH - 1)),
        };
        calls.add_one(call.kind, &costs);
        self.profile.statements.at(slot).called(call.kind, &costs, depth);
        self.place(slot, &costs, Span { start, middle, depth });
    }

    fn lob(&mut self, call: &LobCall<'_>) {
        let costs = CallCosts::of_lob(call, self.tick_ns);
        let slack = self.slack();
        self.profile.inputs.calls += 1;
        let kind = String::from_utf8_lossy(call.kind);
        let known = &mut self.profile.lob_calls;
        if known.len() < MOST_NUMBERS || known.contains_key(&*kind) {
            known.entry(kind.into_owned()).or_default().add(&costs);
        }
        let middle = self.lanes[self.lane].clock.pass(call.tim, call.elapsed, slack);
        let start = call.tim.map(|tim| tim.saturating_sub(call.elapsed));
        let slot = self.without(StatementId::Lob, false);
        self.profile.statements.at(slot).called(CallKind::Exec, &costs, 0);
        self.place(slot, &costs, Span { start, middle, depth: LOB_DEPTH });
    }

    fn parsing(&mut self, parsing: &Parsing<'_>) {
        self.tidy();
        let lane = &mut self.lanes[self.lane];
        let slot = self.profile.statements.parsed(parsing, lane.module.as_ref());
        let early = lane.parsed(parsing.cursor, slot);
        if !early.is_empty() {
            let missing = self.without(StatementId::Missing, false);
            for wait in early {
                self.profile.statements.at(missing).unwaited(wait.event, wait.ns);
                self.profile.statements.at(slot).waited(wait.event, wait.ns);
            }
        }
    }

    fn parse_error(&mut self, error: &ParseError<'_>) {
        if let Some(number) = error.error {
            self.count_error(number);
        }
    }

    fn error(&mut self, _cursor: Cursor, error: u32, _tim: Option<u64>) {
        self.count_error(error);
    }

    fn transaction_end(&mut self, rolled_back: bool, read_only: bool, _tim: Option<u64>) {
        let ends = &mut self.profile.transactions;
        *match (read_only, rolled_back) {
            (true, _) => &mut ends.read_only,
            (false, true) => &mut ends.rollbacks,
            (false, false) => &mut ends.commits,
        } += 1;
    }

    fn label(&mut self, label: &[u8], value: &[u8]) {
        let value_text = String::from_utf8_lossy(value);
        match label {
            b"MODULE NAME" => {
                let lane = &mut self.lanes[self.lane];
                if lane.module.as_deref() != Some(&*value_text) {
                    lane.module = (!value.is_empty()).then(|| value_text.into());
                }
            }
            b"SESSION ID" => add_name(&mut self.profile.inputs.sessions, &value_text),
            _ => {}
        }
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.header = true;
        match key {
            b"Instance name:" => {
                let value = String::from_utf8_lossy(value);
                add_name(&mut self.profile.inputs.instances, &value);
            }
            b"banner" => self.banner(value),
            b"Version" => self.release = Some(String::from_utf8_lossy(value).into()),
            // trcsess writes this one before the lines of each process.
            b"Unix process pid:" | b"Windows thread id:" => self.switch(value),
            _ => {}
        }
    }

    fn notice(&mut self, notice: Notice<'_>) {
        let kind = match notice {
            Notice::ContinuedFrom(_) => FindingKind::Continued,
            Notice::Recreated => FindingKind::Recreated,
            Notice::SizeLimited => FindingKind::SizeLimited,
        };
        self.profile.findings.add(kind, 1, &self.file);
    }

    fn damage(&mut self, damage: Damage) {
        self.profile.findings.add_damage(damage, &self.file);
    }
}
