//! When long waits were waited: before the column they are counted in.

use isotherm_frame::Histogram;

use crate::{Column, Timeline};

/// Waits shorter than this share of a column are taken to lie in it.
const SHORT: f64 = 0.5;

impl Timeline {
    /// Seconds waited in each column when long waits count where they were waited, not where they
    /// end: a wait that ends in a column and took `latency` is spread over `[end - latency, end]`.
    /// Where the source has spread them already, that is what it says. Otherwise ends are taken to
    /// lie evenly in their column, and the latency of a bucket to be that of its middle; what was
    /// waited before the first column is left out.
    ///
    /// Without this a session that always waits 5 s would be a burst each 5 s.
    fn waited_when(&self) -> Vec<f64> {
        let as_told = || self.columns.iter().map(|column| column.waited.seconds).collect();
        let column_s = self.column.as_secs_f64();
        if column_s <= 0.0 || !self.has_long_waits(column_s) || self.is_spread() {
            return as_told();
        }
        let mut waited = vec![0.0; self.columns.len()];
        for (index, column) in self.columns.iter().enumerate() {
            let Some(latencies) = &column.latencies else { continue };
            let scale = scale(column, latencies);
            for (bucket, count) in latencies.non_zero() {
                let latency_s = bucket.mid_point().as_secs_f64() * scale;
                spread(&mut waited[..=index], latency_s / column_s, latency_s * count as f64);
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

    /// Whether the source said when time was waited.
    fn is_spread(&self) -> bool {
        self.total.is_time_placed()
    }
}

/// What makes the middles of buckets add up to the time waited.
fn scale(column: &Column, latencies: &Histogram) -> f64 {
    let estimate: f64 = latencies
        .non_zero()
        .map(|(bucket, count)| bucket.mid_point().as_secs_f64() * count as f64)
        .sum();
    if estimate > 0.0 { column.waited.seconds / estimate } else { 1.0 }
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
    let mut told = 0.0;
    for (back, column) in columns.iter_mut().rev().enumerate() {
        let reached = after(back as f64);
        *column += seconds * (reached - told);
        told = reached;
        if reached >= 1.0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Scheme;

    use super::*;
    use crate::simulated::{Hill, run};

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
    fn short_waits_stay_where_they_are() {
        let timeline = run(1, 60, &Scheme::log_linear(), |_, _| vec![Hill(50.0, 1_000.0, 0.5)]);
        let told: Vec<f64> = timeline.columns.iter().map(|c| c.waited.seconds).collect();
        assert_eq!(timeline.waited_when(), told);
    }
}
