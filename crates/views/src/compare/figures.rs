//! Ratios, values and changes as people read them.

use isotherm_analysis::{Comparison, Difference, Measure, Shift, Value, Verdict};

use crate::headline::quantile_name;
use crate::numbers::{length, quantity, seconds};
use crate::ranges::{Digits, range};

/// The name of a measure.
pub fn name(measure: Measure) -> String {
    match measure {
        Measure::Rate => "events/s".to_owned(),
        Measure::Waited => "waiting".to_owned(),
        Measure::Mean => "mean".to_owned(),
        Measure::Quantile(q) => quantile_name(q),
    }
}

/// A ratio: `×2.53`, `×0.78`.
pub fn ratio(value: f64) -> String {
    format!("×{}", quantity(value))
}

/// Beyond this factor, or its inverse, a bound of an interval says nothing.
const SAYS_NOTHING: f64 = 100.0;

/// What chance leaves possible: `×0.75–0.81`, `×0.5 or more`.
pub fn interval((lo, hi): (f64, f64)) -> String {
    match (lo > 1.0 / SAYS_NOTHING, hi < SAYS_NOTHING) {
        (true, true) => format!("×{}–{}", end(lo), end(hi)),
        (true, false) => format!("×{} or more", end(lo)),
        (false, true) => format!("×{} or less", end(hi)),
        (false, false) => "unknown".to_owned(),
    }
}

/// An end of an interval, in as many digits as it takes that one that leaves 1 out does not look as if it
/// held it.
fn end(value: f64) -> String {
    let usual = quantity(value);
    if usual != quantity(1.0) || (value - 1.0).abs() < 1e-6 {
        return usual;
    }
    let mut precise = (3..=6).map(|decimals| format!("{value:.decimals$}"));
    precise.find(|text| text.trim_end_matches('0') != "1.").unwrap_or(usual)
}

/// `≈` where the measure is an estimate.
pub fn about(comparison: &Comparison, measure: Measure) -> &'static str {
    match measure {
        Measure::Rate => "",
        Measure::Waited | Measure::Mean if comparison.exact => "",
        _ => "≈",
    }
}

/// The value of a side: a percentile as the range it lies in.
pub fn value(comparison: &Comparison, measure: Measure, value: Value) -> String {
    let about = about(comparison, measure);
    match (measure, value.bucket) {
        (Measure::Rate, _) => quantity(value.amount),
        (Measure::Waited, _) => format!("{about}{}", seconds(value.amount)),
        (_, Some(bucket)) => range(bucket, Digits::Three),
        (_, None) => {
            format!("{about}{}", length(value.amount))
        }
    }
}

/// The ratio as far as it is known.
pub fn known_ratio(comparison: &Comparison, shift: &Shift) -> String {
    if shift.within_one_bucket {
        return "one bucket".to_owned();
    }
    format!("{}{}", about(comparison, shift.measure), ratio(shift.ratio))
}

/// A change of a share in percentage points: `+33.2`, `-5.6`, `0.0`.
pub fn points(share: f64) -> String {
    let text = format!("{:+.1}", 100.0 * share);
    if matches!(text.as_str(), "+0.0" | "-0.0") { "0.0".to_owned() } else { text }
}

/// One word for the verdict.
pub fn verdict_word(change: Difference) -> &'static str {
    match change {
        Difference::Same => "same",
        Difference::Slower => "slower",
        Difference::Faster => "faster",
        Difference::Mixed => "mixed",
        Difference::OtherLoad => "other load",
        Difference::TooLittle => "too little to tell",
    }
}

/// What became of a condition: `FAIL p99>1.2x`.
pub fn condition(text: &str, verdict: Verdict) -> String {
    match verdict {
        Verdict::Holds => format!("FAIL {text}"),
        Verdict::DoesNotHold => format!("PASS {text}"),
        Verdict::Unknown => format!("UNSURE {text}"),
        Verdict::NoEvents => format!("UNSURE {text}: no events"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_and_points_keep_their_sign_and_three_digits() {
        assert_eq!(ratio(2.5291), "×2.53");
        assert_eq!(interval((0.7512, 0.8099)), "×0.751–0.81");
        assert_eq!(interval((1.000_4, 1.2)), "×1.0004–1.20");
        assert_eq!(interval((0.8, 0.999_6)), "×0.8–0.9996");
        assert_eq!(interval((1.0, 1.0)), "×1.00–1.00");
        assert_eq!(interval((0.5, f64::INFINITY)), "×0.5 or more");
        assert_eq!(interval((2.0, 5e9)), "×2.00 or more");
        assert_eq!(interval((0.0, 6.18)), "×6.18 or less");
        assert_eq!(interval((0.0, f64::INFINITY)), "unknown");
        assert_eq!([0.3321, -0.0561, -0.0001].map(points), ["+33.2", "-5.6", "0.0"]);
    }
}
