//! Lilliefors' test: how far events are from a normal distribution of the same mean and standard deviation.

use isotherm_frame::Nanos;

/// How far a sample is from a normal distribution with its own mean and standard deviation.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Normality {
    /// The largest difference between the share of the events up to a latency and the share that the
    /// normal distribution has there.
    pub distance: f64,
    /// What a sample of as many independent normal values exceeds once in 100 times.
    pub by_chance: f64,
}

/// The critical value of 1 % for the distance times a function of the number of events: Stephens 1974,
/// table 1, mean and variance estimated from the sample.
const CRITICAL: f64 = 1.035;

impl Normality {
    /// Of latencies in ascending order, not all of them alike.
    pub fn of(sorted: &[Nanos], mean: f64, deviation: f64) -> Normality {
        let count = sorted.len() as f64;
        let distance = (0..).zip(sorted).map(|(before, latency)| {
            let expected = share_below((latency.as_secs_f64() - mean) / deviation);
            let (before, up_to) = (f64::from(before) / count, f64::from(before + 1) / count);
            (expected - before).abs().max((up_to - expected).abs())
        });
        let root = count.sqrt();
        let by_chance = CRITICAL / (root - 0.01 + 0.85 / root);
        Normality { distance: distance.fold(0.0, f64::max), by_chance }
    }

    /// Whether chance would not make it that large.
    pub fn is_refuted(self) -> bool {
        self.distance > self.by_chance
    }
}

/// The share of a standard normal distribution below `z`, right to 1e-7: Abramowitz and Stegun 7.1.26.
fn share_below(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let factors = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let series = factors.into_iter().fold(0.0, |sum, factor| sum * t + factor) * t;
    let beyond = series * (-x * x).exp() / 2.0;
    if z < 0.0 { beyond } else { 1.0 - beyond }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Random;

    use super::*;

    #[test]
    fn shares_are_those_of_the_tables() {
        // Printed tables of the normal distribution.
        for (z, share) in
            [(0.0, 0.5), (1.0, 0.841_344_7), (-1.96, 0.024_997_9), (2.575_829, 0.995), (-6.0, 1e-9)]
        {
            assert!((share_below(z) - share).abs() < 2e-7, "{z}: {}", share_below(z));
        }
    }

    /// Values of a second and more, so that none is cut at 0.
    fn of(values: impl Iterator<Item = f64>) -> Normality {
        let mut sorted: Vec<Nanos> = values.filter_map(Nanos::from_secs_f64).collect();
        sorted.sort_unstable();
        let count = sorted.len() as f64;
        let mean = sorted.iter().map(|one| one.as_secs_f64()).sum::<f64>() / count;
        let squares: f64 = sorted.iter().map(|one| (one.as_secs_f64() - mean).powi(2)).sum();
        Normality::of(&sorted, mean, (squares / (count - 1.0)).sqrt())
    }

    #[test]
    fn two_kinds_of_events_are_as_far_away_as_by_hand() {
        // 900 of 1 ms and 100 of 100 ms: mean 10.9 ms, deviation 29.715 ms. At 1 ms 0.9 of the events
        // stand against the normal share below -0.33317 deviations, 0.36950.
        let found = of((0..1_000).map(|at| if at % 10 == 0 { 0.1 } else { 1e-3 }));
        assert!((found.distance - (0.9 - 0.369_50)).abs() < 1e-4, "{found:?}");
        assert!(found.is_refuted());
    }

    #[test]
    fn normal_values_are_refuted_about_once_in_a_hundred_times() {
        let is_refuted = |seed: u64| {
            let mut random = Random::new(seed);
            of((0..300).map(|_| 10.0 + random.normal())).is_refuted()
        };
        // 4 of 400 are expected; 13 or more by chance in one of 10,000 sets of seeds.
        let refuted = (0..400).filter(|&seed| is_refuted(seed)).count();
        assert!((1..13).contains(&refuted), "{refuted}");
        // An exponential distribution of as many events is found every time.
        let exponential = |seed: u64| {
            let mut random = Random::new(seed);
            of((0..300).map(|_| -(1.0 - random.unit()).ln()))
        };
        assert!((0..100).all(|seed| exponential(seed).is_refuted()));
    }
}
