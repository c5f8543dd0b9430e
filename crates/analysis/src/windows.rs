//! Segments of time that lie far apart, such as files of different years.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, TimeWaited, Timestamp};

use crate::{Beginning, Coverage};

/// A stretch of time far from all others, and what there is in it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Window {
    /// Where it begins.
    pub start: Timestamp,
    /// Where it ends.
    pub end: Timestamp,
    /// The time in it about which anything was said, in seconds.
    pub covered_s: f64,
    /// The part of it in which ends were counted, in seconds: what rates of events are divided by.
    pub counted_s: f64,
    /// Events counted in it.
    pub events: u64,
    /// Time waited in it.
    pub waited: TimeWaited,
    /// Whether it is known of any interval in it how long it was: without there are no rates.
    pub has_length: bool,
}

impl Window {
    /// Events per second of the time in which ends were counted; `None` where nobody knows how long it was.
    pub fn rate(&self) -> Option<f64> {
        (self.has_length && self.counted_s > 0.0).then(|| self.events as f64 / self.counted_s)
    }

    /// Seconds waited per second; `None` as with the rate.
    pub fn waiting(&self) -> Option<f64> {
        (self.has_length && self.covered_s > 0.0).then(|| self.waited.seconds / self.covered_s)
    }
}

/// The stretches of time that lie far apart, of frames in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Windows {
    coverage: Coverage,
    stretches: Segments,
}

impl Windows {
    /// Adds a frame.
    pub fn add(&mut self, frame: &Frame) {
        self.coverage.add(frame);
        self.stretches.add(frame);
    }

    /// A frame from before the time looked at: it only says whether ends were counted then.
    pub fn pass_over(&mut self, frame: &Frame) {
        self.coverage.pass_over(frame);
    }

    /// It is known already how all begins, of which this is a part.
    pub fn begin_as(&mut self, beginning: &Beginning) {
        self.coverage.begin_as(beginning);
    }

    /// The time about which anything was said.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The windows, oldest first; one where none is far from the others.
    pub fn all(&self) -> Vec<Window> {
        self.stretches.windows(&self.coverage)
    }
}

/// Sums of stretches of time that do not touch.
#[derive(Clone, Debug, Default, PartialEq)]
struct Segments {
    by_start: BTreeMap<Timestamp, Sums>,
}

#[derive(Copy, Clone, Debug, PartialEq)]
struct Sums {
    end: Timestamp,
    events: u64,
    waited: TimeWaited,
    has_length: bool,
}

/// What is so many times longer than all covered time is no gap within a window.
const FAR: f64 = 4.0;

impl Segments {
    /// Adds what a frame counted.
    fn add(&mut self, frame: &Frame) {
        if frame.is_gap() {
            return;
        }
        let mut start = frame.start;
        let (events, waited) = (frame.counts.events(), frame.counts.time_waited());
        let has_length = frame.has_length();
        let mut sums = Sums { end: frame.end, events, waited, has_length };
        while let Some((&from, touching)) =
            self.by_start.range(..=sums.end).next_back().filter(|(_, other)| other.end >= start)
        {
            sums.add(*touching);
            start = start.min(from);
            self.by_start.remove(&from);
        }
        self.by_start.insert(start, sums);
    }

    /// The windows, oldest first; those that are no further apart than several times the time that is
    /// covered altogether are one.
    fn windows(&self, coverage: &Coverage) -> Vec<Window> {
        let far = FAR * coverage.seconds();
        let mut joined: Vec<(Timestamp, Sums)> = Vec::new();
        for (&start, sums) in &self.by_start {
            match joined.last_mut() {
                Some((_, last)) if start.since(last.end).as_secs_f64() <= far => last.add(*sums),
                _ => joined.push((start, *sums)),
            }
        }
        let window = |(start, sums): (Timestamp, Sums)| Window {
            start,
            end: sums.end,
            covered_s: coverage.seconds_between(start, sums.end),
            counted_s: coverage.counted_between(start, sums.end),
            events: sums.events,
            waited: sums.waited,
            has_length: sums.has_length,
        };
        joined.into_iter().map(window).collect()
    }
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.end = self.end.max(other.end);
        self.events = self.events.saturating_add(other.events);
        self.waited.seconds += other.waited.seconds;
        self.waited.exact &= other.waited.exact;
        self.has_length |= other.has_length;
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme, Series};

    use super::*;
    use crate::summarise;

    fn frame(second: i64, events: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_millis(100)));
        let start = Timestamp::new(second * 1_000_000_000);
        let (end, quality) = (start.plus(Nanos::SECOND), Quality::Complete);
        Frame { series: Series::named("read"), start, end, counts, quality }
    }

    #[test]
    fn files_that_lie_years_apart_have_windows_of_their_own() {
        let year = 31_536_000;
        let frames: Vec<Frame> =
            (0..60).map(|at| frame(at, 3)).chain((0..30).map(|at| frame(year + at, 2))).collect();
        // In any order.
        for frames in [frames.clone(), frames.into_iter().rev().collect()] {
            let windows = summarise(&frames).windows();
            let seconds = |at: Timestamp| at.as_nanos() / 1_000_000_000;
            let found: Vec<(i64, i64, u64)> =
                windows.iter().map(|w| (seconds(w.start), seconds(w.end), w.events)).collect();
            assert_eq!(found, [(0, 60, 180), (year, year + 30, 60)]);
            assert!((windows[0].waited.seconds - 18.0).abs() < 1e-9);
            assert!((windows[1].covered_s - 30.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_gap_within_a_recording_does_not_divide_it() {
        let frames: Vec<Frame> = (0..60).chain(240..300).map(|second| frame(second, 1)).collect();
        let windows = summarise(&frames).windows();
        assert_eq!((windows.len(), windows[0].events), (1, 120));
        assert!((windows[0].covered_s - 120.0).abs() < 1e-9);
        assert_eq!(summarise(&[]).windows(), []);
    }
}
