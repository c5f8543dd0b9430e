//! What single latencies come to: their mean and what it is meant to stand for.

use isotherm_frame::{Nanos, Random, nearest_rank};

use super::normality::Normality;

/// Samples that are drawn from the events to see how far chance moves their mean and median.
const RESAMPLES: usize = 200;
/// Events that follow each other are drawn together, because a slow one seldom comes alone.
const RUN: usize = 50;
/// A sample is made of at least so many runs.
const LEAST_RUNS: usize = 20;
/// The most events of a sample; of more, a sample of as many as this is drawn, which strays farther
/// by the root of how many times fewer it has.
const MOST_DRAWN: usize = 20_000;
/// An event is near the mean if it differs from it by no more than this share of it.
pub const NEAR: f64 = 0.1;

/// The statistics of single latencies, in seconds.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// What was measured.
    pub name: String,
    /// In ascending order.
    pub sorted: Vec<Nanos>,
    pub mean: f64,
    /// Of the sample: divided by n - 1.
    pub deviation: f64,
    /// The third standardised moment, g1: 0 where both sides are alike, above where long latencies
    /// are rare and far away. None where all are alike.
    pub skewness: Option<f64>,
    /// How far from a normal distribution they are; none where all are alike.
    pub normality: Option<Normality>,
    /// The share of the events below the mean.
    pub below_mean: f64,
    /// The share of the events within [`NEAR`] of the mean, with an interval of 90 %.
    pub near_mean: (f64, (f64, f64)),
    /// How many times the median the mean is, with such an interval; none of a median of 0 ns.
    pub ratio: Option<(f64, (f64, f64))>,
}

impl Statistics {
    /// Of latencies in the order in which they were measured.
    pub fn of(name: &str, latencies: &[Nanos], random: &mut Random) -> Statistics {
        let mut sorted = latencies.to_vec();
        sorted.sort_unstable();
        let count = sorted.len() as f64;
        let seconds = || sorted.iter().map(|latency| latency.as_secs_f64());
        let sum: u128 = sorted.iter().map(|latency| u128::from(latency.as_nanos())).sum();
        let mean = sum as f64 / count / 1e9;
        let are_alike = sorted.first() == sorted.last();
        let moment =
            |power: i32| seconds().map(|one| (one - mean).powi(power)).sum::<f64>() / count;
        let variance = if are_alike { 0.0 } else { moment(2) };
        let skewness = (variance > 0.0).then(|| moment(3) / variance.powf(1.5));
        let deviation = (variance * count / (count - 1.0)).sqrt();
        let normality = (variance > 0.0).then(|| Normality::of(&sorted, mean, deviation));
        let share =
            |is: &dyn Fn(f64) -> bool| seconds().filter(|one| is(*one)).count() as f64 / count;
        let is_below =
            |latency: &&Nanos| u128::from(latency.as_nanos()) * (sorted.len() as u128) < sum;
        let below_mean = sorted.iter().filter(is_below).count() as f64 / count;
        let near_mean = share(&|one| is_near(one, mean));
        let median = rank(&sorted, 0.5);
        let (nears, ratios) = drawn_again(latencies, random);
        let interval = |found, about| interval(found, about, latencies.len());
        let near_mean = (near_mean, interval(nears, near_mean));
        // Where a sample may have a median of 0 ns, nothing is known of how far the ratio strays.
        let is_known = median > Nanos::ZERO && ratios.iter().all(|ratio| ratio.is_finite());
        let ratio = is_known.then(|| {
            let ratio = mean / median.as_secs_f64();
            (ratio, interval(ratios, ratio))
        });
        let name = name.to_owned();
        Statistics {
            name,
            sorted,
            mean,
            deviation,
            skewness,
            normality,
            below_mean,
            near_mean,
            ratio,
        }
    }

    /// The latency of a quantile by nearest rank.
    pub fn quantile(&self, q: f64) -> Nanos {
        rank(&self.sorted, q)
    }
}

fn rank(sorted: &[Nanos], q: f64) -> Nanos {
    let rank = usize::try_from(nearest_rank(q, sorted.len() as u64)).unwrap_or(usize::MAX);
    rank.checked_sub(1).and_then(|at| sorted.get(at)).copied().unwrap_or(Nanos::ZERO)
}

fn is_near(latency: f64, mean: f64) -> bool {
    (latency - mean).abs() <= NEAR * mean
}

/// The share near the mean, and mean over median, of samples that are drawn from the events by the
/// moving-block bootstrap (Künsch 1989): runs of neighbouring events of the whole time until they are
/// as many, or [`MOST_DRAWN`].
fn drawn_again(latencies: &[Nanos], random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let (events, count) = (latencies, latencies.len().min(MOST_DRAWN));
    // Of a few long runs the samples would hardly differ.
    let run = RUN.min(events.len() / LEAST_RUNS).max(1);
    let one_sample = |_| {
        let mut drawn: Vec<Nanos> = Vec::with_capacity(count + run);
        while drawn.len() < count {
            let from = random.index(events.len() - run + 1);
            drawn.extend_from_slice(&events[from..from + run]);
        }
        drawn.truncate(count);
        let seconds = || drawn.iter().map(|latency| latency.as_secs_f64());
        let mean = seconds().sum::<f64>() / drawn.len() as f64;
        let near = seconds().filter(|&one| is_near(one, mean)).count() as f64;
        let (near, middle) = (near / drawn.len() as f64, (drawn.len() - 1) / 2);
        (near, mean / drawn.select_nth_unstable(middle).1.as_secs_f64())
    };
    (0..RESAMPLES).map(one_sample).unzip()
}

