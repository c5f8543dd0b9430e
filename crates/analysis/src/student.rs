//! The distributions of Student and of Fisher: how far an interval reaches, and whether two
//! variances can be one.

// Only for its feature: see the workspace's Cargo.toml.
use num_traits as _;
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::checked_beta_reg;

/// How often a value of Student's t with this many degrees of freedom lies further from zero.
fn two_sided_p(t: f64, degrees_of_freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees_of_freedom)
        .map_or(f64::NAN, |distribution| 2.0 * distribution.sf(t))
}

/// The number of standard errors that a value of this many degrees of freedom stays within, but
/// for a share `miss` of the time on both sides together.
///
/// By halving: the `inverse_cdf` of the library is 7 % off at ten million degrees of freedom and
/// does not end at a thousand million.
pub fn t_quantile(miss: f64, degrees_of_freedom: f64) -> f64 {
    let (mut near, mut far) = (0.0, 1.0);
    while two_sided_p(far, degrees_of_freedom) > miss && far < 1e9 {
        far *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(near, far);
        if two_sided_p(middle, degrees_of_freedom) > miss { near = middle } else { far = middle }
    }
    far
}

/// How often the ratio of two estimates of one variance is above `ratio` by chance.
pub(crate) fn variance_ratio_p(ratio: f64, degrees_of_freedom: f64, of_lower: f64) -> f64 {
    let share = of_lower / (of_lower + degrees_of_freedom * ratio);
    checked_beta_reg(of_lower / 2.0, degrees_of_freedom / 2.0, share).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reaches_as_far_as_the_tables_say() {
        // Two-sided values of Student's t from printed tables.
        for (miss, degrees_of_freedom, expected) in [
            (0.05, 1.0, 12.706),
            (0.05, 2.0, 4.303),
            (0.05, 5.0, 2.571),
            (0.01, 10.0, 3.169),
            (0.001, 30.0, 3.646),
            (0.05, 120.0, 1.980),
            (0.01, 1e7, 2.576),
        ] {
            let found = t_quantile(miss, degrees_of_freedom);
            assert!((found / expected - 1.0).abs() < 3e-4, "{miss} {degrees_of_freedom}: {found}");
        }
        assert!(t_quantile(0.05, 1.5) < 12.7 && t_quantile(0.05, 1.5) > 4.3);
    }

    #[test]
    fn variances_differ_as_the_tables_say() {
        // The upper 5 % and 1 % points of F from printed tables.
        for (ratio, degrees_of_freedom, of_lower, expected) in [
            (4.965, 1.0, 10.0, 0.05),
            (3.326, 5.0, 10.0, 0.05),
            (2.978, 10.0, 10.0, 0.05),
            (4_052.2, 1.0, 1.0, 0.01),
            (5.636, 5.0, 10.0, 0.01),
        ] {
            let found = variance_ratio_p(ratio, degrees_of_freedom, of_lower);
            assert!((found / expected - 1.0).abs() < 2e-3, "{ratio}: {found}");
        }
    }
}
