//! The part of a trace that lies in a range of time.
//!
//! Waits and calls count where they end, and a call of the user is not cut: what lies within it
//! counts where the call does. A range is therefore found in three readings: when the trace begins
//! and ends ([`TraceSpan`]), which calls its limits would cut ([`CutCalls`]), and what lies between
//! ([`WithinRange`]).

use std::collections::BTreeMap;

use isotherm_frame::{Ends, Nanos, TimeRange, Timestamp};
use jiff::tz::TimeZone;

use super::head::names_process;
use super::{
    BindLine, Call, Cursor, Damage, LobCall, Notice, ParseError, Parsing, Remark, Stat, Timeline,
    TraceUnit, Visitor, Wait, Wants,
};

/// Kinds of records that moments are known by.
const TIMED: Wants = Wants::WAITS
    .and(Wants::WAIT_TIMES)
    .and(Wants::CALLS)
    .and(Wants::LOBS)
    .and(Wants::STAMPS)
    .and(Wants::HEADER);

/// The clock of a trace as it is read, and the process whose lines are being read.
struct TraceClock {
    timeline: Timeline<()>,
    unit: TraceUnit,
    process: Box<[u8]>,
}

impl TraceClock {
    fn new(unit: Option<TraceUnit>, zone: Option<TimeZone>) -> TraceClock {
        let mut timeline = Timeline::new(zone, None);
        let unit = unit.unwrap_or(TraceUnit::Micros);
        timeline.set_unit(unit);
        TraceClock { timeline, unit, process: Box::default() }
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"banner" => {
                if let Some(unit) = TraceUnit::of_banner(value) {
                    self.unit = unit;
                    self.timeline.set_unit(unit);
                }
            }
            _ if names_process(key) => self.process = value.into(),
            _ => {}
        }
    }
}

/// When a trace begins and ends.
pub struct TraceSpan {
    clock: TraceClock,
    ends: Ends,
}

impl TraceSpan {
    /// With times in `unit` where no header says which release wrote the trace; `zone` is that of
    /// times without one.
    pub fn new(unit: Option<TraceUnit>, zone: Option<TimeZone>) -> TraceSpan {
        TraceSpan { clock: TraceClock::new(unit, zone), ends: Ends::default() }
    }

    /// The beginning of the first wait or call, and the end of the last; `None` if there is none
    /// whose moment is known.
    pub fn ends(&self) -> Option<(Timestamp, Timestamp)> {
        self.ends.get()
    }

    /// Whether times without a zone were taken for UTC.
    pub fn is_utc_assumed(&self) -> bool {
        self.clock.timeline.remarks().contains(&Remark::UtcAssumed)
    }

    fn reach(&mut self, length: u64, tim: Option<u64>) {
        let Some(end) = self.clock.timeline.moment(length, tim) else { return };
        let start = end.minus(self.clock.unit.times(length));
        self.ends.reach(start, end);
    }
}

impl Visitor for TraceSpan {
    const WANTS: Wants = TIMED;

    fn wait(&mut self, wait: &Wait<'_>) {
        self.reach(wait.ela, wait.tim);
    }

    fn call(&mut self, call: &Call) {
        self.reach(call.elapsed, call.tim);
    }

    fn lob(&mut self, call: &LobCall<'_>) {
        self.reach(call.elapsed, call.tim);
    }

    fn stamp(&mut self, stamp: &[u8]) {
        self.clock.timeline.stamp(stamp);
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.clock.header(key, value);
    }
}

/// The calls of the user that the limits of a range would cut: for each process, where the range
/// begins and ends instead.
pub struct CutCalls {
    clock: TraceClock,
    range: TimeRange,
    ranges: BTreeMap<Box<[u8]>, TimeRange>,
}

impl CutCalls {
    /// Of a range; `unit` and `zone` as for [`TraceSpan::new`].
    pub fn new(range: TimeRange, unit: Option<TraceUnit>, zone: Option<TimeZone>) -> CutCalls {
        CutCalls { clock: TraceClock::new(unit, zone), range, ranges: BTreeMap::new() }
    }

    /// A call that ended then is not cut.
    fn keep_whole(&mut self, elapsed: u64, end: Timestamp) {
        let span = (end.minus(self.clock.unit.times(elapsed)), end);
        let range = self.range;
        let (from, to) = (CutCalls::around(range.from, span), CutCalls::around(range.to, span));
        if from.or(to).is_none() {
            return;
        }
        let moved = self.ranges.entry(self.clock.process.clone()).or_insert(range);
        *moved = TimeRange { from: from.or(moved.from), to: to.or(moved.to) };
    }

