//! Readings of any kind in, frames out.

use std::collections::{BTreeSet, HashSet};

use crate::{
    Anomaly, AnomalyKind, Binner, BinnerLimits, Differ, Event, Frame, Nanos, Reading, Recorded,
    Series, Timestamp,
};

/// One [`Differ`] and one [`Binner`]: whatever a source says becomes frames.
#[derive(Debug)]
pub struct Assembler {
    differ: Differ,
    binner: Binner,
    /// Time waited before the time observed, not reported yet, with the event that ended last.
    outside: Option<(Timestamp, Series, Nanos)>,
    /// Time waited more than a day before its event ended, in the same way.
    cut: Option<(Timestamp, Series, Nanos)>,
    /// The most series distinguished.
    max_series: usize,
    /// The series of running totals and of finished intervals.
    known: HashSet<Series>,
    /// Whether it was reported that there are more.
    too_many: bool,
    /// Events that have no place because the clock stepped back, not reported yet, with the last one.
    unplaced: Option<(Timestamp, Series, u64)>,
    /// Events that came after their interval was given, not reported yet, with the last one.
    late: Option<(Timestamp, Series, u64)>,
    /// Running totals of series beyond the most, with the last one.
    totals_left_out: Option<(Timestamp, Series, u64)>,
    /// Whether the clock shows times that were given already.
    behind: bool,
    /// The first single events, until it is known how finely they are stamped.
    first: Option<Vec<Reading>>,
}

impl Assembler {
    /// From so many events is told how finely all of an input are stamped, as where each is placed depends
    /// on it...
    const LOOKED_AT: usize = 64;
    /// ...or from so many if they have hardly a stamp but one.
    const MOST_LOOKED_AT: usize = 4_096;

    /// `interval` is the width of the intervals that single events are binned in.
    pub fn new(interval: Nanos, limits: BinnerLimits) -> Assembler {
        Assembler {
            differ: Differ::new(),
            binner: Binner::new(interval, limits),
            outside: None,
            cut: None,
            unplaced: None,
            late: None,
            totals_left_out: None,
            behind: false,
            max_series: limits.max_series,
            known: HashSet::new(),
            too_many: false,
            first: Some(Vec::new()),
        }
    }

    /// For an input that is read to its end at once: intervals will be no finer than the stamps of the
    /// events, by [`Assembler::fit_stamps`].
    #[must_use]
    pub fn fitting_stamps(mut self) -> Assembler {
        self.binner.will_fit_stamps();
        self
    }

    /// Gives the frames of a table, as [`Binner::for_table`] does.
    #[must_use]
    pub fn for_table(self, widest: Nanos) -> Assembler {
        Assembler { binner: self.binner.for_table(widest), ..self }
    }

    /// The present width of the intervals that events are binned in.
    pub fn interval(&self) -> Nanos {
        self.binner.width()
    }

    /// How much time after the last event is covered although the source does not say so, and how many
    /// events tell it; known once all is finished.
    pub fn beyond(&self) -> (Nanos, u64) {
        self.binner.beyond()
    }

    /// The source of single events has measured from one moment to another.
    pub fn observe(&mut self, from: Timestamp, until: Timestamp, emit: &mut dyn FnMut(Event)) {
        self.release(emit);
        self.binner.observe(from, until);
    }

    /// Takes note of a series of single events of which none has ended yet.
    pub fn know(&mut self, series: &Series) {
        self.binner.know(series);
    }