/// From the 5th to the 95th percentile of what samples of so many events gave, about what all gave:
/// smaller samples stray farther than one of all would (m out of n bootstrap, Bickel et al. 1997).
fn interval(mut found: Vec<f64>, about: f64, events: usize) -> (f64, f64) {
    found.sort_by(f64::total_cmp);
    let nearer = (events.min(MOST_DRAWN) as f64 / events as f64).sqrt();
    let at = |one: f64| about + (one - about) * nearer;
    (at(found[RESAMPLES / 20]), at(found[RESAMPLES - 1 - RESAMPLES / 20]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seconds: impl Iterator<Item = f64>) -> Statistics {
        let latencies: Vec<Nanos> = seconds.filter_map(Nanos::from_secs_f64).collect();
        Statistics::of("test", &latencies, &mut Random::new(1))
    }

    #[test]
    fn moments_of_whole_numbers_are_those_of_the_formulas() {
        // 1 to n: mean (n + 1) / 2, variance of the sample n (n + 1) / 12, both sides alike.
        let found = of((1..=1_001).map(|n| f64::from(n) * 1e-3));
        assert!((found.mean - 0.501).abs() < 1e-12);
        assert!((found.deviation - (1_001.0_f64 * 1_002.0 / 12.0).sqrt() * 1e-3).abs() < 1e-9);
        assert!(found.skewness.unwrap().abs() < 1e-9);
        assert_eq!(found.quantile(0.5), Nanos::from_millis(501));
        assert_eq!(found.quantile(0.25), Nanos::from_millis(251));
        assert_eq!(found.quantile(0.99), Nanos::from_millis(991));
        assert!((found.below_mean - 500.0 / 1_001.0).abs() < 1e-9);
        // 451 to 551.
        assert!((found.near_mean.0 - 101.0 / 1_001.0).abs() < 1e-9);
    }

    #[test]
    fn logarithms_that_are_normal_have_the_ratio_and_the_skewness_of_the_formulas() {
        let (mut random, spread) = (Random::new(7), 0.5_f64);
        let found = of((0..100_000).map(|_| 1e-3 * (spread * random.normal()).exp()));
        let (ratio, (lo, hi)) = found.ratio.unwrap();
        let variance = spread * spread;
        assert!((ratio - (variance / 2.0).exp()).abs() < 0.01, "{ratio}");
        assert!(1.0 < lo && lo < ratio && ratio < hi && hi < 1.2, "{lo} {hi}");
        let skewness = (variance.exp() + 2.0) * (variance.exp() - 1.0).sqrt();
        assert!((found.skewness.unwrap() / skewness - 1.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn nine_in_ten_intervals_hold_one_where_both_sides_are_alike() {
        let holds = |seed: u64| {
            let mut random = Random::new(seed);
            let found = of((0..500).map(|_| 1.0 + 0.05 * random.normal()));
            let (_, (lo, hi)) = found.ratio.unwrap();
            lo < 1.0 && 1.0 < hi
        };
        // 36 of 40 are expected; below 28 by chance in one of 10,000 sets of seeds.
        let held = (0..40).filter(|&seed| holds(seed)).count();
        assert!((28..40).contains(&held), "{held}");
    }

    #[test]
    fn intervals_are_of_the_whole_time_and_not_of_its_beginning() {
        // The last quarter is twice as slow: a mean of 1.25 ms, a median of 1 ms. One in four is
        // drawn from a binomial of 40,000 / 50 runs: 1.645 deviations of that are 0.025.
        let late = |n: u32| if n < 30_000 { 1e-3 } else { 2e-3 };
        let (ratio, (lo, hi)) = of((0..40_000).map(late)).ratio.unwrap();
        assert!((ratio - 1.25).abs() < 1e-9);
        assert!((1.21..1.24).contains(&lo) && (1.26..1.29).contains(&hi), "{lo} {hi}");
    }

    #[test]
    fn events_that_are_all_alike_have_no_skewness_and_those_of_no_time_no_ratio() {
        let found = of((0..300).map(|_| 0.25));
        assert_eq!((found.skewness, found.ratio), (None, Some((1.0, (1.0, 1.0)))));
        assert_eq!(of((0..300).map(|_| 0.0)).ratio, None);
        for seconds in [1e-4, 1e-3, 0.1] {
            let found = of((0..1_000).map(|_| seconds));
            assert_eq!((found.skewness, found.deviation, found.below_mean), (None, 0.0, 0.0));
        }
        // Half of them of no time: the median of a sample may be 0.
        assert_eq!(of((0..300).map(|n| if n % 100 < 49 { 0.0 } else { 1e-3 })).ratio, None);
    }
}