    /// The limit right behind the beginning of a call that lies on both sides of it.
    fn around(limit: Option<Timestamp>, (start, end): (Timestamp, Timestamp)) -> Option<Timestamp> {
        let is_cut = limit.is_some_and(|limit| start < limit && limit <= end);
        is_cut.then(|| start.plus(Nanos::new(1)))
    }
}

impl Visitor for CutCalls {
    const WANTS: Wants = TIMED;

    fn wait(&mut self, wait: &Wait<'_>) {
        self.clock.timeline.moment(wait.ela, wait.tim);
    }

    fn call(&mut self, call: &Call) {
        let end = self.clock.timeline.moment(call.elapsed, call.tim);
        if let Some(end) = end.filter(|_| call.depth == 0) {
            self.keep_whole(call.elapsed, end);
        }
    }

    fn lob(&mut self, call: &LobCall<'_>) {
        if let Some(end) = self.clock.timeline.moment(call.elapsed, call.tim) {
            self.keep_whole(call.elapsed, end);
        }
    }

    fn stamp(&mut self, stamp: &[u8]) {
        self.clock.timeline.stamp(stamp);
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.clock.header(key, value);
    }
}

/// Reports the waits and calls that lie in a range, and everything that has no length.
pub struct WithinRange<V> {
    clock: TraceClock,
    cut: CutCalls,
    /// The moment of what comes before the clock is known.
    start: Timestamp,
    /// Whether the lines of a BINDS section that are being read lie in the range.
    holds_binds: bool,
    visitor: V,
}

impl<V> WithinRange<V> {
    /// To `visitor`, around the calls that were found to be `cut`, of a trace that begins at `start`;
    /// `unit` and `zone` as for [`TraceSpan::new`].
    pub fn new(
        visitor: V,
        cut: CutCalls,
        start: Timestamp,
        (unit, zone): (Option<TraceUnit>, Option<TimeZone>),
    ) -> WithinRange<V> {
        WithinRange { clock: TraceClock::new(unit, zone), cut, start, holds_binds: false, visitor }
    }

    /// What was given the records.
    pub fn into_inner(self) -> V {
        self.visitor
    }

    fn holds(&mut self, length: u64, tim: Option<u64>) -> bool {
        let moment = self.clock.timeline.moment(length, tim).unwrap_or(self.start);
        let range = self.cut.ranges.get(&self.clock.process).unwrap_or(&self.cut.range);
        range.holds(moment)
    }
}

impl<V: Visitor> Visitor for WithinRange<V> {
    const WANTS: Wants = V::WANTS.and(TIMED);

    fn at_line(&mut self, line: u64) {
        self.visitor.at_line(line);
    }

    fn binds(&mut self, cursor: Cursor) {
        self.holds_binds = self.holds(0, None);
        if self.holds_binds {
            self.visitor.binds(cursor);
        }
    }

    fn bind(&mut self, line: BindLine<'_>) {
        if self.holds_binds {
            self.visitor.bind(line);
        }
    }

    fn wait(&mut self, wait: &Wait<'_>) {
        if self.holds(wait.ela, wait.tim) {
            self.visitor.wait(wait);
        }
    }

    fn call(&mut self, call: &Call) {
        if self.holds(call.elapsed, call.tim) {
            self.visitor.call(call);
        }
    }

    fn lob(&mut self, call: &LobCall<'_>) {
        if self.holds(call.elapsed, call.tim) {
            self.visitor.lob(call);
        }
    }

    fn parsing(&mut self, parsing: &Parsing<'_>) {
        self.visitor.parsing(parsing);
    }

    fn parse_error(&mut self, error: &ParseError<'_>) {
        if self.holds(0, error.tim) {
            self.visitor.parse_error(error);
        }
    }

    fn error(&mut self, cursor: Cursor, error: u32, tim: Option<u64>) {
        if self.holds(0, tim) {
            self.visitor.error(cursor, error, tim);
        }
    }

    fn stat(&mut self, stat: &Stat<'_>) {
        if self.holds(0, None) {
            self.visitor.stat(stat);
        }
    }

    fn transaction_end(&mut self, rolled_back: bool, read_only: bool, tim: Option<u64>) {
        if self.holds(0, tim) {
            self.visitor.transaction_end(rolled_back, read_only, tim);
        }
    }

    fn stamp(&mut self, stamp: &[u8]) {
        self.clock.timeline.stamp(stamp);
        self.visitor.stamp(stamp);
    }

    fn label(&mut self, label: &[u8], value: &[u8]) {
        self.visitor.label(label, value);
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.clock.header(key, value);
        self.visitor.header(key, value);
    }

    fn notice(&mut self, notice: Notice<'_>) {
        self.visitor.notice(notice);
    }

    fn damage(&mut self, damage: Damage) {
        self.visitor.damage(damage);
    }
}

#[cfg(test)]
mod tests;
