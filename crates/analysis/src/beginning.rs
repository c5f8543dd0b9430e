//! Whether ends were counted from the first moment on.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Nanos, Timestamp};

use crate::stretches::add_to;

/// How a measurement begins. A log begins with an event that ended: how long that took says that
/// somebody waited before, and nothing of what else ended then. A source that was asked from the
/// start, and knew of no wait then, counted what ended from the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beginning {
    /// The start of the earliest frame.
    start: Option<Timestamp>,
    /// The start of the earliest frame in which something ended.
    first_end: Option<Timestamp>,
    /// Where that frame ends.
    first_until: Option<Timestamp>,
    /// When somebody waited from the start of a frame to its end and nothing ended: the end of each
    /// stretch by its start. Only what lies before the first end matters.
    waits: BTreeMap<Timestamp, Timestamp>,
    /// All events.
    events: u64,
    /// The latest interval in which something ended.
    last: Option<LastEnds>,
    /// The end of the latest frame.
    until: Option<Timestamp>,
    /// Whether this is how all begins: a frame of a part of it adds nothing.
    is_of_all: bool,
}

/// The latest interval in which something ended, of all series together.
#[derive(Copy, Clone, Debug, PartialEq)]
struct LastEnds {
    start: Timestamp,
    end: Timestamp,
    /// The time waited in it, where it is known when it was waited.
    waited_ns: u64,
}

/// Time at the beginning that is known only because the first event took so long.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct UnseenStart {
    start: Timestamp,
    end: Timestamp,
    /// How much longer than from the first end on events were counted, in seconds.
    before_s: f64,
}

impl Beginning {
    /// How these frames begin.
    pub fn of(frames: &[Frame]) -> Beginning {
        let mut beginning = Beginning::default();
        for frame in frames {
            beginning.add(frame);
        }
        beginning
    }

    /// Takes a frame into account; in any order.
    pub fn add(&mut self, frame: &Frame) {
        // What is known of waits only once they have ended is known of a source that was watching.
        if frame.is_gap() || frame.is_amendment() || self.is_of_all {
            return;
        }
        self.start = self.start.into_iter().chain([frame.start]).min();
        self.until = self.until.max(Some(frame.end));
        if frame.counts.events() > 0 {
            self.first_ends(frame.start, frame.end);
            self.events = self.events.saturating_add(frame.counts.events());
            self.last = LastEnds::later(self.last, Some(LastEnds::of(frame)));
        } else if self.first_end.is_none_or(|first| frame.start < first) && is_waited_through(frame)
        {
            add_to(&mut self.waits, (frame.start, frame.end));
        }
    }

    /// The same for parts of all frames, which are looked at again.
    pub(crate) fn of_all(&self) -> Beginning {
        Beginning { is_of_all: true, ..self.clone() }
    }

    fn first_ends(&mut self, start: Timestamp, end: Timestamp) {
        if self.first_end.is_none_or(|known| start < known) {
            (self.first_end, self.first_until) = (Some(start), Some(end));
        }
    }

    /// Takes in how a later part of the same measurement begins.
    pub(crate) fn append(&mut self, later: &Beginning) {
        self.start = self.start.into_iter().chain(later.start).min();
        if let Some((start, end)) = later.first_end.zip(later.first_until) {
            self.first_ends(start, end);
        }
        self.events = self.events.saturating_add(later.events);
        self.last = LastEnds::later(self.last, later.last);
        self.until = self.until.max(later.until);
        for (&start, &end) in &later.waits {
            add_to(&mut self.waits, (start, end));
        }
    }

    /// The time before the first end, if somebody waited in all of it: the event that waits longest
    /// then decides where the time begins. All of the time, if nothing tells how often events end.
    pub fn unseen(&self) -> Option<UnseenStart> {
        let ((start, first_end), last) = self.start.zip(self.first_end).zip(self.last)?;
        let waits = self.waits.range(..=start).next_back();
        let is_waited_through = if start < first_end {
            waits.is_some_and(|(_, until)| *until >= first_end)
        } else {
            // All there is of it is the time that one event took.
            self.events == 1 && last.is_waited_through()
        };
        if !is_waited_through {
            return None;
        }
        Some(match self.before_first_end(first_end, last) {
            Some(before_s) => UnseenStart { start, end: first_end, before_s },
            None => UnseenStart { start, end: Timestamp::new(i64::MAX), before_s: 0.0 },
        })
    }

