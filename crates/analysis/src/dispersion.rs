//! Whether a rate varies more than the chance of single events makes it.

/// How uneven counts are.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Dispersion {
    /// The variance of the counts in units of that of events that come at random.
    index: f64,
    /// Its standard error where events come at random.
    error: f64,
    /// Events per second.
    rate: f64,
}

/// So many standard errors beyond one, the index of dispersion is not that of chance.
const CLEAR: f64 = 5.0;

impl Dispersion {
    /// Of counts, each with its length of time in seconds: the index of dispersion (Fisher 1925; Cox
    /// & Lewis 1966, *The Statistical Analysis of Series of Events*, 6.3). `None` without events.
    pub(crate) fn of(counts: &[(f64, f64)]) -> Option<Dispersion> {
        let (events, seconds) =
            counts.iter().fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        let degrees_of_freedom = counts.len() as f64 - 1.0;
        if events <= 0.0 || seconds <= 0.0 || degrees_of_freedom < 1.0 {
            return None;
        }
        let rate = events / seconds;
        let sum_of_squares =
            counts.iter().map(|(n, length)| (n - rate * length).powi(2) / (rate * length));
        let index = sum_of_squares.sum::<f64>() / degrees_of_freedom;
        Some(Dispersion { index, error: (2.0 / degrees_of_freedom).sqrt(), rate })
    }

    /// Whether the rate varies more than by chance.
    pub(crate) fn is_uneven(self) -> bool {
        self.index > 1.0 + CLEAR * self.error
    }

    /// A rate less what chance made of it: nearer to the mean by the share of the variance that is
    /// chance.
    pub(crate) fn without_chance(self, rate: f64) -> f64 {
        let true_share = (1.0 - 1.0 / self.index.max(1.0)).sqrt();
        self.rate + (rate - self.rate) * true_share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::Chance;

    #[test]
    fn events_at_random_are_even_and_other_loads_are_not() {
        let mut alarms = 0;
        for seed in 0..200 {
            let mut chance = Chance::new(seed);
            let random: Vec<(f64, f64)> =
                (0..300).map(|_| (chance.poisson(40.0) as f64, 2.0)).collect();
            alarms += usize::from(Dispersion::of(&random).unwrap().is_uneven());
            let waves: Vec<(f64, f64)> = (0..300)
                .map(|n| (chance.poisson(40.0 * (1.0 + 0.5 * f64::from(n / 30 % 2))) as f64, 2.0))
                .collect();
            let waves = Dispersion::of(&waves).unwrap();
            assert!(waves.is_uneven());
            // From 20 to 30 events/s, a mean of 25.
            let (low, high) = (waves.without_chance(20.0 - 2.0), waves.without_chance(30.0 + 2.0));
            assert!(low > 18.5 && high < 31.5, "{low} {high}");
        }
        assert_eq!(alarms, 0);
        assert!(Dispersion::of(&[(5.0, 1.0)]).is_none());
    }
}