    /// Takes one reading and gives what it completes.
    pub fn push(&mut self, reading: Reading, emit: &mut dyn FnMut(Event)) {
        match reading.with_own_detail() {
            Reading::Event { at, series, latency } => self.event(at, &series, latency, emit),
            held @ (Reading::Sampled { .. } | Reading::Unselected { .. })
                if self.first.is_some() =>
            {
                self.hold(held, emit);
            }
            Reading::Sampled { at, series, latency, within } => {
                let recorded = self.binner.record_within(at, &series, latency, within);
                self.account_for(recorded, at, &series, emit);
            }
            Reading::Unselected { at, latency } => self.binner.pass_over(at, latency),
            Reading::Delta(frame) if self.is_one_more(&frame.series) => {
                self.tell_too_many(frame.end, &frame.series, emit);
                let series = Series::other().with_detail(frame.counts.detail());
                emit(Event::Frame(Frame { series, ..frame }));
            }
            Reading::Delta(frame) => emit(Event::Frame(frame)),
            // Totals of several series that come and go cannot be added up.
            Reading::Cumulative { at, series, .. } if self.is_one_more(&series) => {
                self.tell_too_many(at, &series, emit);
                one_more(&mut self.totals_left_out, at, series);
            }
            Reading::Cumulative { at, series, total, epoch } => {
                let step = self.differ.push(at, &series, total, epoch);
                step.anomalies.into_iter().map(Event::Anomaly).for_each(&mut *emit);
                step.frame.into_iter().map(Event::Frame).for_each(emit);
            }
        }
    }

    /// Takes a single event, as [`Assembler::push`] does.
    pub fn event(
        &mut self,
        at: Timestamp,
        series: &Series,
        latency: Nanos,
        emit: &mut dyn FnMut(Event),
    ) {
        if self.first.is_some() {
            return self.hold(Reading::Event { at, series: series.clone(), latency }, emit);
        }
        let recorded = self.binner.record(at, series, latency);
        self.account_for(recorded, at, series, emit);
    }

    /// Keeps one of the first events until there are enough.
    fn hold(&mut self, reading: Reading, emit: &mut dyn FnMut(Event)) {
        let first = self.first.get_or_insert_default();
        first.push(reading);
        let is_due = first.len() >= Assembler::LOOKED_AT && first.len().is_power_of_two();
        if is_due && (first.len() >= Assembler::MOST_LOOKED_AT || has_several_stamps(first)) {
            self.release(emit);
        }
    }

    /// Decides how finely events are stamped and records those that were held, if any: only then it is
    /// decided.
    fn release(&mut self, emit: &mut dyn FnMut(Event)) {
        let Some(first) = self.first.take_if(|first| !first.is_empty()) else { return };
        self.binner.place_by(first.iter().filter_map(end_and_latency));
        for reading in first {
            self.push(reading, emit);
        }
    }

    /// Keeps what is to be reported of an event that was counted.
    fn account_for(
        &mut self,
        recorded: Recorded,
        at: Timestamp,
        series: &Series,
        emit: &mut dyn FnMut(Event),
    ) {
        if let Some(by) = recorded.behind {
            return self.leave_out(at, series.clone(), by, emit);
        }
        self.behind = false;
        if recorded.outside > Nanos::ZERO {
            let sum = if recorded.is_cut { &mut self.cut } else { &mut self.outside };
            let so_far = sum.as_ref().map_or(Nanos::ZERO, |(_, _, so_far)| *so_far);
            let more = so_far.checked_add(recorded.outside).unwrap_or(so_far);
            *sum = Some((at, series.clone(), more));
        }
        if recorded.in_other {
            self.tell_too_many(at, series, emit);
        }
        if recorded.late {
            one_more(&mut self.late, at, series.clone());
        }
    }

    /// Accounts for an event that has no place on the time axis.
    fn leave_out(&mut self, at: Timestamp, series: Series, by: Nanos, emit: &mut dyn FnMut(Event)) {
        if !std::mem::replace(&mut self.behind, true) {
            let kind = AnomalyKind::ClockBack(by);
            emit(Event::Anomaly(Anomaly { at, series: series.clone(), kind }));
        }
        one_more(&mut self.unplaced, at, series);
    }

