//! Histograms that a tool prints again and again: when each print happened, and whether its
//! counts are totals or intervals.

mod admitted;
mod cut_end;
mod handing_on;
pub(crate) mod notes;
mod print;
mod totals_or_intervals;

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Clock, Counted, CountedTotals, Histogram, Nanos, Series, Timestamp};

use self::print::{Held, Print};
use crate::stamp::{Stamp, unwrap_day};
use crate::zone::LocalClock;
use crate::{Context, Note, Sink, Temporality};

/// Groups printed histograms into prints, finds out whether they are cumulative, and tells the
/// sink the readings.
///
/// A print begins with [`Prints::begin`] or when a series is printed again. Undecided prints are
/// held back: counts that fall from one print to the next prove intervals at once; counts that
/// never fall in [`Prints::HELD`] prints ([`Prints::HELD_LIVE`] when live) are taken as totals.
#[derive(Debug)]
pub(crate) struct Prints<'c> {
    context: &'c Context,
    temporality: Temporality,
    /// Whether something beside the counts shows that they are those of intervals.
    are_intervals: bool,
    open: Option<Print>,
    held: Vec<Held>,
    known: BTreeMap<Series, Histogram>,
    /// Series whose histogram could not be read once: their next total may hold older counts.
    obscured: BTreeSet<Series>,
    last_at: Option<Timestamp>,
    last_length: Option<Nanos>,
    began: Option<Timestamp>,
    clock: Option<Clock>,
    falls_in_a_row: u32,
    /// Whether a live input turned out to be a text saved before.
    saved: bool,
    /// Whether the totals began at zero when the input began.
    from_zero: bool,
    /// What the format itself says of its counts.
    counts: PrintedCounts,
    /// Prints with anything in them.
    filled: u64,
    /// The series that are told apart, once there are too many.
    admitted: Option<BTreeSet<Series>>,
    /// Series that every print has until now.
    constant: Option<BTreeSet<Series>>,
    /// What is said where totals end without some of these.
    cut_off: Option<String>,
}

/// What a format says of the counts it prints.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum PrintedCounts {
    /// Totals or intervals: the counts tell.
    Either,
    /// Totals, always.
    Totals,
    /// Intervals after one print of totals.
    AfterTotals,
}

impl<'c> Prints<'c> {
    /// Prints closer together than this were not made by a tool that waits in between.
    const AT_ONCE: Nanos = Nanos::from_millis(20);
    /// Prints looked at before counts that never fell are taken as totals.
    const HELD: usize = 16;
    /// So few prints without a fall do not speak for totals yet.
    const FEW: usize = 2;
    /// The same for a live input, where holding back means waiting.
    const HELD_LIVE: usize = 3;

    fn comes_after_totals(&self) -> bool {
        self.counts == PrintedCounts::AfterTotals
    }

    fn has_totals_only(&self) -> bool {
        self.counts == PrintedCounts::Totals
    }

