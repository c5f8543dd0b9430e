//! Who waits: the series of a stretch of time, most time waited first.

use isotherm_frame::{Histogram, Nanos, Series, TimeWaited, Timestamp};

use crate::{Coverage, Grid, History, Timeline};

/// What each series waited in a stretch of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waits {
    /// Every series with events or time in it, most time waited first.
    pub ranking: Vec<(Series, TimeWaited)>,
    /// The time about which anything was said, in seconds.
    pub covered_s: f64,
}

/// What one series waited, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesWaits {
    /// Its time waited.
    pub waited: TimeWaited,
    /// Its latencies.
    pub latencies: Histogram,
    /// Its average waiting in each of some equal parts of the time; `None` where nothing is known.
    pub course: Vec<Option<f64>>,
}

impl Waits {
    /// What the frames kept say of the time between two moments. A frame that lies across one of
    /// them counts in proportion to time.
    pub fn of(history: &History, span: (Timestamp, Timestamp)) -> Waits {
        Waits::among(history, history.series(), span)
    }

    /// The same of some series.
    pub fn among<'a>(
        history: &History,
        series: impl IntoIterator<Item = &'a Series>,
        (start, end): (Timestamp, Timestamp),
    ) -> Waits {
        let mut coverage = Coverage::default();
        let mut ranking = Vec::new();
        for series in series {
            let mut waited = TimeWaited { seconds: 0.0, exact: true };
            for (span, of) in history.waits(series, start, end) {
                let (from, to) = (span.start.max(start), span.end.min(end));
                if !span.amends {
                    coverage.add_span(from, to);
                }
                let inside = to.since(from).as_secs_f64();
                let whole = span.end.since(span.start).as_secs_f64();
                let share = if whole > 0.0 { inside / whole } else { 1.0 };
                waited.seconds += share * of.seconds;
                waited.exact &= of.exact;
            }
            ranking.push((series.clone(), waited));
        }
        ranking.retain(|(_, waited)| waited.seconds > 0.0);
        ranking.sort_by(|one, two| two.1.seconds.total_cmp(&one.1.seconds));
        Waits { ranking, covered_s: coverage.seconds() }
    }

    /// The time waited by all.
    pub fn waited(&self) -> TimeWaited {
        self.ranking.iter().fold(TimeWaited { seconds: 0.0, exact: true }, |sum, (_, one)| {
            TimeWaited { seconds: sum.seconds + one.seconds, exact: sum.exact && one.exact }
        })
    }

    /// How many were waiting on average, of so much time waited: seconds per second of the time
    /// about which anything was said.
    pub fn average_waiting(&self, waited: TimeWaited) -> f64 {
        if self.covered_s > 0.0 { waited.seconds / self.covered_s } else { 0.0 }
    }
}

impl SeriesWaits {
    /// One series between two moments, its course in so many parts.
    pub fn of(
        history: &History,
        series: &Series,
        (start, end): (Timestamp, Timestamp),
        parts: usize,
    ) -> SeriesWaits {
        let length = end.since(start).as_nanos().max(1);
        let column = Nanos::new(length.div_ceil(parts.max(1) as u64));
        let grid = Grid { end, column, columns: parts.max(1) };
        let timeline = Timeline::of_ordered(history.each(series, start, end), grid);
        let average = |column: &crate::Column| {
            (column.covered_s > 0.0).then(|| column.waited.seconds / column.covered_s)
        };
        SeriesWaits {
            waited: timeline.waited(),
            course: timeline.columns.iter().map(average).collect(),
            latencies: timeline.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Quality, Scheme};

    use super::*;

    fn at_ms(ms: i64) -> Timestamp {
        Timestamp::new(ms * 1_000_000)
    }

    fn push(history: &mut History, series: &str, second: i64, waits: (u64, u64)) {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..waits.0).for_each(|_| counts.record(Nanos::from_millis(waits.1)));
        let (start, end) = (at_ms(1_000 * second), at_ms(1_000 * second + 1_000));
        let (series, quality) = (Series::named(series), Quality::Complete);
        history.push(&Frame { series, start, end, counts, quality });
    }

    /// `a` waits 3 x 100 ms in each of ten seconds, `b` 1 x 400 ms in each of the last five.
    fn history() -> History {
        let mut history = History::new(1 << 20);
        for second in 0..10 {
            push(&mut history, "a", second, (3, 100));
            push(&mut history, "b", second, (u64::from(second >= 5), 400));
            push(&mut history, "idle", second, (0, 1));
        }
        history
    }

    #[test]
    fn who_waited_most_in_a_stretch_of_time_comes_first() {
        let near = |one: f64, two: f64| (one - two).abs() < 1e-9;
        let all = Waits::of(&history(), (at_ms(0), at_ms(10_000)));
        let names: Vec<&str> = all.ranking.iter().map(|(series, _)| series.name()).collect();
        assert_eq!(names, ["a", "b"], "who did not wait is not listed");
        assert!(near(all.waited().seconds, 3.0 + 2.0) && near(all.covered_s, 10.0));
        assert!(near(all.average_waiting(all.ranking[0].1), 0.3));
        let late = Waits::of(&history(), (at_ms(5_000), at_ms(10_000)));
        assert_eq!(late.ranking[0].0.name(), "b");
        assert!(near(late.ranking[0].1.seconds, 2.0) && near(late.ranking[1].1.seconds, 1.5));
        // Half a second of each of two frames.
        let across = Waits::of(&history(), (at_ms(500), at_ms(1_500)));
        assert!(near(across.ranking[0].1.seconds, 0.3) && near(across.covered_s, 1.0));
    }

    #[test]
    fn the_course_of_a_series_adds_up_to_what_it_waited() {
        let (start, end) = (at_ms(0), at_ms(10_000));
        let one = SeriesWaits::of(&history(), &Series::named("b"), (start, end), 5);
        assert_eq!(one.latencies.events(), 5);
        let course: Vec<f64> = one.course.iter().map(|part| part.unwrap()).collect();
        let total: f64 = course.iter().map(|average| 2.0 * average).sum();
        assert!((total - one.waited.seconds).abs() < 1e-9 && course[0] == 0.0, "{course:?}");
        let none = SeriesWaits::of(&history(), &Series::named("b"), (end, at_ms(20_000)), 2);
        assert_eq!(none.course, [None, None]);
    }
}