    /// `n` ends have `n - 1` spaces between them: as many as there are events belong to them, and the
    /// one that is missing is the one before the first end, unless there is time after the last, or
    /// intervals are so long that a space lies within the first and the last. In seconds; `None` where
    /// there are no spaces.
    fn before_first_end(&self, first_end: Timestamp, last: LastEnds) -> Option<f64> {
        let after_s = self.until.map_or(0.0, |until| until.since(last.end).as_secs_f64());
        let spaces = self.events.saturating_sub(1);
        let waits_on = last.is_waited_through();
        let is_watched = after_s > last.end.since(self.start?).as_secs_f64();
        let has_spaces = spaces > 0 && (last.start > first_end || !waits_on);
        if !has_spaces {
            return is_watched.then_some(0.0);
        }
        // On average an end lies in the middle of its interval; the last one is cut at the last end.
        let first_s = self.first_until?.since(first_end).as_secs_f64();
        let last_s = last.end.since(last.start).as_secs_f64();
        let within_s = first_s / 2.0 + if last_s < first_s { 0.0 } else { last_s / 2.0 };
        let usual_s = (last.end.since(first_end).as_secs_f64() - within_s) / spaces as f64;
        let is_missing = waits_on || after_s > 0.0;
        Some(if is_missing { (usual_s - after_s - within_s).max(0.0) } else { 0.0 })
    }
}

impl LastEnds {
    fn of(frame: &Frame) -> LastEnds {
        let waited = if knows_when(frame) { frame.counts.time_waited().seconds } else { 0.0 };
        let waited_ns = Nanos::from_secs_f64(waited).unwrap_or_default().as_nanos();
        LastEnds { start: frame.start, end: frame.end, waited_ns }
    }

    /// The later one of two; of several series together.
    fn later(one: Option<LastEnds>, other: Option<LastEnds>) -> Option<LastEnds> {
        match (one, other) {
            (Some(one), Some(other)) if one.end == other.end => Some(LastEnds {
                start: one.start.max(other.start),
                end: one.end,
                waited_ns: one.waited_ns.saturating_add(other.waited_ns),
            }),
            (Some(one), Some(other)) => Some(if one.end > other.end { one } else { other }),
            (one, other) => one.or(other),
        }
    }

    /// Whether somebody waited in all of it.
    fn is_waited_through(self) -> bool {
        is_all_of(Nanos::new(self.waited_ns).as_secs_f64(), self.end.since(self.start))
    }
}

impl UnseenStart {
    /// When the first event ended, or the interval in which it did begins; after everything, if nothing
    /// tells how often events end.
    pub(crate) fn end(self) -> Timestamp {
        self.end
    }

    /// How much of it lies between two moments, in seconds.
    pub(crate) fn seconds_between(self, from: Timestamp, to: Timestamp) -> f64 {
        self.end.min(to).since(self.start.max(from)).as_secs_f64()
    }

    /// How much more than what is covered counts between two moments, in seconds: what belongs to the
    /// first end.
    pub(crate) fn more_between(self, from: Timestamp, to: Timestamp) -> f64 {
        if from <= self.end && self.end < to { self.before_s } else { 0.0 }
    }
}

/// Whether somebody waited in all of a frame: samples of who waits know when they were taken.
fn is_waited_through(frame: &Frame) -> bool {
    knows_when(frame) && is_all_of(frame.counts.time_waited().seconds, frame.length())
}

/// Whether it is known when the time of a frame was waited.
fn knows_when(frame: &Frame) -> bool {
    frame.counts.is_time_placed() && !frame.counts.is_averages()
}

