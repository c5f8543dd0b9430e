//! The distributions of Student and of Fisher: how far an interval reaches, and whether two
//! variances can be one.

/// The logarithm of the gamma function for `x` above zero (Lanczos' approximation with Godfrey's
/// nine terms; error below 1e-13).
pub(crate) fn ln_gamma(x: f64) -> f64 {
    const FIRST: f64 = 0.999_999_999_999_809_9;
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum = TERMS.iter().enumerate().map(|(index, term)| term / (x + index as f64 + 1.0));
    let sum = FIRST + sum.sum::<f64>();
    let base = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

/// The regularised incomplete beta function at `x` between 0 and 1 by its continued fraction
/// (DLMF 8.17.22, evaluated by Lentz's method).
fn beta_share(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_share(1.0 - x, b, a);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    let kept = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut upper, mut lower) = (1.0, 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = lower;
    for step in 1..=500_u16 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            lower = 1.0 / kept(1.0 + term * lower);
            upper = kept(1.0 + term / upper);
            fraction *= lower * upper;
        }
        if (fraction / before - 1.0).abs() < 1e-14 {
            break;
        }
    }
    front.exp() * fraction / a
}

/// How often a value of Student's t with this many degrees of freedom lies further from zero.
pub(crate) fn beyond(t: f64, freedom: f64) -> f64 {
    beta_share(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// The number of standard errors that a value of this many degrees of freedom stays within, but
/// for a share `miss` of the time on both sides together.
pub(crate) fn reach(miss: f64, freedom: f64) -> f64 {
    let (mut near, mut far) = (0.0, 1.0);
    while beyond(far, freedom) > miss && far < 1e9 {
        far *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(near, far);
        if beyond(middle, freedom) > miss { near = middle } else { far = middle }
    }
    far
}

/// How often the ratio of two estimates of one variance is above `ratio` by chance.
pub(crate) fn variance_ratio_beyond(ratio: f64, freedom: f64, of_lower: f64) -> f64 {
    beta_share(of_lower / (of_lower + freedom * ratio), of_lower / 2.0, freedom / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reaches_as_far_as_the_tables_say() {
        // Two-sided values of Student's t from printed tables.
        for (miss, freedom, expected) in [
            (0.05, 1.0, 12.706),
            (0.05, 2.0, 4.303),
            (0.05, 5.0, 2.571),
            (0.01, 10.0, 3.169),
            (0.001, 30.0, 3.646),
            (0.05, 120.0, 1.980),
            (0.01, 1e7, 2.576),
        ] {
            let found = reach(miss, freedom);
            assert!((found / expected - 1.0).abs() < 3e-4, "{miss} {freedom}: {found}");
        }
        assert!(reach(0.05, 1.5) < 12.7 && reach(0.05, 1.5) > 4.3);
    }

    #[test]
    fn variances_differ_as_the_tables_say() {
        // The upper 5 % and 1 % points of F from printed tables.
        for (ratio, freedom, of_lower, expected) in [
            (4.965, 1.0, 10.0, 0.05),
            (3.326, 5.0, 10.0, 0.05),
            (2.978, 10.0, 10.0, 0.05),
            (4_052.2, 1.0, 1.0, 0.01),
            (5.636, 5.0, 10.0, 0.01),
        ] {
            let found = variance_ratio_beyond(ratio, freedom, of_lower);
            assert!((found / expected - 1.0).abs() < 2e-3, "{ratio}: {found}");
        }
    }
}
