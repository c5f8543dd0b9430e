//! How many standard errors an interval reaches.

/// The quantile of the normal distribution at `p` (Acklam's rational approximation, relative
/// error below 1.2e-9).
fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 6] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 5] =
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    const TAIL: f64 = 0.02425;
    let polynomial = |terms: &[f64], x: f64| terms.iter().fold(0.0, |sum, term| sum * x + term);
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    if p < TAIL {
        let x = (-2.0 * p.ln()).sqrt();
        return polynomial(&C, x) / polynomial(&D, x);
    }
    let x = p - 0.5;
    x * polynomial(&A, x * x) / polynomial(&B, x * x)
}

/// The number of standard errors that a value of this many degrees of freedom stays within with
/// this confidence, on both sides (Hill 1970, algorithm 396).
#[expect(clippy::many_single_char_names, reason = "the names of the published algorithm")]
pub(crate) fn reach(confidence: f64, freedom: f64) -> f64 {
    let p = 1.0 - confidence;
    let n = freedom.max(1.0);
    if (n - 1.0).abs() < 1e-9 {
        let half = p * std::f64::consts::FRAC_PI_2;
        return half.cos() / half.sin();
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * std::f64::consts::FRAC_PI_2).sqrt() * n;
    let mut y = (d * p).powf(2.0 / n);
    if y > 0.05 + a {
        let x = normal_quantile(p / 2.0);
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = a * y * y;
        y = y.exp_m1();
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0)
            + 0.5 / (n + 4.0))
            * y
            - 1.0)
            * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reaches_as_far_as_the_tables_say() {
        // Two-sided values of Student's t from printed tables.
        for (confidence, freedom, expected) in [
            (0.95, 1.0, 12.706),
            (0.95, 2.0, 4.303),
            (0.95, 5.0, 2.571),
            (0.99, 10.0, 3.169),
            (0.999, 30.0, 3.646),
            (0.95, 120.0, 1.980),
            (0.99, 1e9, 2.576),
        ] {
            let found = reach(confidence, freedom);
            assert!((found / expected - 1.0).abs() < 2e-3, "{confidence} {freedom}: {found}");
        }
        assert!(reach(0.95, 1.5) < 12.7 && reach(0.95, 1.5) > 4.3, "{}", reach(0.95, 1.5));
    }
}
