//! Histograms that a tool prints again and again: when each print happened, and whether its
//! counts are totals or intervals.

use std::collections::BTreeMap;

use isotherm_frame::{
    Clock, Frame, Histogram, Nanos, Partial, Quality, Reading, Series, Timestamp,
};

use crate::{Context, Note, Sink, Temporality};

/// When a print says it happened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// On a clock that runs on: the epoch or an arbitrary zero.
    Running(Timestamp, Clock),
    /// Within a day, which it does not say.
    TimeOfDay(Nanos),
}

/// Everything a tool printed at one moment.
#[derive(Debug, Default)]
struct Print {
    stamp: Option<Stamp>,
    arrived: Option<Timestamp>,
    histograms: BTreeMap<Series, Histogram>,
}

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
    open: Option<Print>,
    held: Vec<(Timestamp, bool, BTreeMap<Series, Histogram>)>,
    known: BTreeMap<Series, Histogram>,
    last_at: Option<Timestamp>,
    last_length: Option<Nanos>,
    began: Option<Timestamp>,
    clock: Option<Clock>,
    falls_in_a_row: u32,
}

impl<'c> Prints<'c> {
    /// Prints looked at before counts that never fell are taken as totals.
    const HELD: usize = 16;
    /// The same for a live input, where holding back means waiting.
    const HELD_LIVE: usize = 3;

