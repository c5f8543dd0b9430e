//! A straight line through points, with its uncertainty.

use isotherm_analysis::student;

use crate::CONFIDENCE;

/// Numbers that differ by a smaller share of their mean are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// y = intercept + slope x, by least squares.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Regression {
    pub intercept: f64,
    pub slope: f64,
    /// How far the interval of [`CONFIDENCE`] of the slope reaches to either side.
    pub slope_half_width: f64,
    /// Pearson's correlation coefficient.
    pub correlation: f64,
}

impl Regression {
    /// The line through these points; none with fewer than three, or where all have one x.
    pub fn of(points: &[(f64, f64)]) -> Option<Regression> {
        let count = points.len() as f64;
        if points.len() < 3 {
            return None;
        }
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|&(x, y)| of(x - mean_x, y - mean_y)).sum()
        };
        let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
        // What rounding leaves of equal numbers is no spread.
        let is_spread = |squares: f64, mean: f64| squares > count * (ROUNDING * mean).powi(2);
        if !(is_spread(xx, mean_x) && is_spread(yy, mean_y)) {
            return None;
        }
        let slope = xy / xx;
        let error = ((yy - slope * xy).max(0.0) / (count - 2.0) / xx).sqrt();
        Some(Regression {
            intercept: mean_y - slope * mean_x,
            slope,
            slope_half_width: student::t_quantile(1.0 - CONFIDENCE, count - 2.0) * error,
            correlation: xy / (xx * yy).sqrt(),
        })
    }

    /// The y of the line.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_anscombes_quartet_comes_out() {
        // Anscombe 1973: y = 3.00 + 0.500 x, standard error of the slope 0.118, r^2 = 0.667; t(0.95, 9)
        // of printed tables is 1.833.
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        let line = Regression::of(&points).unwrap();
        assert!((line.intercept - 3.0001).abs() < 1e-4 && (line.slope - 0.5001).abs() < 1e-4);
        assert!((line.slope_half_width - 1.833 * 0.1179).abs() < 1e-4, "{}", line.slope_half_width);
        assert!((line.correlation.powi(2) - 0.6665).abs() < 1e-4);
        assert!((line.at(10.0) - 8.001).abs() < 1e-3);
    }

    #[test]
    fn points_without_a_line_have_none() {
        assert_eq!(Regression::of(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(Regression::of(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        let one_x = [0.3, 0.1 + 0.2, 0.3].map(|x| x * 1e-6);
        let points: Vec<(f64, f64)> = one_x.into_iter().zip([1.0, 2.0, 4.0]).collect();
        assert_eq!(Regression::of(&points), None);
        assert_eq!(Regression::of(&[(0.0, 1.0), (0.0, 2.0), (0.0, 3.0)]), None);
    }
}
