//! Some series of a history in a stretch of time, frame by frame.

use isotherm_frame::{Ends, Frame, Quality, Series, TimeRange, Timestamp};

use crate::compact::Compact;
use crate::{Grid, History, Metrics, Span, Timeline, Waits};

/// Some series of a [`History`] in a stretch of time.
///
/// Frames are unpacked one at a time: a history of many series takes several times as much memory
/// when all of its frames are unpacked at once.
#[derive(Clone, Debug)]
pub struct Excerpt<'a> {
    history: &'a History,
    series: Vec<Series>,
    range: TimeRange,
}

/// A packed frame, and where it lies in the stretch of time.
struct Placed<'a> {
    start: Timestamp,
    end: Timestamp,
    series: &'a Series,
    frame: &'a Compact,
}

impl<'a> Excerpt<'a> {
    /// Everything that a history holds.
    pub fn of(history: &'a History) -> Excerpt<'a> {
        let series = history.by_time_waited().into_iter().map(|(series, _)| series).collect();
        Excerpt { history, series, range: TimeRange::default() }
    }

    /// The same in a range of time (see [`TimeRange::keep`]), its ends between intervals.
    #[must_use]
    pub fn within(&self, range: TimeRange) -> Excerpt<'a> {
        let range = self.history.between_intervals(range);
        Excerpt { range, ..self.clone() }
    }

    /// The same of some of its series.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&Series) -> bool) -> Excerpt<'a> {
        let series = self.series.iter().filter(|series| wanted(series)).cloned().collect();
        Excerpt { series, ..self.clone() }
    }

    /// The same of one metric only where there are several, and which these are.
    #[must_use]
    pub fn of_one_metric(self) -> (Excerpt<'a>, Option<Metrics>) {
        let metrics = Metrics::of_history(self.history);
        let holds = |series: &Series| metrics.as_ref().is_none_or(|metrics| metrics.holds(series));
        (self.only(holds), metrics)
    }

    /// Its series, most time waited first.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.placed().next().is_none()
    }

    /// The earliest start and the latest end.
    pub fn ends(&self) -> Option<(Timestamp, Timestamp)> {
        let ends: Ends = self.placed().map(|placed| (placed.start, placed.end)).collect();
        ends.get()
    }

    /// Where its intervals begin and end.
    pub fn spans(&self) -> Vec<Span> {
        let span = |Placed { start, end, frame, .. }: Placed<'_>| Span {
            start,
            end,
            filled: frame.cells() > 0,
            amends: frame.quality == Quality::Amendment,
        };
        self.placed().map(span).collect()
    }

    /// The frames of all its series together, oldest first, made one at a time.
    pub fn frames(&self) -> impl Iterator<Item = Frame> {
        let mut placed: Vec<Placed<'_>> = self.placed().collect();
        placed.sort_by_key(|placed| (placed.start, placed.end));
        let frame = |Placed { start, end, series, frame }: Placed<'_>| {
            frame.frame(series).part((start, end))
        };
        placed.into_iter().map(frame)
    }

    /// What each of its series waited.
    pub fn waits(&self) -> Waits {
        let span = self.ends().unwrap_or_default();
        Waits::among(self.history, &self.series, span)
    }

    /// An axis of at most `most` columns that covers all of it; `None` without frames.
    pub fn grid(&self, most: usize) -> Option<Grid> {
        Grid::covering_spans(&self.spans(), most)
    }

    /// Its frames placed on an axis of time, all series taken together.
    pub fn timeline(&self, grid: Grid) -> Timeline {
        Timeline::of_ordered(self.frames(), grid).with_unseen_start(self.history.unseen_start())
    }

    fn placed(&self) -> impl Iterator<Item = Placed<'_>> {
        let ends = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        self.series.iter().flat_map(move |series| {
            let frames = self.history.packed(series, ends.0, ends.1);
            frames.filter_map(move |frame| self.place(series, frame))
        })
    }

    /// Where a frame lies in the stretch of time; `None` if it does not.
    fn place<'f>(&self, series: &'f Series, frame: &'f Compact) -> Option<Placed<'f>> {
        let (start, end) = frame.placed(series, &self.range)?;
        Some(Placed { start, end, series, frame })
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Scheme};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::new(second * 1_000_000_000)
    }

    fn frame(series: &Series, second: i64, length: i64, events: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|event| counts.record(Nanos::from_micros(100 << event)));
        let (series, quality) = (series.clone(), Quality::Complete);
        Frame { series, start: at(second), end: at(second + length), counts, quality }
    }

    /// Two series of a minute: three events each second, and two in each tenth second.
    fn history(series: &[Series; 2]) -> (History, Vec<Frame>) {
        let (mut history, mut frames) = (History::of_everything(usize::MAX), Vec::new());
        for second in 0..60 {
            frames.push(frame(&series[0], second, 1, 3));
            if second % 10 == 0 {
                frames.push(frame(&series[1], second, 1, 2));
                frames.push(frame(&series[1], second + 1, 9, 0));
            }
        }
        for frame in &frames {
            history.push(frame);
        }
        (history, frames)
    }

    #[test]
    fn all_frames_come_in_the_order_of_time() {
        let series = [Series::named("often"), Series::named("rarely")];
        let (history, mut frames) = history(&series);
        let excerpt = Excerpt::of(&history);
        assert_eq!(excerpt.series(), series);
        frames.sort_by_key(|frame| (frame.start, frame.end));
        assert_eq!(excerpt.frames().collect::<Vec<Frame>>(), frames);
        assert_eq!(excerpt.ends(), Some((at(0), at(60))));
        let grid = excerpt.grid(20).unwrap();
        assert_eq!(grid, Grid::covering(&frames, 20).unwrap());
        assert_eq!(excerpt.timeline(grid), Timeline::place(&frames, grid));
    }

    #[test]
    fn neighbouring_stretches_share_no_event_and_divide_silence() {
        let series = [Series::named("often"), Series::named("rarely")];
        let (history, _) = history(&series);
        let excerpt = Excerpt::of(&history).only(|series| series.name() == "rarely");
        let parts = [(None, Some(at(25))), (Some(at(25)), None)];
        let [before, after] = parts.map(|(from, to)| excerpt.within(TimeRange { from, to }));
        let totals_of = |part: &Excerpt<'_>| {
            let frames: Vec<Frame> = part.frames().collect();
            let events: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
            let length: u64 = frames.iter().map(|frame| frame.length().as_nanos()).sum();
            (events, length / 1_000_000_000)
        };
        // Seconds 0, 10, 20 and 30, 40, 50 have two events each.
        assert_eq!((totals_of(&before), totals_of(&after)), ((6, 25), (6, 35)));
        assert_eq!((before.ends(), after.ends()), (Some((at(0), at(25))), Some((at(25), at(60)))));
        assert!(excerpt.within(TimeRange { from: Some(at(60)), to: None }).is_empty());
    }
}