fn is_all_of(waited_s: f64, length: Nanos) -> bool {
    /// Times are divided in whole nanoseconds.
    const ROUNDED: f64 = 1e-6;
    waited_s >= length.as_secs_f64() * (1.0 - ROUNDED)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Quality, Scheme, Series};

    use super::*;
    use crate::Coverage;

    fn ms(at: i64) -> Timestamp {
        Timestamp::new(at * 1_000_000)
    }

    /// A frame with so many events, in which so many waited all the time.
    fn frame(from_ms: i64, to_ms: i64, events: u64, waiting: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_secs_f64(5_000.0).unwrap()));
        let mut times = vec![0; counts.scheme().buckets()];
        times[0] = ms(to_ms).since(ms(from_ms)).as_nanos() * waiting;
        let counts = counts.with_waited(times, true).unwrap();
        let (start, end, quality) = (ms(from_ms), ms(to_ms), Quality::Complete);
        Frame { series: Series::named("x"), start, end, counts, quality }
    }

    fn counted_s(frames: &[Frame]) -> f64 {
        let mut coverage = Coverage::default();
        for frame in frames {
            coverage.add(frame);
        }
        // Of two parts that are looked at one after the other too.
        let (first, rest) = frames.split_at(frames.len() / 2);
        let mut beginning = Beginning::of(first);
        beginning.append(&Beginning::of(rest));
        assert_eq!(beginning.unseen(), Beginning::of(frames).unseen());
        coverage.counted_s()
    }

    /// Two events of 5,000 s that end 60 s apart are one a minute; three are so in 180 s.
    #[test]
    fn as_many_spaces_belong_to_events_as_there_are() {
        let two = [frame(0, 5_000_000, 0, 2), frame(5_000_000, 5_060_000, 1, 1)];
        let ends = |at_ms: i64, next_ms: i64| {
            [frame(at_ms, at_ms + 10, 1, 2), frame(at_ms + 10, next_ms, 0, 2)]
        };
        let [first, between] = ends(5_000_000, 5_060_000);
        let [second, later] = ends(5_060_000, 5_120_000);
        let last = |at_ms: i64| frame(at_ms, at_ms + 10, 1, 1);
        let pair = [two[0].clone(), first.clone(), between.clone(), last(5_060_000)];
        assert!((counted_s(&pair) - 120.0).abs() < 0.1, "{}", counted_s(&pair));
        let three =
            [two[0].clone(), first.clone(), between.clone(), second, later, last(5_120_000)];
        assert!((counted_s(&three) - 180.0).abs() < 0.1);
        // Time after the last end is a space, too: all of one, and a part of one.
        for silent_ms in [60_000, 20_000] {
            let silent = frame(5_060_010, 5_060_010 + silent_ms, 0, 0);
            let rest = [&pair[..], &[silent]].concat();
            assert!((counted_s(&rest) - 120.0).abs() < 0.1, "{silent_ms}");
        }
    }

    /// One event, and several that end together, do not tell how often events end.
    #[test]
    fn without_a_space_there_is_no_rate() {
        let wait = frame(0, 5_000_000, 0, 1);
        assert!(counted_s(&[wait.clone(), frame(5_000_000, 5_000_010, 1, 1)]).abs() < 1e-9);
        assert!(counted_s(&[wait.clone(), frame(5_000_000, 5_000_010, 3, 3)]).abs() < 1e-9);
        assert!(counted_s(&[frame(5_000_000, 5_000_010, 1, 1)]).abs() < 1e-9);
        // A second in which some ended that had not waited all of it, as whole seconds are stamped.
        let some = frame(5_000_000, 5_001_000, 20, 0);
        assert!((counted_s(&[wait.clone(), some]) - 1.0).abs() < 1e-9);
        // Who is watched for longer than the event took ends one event in that time.
        let watched = [wait, frame(5_000_000, 5_000_010, 1, 1), frame(5_000_010, 12_000_000, 0, 0)];
        assert!((counted_s(&watched) - 7_000.0).abs() < 0.1);
    }
}
