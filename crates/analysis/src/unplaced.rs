//! Time that is shown where it ended: of events longer than a column, from sources that do not say
//! when they waited.

use isotherm_frame::{Histogram, Nanos};

use crate::Column;

/// The time in some columns of which a part was waited before the column that shows it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Unplaced {
    /// The length of a column: what its events are longer than.
    pub column: Nanos,
    /// Seconds waited by such events, each counted in the column in which it ended.
    pub seconds: f64,
    /// The share of all time waited in the columns that this is, 0 to 1.
    pub time_share: f64,
}

/// Of a column's time this share is much.
const MUCH: f64 = 0.1;

impl Unplaced {
    /// What there is in these columns; `None` where the time of every event lies where it was
    /// waited, or fits into its column.
    pub fn of(columns: &[Column]) -> Option<Unplaced> {
        let seconds: f64 = columns.iter().map(|column| column.unplaced_s).sum();
        let all: f64 = columns.iter().map(|column| column.waited.seconds).sum();
        let column = columns.iter().find(|column| column.has_unplaced_time())?;
        let (column, time_share) = (column.length(), (seconds / all).clamp(0.0, 1.0));
        Some(Unplaced { column, seconds, time_share })
    }
}

impl Column {
    /// The share of its time waited that belongs to events longer than the column, 0 to 1.
    pub fn unplaced_share(&self) -> f64 {
        if self.has_unplaced_time() {
            (self.unplaced_s / self.waited.seconds).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// Whether much of its time is of events so long, from a source that says only when they ended,
    /// that its average waiting may be far from how many waited: one session that always waits 5 s ends
    /// twice in one column of 6 s and once in the next.
    pub(crate) fn counts_at_ends(&self) -> bool {
        let (half, all) = (Nanos::new(self.length().as_nanos() / 2), self.waited.seconds);
        let long_s = self.latencies.as_ref().map_or(0.0, |counted| unplaced_s(counted, half));
        self.has_unplaced_time() || long_s > MUCH * all
    }

    /// Its length of time.
    pub fn length(&self) -> Nanos {
        self.end.since(self.start)
    }

    /// Whether events of a bucket that begins there are longer than the column, in which a source
    /// does not say when all time was waited.
    pub(crate) fn is_unplaced(&self, lo: Nanos) -> bool {
        self.has_unplaced_time() && lo > self.length()
    }
}

/// The time of events that certainly took longer than the interval in which they ended, in seconds,
/// as far as the source does not say when it was waited. Of averages it is all of them, if their mean is
/// that long.
pub fn unplaced_s(latencies: &Histogram, interval: Nanos) -> f64 {
    if latencies.is_averages() {
        let long = latencies.mean_ns().is_some_and(|mean| mean > interval.as_nanos() as f64);
        return if long { latencies.time_waited().seconds } else { 0.0 };
    }
    let longer = latencies.scheme().bounds().partition_point(|&bound| bound <= interval.as_nanos());
    if latencies.is_time_placed() || latencies.occupied_range().end <= longer {
        return 0.0;
    }
    let times = latencies.unplaced_times_ns().filter(|(index, _)| *index >= longer);
    Nanos::new(times.map(|(_, ns)| ns).fold(0, u64::saturating_add)).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Quality, Scheme, Series, Timestamp, Unit};

    use super::*;
    use crate::{Grid, Picture, Request, Timeline};

    /// 60 intervals of a second as a server counts them: 10 waits of 1 ms in each, and a wait of 5 s
    /// that ends in every fifth.
    fn frames(waited: bool) -> Vec<Frame> {
        let frame = |second: i64| {
            let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
            (0..10).for_each(|_| counts.record(Nanos::from_millis(1)));
            if second % 5 == 4 {
                counts.record(Nanos::from_millis(5_000));
            }
            if waited {
                let mut ns = vec![0; counts.scheme().buckets()];
                counts.bucket_times_ns().for_each(|(bucket, time)| ns[bucket] = time);
                counts = counts.with_waited(ns, true).unwrap();
            }
            let start = Timestamp::new(second * 1_000_000_000);
            let end = start.plus(Nanos::SECOND);
            Frame { series: Series::named("lock"), start, end, counts, quality: Quality::Complete }
        };
        (0..60).map(frame).collect()
    }

    fn placed(frames: &[Frame], columns: usize) -> Timeline {
        Timeline::place(frames, Grid::covering(frames, columns).unwrap())
    }

    #[test]
    fn time_of_events_longer_than_a_column_is_reported_with_its_share() {
        let timeline = placed(&frames(false), 60);
        let found = Unplaced::of(&timeline.columns).unwrap();
        // Twelve waits of 5 s; beside them 600 of 1 ms. Exact sums are divided by mid-points.
        assert_eq!(found.column, Nanos::SECOND);
        assert!((found.seconds - 60.0).abs() < 0.1, "{found:?}");
        assert!((found.time_share - 60.0 / 60.6).abs() < 0.002, "{found:?}");
        assert!((timeline.columns[4].unplaced_share() - 5.0 / 5.01).abs() < 0.002);
        assert!(timeline.columns[3].unplaced_share().abs() < 1e-12);
        let twelve = placed(&frames(false), 12);
        // A wait of 4.19 s and more is not certainly longer than 5 s.
        assert_eq!((twelve.columns.len(), Unplaced::of(&twelve.columns)), (12, None));
        assert_eq!(Unplaced::of(&placed(&frames(true), 60).columns), None);
    }

    #[test]
    fn columns_taken_together_are_as_long_as_events_that_did_not_fit_into_each() {
        let timeline = placed(&frames(false), 60);
        let five = |group: &[Column]| Column::joined(group.iter());
        let joined: Vec<Column> = timeline.columns.chunks(5).filter_map(five).collect();
        assert_eq!((joined.len(), Unplaced::of(&joined)), (12, None));
        let two: Vec<Column> =
            timeline.columns.chunks(2).filter_map(|group| Column::joined(group.iter())).collect();
        let found = Unplaced::of(&two).unwrap();
        assert!((found.seconds - 60.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn beside_a_trace_only_what_counters_counted_is_such_time() {
        // The same waits once counted and once traced, with traced ones of 20 s in the same columns:
        // by hand, half of the 60 s in waits of 5 s are where they ended.
        let mut frames = [frames(false), frames(true)].concat();
        for traced in &mut frames[60..] {
            let mut ns = traced.counts.waited_ns().unwrap();
            ns[traced.counts.scheme().index_of(Nanos::from_millis(20_000)).unwrap()] =
                1_000_000_000;
            traced.counts = traced.counts.clone().with_waited(ns, true).unwrap();
            traced.series = Series::named("traced");
        }
        let timeline = placed(&frames, 60);
        let found = Unplaced::of(&timeline.columns).unwrap();
        assert!((found.seconds - 60.0).abs() < 0.1, "{found:?}");
        assert!((found.time_share - 60.0 / (2.0 * 60.6 + 60.0)).abs() < 0.002, "{found:?}");
        // In columns of 5 s those of 5 s may fit; the traced ones of 20 s are where they were.
        let five = |group: &[Column]| Column::joined(group.iter());
        let joined: Vec<Column> = timeline.columns.chunks(5).filter_map(five).collect();
        assert_eq!((joined.len(), Unplaced::of(&joined)), (12, None));
        let (mut frequency, mut intensity) = Default::default();
        let grid = Grid::covering(&frames, 60).unwrap();
        let picture =
            Picture::draw(&frames, &Request::on(grid, 24), &mut frequency, &mut intensity);
        let [counted, traced] =
            [5_000, 20_000].map(|ms| picture.row_of(Nanos::from_millis(ms)).unwrap());
        assert!(picture.is_row_unplaced(counted) && !picture.is_row_unplaced(traced));
    }

    #[test]
    fn cells_of_such_events_are_marked_and_no_others() {
        let draw = |frames: &[Frame], grid: Grid| {
            let (mut frequency, mut intensity) = Default::default();
            Picture::draw(frames, &Request::on(grid, 24), &mut frequency, &mut intensity)
        };
        let grid = Grid::covering(&frames(false), 60).unwrap();
        let picture = draw(&frames(false), grid);
        let row = picture.row_of(Nanos::from_millis(5_000)).unwrap();
        for column in 0..60 {
            let marked: Vec<usize> =
                (0..picture.rows.len()).filter(|&row| picture.is_unplaced(row, column)).collect();
            assert_eq!(marked, if column % 5 == 4 { vec![row] } else { vec![] }, "{column}");
        }
        assert!(picture.most_is_of_ends());
        // Of 5 s it is not certain that they are longer than 6, but they are no crowd either.
        let coarse = Grid { column: Nanos::new(6_000_000_000), columns: 10, ..grid };
        let coarse = draw(&frames(false), coarse);
        assert!(!coarse.unplaced.contains(&true) && coarse.most_is_of_ends());
        let placed = draw(&frames(true), grid);
        assert!(!placed.most_is_of_ends() && !placed.unplaced.contains(&true));
    }
}
