//! Points of one series after the other become intervals.

use std::collections::HashMap;

use isotherm_frame::{
    Counted, CountedTotals, Frame, Gap, Histogram, Mark, MemoryAccount, Quality, Reading, Series, Timestamp, Unit,
};

use super::point::{Buckets, Point, Temporality, histogram};
use crate::running_totals::{RunningTotals, is_reset, series_memory};
use crate::{Note, Sink};

/// What is remembered of each cumulative series.
#[derive(Debug)]
pub(super) struct Totals {
    known: HashMap<Series, Known>,
    room: MemoryAccount,
    /// What was counted before this moment is not asked for.
    not_before: Option<Timestamp>,
}

#[derive(Debug)]
struct Known {
    running: RunningTotals,
    /// The last point, whose buckets may have to be made wider.
    last: Point,
    /// From when on all of its events are counted, if its first total is dated.
    since: Option<Timestamp>,
}

impl Totals {
    /// Bytes for the series that are told apart: some 40,000 with ten buckets.
    const MEMORY: usize = 128 << 20;

    /// Nothing read yet. Totals that began before `not_before` count from their first point on.
    pub(super) fn new(not_before: Option<Timestamp>) -> Totals {
        let room = MemoryAccount::of_bytes(Totals::MEMORY);
        Totals { known: HashMap::new(), room, not_before }
    }

    /// Takes a point; gives the intervals that it ends.
    pub(super) fn take(
        &mut self,
        name: &str,
        unit: Unit,
        mut point: Point,
    ) -> Result<Vec<Frame>, &'static str> {
        if point.no_value {
            return Ok(Vec::new());
        }
        let attributes = std::mem::take(&mut point.attributes);
        let series = Series::with_attributes(name.to_owned(), attributes);
        let counts = histogram(&point, unit)?;
        let end = moment(point.time_ns).ok_or("it has no time")?;
        match point.temporality {
            Temporality::Unspecified => {
                Err("it does not say whether its counts are totals or those of an interval")
            }
            Temporality::Delta => {
                let start = moment(point.start_ns).ok_or("its interval has no start time")?;
                if start >= end {
                    return Err("its interval has no length");
                }
                Ok(vec![Frame { series, start, end, counts, quality: Quality::Complete }])
            }
            Temporality::Cumulative => self.total(series, unit, (end, counts), point),
        }
    }

    fn total(
        &mut self,
        series: Series,
        unit: Unit,
        (at, counts): (Timestamp, Histogram),
        point: Point,
    ) -> Result<Vec<Frame>, &'static str> {
        if !self.known.contains_key(&series) && !self.room.take(series_memory(&series, &counts)) {
            return Err("there are more series than can be kept");
        }
        let not_before = self.not_before;
        let known = self.known.entry(series.clone()).or_insert_with(|| Known::new(series));
        if known.running.last().is_some_and(|last| at <= last) {
            return Ok(Vec::new());
        }
        let start = moment(point.start_ns).filter(|start| known.begins(*start, at, not_before));
        let frames = match start {
            Some(start) => known.since_start(start, at, counts),
            None => known.go_on(unit, (at, counts), &point).into_iter().collect(),
        };
        known.last = point;
        Ok(frames)
    }

    /// The series, and what of each was counted.
    pub(super) fn counted(self) -> impl Iterator<Item = CountedTotals> {
        self.known.into_iter().map(|(series, known)| {
            let from = known.since.zip(known.running.last());
            let counted =
                from.map_or(Counted::Differences, |(start, end)| Counted::From { start, end });
            CountedTotals { series, counted }
        })
    }
}

impl Known {
    fn new(series: Series) -> Known {
        Known { running: RunningTotals::new(series), last: Point::default(), since: None }
    }

    /// Whether a total counts from a start of which nothing was counted yet. A program that does
    /// not know when it began to count gives the time of its first point, or none.
    fn begins(&self, start: Timestamp, at: Timestamp, not_before: Option<Timestamp>) -> bool {
        let is_new = match self.running.last() {
            Some(last) => moment(self.last.start_ns) != Some(start) && start >= last,
            None => not_before.is_none_or(|first| start >= first),
        };
        start < at && is_new
    }

