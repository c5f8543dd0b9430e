//! How far two distributions are apart, as sizes: no probability is made of them.

use isotherm_frame::{Bucket, Histogram};

/// The distance of two distributions of latency.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Distance {
    /// The largest difference of the shares of events below any one latency, 0 to 1: the distance
    /// of Kolmogorov and Smirnov.
    pub largest_share: f64,
    /// By how many octaves (doublings) events are apart on average when the sides' events are
    /// matched rank by rank: the Wasserstein distance of the logarithm of latency.
    pub octaves: f64,
}

/// The distance of two histograms of the same scheme; `None` if either is empty, or of averages.
pub(crate) fn distance(a: &Histogram, b: &Histogram) -> Option<Distance> {
    let (all_a, all_b) = (a.events() as f64, b.events() as f64);
    if a.is_averages() || all_a <= 0.0 || all_b <= 0.0 || a.scheme() != b.scheme() {
        return None;
    }
    let (mut below_a, mut below_b) = (0.0, 0.0);
    let mut found = Distance::default();
    for (index, (in_a, in_b)) in a.counts().into_iter().zip(b.counts()).enumerate() {
        let before = below_a - below_b;
        below_a += in_a as f64 / all_a;
        below_b += in_b as f64 / all_b;
        let after = below_a - below_b;
        found.largest_share = found.largest_share.max(after.abs());
        found.octaves += octaves(a.scheme().bucket(index)) * area(before, after);
    }
    Some(found)
}

/// How many events the time is of that a side has beyond the other's share, of A and of B: Kish's
/// effective number (1965), (sum of x)^2 / sum of x^2 over the latencies of the extra events. Two
/// events a thousand times as long as all others are two, however many others there are.
pub(crate) fn events_behind(totals: &[Histogram; 2]) -> [f64; 2] {
    [(0, 1), (1, 0)].map(|(one, other)| extra_events(&totals[one], &totals[other]))
}

fn extra_events(one: &Histogram, other: &Histogram) -> f64 {
    if other.is_empty() || one.scheme() != other.scheme() {
        return 0.0;
    }
    let expected = one.events() as f64 / other.events() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for (index, count) in one.counted() {
        let extra = (count as f64 - expected * other.count(index) as f64).max(0.0);
        let latency = one.scheme().bucket(index).mid_point().as_secs_f64();
        sum += extra * latency;
        squares += extra * latency * latency;
    }
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// The height of a bucket in octaves; of one that begins at zero or has no end, one.
pub(super) fn octaves(bucket: Bucket) -> f64 {
    match bucket.hi {
        Some(hi) if bucket.lo.as_nanos() > 0 => (hi.as_secs_f64() / bucket.lo.as_secs_f64()).log2(),
        _ => 1.0,
    }
}

/// The mean absolute value along a line from `before` to `after`.
fn area(before: f64, after: f64) -> f64 {
    if before * after >= 0.0 {
        return f64::midpoint(before.abs(), after.abs());
    }
    (before * before + after * after) / (2.0 * (before - after).abs())
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Nanos, Scheme};

    use super::*;

    fn with(micros: &[u64]) -> Histogram {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for &us in micros {
            counts.record(Nanos::from_micros(us));
        }
        counts
    }

    #[test]
    fn giants_are_as_many_as_they_are_and_an_incident_is_all_its_events() {
        let steady = vec![1_000_u64; 10_000];
        let giants = with(&[&steady[2..], &[1_000_000, 1_000_000][..]].concat());
        let incident = with(&[&steady[300..], &[2_000; 300][..]].concat());
        let [in_giants, in_incident] =
            [giants, incident].map(|run| events_behind(&[run, with(&steady)]));
        assert!((in_giants[0] - 2.0).abs() < 0.1, "{in_giants:?}");
        assert!((in_incident[0] - 300.0).abs() < 1.0, "{in_incident:?}");
        assert!(events_behind(&[with(&steady), with(&[])]).iter().all(|extra| *extra <= 0.0));
    }

    #[test]
    fn events_twice_as_long_are_an_octave_apart() {
        let one = with(&[64, 128, 256, 1_024]);
        let two = with(&[128, 256, 512, 2_048]);
        let found = distance(&one, &two).unwrap();
        assert!((found.octaves - 1.0).abs() < 0.02, "{found:?}");
        assert!((found.largest_share - 0.25).abs() < 1e-9, "{found:?}");
        assert_eq!(distance(&one, &one), Some(Distance::default()));
        assert_eq!(distance(&one, &with(&[])), None);
    }
}
