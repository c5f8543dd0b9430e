//! How much of the time waited some events own, by their buckets and the exact total together.

use isotherm_frame::{Bucket, Histogram, Nanos};

/// The share of the time waited of the events of some buckets: an estimate, and between which bounds
/// it lies. Where the total is exact, what the others at most, and at least, can have taken bounds it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PartOfTime {
    /// The best estimate, 0 to 1.
    pub share: f64,
    /// The least share that it can be.
    pub least: f64,
    /// The greatest.
    pub most: f64,
    /// Whether the bounds are so far apart that the estimate says little.
    pub coarse: bool,
    /// The mean latency of these events, at least and at most, in nanoseconds; no most where a bucket
    /// has no end and the total is unknown.
    pub mean_ns: (f64, Option<f64>),
}

impl PartOfTime {
    /// What is known to so many points is known.
    const KNOWN: f64 = 0.02;

    /// Whether the share is known, not estimated.
    pub fn is_known(&self) -> bool {
        self.most - self.least <= PartOfTime::KNOWN
    }
}

/// Buckets no wider than this part of their latency are fine: the middles of many events in them are
/// nearer to the truth than any bound.
const FINE: f64 = 0.13;

/// Time that some events can have taken, in seconds.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Limits {
    events: f64,
    least: f64,
    /// By the middles of buckets; of one without end by its beginning.
    middle: f64,
    /// The greatest, but for those in a bucket without end.
    most: f64,
    /// Whether there are some in a bucket without end.
    open: bool,
}

impl Limits {
    /// Takes in the events of a bucket.
    pub(crate) fn add(&mut self, bucket: Bucket, count: u64) {
        let count = count as f64;
        self.events += count;
        self.least += bucket.lo.as_secs_f64() * count;
        self.middle += bucket.mid_point().as_secs_f64() * count;
        self.most += bucket.hi.map_or(0.0, |hi| hi.as_secs_f64() * count);
        self.open |= bucket.hi.is_none() && count > 0.0;
    }

    /// Both together.
    pub(crate) fn plus(self, other: Limits) -> Limits {
        Limits {
            events: self.events + other.events,
            least: self.least + other.least,
            middle: self.middle + other.middle,
            most: self.most + other.most,
            open: self.open || other.open,
        }
    }

    fn without(self, part: Limits) -> Limits {
        let rest = |of: fn(&Limits) -> f64| (of(&self) - of(&part)).max(0.0);
        Limits {
            events: rest(|all| all.events),
            least: rest(|all| all.least),
            middle: rest(|all| all.middle),
            most: rest(|all| all.most),
            open: self.open && !part.open,
        }
    }

    fn greatest(self) -> f64 {
        if self.open { f64::INFINITY } else { self.most }
    }

    fn is_fine(self) -> bool {
        !self.open && self.most - self.least <= FINE * self.least
    }
}

/// The time of all events of a histogram.
pub(crate) struct AllTime {
    all: Limits,
    /// The exact total, unless it contradicts the buckets.
    total_s: Option<f64>,
}

impl AllTime {
    pub(crate) fn of(counts: &Histogram) -> AllTime {
        let mut all = Limits::default();
        counts.non_zero().for_each(|(bucket, count)| all.add(bucket, count));
        let total_s = counts.sum().map(Nanos::as_secs_f64);
        let fits = |total: &f64| (all.least..=all.greatest()).contains(total) && *total > 0.0;
        AllTime { all, total_s: total_s.filter(fits) }
    }

    /// What these events of it own.
    pub(crate) fn part(&self, own: Limits) -> PartOfTime {
        let rest = self.all.without(own);
        match self.total_s {
            Some(total) => AllTime::of_total(own, rest, total),
            None => AllTime::of_buckets(own, rest),
        }
    }

    /// Each takes at least what the greatest time of the others leaves, and at most what their least
    /// time leaves.
    fn of_total(own: Limits, rest: Limits, total: f64) -> PartOfTime {
        let most = own.greatest().min(total - rest.least);
        let least = own.least.max(total - rest.greatest()).min(most);
        let estimate = match (own.open, rest.open) {
            (true, _) => total - rest.middle,
            (_, true) => own.middle,
            _ => total * own.middle / (own.middle + rest.middle).max(f64::MIN_POSITIVE),
        };
        let mean_ns = |seconds: f64| 1e9 * seconds / own.events.max(1.0);
        PartOfTime {
            share: estimate.clamp(least, most) / total,
            least: least / total,
            most: most / total,
            coarse: !own.is_fine() && !rest.is_fine(),
            mean_ns: (mean_ns(least), Some(mean_ns(most))),
        }
    }

