//! Fetches what lanes have counted, interval by interval, and adds it up.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use isotherm_frame::{Event, Frame, Histogram, Nanos, Quality, Series};

use super::board::{Board, Counted, KindPart, Part};
use super::earlier;
use super::run_clock::{RunClock, UNKNOWN};
use crate::clock::Calendar;
use crate::distribution::Distribution;
use crate::outcome::IntervalOutcome;
use crate::status::LatestInterval;

/// How long after its end an interval is given: a lane that read the clock before may not have
/// counted yet.
const LATE_NS: u64 = 100_000_000;

/// Adds up what the lanes count.
pub struct Aggregator<'a> {
    course: &'a RunClock,
    boards: &'a [Mutex<Board>],
    counted: Counted,
    calendar: Calendar,
    series: Vec<Option<Series>>,
    /// Intervals that have not been given yet.
    open: BTreeMap<u64, Part>,
    /// The next interval to be given.
    next: u64,
    /// Operations, waits and failures of every interval given.
    given: BTreeMap<u64, IntervalOutcome>,
    /// The latest interval that was given, and the failures of all of them.
    latest: Option<LatestInterval>,
    failed: u64,
    /// Everything in the measured time.
    measured: Part,
    known_faults: Vec<Cow<'static, str>>,
}

impl<'a> Aggregator<'a> {
    /// `series` names those kinds of operations that are asked for.
    pub fn new(
        course: &'a RunClock,
        boards: &'a [Mutex<Board>],
        counted: Counted,
        series: Vec<Option<Series>>,
    ) -> Aggregator<'a> {
        Aggregator {
            course,
            boards,
            counted,
            calendar: Calendar::read(),
            series,
            open: BTreeMap::new(),
            next: 0,
            given: BTreeMap::new(),
            latest: None,
            failed: 0,
            measured: Part::new(0, counted),
            known_faults: Vec::new(),
        }
    }

    pub fn calendar(&self) -> Calendar {
        self.calendar
    }

    /// Fetches what is there, and gives the intervals that ended a while before `now_ns`; all of
    /// them, the last one too, when it is over.
    pub fn gather(&mut self, now_ns: u64, over: bool, emit: &mut dyn FnMut(Vec<Event>)) {
        let asked_ns = if over { UNKNOWN } else { now_ns };
        for board in self.boards {
            let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
            let parts = board.fetch(asked_ns);
            drop(board);
            for part in parts {
                self.add(&part, emit);
            }
        }
        let last = if over {
            self.course.interval_of(now_ns.min(self.course.end_ns()).saturating_sub(1)) + 1
        } else {
            self.course.interval_of(now_ns.saturating_sub(LATE_NS))
        };
        while self.next < last {
            self.give(self.next, emit);
            self.next += 1;
        }
        let late: Vec<u64> = self.open.range(..self.next).map(|(number, _)| *number).collect();
        for number in late {
            self.give(number, emit);
        }
    }

    fn add(&mut self, part: &Part, emit: &mut dyn FnMut(Vec<Event>)) {
        for (words, _) in &part.faults {
            if !self.known_faults.contains(words) {
                self.known_faults.push(words.clone());
                emit(vec![Event::Message(format!("an operation failed: {words}"))]);
            }
        }
        let counted = self.counted;
        let open = self.open.entry(part.number);
        open.or_insert_with(|| Part::new(part.number, counted)).add(part);
    }

    /// Gives one interval; one that is given a second time has what came late.
    fn give(&mut self, number: u64, emit: &mut dyn FnMut(Vec<Event>)) {
        let part = self.open.remove(&number);
        let (from, until) = self.bounds(number);
        if until <= from {
            return;
        }
        if let Some(part) = &part {
            if self.is_measured(number) {
                self.measured.add(part);
            }
            let interval = self.given.entry(number).or_default();
            interval.operations += part.operations();
            for kind in &part.kinds {
                interval.waited_ns = interval.waited_ns.saturating_add(kind.response.sum_ns);
                interval.failed += kind.failed;
                self.failed += kind.failed;
            }
        } else {
            self.given.entry(number).or_default();
        }
        let part = part.unwrap_or_else(|| Part::new(number, self.counted));
        if number == self.next {
            self.latest = Some(latest(&part, (until - from) as f64 / 1e9));
        }
        let frames = self.frames(&part, from, until);
        if !frames.is_empty() {
            emit(frames.into_iter().map(Event::Frame).collect());
        }
    }

    /// Where an interval begins and ends: the last one with the measured time.
    fn bounds(&self, number: u64) -> (u64, u64) {
        let from = self.course.interval_start(number);
        let until = self.course.interval_start(number + 1);
        (from, until.min(self.course.end_ns()))
    }

    fn is_measured(&self, number: u64) -> bool {
        self.course.interval_start(number) >= self.course.begin_ns()
    }

    fn frames(&self, part: &Part, from: u64, until: u64) -> Vec<Frame> {
        let (start, end) = (self.calendar.at(from), self.calendar.at(until));
        let buckets = self.course.frame_buckets;
        let of = |(series, kind): (&Option<Series>, &KindPart)| {
            let counts = kind.response.coarse(self.course.buckets, buckets);
            let sum_ns = kind.response.sum_ns;
            let counts = Histogram::new(buckets.scheme().clone(), counts, Some(Nanos::new(sum_ns)));
            let counts = counts.ok()?;
            let mut times = vec![0; buckets.buckets()];
            counts.bucket_times_ns().for_each(|(bucket, ns)| times[bucket] = ns);
            let own = earlier::own_ns(buckets, &times, sum_ns, &kind.earlier);
            let counts = counts.with_waited(own, true).ok()?;
            let (series, quality) = (series.clone()?, Quality::Complete);
            Some(Frame { series, start, end, counts, quality })
        };
        let kinds = || self.series.iter().zip(&part.kinds);
        let earlier = kinds().flat_map(|(series, kind)| self.earlier(series.as_ref(), kind));
        earlier.chain(kinds().filter_map(of)).collect()
    }

    /// What operations waited in the intervals before the one they ended in.
    fn earlier(&self, series: Option<&Series>, kind: &KindPart) -> Vec<Frame> {
        let Some(series) = series else { return Vec::new() };
        let scheme = self.course.frame_buckets.scheme();
        let frame = |(number, times): (u64, BTreeMap<usize, u64>)| {
            let (from, until) = self.bounds(number);
            let mut ns = vec![0; scheme.buckets()];
            for (bucket, time) in times {
                *ns.get_mut(bucket)? = time;
            }
            let counts = Histogram::empty(scheme.clone()).with_waited(ns, true).ok()?;
            let (start, end) = (self.calendar.at(from), self.calendar.at(until));
            let (series, quality) = (series.clone(), Quality::Amendment);
            (from < until).then_some(Frame { series, start, end, counts, quality })
        };
        kind.earlier.by_interval().into_iter().filter_map(frame).collect()
    }

    /// The latest interval that was given.
    pub fn latest(&self) -> Option<&LatestInterval> {
        self.latest.as_ref()
    }

    /// Operations of the measured time that ended, well or not, and those that failed at any time.
    pub fn counted(&self) -> (u64, u64) {
        let failed: u64 = self.measured.kinds.iter().map(|kind| kind.failed).sum();
        (self.measured.operations() + failed, self.failed)
    }

    /// Where the intervals that were given end.
    pub fn given_until_ns(&self) -> u64 {
        self.course.interval_start(self.next)
    }

    /// What was given so far, oldest first.
    pub fn recent(&self) -> Vec<IntervalOutcome> {
        let length_s = self.course.interval_ns as f64 / 1e9;
        self.given.values().map(|one| IntervalOutcome { length_s, ..*one }).collect()
    }

    /// Everything in the measured time, and its intervals.
    pub fn finish(self) -> (Part, Vec<IntervalOutcome>) {
        let begin_ns = self.course.begin_ns();
        let mut intervals = Vec::new();
        for (&number, interval) in &self.given {
            let (from, until) = self.bounds(number);
            if self.is_measured(number) && until > from {
                let start_s = (from - begin_ns) as f64 / 1e9;
                let length_s = (until - from) as f64 / 1e9;
                intervals.push(IntervalOutcome { start_s, length_s, ..*interval });
            }
        }
        (self.measured, intervals)
    }
}

fn latest(part: &Part, length_s: f64) -> LatestInterval {
    let responses: Vec<Distribution> =
        part.kinds.iter().map(|kind| kind.response.distribution()).collect();
    let bytes = part.kinds.iter().map(|kind| kind.bytes).sum();
    LatestInterval { length_s, bytes, response: Distribution::merged(&responses) }
}