    /// Finishes the event intervals that end at or before `until`: what a live view calls when
    /// the clock has passed them.
    pub fn finish_until(&mut self, until: Timestamp, emit: &mut dyn FnMut(Event)) {
        self.release(emit);
        let frames = self.binner.finish_until(until);
        // Events were late for the intervals that are given, not for time that is added to earlier ones.
        if !frames.iter().all(Frame::is_amendment) {
            tell(self.late.take(), AnomalyKind::LateEvents, emit);
        }
        frames.into_iter().map(Event::Frame).for_each(&mut *emit);
        self.tell_outside(emit);
    }

    /// Makes intervals no finer than the stamps of the events are, in an input that is read to its end at
    /// once; gives what most stamps are multiples of, where that is coarse.
    pub fn fit_stamps(&mut self, emit: &mut dyn FnMut(Event)) -> Option<Nanos> {
        self.release(emit);
        self.binner.fit_stamps()
    }

    /// What events are stamped with, where that is coarser than intervals are.
    pub fn coarse_stamps(&self) -> Option<Nanos> {
        self.binner.coarse_stamps()
    }

    /// Finishes every event interval, at the end of the input.
    pub fn finish(&mut self, emit: &mut dyn FnMut(Event)) {
        self.release(emit);
        tell(self.late.take(), AnomalyKind::LateEvents, emit);
        tell(self.totals_left_out.take(), AnomalyKind::TotalsLeftOut, emit);
        self.binner.finish(&mut |frame| emit(Event::Frame(frame)));
        self.tell_outside(emit);
    }

    /// Whether a series comes after the most that are distinguished.
    fn is_one_more(&mut self, series: &Series) -> bool {
        if self.known.contains(series) {
            return false;
        }
        let full = self.known.len() >= self.max_series;
        if !full {
            self.known.insert(series.clone());
        }
        full
    }

    fn tell_too_many(&mut self, at: Timestamp, series: &Series, emit: &mut dyn FnMut(Event)) {
        if !std::mem::replace(&mut self.too_many, true) {
            let kind = AnomalyKind::TooManySeries(self.max_series);
            emit(Event::Anomaly(Anomaly { at, series: series.clone(), kind }));
        }
    }

    fn tell_outside(&mut self, emit: &mut dyn FnMut(Event)) {
        tell(self.unplaced.take(), AnomalyKind::Unplaced, emit);
        tell(self.outside.take(), AnomalyKind::WaitedBefore, emit);
        tell(self.cut.take(), AnomalyKind::WaitedDaysBefore, emit);
    }
}

/// When a single event ended, whether it is counted or not, and how long it took.
fn end_and_latency(reading: &Reading) -> Option<(Timestamp, Nanos)> {
    match reading {
        Reading::Event { at, latency, .. }
        | Reading::Sampled { at, latency, .. }
        | Reading::Unselected { at, latency } => Some((*at, *latency)),
        Reading::Cumulative { .. } | Reading::Delta(_) => None,
    }
}

/// Whether there are stamps enough to tell seconds from minutes, whether they are those of ends or of
/// beginnings.
fn has_several_stamps(first: &[Reading]) -> bool {
    const SEVERAL: usize = 3;
    let events = || first.iter().filter_map(end_and_latency);
    let ends: BTreeSet<Timestamp> = events().map(|(at, _)| at).collect();
    let begins: BTreeSet<Timestamp> = events().map(|(at, latency)| at.minus(latency)).collect();
    ends.len().min(begins.len()) >= SEVERAL
}

/// Counts one more of what is to be reported of many at once.
fn one_more(counted: &mut Option<(Timestamp, Series, u64)>, at: Timestamp, series: Series) {
    let so_far = counted.as_ref().map_or(0, |(_, _, number)| *number);
    *counted = Some((at, series, so_far.saturating_add(1)));
}

fn tell<N>(
    counted: Option<(Timestamp, Series, N)>,
    kind: fn(N) -> AnomalyKind,
    emit: &mut dyn FnMut(Event),
) {
    if let Some((at, series, number)) = counted {
        emit(Event::Anomaly(Anomaly { at, series, kind: kind(number) }));
    }
}
