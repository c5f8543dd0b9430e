//! Where latencies gather: the modes of a distribution, and what its tail costs.

use isotherm_frame::{Histogram, Nanos};

/// A hill of the distribution over the logarithm of latency.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Mode {
    /// The middle of the fullest half-octave of the hill: an estimate.
    pub at: Nanos,
    /// The share of all events that belong to the hill, 0 to 1.
    pub share: f64,
}

/// The least share of events that makes a hill a mode.
const LEAST_SHARE: f64 = 0.1;
/// The lowest half-octave between two modes must hold at most this share of the smaller one's.
const VALLEY: f64 = 0.5;

/// The modes, shortest first: hills over half-octaves with at least a tenth of the events each,
/// separated by a valley at most half as high as the lower of them. Buckets wider than an octave
/// hide modes; they never invent one.
pub fn modes(counts: &Histogram) -> Vec<Mode> {
    let halves = half_octaves(counts);
    let total: f64 = halves.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut hills = split_at_valleys(&halves);
    while let Some(small) =
        hills.iter().position(|hill| share(&halves[hill.clone()], total) < LEAST_SHARE)
    {
        if hills.len() == 1 {
            break;
        }
        let (left, right) = if small == 0 { (0, 1) } else { (small - 1, small) };
        hills[left] = hills[left].start..hills[right].end;
        hills.remove(right);
    }
    hills.into_iter().map(|hill| mode(&halves, hill, total)).collect()
}

fn mode(halves: &[f64], hill: std::ops::Range<usize>, total: f64) -> Mode {
    let share = share(&halves[hill.clone()], total);
    let peak = hill.max_by(|&one, &two| halves[one].total_cmp(&halves[two])).unwrap_or(0);
    let at = Nanos::from_secs_f64((peak as f64 / 2.0 + 0.25).exp2() / 1e9).unwrap_or_default();
    Mode { at, share }
}

fn share(halves: &[f64], total: f64) -> f64 {
    halves.iter().sum::<f64>() / total
}

/// Events by half-octave of nanoseconds; those of a bucket are spread evenly over the logarithm of
/// its range, so that neither its width nor its edges make a hill or a valley.
fn half_octaves(counts: &Histogram) -> Vec<f64> {
    let mut halves = vec![0.0; 129];
    for (bucket, count) in counts.non_zero() {
        let hi = bucket.hi.map_or(bucket.lo.as_nanos() as f64 * 1.1, |hi| hi.as_nanos() as f64);
        // What lies below half of the upper bound of a bucket from zero is not known to be there.
        let lo = if bucket.lo == Nanos::ZERO { hi / 2.0 } else { bucket.lo.as_nanos() as f64 };
        let (from, to) = (lo.max(1.0).log2() * 2.0, hi.max(2.0).log2() * 2.0);
        for (index, half) in halves.iter_mut().enumerate() {
            let overlap = to.min(index as f64 + 1.0) - from.max(index as f64);
            *half += count as f64 * overlap.max(0.0) / (to - from);
        }
    }
    halves
}

/// Cuts the half-octaves into hills at every deep enough valley.
fn split_at_valleys(halves: &[f64]) -> Vec<std::ops::Range<usize>> {
    let mut hills = Vec::new();
    let (mut start, mut peak, mut valley) = (0, 0, 0);
    for index in 1..halves.len() {
        let deep = |top: f64| halves[valley] < VALLEY * top;
        if valley > peak && deep(halves[peak]) && deep(halves[index]) {
            hills.push(start..valley);
            (start, peak, valley) = (valley, index, index);
        } else if halves[index] > halves[peak] {
            (peak, valley) = (index, index);
        } else if halves[index] < halves[valley] || valley <= peak {
            valley = index;
        }
    }
    hills.push(start..halves.len());
    hills
}

/// The longest latencies that hold at least `wait` of the time waited: the edge above which they
/// lie, their share of events and their share of time. `None` without events.
pub fn tail_share(counts: &Histogram, wait: f64) -> Option<(Nanos, f64, f64)> {
    let events = counts.events() as f64;
    let weight = |bucket: isotherm_frame::Bucket, count: u64| {
        bucket.mid_point().as_secs_f64() * count as f64
    };
    let total: f64 = counts.non_zero().map(|(bucket, count)| weight(bucket, count)).sum();
    let (mut tail_events, mut tail_time) = (0_u64, 0.0);
    for (bucket, count) in counts.non_zero().rev() {
        tail_events += count;
        tail_time += weight(bucket, count);
        if tail_time >= wait * total && total > 0.0 {
            return Some((bucket.lo, tail_events as f64 / events, tail_time / total));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Unit};

    use super::*;

    fn two_hills(scheme: Scheme) -> Histogram {
        let mut counts = Histogram::empty(scheme);
        for step in 0..700 {
            counts.record(Nanos::from_micros(180 + step % 60));
        }
        for step in 0..300 {
            counts.record(Nanos::from_micros(7_000 + 10 * (step % 100)));
        }
        counts
    }

    #[test]
    fn two_hills_are_two_modes_with_their_shares() {
        for scheme in [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)] {
            let found = modes(&two_hills(scheme));
            assert_eq!(found.len(), 2, "{found:?}");
            assert!((found[0].share - 0.7).abs() < 1e-9 && (found[1].share - 0.3).abs() < 1e-9);
            assert!(found[0].at > Nanos::from_micros(120) && found[0].at < Nanos::from_micros(400));
            assert!(found[1].at > Nanos::from_millis(4) && found[1].at < Nanos::from_millis(12));
        }
    }

    #[test]
    fn one_hill_is_one_mode_and_nothing_is_none() {
        let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
        for (us, times) in [(40, 20), (80, 60), (160, 100), (320, 50), (640, 5)] {
            (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
        }
        assert_eq!(modes(&counts).len(), 1);
        assert_eq!(modes(&counts.cleared()), vec![]);
    }

    #[test]
    fn the_tail_is_told_by_events_and_by_time() {
        let (edge, events, time) = tail_share(&two_hills(Scheme::log_linear()), 0.4).unwrap();
        assert!(edge >= Nanos::from_millis(6));
        assert!(events < 0.31 && time >= 0.4);
    }
}