    fn of_buckets(own: Limits, rest: Limits) -> PartOfTime {
        let part = |own: f64, rest: f64| {
            let share = own / (own + rest);
            if share.is_finite() { share.clamp(0.0, 1.0) } else { f64::from(u8::from(own > 0.0)) }
        };
        let mean_ns = |seconds: f64| 1e9 * seconds / own.events.max(1.0);
        PartOfTime {
            share: part(own.middle, rest.middle),
            least: part(own.least, rest.greatest()),
            most: part(own.greatest(), rest.least),
            coarse: own.open || rest.open,
            mean_ns: (mean_ns(own.least), (!own.open).then(|| mean_ns(own.most))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use isotherm_frame::{Random, Scheme};
    use testing::grid;

    use super::*;
    use crate::modes;

    /// What the events of some buckets own.
    fn part_of_time(counts: &Histogram, buckets: Range<usize>) -> PartOfTime {
        let mut own = Limits::default();
        let inside = counts.counted().filter(|(index, _)| buckets.contains(index));
        inside.for_each(|(index, count)| own.add(counts.scheme().bucket(index), count));
        AllTime::of(counts).part(own)
    }

    /// Prometheus' default buckets and ten other sets, in microseconds.
    const BOUNDS: [&[u64]; 11] = [
        &[
            5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
            5_000_000, 10_000_000,
        ],
        &[100, 1_000, 10_000, 100_000, 1_000_000],
        &[300_000],
        &[50_000, 100_000, 300_000, 500_000, 1_000_000],
        &[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000],
        &[10_000, 1_000_000],
        &[100_000, 200_000, 300_000, 400_000, 500_000, 600_000],
        &[1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000, 10_000_000, 60_000_000],
        &[250, 500, 1_000, 2_500, 5_000, 10_000],
        &[4_000_000, 8_000_000],
        &[7_000, 11_000, 19_000, 33_000, 71_000, 140_000, 300_000, 900_000, 3_000_000],
    ];

    /// Events of two or three lognormal hills, in seconds.
    fn mixture(seed: u64) -> Vec<f64> {
        let mut random = Random::new(Random::new(!seed).next());
        let hills = 2 + usize::from(random.unit() < 0.3);
        let middles: Vec<f64> =
            (0..hills).map(|_| 0.001 * 30_000_f64.powf(random.unit())).collect();
        let slow_share = 0.005 + 0.3 * random.unit();
        let sigma = 0.05 + 0.5 * random.unit();
        (0..4_000)
            .map(|_| {
                let hill = if random.unit() < slow_share { hills - 1 } else { 0 };
                let hill = if hills == 3 && random.unit() < 0.2 { 1 } else { hill };
                middles[hill] * (sigma * random.normal()).exp()
            })
            .collect()
    }

    fn counted(events: &[f64], bounds: &[u64]) -> Histogram {
        let mut all = vec![0];
        all.extend(bounds.iter().map(|us| us * 1_000));
        all.push(Scheme::UNBOUNDED);
        let mut counts = Histogram::empty(Scheme::new(all).unwrap());
        for seconds in events {
            counts.record(Nanos::from_secs_f64(*seconds).unwrap());
        }
        counts
    }

    /// The least and the greatest time of the events from `lo` to below `hi` by trying: those inside
    /// are moved to one end of their buckets, and all others as far as the total asks.
    fn by_trying(counts: &Histogram, (lo, hi): (Nanos, Option<Nanos>)) -> (f64, f64) {
        let is_own = |bucket: &Bucket| bucket.lo >= lo && hi.is_none_or(|hi| bucket.lo < hi);
        let total = counts.sum().unwrap().as_secs_f64();
        let least_at: f64 = counts.non_zero().map(|(b, n)| b.lo.as_secs_f64() * n as f64).sum();
        let room = |own: bool| -> f64 {
            let of = counts.non_zero().filter(|(b, _)| is_own(b) == own);
            of.map(|(b, n)| {
                b.hi.map_or(f64::INFINITY, |hi| (hi.as_secs_f64() - b.lo.as_secs_f64()) * n as f64)
            })
            .sum()
        };
        let own_least: f64 = counts
            .non_zero()
            .filter(|(b, _)| is_own(b))
            .map(|(b, n)| b.lo.as_secs_f64() * n as f64)
            .sum();
        // What is left of the total above all lower bounds goes to the others first, or to these.
        let left = total - least_at;
        let to_others = left.min(room(false));
        let to_own = left.min(room(true));
        ((own_least + left - to_others) / total, (own_least + to_own) / total)
    }

    #[test]
    fn shares_and_places_fit_buckets_and_total_of_random_mixtures() {
        let (mut parts, mut wide) = (0_u64, 0);
        let seeds = grid::cases(200, 10);
        for seed in 0..seeds {
            let events = mixture(seed);
            let total: f64 = events.iter().sum();
            for bounds in BOUNDS {
                let counts = counted(&events, bounds);
                for mode in modes(&counts) {
                    let (lo, hi) = mode.edges;
                    let part = mode.part;
                    let (least, most) = by_trying(&counts, mode.edges);
                    let about = |one: f64, two: f64| (one - two).abs() < 1e-6;
                    assert!(about(part.least, least) && about(part.most, most), "{seed} {mode:?}");
                    let is_own = |s: &&f64| {
                        **s >= lo.as_secs_f64() && hi.is_none_or(|hi| **s < hi.as_secs_f64())
                    };
                    let own: f64 = events.iter().filter(is_own).sum();
                    let within =
                        |share: f64| part.least - 1e-6 <= share && share <= part.most + 1e-6;
                    assert!(within(own / total), "{seed}: {} of {part:?}", own / total);
                    assert!(within(part.share), "{seed}: {part:?}");
                    // In a wide bucket a mode takes what all of its events together can take.
                    let bucket = counts.scheme().bucket(counts.scheme().index_of(mode.at).unwrap());
                    let is_wide = bucket
                        .hi
                        .is_none_or(|hi| hi.as_nanos() as f64 >= 1.5 * bucket.lo.as_nanos() as f64);
                    let at_ns = mode.at.as_nanos() as f64;
                    let (low, high) = part.mean_ns;
                    let high = high.unwrap_or(f64::INFINITY);
                    let fits = (low - 1.0..=high + 1.0).contains(&at_ns);
                    assert!(fits || !is_wide, "{seed}: {mode:?}");
                    let count = events.iter().filter(is_own).count() as f64;
                    let mean_ns = 1e9 * own / count;
                    assert!(
                        (low - 1.0..=high + 1.0).contains(&mean_ns),
                        "{seed}: {mean_ns} {part:?}"
                    );
                    parts += 1;
                    wide += usize::from(!part.is_known());
                }
            }
        }
        println!("{parts} parts, {wide} of them ranges");
        assert!(parts > 10 * seeds, "{parts}");
    }

    /// By hand: 90 events below 300 ms and 10 above, 5 s in all: these took 3 s at least, 60 %.
    #[test]
    fn ten_events_above_300_ms_of_5_s_in_all_own_three_fifths() {
        let events: Vec<f64> =
            std::iter::repeat_n(0.01, 90).chain(std::iter::repeat_n(0.41, 10)).collect();
        let counts = counted(&events, &[50_000, 300_000]);
        let part = part_of_time(&counts, 2..3);
        let expected = (3.0 / 5.0, 1.0);
        assert!((part.least - expected.0).abs() < 1e-9, "{part:?}");
        assert!((part.most - expected.1).abs() < 1e-9, "{part:?}");
        // Without the total the bucket has no end, and of the others it is known where they end.
        let part = part_of_time(&counts.with_sum(None), 2..3);
        assert!((part.least - 3.0 / 7.5).abs() < 1e-9 && part.most >= 1.0, "{part:?}");
        assert_eq!(part.mean_ns, (3e8, None));
    }

    #[test]
    fn a_total_that_contradicts_its_buckets_bounds_nothing() {
        let counts = counted(&[0.02, 0.4, 0.4], &[50_000, 300_000]);
        let wrong = counts.with_sum(Some(Nanos::from_millis(1)));
        let part = part_of_time(&wrong, 1..3);
        assert!(part.least > 0.5 && part.coarse, "{part:?}");
    }
}