    /// `temporality` is what the format itself says; the context's choice goes first.
    pub(crate) fn new(context: &'c Context, temporality: Temporality) -> Prints<'c> {
        let chosen = context.temporality;
        let temporality = if chosen == Temporality::Auto { temporality } else { chosen };
        Prints {
            context,
            temporality,
            open: None,
            held: Vec::new(),
            known: BTreeMap::new(),
            last_at: None,
            last_length: None,
            began: context.arrival.as_ref().map(|now| now()),
            clock: None,
            falls_in_a_row: 0,
        }
    }

    /// A time was printed: what follows belongs to a new print.
    pub(crate) fn begin(&mut self, stamp: Stamp, sink: &mut dyn Sink) {
        self.close(sink);
        let arrived = self.arrival();
        self.open = Some(Print { stamp: Some(stamp), arrived, histograms: BTreeMap::new() });
    }

    /// A histogram was printed. A series printed again begins a new print.
    pub(crate) fn histogram(&mut self, series: &Series, counts: Histogram, sink: &mut dyn Sink) {
        sink.record();
        if self.open.as_ref().is_some_and(|print| print.histograms.contains_key(series)) {
            self.close(sink);
        }
        let arrived = self.arrival();
        let print = self.open.get_or_insert_with(|| Print { arrived, ..Print::default() });
        print.histograms.insert(series.clone(), counts);
    }

    /// The input has ended.
    pub(crate) fn finish(mut self, sink: &mut dyn Sink) {
        self.close(sink);
        if self.temporality == Temporality::Auto {
            let decided =
                if self.held.len() > 1 { Temporality::Cumulative } else { Temporality::Delta };
            self.decide(decided, sink);
        }
        self.release(sink);
    }

    fn arrival(&self) -> Option<Timestamp> {
        self.context.arrival.as_ref().map(|now| now())
    }

    /// Completes the open print, if it holds anything.
    fn close(&mut self, sink: &mut dyn Sink) {
        let Some(print) = self.open.take() else { return };
        if print.histograms.is_empty() && self.known.is_empty() && self.held.is_empty() {
            return;
        }
        let sure =
            print.arrived.is_some() || print.stamp.is_some() || self.clock == Some(Clock::Assumed);
        let at = self.place(&print, sink);
        self.last_length = self
            .last_at
            .map(|last| at.since(last))
            .filter(|length| *length > Nanos::ZERO)
            .or(self.last_length);
        self.last_at = Some(at);
        self.hold(at, sure, print.histograms, sink);
    }

    /// When the print happened.
    fn place(&mut self, print: &Print, sink: &mut dyn Sink) -> Timestamp {
        let last = self.last_at;
        let (at, clock) = match (print.arrived, print.stamp) {
            (Some(arrived), _) => (arrived, Clock::Epoch),
            (None, Some(Stamp::Running(at, clock))) => (at, clock),
            (None, Some(Stamp::TimeOfDay(since_midnight))) => {
                (unwrap_day(since_midnight, last), Clock::TimeOfDay)
            }
            (None, None) => {
                let step = self.last_length.unwrap_or(self.context.assumed_interval());
                (last.map_or(Timestamp::new(0).plus(step), |last| last.plus(step)), Clock::Assumed)
            }
        };
        if self.clock.is_none() {
            self.clock = Some(clock);
            sink.note(Note::Clock(clock));
            if clock == Clock::Assumed {
                sink.note(Note::Said(
                    "the input has no times: each print is taken as one interval (--interval)"
                        .into(),
                ));
            }
        } else if clock == Clock::Assumed && self.clock != Some(Clock::Assumed) {
            sink.note(Note::Said(
                "a print without a time is taken to come one interval after the last".into(),
            ));
        }
        at
    }

    /// Keeps a print until it is decided what its counts mean, then passes it on.
    fn hold(
        &mut self,
        at: Timestamp,
        sure: bool,
        histograms: BTreeMap<Series, Histogram>,
        sink: &mut dyn Sink,
    ) {
        let fell = self.held.last().is_some_and(|(_, _, before)| falls(before, &histograms))
            || (self.held.is_empty() && falls(&self.known, &histograms));
        self.held.push((at, sure, histograms));
        let live = self.context.arrival.is_some();
        let enough = if live { Prints::HELD_LIVE } else { Prints::HELD };
        match self.temporality {
            Temporality::Auto if fell => self.decide(Temporality::Delta, sink),
            Temporality::Auto if self.held.len() < enough => return,
            Temporality::Auto => self.decide(Temporality::Cumulative, sink),
            // The first interval's length is that of the second: wait for it, unless live.
            Temporality::Delta if !live && self.known.is_empty() && self.held.len() < 2 => return,
            Temporality::Cumulative if self.context.temporality == Temporality::Auto => {
                self.doubt(fell, sink);
            }
            _ => {}
        }
        self.release(sink);
    }

    fn decide(&mut self, temporality: Temporality, sink: &mut dyn Sink) {
        self.temporality = temporality;
        if temporality == Temporality::Cumulative {
            sink.note(Note::Said(
                "counts never fell from print to print: read as totals since the start \
                 (--temporality delta if each print is one interval)"
                    .into(),
            ));
        }
    }

    /// Counts that fall print after print were not totals.
    fn doubt(&mut self, fell: bool, sink: &mut dyn Sink) {
        self.falls_in_a_row = if fell { self.falls_in_a_row + 1 } else { 0 };
        if self.falls_in_a_row == 2 {
            self.temporality = Temporality::Delta;
            sink.note(Note::Said(
                "counts keep falling: from here on each print is read as one interval".into(),
            ));
        }
    }

    /// Tells the sink what is held.
    fn release(&mut self, sink: &mut dyn Sink) {
        let held = std::mem::take(&mut self.held);
        let Some((first, _, _)) = held.first() else { return };
        let length = held.get(1).map(|(second, _, _)| second.since(*first));
        let length = length.filter(|length| *length > Nanos::ZERO);
        let assumed = first.minus(length.unwrap_or(self.context.assumed_interval()));
        let mut previous = self.began.unwrap_or(assumed);
        for (at, sure, histograms) in held {
            if self.temporality == Temporality::Cumulative {
                self.tell_totals(at, previous, histograms, sink);
            } else if at > previous {
                self.tell_interval((previous, at), sure, histograms, sink);
            } else {
                // Two prints in one second of a clock without fractions: one interval longer.
                let at = previous.plus(self.last_length.unwrap_or(self.context.assumed_interval()));
                self.tell_interval((previous, at), false, histograms, sink);
            }
            previous = previous.max(at);
        }
        self.began = Some(previous);
    }

    fn tell_totals(
        &mut self,
        at: Timestamp,
        previous: Timestamp,
        histograms: BTreeMap<Series, Histogram>,
        sink: &mut dyn Sink,
    ) {
        let first = self.known.is_empty();
        for (series, total) in histograms {
            if !first && !self.known.contains_key(&series) {
                // Tools print every key that was counted: one not printed before stood at zero.
                let (series, total) =
                    (series.clone(), total.cleared().with_sum(total.sum().map(|_| Nanos::ZERO)));
                sink.reading(Reading::Cumulative { at: previous, series, total, epoch: None });
            }
            self.known.insert(series.clone(), total.clone());
            sink.reading(Reading::Cumulative { at, series, total, epoch: None });
        }
    }

    fn tell_interval(
        &mut self,
        (start, end): (Timestamp, Timestamp),
        sure: bool,
        mut histograms: BTreeMap<Series, Histogram>,
        sink: &mut dyn Sink,
    ) {
        for (series, before) in &self.known {
            // Not printed means nothing was counted, not that nothing is known.
            histograms.entry(series.clone()).or_insert_with(|| before.cleared());
        }
        let quality =
            if sure { Quality::Complete } else { Quality::Partial(Partial::UnknownWindow) };
        for (series, counts) in histograms {
            self.known.insert(series.clone(), counts.cleared());
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
    }
}

/// Whether any count went down, so that these cannot be totals of one and the same run.
fn falls(before: &BTreeMap<Series, Histogram>, after: &BTreeMap<Series, Histogram>) -> bool {
    before.iter().any(|(series, earlier)| match after.get(series) {
        Some(later) => later.since(earlier).is_err(),
        None => !earlier.is_empty(),
    })
}

/// A time of day as a running time: a day later whenever it jumps back by more than half a day.
fn unwrap_day(since_midnight: Nanos, last: Option<Timestamp>) -> Timestamp {
    const DAY: i64 = 86_400_000_000_000;
    let at = Timestamp::new(0).plus(since_midnight).as_nanos();
    let Some(last) = last else { return Timestamp::new(at) };
    let days = last.as_nanos().div_euclid(DAY);
    let same_day = at + days * DAY;
    let at = if last.as_nanos() - same_day > DAY / 2 { same_day + DAY } else { same_day };
    Timestamp::new(at)
}
