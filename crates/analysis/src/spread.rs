//! When long waits were waited: before the column they are counted in.

use isotherm_frame::{Histogram, Nanos};

use crate::Timeline;

/// Waits shorter than this share of a column are taken to lie in it.
const SHORT: f64 = 0.5;

impl Timeline {
    /// Seconds waited in each column when long waits count where they were waited, not where they
    /// end: a wait that ends in a column and took `latency` is spread over `[end - latency, end]`.
    /// Time that a source has spread already stays where that source says. Of other time, that of a
    /// counter beside a trace too, ends are taken to lie evenly in their column, and the latency of a
    /// bucket to be that of its middle; what was waited before the first column is left out.
    ///
    /// Without this a session that always waits 5 s would be a burst each 5 s.
    fn waited_when(&self) -> Vec<f64> {
        let as_counted = || self.columns.iter().map(|column| column.waited.seconds).collect();
        let column_s = self.column.as_secs_f64();
        if column_s <= 0.0 || !self.has_long_waits(column_s) || self.total.is_time_placed() {
            return as_counted();
        }
        let mut waited = vec![0.0; self.columns.len()];
        for (index, column) in self.columns.iter().enumerate() {
            let Some(latencies) = &column.latencies else { continue };
            let unplaced = unplaced(latencies);
            let seconds: f64 = unplaced.iter().map(|(_, seconds)| seconds).sum();
            waited[index] += (column.waited.seconds - seconds).max(0.0);
            for (latency_s, seconds) in unplaced {
                spread(&mut waited[..=index], latency_s / column_s, seconds);
            }
        }
        waited
    }

    /// The same with long waits where they were waited.
    pub(crate) fn with_waits_spread(mut self) -> Timeline {
        let waited = self.waited_when();
        for (column, seconds) in self.columns.iter_mut().zip(waited) {
            column.waited.seconds = seconds;
        }
        self
    }

    fn has_long_waits(&self, column_s: f64) -> bool {
        let longest = self.total.non_zero().next_back();
        longest.is_some_and(|(bucket, _)| bucket.mid_point().as_secs_f64() >= SHORT * column_s)
    }
}

/// The latencies of events of which it is not known when they waited, in seconds, with the seconds
/// they waited. Where these are all events the middles of buckets are moved so that they add up to
/// the time waited; beside others it is not known how many events the time of a bucket is of.
fn unplaced(latencies: &Histogram) -> Vec<(f64, f64)> {
    let alone = !latencies.has_waited_ns();
    let of_bucket = |(index, ns): (usize, u64)| {
        let (seconds, count) = (Nanos::new(ns).as_secs_f64(), latencies.count(index));
        let middle_s = latencies.scheme().bucket(index).mid_point().as_secs_f64();
        (if alone && count > 0 { seconds / count as f64 } else { middle_s }, seconds)
    };
    latencies.unplaced_times_ns().map(of_bucket).collect()
}

/// Adds the time of waits of `latency` columns that end evenly in the last of these columns.
fn spread(columns: &mut [f64], latency: f64, seconds: f64) {
    if latency < SHORT {
        columns.iter_mut().next_back().into_iter().for_each(|column| *column += seconds);
        return;
    }
    // Of a wait that ends at `u` of the last column, the part up to `age` columns before its end.
    let up_to = |age: f64| (age.clamp(0.0, latency)) / latency;
    // The mean over u of what lies after the start of the column `back` columns before.
    let after =
        |back: f64| (0..4).map(|n| up_to(back + (f64::from(n) + 0.5) / 4.0)).sum::<f64>() / 4.0;
    let mut counted = 0.0;
    for (back, column) in columns.iter_mut().rev().enumerate() {
        let reached = after(back as f64);
        *column += seconds * (reached - counted);
        counted = reached;
        if reached >= 1.0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Quality, Scheme, Series};

    use super::*;
    use crate::simulated::{Peak, at, run};
    use crate::{Circumstances, Findings, Grid};

    #[test]
    fn one_session_that_always_waits_five_seconds_waits_one_second_a_second() {
        let mut timeline = run(1, 200, &Scheme::log_linear(), |_, _| vec![]);
        for column in timeline.columns.iter_mut().skip(4).step_by(5) {
            let mut counts = Histogram::empty(Scheme::log_linear());
            counts.record(isotherm_frame::Nanos::from_millis(5_000));
            column.waited = counts.time_waited();
            (column.events, column.latencies) = (1, Some(counts));
        }
        timeline.total =
            Histogram::merged(timeline.columns.iter().filter_map(|c| c.latencies.as_ref()))
                .unwrap();
        let waited = timeline.waited_when();
        for (column, waited) in waited.iter().enumerate().take(190).skip(1) {
            assert!((waited - 1.0).abs() < 0.11, "{column}: {waited}");
        }
        let all: f64 = waited.iter().sum();
        assert!((all - 200.0).abs() < 2.0, "{all}");
    }

    #[test]
    fn beside_a_trace_the_long_waits_of_counters_are_spread_all_the_same() {
        // Two sessions that always wait 5 s: of one a trace says when it waited, of the other a
        // counter says each fifth second that a wait ended.
        let frame = |name: &str, second: usize, ended: bool, waited: bool| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            let long = Nanos::from_millis(5_000);
            (0..usize::from(ended)).for_each(|_| counts.record(long));
            if waited {
                let mut ns = vec![0; counts.scheme().buckets()];
                ns[counts.scheme().index_of(long).unwrap()] = 1_000_000_000;
                counts = counts.with_waited(ns, true).unwrap();
            }
            let (start, end) = (at(second), at(second + 1));
            Frame { series: Series::named(name), start, end, counts, quality: Quality::Complete }
        };
        let frames: Vec<Frame> = (0..200)
            .flat_map(|second| {
                let ends = second % 5 == 4;
                [frame("traced", second, ends, true), frame("counted", second, ends, false)]
            })
            .collect();
        let timeline = Timeline::place(&frames, Grid::covering(&frames, 200).unwrap());
        for (column, waited) in timeline.waited_when().iter().enumerate().take(190).skip(5) {
            assert!((waited - 2.0).abs() < 0.11, "{column}: {waited}");
        }
        // What the first wait waited before the first column is left out.
        let counted: f64 = timeline.columns.iter().map(|column| column.waited.seconds).sum();
        let all: f64 = timeline.waited_when().iter().sum();
        assert!((counted - 400.0).abs() < 1e-6 && (all - counted).abs() < 1.0, "{counted} {all}");
        // No session waits in bursts.
        let findings = Findings::of(&timeline, &Circumstances::default());
        assert!(findings.bursts.is_empty() && findings.period.is_none(), "{findings:?}");
        let unplaced = findings.unplaced.unwrap();
        assert!((unplaced.seconds - 200.0).abs() < 1e-6, "{unplaced:?}");
        assert!((unplaced.time_share - 0.5).abs() < 1e-6, "{unplaced:?}");
    }

    #[test]
    fn short_waits_stay_where_they_are() {
        let timeline = run(1, 60, &Scheme::log_linear(), |_, _| vec![Peak(50.0, 1_000.0, 0.5)]);
        let counted: Vec<f64> = timeline.columns.iter().map(|c| c.waited.seconds).collect();
        assert_eq!(timeline.waited_when(), counted);
    }
}
