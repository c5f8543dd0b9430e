//! Between which bounds the time waited lies where it is known from buckets only.

use isotherm_frame::{Frame, Histogram};

/// The least and the most time that some events can have waited: one number where it was measured.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct WaitedBounds {
    least_s: f64,
    most_s: f64,
    /// The best estimate between them, where there is one.
    estimate_s: f64,
    /// How many parts of it have no upper bound.
    unbounded: u64,
}

impl WaitedBounds {
    /// Of these events.
    pub fn of(latencies: &Histogram) -> WaitedBounds {
        let waited = latencies.time_waited();
        if waited.exact {
            let (least_s, most_s) = (waited.seconds, waited.seconds);
            return WaitedBounds { least_s, most_s, estimate_s: waited.seconds, unbounded: 0 };
        }
        let (lo, hi) = bucket_bounds(latencies);
        WaitedBounds {
            least_s: lo.min(waited.seconds),
            most_s: hi.unwrap_or(0.0).max(waited.seconds),
            estimate_s: waited.seconds,
            unbounded: u64::from(hi.is_none()),
        }
    }

    /// The estimate by the middles of buckets, in seconds: the time itself where it was measured.
    pub fn estimate_s(self) -> f64 {
        self.estimate_s
    }

    /// This and what was waited in a frame, unless nothing is known of it.
    #[must_use]
    pub fn with(self, frame: &Frame) -> WaitedBounds {
        if frame.is_gap() { self } else { self.plus(WaitedBounds::of(&frame.counts)) }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: WaitedBounds) -> WaitedBounds {
        WaitedBounds {
            least_s: self.least_s + other.least_s,
            most_s: self.most_s + other.most_s,
            estimate_s: self.estimate_s + other.estimate_s,
            unbounded: self.unbounded + other.unbounded,
        }
    }

    /// The least and the greatest share that this part can have of all, per cent; `None` where nothing
    /// was waited.
    pub fn share_of(self, all: WaitedBounds) -> Option<(f64, f64)> {
        if all.unbounded == 0 && all.most_s <= 0.0 {
            return None;
        }
        if all.unbounded == 0 && all.most_s <= all.least_s {
            let share = 100.0 * self.least_s / all.least_s;
            return Some((share, share));
        }
        let rest = |all: f64, own: f64| (all - own).max(0.0);
        let least = match all.unbounded - self.unbounded.min(all.unbounded) {
            0 => part(self.least_s, rest(all.most_s, self.most_s)),
            _ => 0.0,
        };
        let most = match self.unbounded {
            0 => part(self.most_s, rest(all.least_s, self.least_s)),
            _ => 100.0,
        };
        Some((least, most))
    }
}

/// What `own` is of itself and the rest together, per cent.
fn part(own: f64, rest: f64) -> f64 {
    if own + rest > 0.0 { 100.0 * own / (own + rest) } else { 0.0 }
}

/// The least and the most time, in seconds, that events of these buckets can have waited; no most
/// where a bucket has no end.
pub(crate) fn bucket_bounds(latencies: &Histogram) -> (f64, Option<f64>) {
    let each = || latencies.non_zero();
    let lo = each().map(|(bucket, n)| bucket.lo.as_secs_f64() * n as f64).sum();
    let hi = each().map(|(bucket, n)| Some(bucket.hi?.as_secs_f64() * n as f64)).sum();
    (lo, hi)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Nanos, Scheme, Unit};

    use super::*;

    fn coarse(millis: &[u64]) -> Histogram {
        let scheme = Scheme::powers_of_two(Unit::Millis);
        let mut counts = vec![0; scheme.buckets()];
        for ms in millis {
            counts[scheme.index_of(Nanos::from_millis(*ms)).unwrap()] += 1;
        }
        Histogram::new(scheme, counts, None).unwrap()
    }

    #[test]
    fn shares_of_estimated_times_are_ranges_and_of_measured_ones_numbers() {
        // 1 event in [4, 8) ms and 1 in [16, 32) ms: 4 of 4 + 32 to 8 of 8 + 16.
        let [small, large] = [[5], [20]].map(|ms| WaitedBounds::of(&coarse(&ms)));
        let all = small.plus(large);
        let (lo, hi) = small.share_of(all).unwrap();
        assert!((lo - 100.0 / 9.0).abs() < 1e-9 && (hi - 100.0 / 3.0).abs() < 1e-9, "{lo} {hi}");
        let exact =
            |ms: u64| WaitedBounds::of(&coarse(&[ms]).with_sum(Some(Nanos::from_millis(ms))));
        let all = exact(5).plus(exact(20));
        assert_eq!(exact(5).share_of(all), Some((20.0, 20.0)));
        // All there is has all of it, however coarse.
        assert_eq!(small.share_of(small), Some((100.0, 100.0)));
        assert_eq!(WaitedBounds::default().share_of(WaitedBounds::default()), None);
    }
}
