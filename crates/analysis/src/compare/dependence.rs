//! How much neighbouring columns of time have in common.

/// The most that columns are taken to be alike.
const MOST_AUTOCORRELATION: f64 = 0.95;

/// What the columns of a side add to the error of one of its values, in the order of time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Parts {
    /// How many.
    pub columns: usize,
    /// The sum of their squared distances from their mean.
    pub sum_of_squares: f64,
    /// How much neighbours are alike, 0 to [`MOST_AUTOCORRELATION`]: the lag-one autocorrelation, corrected
    /// for its bias in short series (Kendall 1954).
    pub autocorrelation: f64,
    /// The fourth moment over the square of the second: 3 for normal ones, more for bursts.
    pub kurtosis: f64,
}

impl Parts {
    /// Of these parts, at least four.
    pub fn of(parts: &[f64]) -> Parts {
        let count = parts.len() as f64;
        let mean = parts.iter().sum::<f64>() / count;
        let moment = |power: i32| parts.iter().map(|part| (part - mean).powi(power)).sum::<f64>();
        let (sum_of_squares, fourth) = (moment(2), moment(4));
        if sum_of_squares <= 0.0 {
            return Parts {
                columns: parts.len(),
                sum_of_squares: 0.0,
                autocorrelation: 0.0,
                kurtosis: 3.0,
            };
        }
        let products: f64 = parts.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        let autocorrelation = (products / sum_of_squares + 1.0 / count) / (1.0 - 3.0 / count);
        Parts {
            columns: parts.len(),
            sum_of_squares,
            autocorrelation: autocorrelation.clamp(0.0, MOST_AUTOCORRELATION),
            kurtosis: fourth * count / (sum_of_squares * sum_of_squares),
        }
    }

    /// The long-run variance in units of that of a column, if columns further apart are alike by
    /// `persistence` less for each one between them: an autoregression under noise.
    fn long_run(self, persistence: f64) -> f64 {
        1.0 + 2.0 * self.autocorrelation / (1.0 - persistence)
    }

    /// The share of the long-run variance that blocks of `block` columns see, and that is left
    /// when the mean of all is taken off.
    pub fn share_seen(self, block: usize, persistence: f64) -> f64 {
        let weight = |lag: usize| 1.0 - lag as f64 / block as f64;
        let (mut autocorrelation, mut seen) = (self.autocorrelation, 1.0);
        for lag in 1..block {
            seen += 2.0 * weight(lag) * autocorrelation;
            autocorrelation *= persistence;
        }
        seen / self.long_run(persistence) * (1.0 - block as f64 / self.columns as f64)
    }

    /// How well a variance estimated from them is known, in degrees of freedom: so many fewer as
    /// columns are alike, or as the variance comes from a few of them (Satterthwaite 1946).
    ///
    /// No better, either, than columns that are all of what lasts: a measure with much noise, such
    /// as a high percentile, hides how much its columns are alike.
    pub fn degrees_of_freedom(self, persistence: f64) -> f64 {
        let independent = self.columns as f64 / self.long_run(persistence);
        let known = 2.0 * independent / (self.kurtosis - 1.0).max(1.0);
        let stretches = self.columns as f64 * (1.0 - persistence) / (1.0 + persistence);
        (known.min(independent) - 1.0).min(stretches).max(1.0)
    }

    /// How well the variance of a column is known where neighbours are alike by `autocorrelation` and those
    /// further apart by `persistence` less for each one between them, in degrees of freedom (Bayley and
    /// Hammersley 1946).
    pub fn variance_degrees_of_freedom(self, autocorrelation: f64, persistence: f64) -> f64 {
        let correlated =
            1.0 + 2.0 * autocorrelation * autocorrelation / (1.0 - persistence * persistence);
        let independent = self.columns as f64 / correlated;
        let known = 2.0 / (self.kurtosis - 1.0).max(2.0);
        (independent * known - 1.0).max(1.0)
    }

    /// The standard error of the sum of all parts.
    pub fn standard_error_of_sum(self) -> f64 {
        (self.sum_of_squares * self.long_run(self.autocorrelation)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_alike_and_what_turns_about_is_not() {
        let wave: Vec<f64> = (0..200).map(|i| (f64::from(i) / 10.0).sin()).collect();
        let turns: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
        assert!((Parts::of(&wave).autocorrelation - MOST_AUTOCORRELATION).abs() < 1e-9);
        assert!(Parts::of(&turns).autocorrelation < 1e-9);
        assert!(Parts::of(&[1.0; 20]).sum_of_squares < 1e-9);
    }

    #[test]
    fn blocks_see_less_the_longer_columns_stay_alike() {
        let parts = |autocorrelation| Parts {
            columns: 1_000,
            sum_of_squares: 1.0,
            autocorrelation,
            kurtosis: 3.0,
        };
        // Blocks of one column see 1 of 1 + 2 x 0.5 / (1 - 0.5) = 3.
        assert!((parts(0.5).share_seen(1, 0.5) - 0.999 / 3.0).abs() < 1e-9);
        assert!((parts(0.0).share_seen(10, 0.0) - 0.99).abs() < 1e-9);
        assert!(parts(0.8).share_seen(10, 0.8) < parts(0.5).share_seen(10, 0.5));
        // One column in a hundred that holds all the variance is worth few degrees of freedom.
        let mut burst = vec![0.0; 100];
        burst[40] = 1.0;
        assert!(Parts::of(&burst).degrees_of_freedom(0.0) < 2.5);
        // Noise that hides what lasts: 1,000 columns are no more than 1,000 x 0.1 / 1.9 stretches.
        assert!((parts(0.0).degrees_of_freedom(0.9) - 1_000.0 * 0.1 / 1.9).abs() < 1e-9);
        // An autoregression of 0.5: 1,000 x (1 - 0.25) / (1 + 0.25) / 2 for a variance, less one.
        assert!((parts(0.5).variance_degrees_of_freedom(0.5, 0.5) - 599.0).abs() < 1e-9);
    }
}