    /// `temporality` is what the format itself says; the context's choice goes first.
    pub(crate) fn new(context: &'c Context, temporality: Temporality) -> Prints<'c> {
        let chosen = context.temporality;
        let temporality = if chosen == Temporality::Auto { temporality } else { chosen };
        Prints {
            context,
            temporality,
            are_intervals: false,
            open: None,
            held: Vec::new(),
            known: BTreeMap::new(),
            obscured: BTreeSet::new(),
            last_at: None,
            last_length: None,
            began: context.arrived(),
            clock: None,
            falls_in_a_row: 0,
            saved: false,
            from_zero: false,
            counts: PrintedCounts::Either,
            filled: 0,
            admitted: None,
            constant: None,
            cut_off: None,
        }
    }

    /// For a format with one print of totals before its intervals. Only counts that fall from the first print
    /// to the second prove intervals; a series that is gone says nothing.
    pub(crate) fn after_totals(context: &'c Context) -> Prints<'c> {
        Prints { counts: PrintedCounts::AfterTotals, ..Prints::new(context, Temporality::Auto) }
    }

    /// For a format whose counts are always totals. A single print becomes one interval.
    pub(crate) fn totals(context: &'c Context) -> Prints<'c> {
        let mut prints = Prints::new(context, Temporality::Cumulative);
        if prints.temporality == Temporality::Cumulative {
            prints.counts = PrintedCounts::Totals;
        }
        prints
    }

    /// All counts are totals since this moment, says the input: the first print is no baseline.
    pub(crate) fn totals_from_zero(&mut self) {
        if self.context.temporality == Temporality::Auto {
            self.temporality = Temporality::Cumulative;
        }
        self.from_zero = self.temporality == Temporality::Cumulative;
    }

    /// A time was printed: what follows belongs to a new print. Two times of different kinds one
    /// after the other are one moment given twice; the more precise one counts.
    pub(crate) fn begin(&mut self, stamp: Stamp, sink: &mut dyn Sink) {
        let open = self.open.as_mut().filter(|print| print.is_empty() && !print.is_zero);
        if let Some(Print { stamp: Some(stated), .. }) = open
            && stated.precision() != stamp.precision()
        {
            if stamp.precision() > stated.precision() {
                *stated = stamp;
            }
            return;
        }
        self.distrust_arrival(Some(stamp), sink);
        self.close(false, sink);
        let arrived = self.arrival();
        self.open = Some(Print { stamp: Some(stamp), arrived, ..Print::default() });
    }

    /// A histogram was printed. A series printed again begins a new print.
    pub(crate) fn histogram(&mut self, series: &Series, counts: Histogram, sink: &mut dyn Sink) {
        if !self.admits(series) {
            return self.leave_out(counts.events(), sink);
        }
        sink.record();
        self.print_of(series, sink).histograms.insert(series.clone(), counts);
    }

    /// A histogram was printed that cannot be read: nothing is known about the series in this
    /// print. A total simply is not there; an interval becomes a gap, not a zero.
    pub(crate) fn damaged(&mut self, series: &Series, sink: &mut dyn Sink) {
        self.print_of(series, sink).damaged.insert(series.clone());
    }

    /// Something that no total does was seen beside the counts, such as a greatest value that fell.
    pub(crate) fn show_intervals(&mut self) {
        self.are_intervals = true;
    }

    /// A print says that nothing was counted yet, of a format that leaves out what stands at zero: totals
    /// that come later began there.
    pub(crate) fn nothing_counted(&mut self, sink: &mut dyn Sink) {
        if self.open.as_ref().is_some_and(Print::is_over) {
            self.distrust_arrival(None, sink);
            self.close(false, sink);
        }
        let arrived = self.arrival();
        self.open.get_or_insert_with(|| Print { arrived, ..Print::default() }).is_zero = true;
    }

    /// The open print, or a new one if `series` is already in it.
    fn print_of(&mut self, series: &Series, sink: &mut dyn Sink) -> &mut Print {
        if self.open.as_ref().is_some_and(|print| print.holds(series) || print.is_over()) {
            self.distrust_arrival(None, sink);
            self.close(false, sink);
        }
        let arrived = self.arrival();
        self.open.get_or_insert_with(|| Print { arrived, ..Print::default() })
    }

    /// The input has ended.
    pub(crate) fn finish(mut self, sink: &mut dyn Sink) {
        self.close(true, sink);
        let lone_total = self.has_totals_only() && self.waits_for_second() && !self.held.is_empty();
        if lone_total {
            self.temporality = Temporality::Delta;
            self.held.iter_mut().for_each(|print| print.sure = false);
            sink.note(Note::Said(notes::ONE_TOTAL.into()));
        }
        // How long one print without times counted is anybody's guess.
        if let ([only], Some(Clock::Assumed)) = (self.held.as_mut_slice(), self.clock) {
            only.sure = false;
        }
        if self.temporality == Temporality::Auto {
            let comparable = self.are_comparable() && !self.are_intervals;
            let decided = if comparable { Temporality::Cumulative } else { Temporality::Delta };
            self.decide(decided, sink);
        }
        if let Some(said) =
            self.cut_off.take().filter(|_| self.temporality == Temporality::Cumulative)
        {
            sink.note(Note::Said(said.into()));
        }
        self.release(sink);
        let is_baseline = self.temporality == Temporality::Cumulative && !self.from_zero;
        if is_baseline && !self.has_totals_only() && self.filled == 1 {
            sink.note(Note::Said(notes::NO_DIFFERENCE.into()));
        }
        if self.has_totals_only() {
            let counted = if lone_total { Counted::Everything } else { Counted::Differences };
            for series in self.known.into_keys() {
                sink.note(Note::RunningTotals(CountedTotals { series, counted }));
            }
        }
    }

    /// Whether prints come as they are made.
    fn is_live(&self) -> bool {
        self.context.is_live() && !self.saved
    }

    fn arrival(&self) -> Option<Timestamp> {
        self.context.arrived().filter(|_| !self.saved)
    }

    /// Before the first print is placed: prints that arrive all at once were saved before. When
    /// they arrive says nothing about when they were made.
    fn distrust_arrival(&mut self, stamp: Option<Stamp>, sink: &mut dyn Sink) {
        let says_something = |open: &&mut Print| !open.is_empty() || open.is_zero;
        let Some(open) = self.open.as_mut().filter(says_something) else { return };
        let (None, Some(first), Some(now)) = (self.clock, open.arrived, self.context.arrived())
        else {
            return;
        };
        let stated = open.stamp.zip(stamp).map(|(one, next)| next.since(one));
        if now.since(first) >= Prints::AT_ONCE || stated.is_some_and(|length| length == Nanos::ZERO)
        {
            return;
        }
        open.arrived = None;
        (self.saved, self.began) = (true, None);
        sink.note(Note::Said(notes::SAVED.into()));
    }

    /// Completes the open print, if it holds anything. The `last` one may be cut short.
    fn close(&mut self, last: bool, sink: &mut dyn Sink) {
        let Some(mut print) = self.open.take() else { return };
        if last {
            self.reject_cut_total(&mut print, sink);
            self.look_for_cut_off(&print);
        } else {
            self.keep_constant(&print);
        }
        let (at, sure) = self.place(&print, sink);
        if print.is_empty() && self.known.is_empty() && self.held.is_empty() {
            // Nothing was counted until now: that much is known about the first interval.
            self.from_zero |= print.is_zero && self.has_totals_only();
            self.last_at = Some(at);
            self.began = Some(at);
            return;
        }
        self.last_length = self
            .last_at
            .map(|last| at.since(last))
            .filter(|length| *length > Nanos::ZERO)
            .or(self.last_length);
        self.last_at = Some(at);
        let fell = self.fell(&print, last);
        if last && fell && self.temporality == Temporality::Auto && !self.are_intervals {
            self.say_what_is_gone(&print, sink);
        }
        let Print { histograms, damaged, .. } = print;
        let is_last = last && !self.is_live();
        self.held.push(Held { at, sure, is_untimed: !sure, is_last, histograms, damaged });
        self.filled += 1;
        self.pass_on(fell, sink);
    }

    /// When the print happened, and whether that is known rather than assumed.
    fn place(&mut self, print: &Print, sink: &mut dyn Sink) -> (Timestamp, bool) {
        let stated = match (print.arrived, print.stamp) {
            (Some(arrived), _) => Some((arrived, Clock::Epoch)),
            (None, Some(Stamp::Running(at, clock))) => Some((at, clock)),
            (None, Some(Stamp::TimeOfDay(since_midnight))) => {
                Some((unwrap_day(since_midnight, self.last_at), Clock::TimeOfDay))
            }
            (None, None) => None,
        };
        match (stated, self.clock) {
            (Some((at, clock)), Some(known)) if clock == known => (at, true),
            (Some((at, clock)), None | Some(Clock::Assumed)) => {
                if self.clock.replace(clock) == Some(Clock::Assumed) {
                    self.put_before(at);
                }
                sink.note(Note::Clock(clock));
                if clock == Clock::TimeOfDay && self.context.zone.is_some() {
                    sink.note(Note::Said(LocalClock::OF_DAY.into()));
                }
                (at, true)
            }
            (_, None) => {
                self.clock = Some(Clock::Assumed);
                sink.note(Note::Clock(Clock::Assumed));
                sink.note(Note::Said(notes::NO_TIMES.into()));
                (self.one_later(), true)
            }
            (_, Some(Clock::Assumed)) => (self.one_later(), true),
            (_, Some(_)) => (self.one_later(), false),
        }
    }

    /// One interval after the last print.
    fn one_later(&self) -> Timestamp {
        self.last_at.unwrap_or_default().plus(self.usual_length())
    }

    /// The length of an interval that is not given.
    fn usual_length(&self) -> Nanos {
        self.context.interval.or(self.last_length).unwrap_or(self.context.assumed_interval())
    }

    /// The first time was given: prints held back until now came one interval apart before it.
    fn put_before(&mut self, first: Timestamp) {
        let step = self.context.assumed_interval();
        if self.held.is_empty() {
            self.began = self.began.map(|_| first.minus(step));
        }
        let mut at = first;
        for print in self.held.iter_mut().rev() {
            at = at.minus(step);
            print.at = at;
            print.sure = false;
        }
        self.last_at = self.held.last().map(|print| print.at);
    }
}

#[cfg(test)]
mod tests;
