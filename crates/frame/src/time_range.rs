//! A part of the time that something was measured.

use crate::{Event, Frame, Nanos, Quality, Timestamp};

/// A part of time: from a moment on, until before another one; without ends all of it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The first moment of it.
    pub from: Option<Timestamp>,
    /// The first moment after it.
    pub to: Option<Timestamp>,
}

impl TimeRange {
    /// What of an interval lies here. An interval belongs where its middle lies, so that neighbouring
    /// ranges share none; of one that can be divided, which may be long, the part that lies here.
    pub fn place(
        &self,
        (start, end): (Timestamp, Timestamp),
        is_divisible: bool,
    ) -> Option<(Timestamp, Timestamp)> {
        if *self == TimeRange::default() {
            return Some((start, end));
        }
        let (start, end) = if is_divisible {
            let start = self.from.map_or(start, |from| start.max(from));
            (start, self.to.map_or(end, |to| end.min(to)))
        } else {
            (start, end)
        };
        let middle = start.plus(Nanos::new(end.since(start).as_nanos() / 2));
        (start < end && self.holds(middle)).then_some((start, end))
    }

    /// What of a frame lies here: the time that was waited here, too, where nothing ended.
    pub fn keep(&self, frame: Frame) -> Option<Frame> {
        let place = self.place((frame.start, frame.end), frame.is_divisible())?;
        Some(frame.part(place))
    }

    /// The same range with its ends between intervals: where an end lies in one of `intervals` that
    /// cannot be divided, it moves to the side on which that interval does not belong here. So what
    /// can be divided is divided where everything else is, and neighbouring ranges cover all time
    /// once.
    #[must_use]
    pub fn between(
        self,
        intervals: &dyn Fn(Timestamp) -> Option<(Timestamp, Timestamp)>,
    ) -> TimeRange {
        let moved = |end: Timestamp| {
            let Some((start, until)) = intervals(end) else { return end };
            let middle = start.plus(Nanos::new(until.since(start).as_nanos() / 2));
            if middle >= end { start } else { until }
        };
        TimeRange { from: self.from.map(moved), to: self.to.map(moved) }
    }

    /// What happened, if it happened here. What has no moment is of everywhere.
    pub fn event(&self, event: Event) -> Option<Event> {
        match event {
            Event::Frame(frame) => self.keep(frame).map(Event::Frame),
            Event::Mark(mark) => self.holds(mark.at).then_some(Event::Mark(mark)),
            other => Some(other),
        }
    }

    /// Whether a moment lies here.
    pub fn holds(&self, moment: Timestamp) -> bool {
        self.from.is_none_or(|from| moment >= from) && self.to.is_none_or(|to| moment < to)
    }
}

impl Frame {
    /// Whether it can be divided at any moment: nothing ended in it, and what was waited in it was
    /// waited evenly.
    pub fn is_divisible(&self) -> bool {
        let is_whole = matches!(self.quality, Quality::Complete | Quality::Amendment);
        is_whole
            && self.counts.is_empty()
            && (self.counts.is_blank() || self.counts.is_time_placed())
    }

    /// The part of it between two moments within it, in proportion to time.
    #[must_use]
    pub fn part(self, (start, end): (Timestamp, Timestamp)) -> Frame {
        if (start, end) == (self.start, self.end) {
            return self;
        }
        let place = |at: Timestamp| at.since(self.start).as_nanos();
        let counts = self.counts.part((place(start), place(end)), self.length().as_nanos());
        Frame { start, end, counts, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Histogram, Scheme, Series};

    fn at(ms: i64) -> Timestamp {
        Timestamp::new(ms * 1_000_000)
    }

    /// A frame with so many events, in which so many wait all the time.
    fn frame((from, to): (i64, i64), events: u64, waiting: u64, quality: Quality) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_millis(1)));
        let mut ns = vec![0; counts.scheme().buckets()];
        ns[7] = waiting * at(to).since(at(from)).as_nanos();
        let counts = counts.with_waited(ns, true).unwrap();
        Frame { series: Series::named("x"), start: at(from), end: at(to), counts, quality }
    }

    /// Four that wait from 1.3 s to 9.3 s, told in intervals of which one is long and one was told
    /// later: each millisecond has its four milliseconds, wherever it is cut.
    #[test]
    fn what_was_waited_is_divided_where_it_is_cut() {
        let frames = [
            frame((1_300, 2_000), 0, 4, Quality::Complete),
            frame((2_000, 7_000), 0, 4, Quality::Amendment),
            frame((2_000, 9_300), 0, 0, Quality::Complete),
            frame((7_000, 9_300), 0, 4, Quality::Amendment),
        ];
        let of = |from: Option<i64>, to: Option<i64>| -> Nanos {
            let range = TimeRange { from: from.map(at), to: to.map(at) };
            let kept = frames.iter().filter_map(|frame| range.keep(frame.clone()));
            let waited = kept.filter_map(|frame| frame.counts.waited_ns());
            Nanos::new(waited.flatten().sum())
        };
        let four = |from: i64, to: i64| {
            let inside = |ms: i64| at(ms.clamp(1_300, 9_300));
            Nanos::new(4 * inside(to).since(inside(from)).as_nanos())
        };
        for cut in [0, 1_300, 1_301, 2_000, 2_001, 4_567, 7_000, 8_888, 9_299, 9_300, 9_999] {
            let halves = (of(None, Some(cut)), of(Some(cut), None));
            assert_eq!(halves, (four(0, cut), four(cut, 20_000)), "{cut}");
            assert_eq!(of(Some(cut), Some(cut + 777)), four(cut, cut + 777), "{cut}");
        }
    }

    /// An end within an interval with events lies at that side of it where the interval does not belong.
    #[test]
    fn ends_lie_between_intervals() {
        let second = |moment: Timestamp| {
            let start = moment.as_nanos().div_euclid(1_000_000_000) * 1_000;
            (at(start) < moment).then(|| (at(start), at(start + 1_000)))
        };
        for (end, moved) in [(2_000, 2_000), (2_001, 2_000), (2_500, 2_000), (2_501, 3_000)] {
            let range = TimeRange { from: Some(at(end)), to: Some(at(end)) }.between(&second);
            assert_eq!(range, TimeRange { from: Some(at(moved)), to: Some(at(moved)) }, "{end}");
            let keeps =
                |range: TimeRange| range.keep(frame((2_000, 3_000), 3, 1, Quality::Complete));
            let exact = TimeRange { from: Some(at(end)), to: None };
            let snapped = TimeRange { from: range.from, to: None };
            assert_eq!(keeps(exact), keeps(snapped), "{end}");
        }
    }
}
