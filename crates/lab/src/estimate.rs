//! A mean with its uncertainty.

use isotherm_analysis::student;

/// The confidence of every interval of a lab, as in the experiments these labs repeat.
pub const CONFIDENCE: f64 = 0.90;

/// The mean of repeated measurements, and how far the true one may be from it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of a measurement (of the sample: divided by n - 1).
    pub deviation: f64,
    /// How far the interval of [`CONFIDENCE`] reaches to either side, by Student's t; infinite with
    /// fewer than two measurements.
    pub reach: f64,
    /// The number of measurements.
    pub count: usize,
}

impl Estimate {
    /// The mean of measurements that do not depend on each other; none without any.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let degrees_of_freedom = count as f64 - 1.0;
        let deviation = if count > 1 { (squares / degrees_of_freedom).sqrt() } else { f64::NAN };
        let reach = if count > 1 {
            student::t_quantile(1.0 - CONFIDENCE, degrees_of_freedom) * deviation
                / (count as f64).sqrt()
        } else {
            f64::INFINITY
        };
        Some(Estimate { mean, deviation, reach, count })
    }

    /// The ends of the interval.
    pub fn interval(self) -> (f64, f64) {
        (self.mean - self.reach, self.mean + self.reach)
    }

    /// Whether the interval lies between these two numbers.
    pub fn lies_within(self, lo: f64, hi: f64) -> bool {
        let (from, to) = self.interval();
        lo < from && to < hi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_a_textbook() {
        // Ten weights of Student 1908 (extra hours of sleep, second drug): mean 2.33, sd 2.002;
        // t(0.95, 9) = 1.833, so that the interval of 90 % reaches 1.833 * 2.002 / sqrt(10).
        let sleep = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let found = Estimate::of(&sleep).unwrap();
        assert!((found.mean - 2.33).abs() < 1e-9);
        assert!((found.deviation - 2.002).abs() < 1e-3);
        assert!((found.reach - 1.1606).abs() < 1e-3, "{}", found.reach);
        assert!(found.lies_within(1.1, 3.5) && !found.lies_within(1.2, 3.5));
    }

    #[test]
    fn one_measurement_says_nothing_of_its_uncertainty() {
        assert_eq!(Estimate::of(&[]), None);
        assert!(!Estimate::of(&[1.0]).unwrap().lies_within(-1e300, 1e300));
    }
}