    /// The first total since a start, and before it the time of which nothing is known: what the
    /// counters before it counted after they were last read.
    fn since_start(&mut self, start: Timestamp, at: Timestamp, counts: Histogram) -> Vec<Frame> {
        let series = self.running.series().clone();
        let lost = self.running.last().filter(|last| *last < start).map(|last| Frame {
            series: series.clone(),
            start: last,
            end: start,
            counts: counts.cleared(),
            quality: Quality::Gap(Gap::Reset),
        });
        self.since = self.since.or(Some(start));
        self.running = RunningTotals::new(series.clone());
        self.running.take(at, counts.clone(), Some(start));
        let first = Frame { series, start, end: at, counts, quality: Quality::Complete };
        lost.into_iter().chain([first]).collect()
    }

    /// The interval since the last total.
    fn go_on(
        &mut self,
        unit: Unit,
        (at, counts): (Timestamp, Histogram),
        point: &Point,
    ) -> Option<Frame> {
        if let Some((last_at, wider)) = widened(&self.last, point, unit) {
            self.running = RunningTotals::new(self.running.series().clone());
            self.running.take(last_at, wider, moment(self.last.start_ns));
        }
        self.running.take(at, counts, moment(point.start_ns))
    }
}

/// The last point in the wider buckets of the next one, if these are wider.
fn widened(last: &Point, next: &Point, unit: Unit) -> Option<(Timestamp, Histogram)> {
    let (Buckets::Powers { counts, negative }, Buckets::Powers { counts: wider, .. }) =
        (&last.buckets, &next.buckets)
    else {
        return None;
    };
    let same = (counts.scale, counts.zero_threshold) == (wider.scale, wider.zero_threshold);
    if same || last.time_ns == 0 {
        return None;
    }
    let counts = counts.at_scale(wider.scale)?;
    let buckets = Buckets::Powers { counts, negative: *negative };
    let point = Point { count: last.count, sum: last.sum, buckets, ..Point::default() };
    Some((moment(last.time_ns)?, histogram(&point, unit).ok()?))
}

fn moment(ns: u64) -> Option<Timestamp> {
    i64::try_from(ns).ok().filter(|ns| *ns > 0).map(Timestamp::new)
}

/// Tells of an interval, and of counters that were reset in it.
pub(super) fn tell(frame: Frame, sink: &mut dyn Sink) {
    if is_reset(&frame) {
        let text = format!("counters reset: {}", frame.series);
        sink.note(Note::Mark(Mark { at: frame.end, text }));
    }
    sink.reading(Reading::Delta(frame));
}

#[cfg(test)]
mod tests {
    use super::super::point::Buckets;
    use super::*;

    #[test]
    fn of_more_series_than_can_be_kept_the_first_ones_go_on() {
        let point = |series: usize, second: u64, count: u64| Point {
            attributes: vec![("who".to_owned(), format!("s{series}"))],
            temporality: Temporality::Cumulative,
            start_ns: 1_790_000_000_000_000_000,
            time_ns: (1_790_000_000 + second) * 1_000_000_000,
            count,
            buckets: Buckets::Explicit { bounds: vec![0.1], counts: vec![count, 0] },
            ..Point::default()
        };
        let mut totals = Totals::new(None);
        totals.room = MemoryAccount::of_bytes(1 << 20);
        let mut taken = Vec::new();
        for (second, count) in [(10, 3), (20, 5)] {
            let all = (0..2_000).map(|one| totals.take("x", Unit::Seconds, point(one, second, count)));
            let all: Vec<_> = all.collect();
            assert!(all.iter().all(|one| match one {
                Ok(_) => true,
                Err(why) => *why == "there are more series than can be kept",
            }));
            taken.push(all.into_iter().flatten().flatten().collect::<Vec<Frame>>());
        }
        let events = |frames: &[Frame]| frames.iter().map(|one| one.counts.events()).sum::<u64>();
        let kept = totals.known.len();
        assert!((100..1_000).contains(&kept), "{kept}");
        // Three of each since its start, and two more.
        assert_eq!(taken.iter().map(|frames| events(frames)).collect::<Vec<_>>(), [3 * kept as u64, 2 * kept as u64]);
    }
}
