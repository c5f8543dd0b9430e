//! Where a quantile lies, as people read it: a range, because that is all buckets know.

use isotherm_frame::{Bucket, Nanos, Scheme};

/// How many digits the ends of a range have.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Digits {
    /// Two, or three for values of a hundred and more: `16–33ms`, `131–262µs`.
    Two,
    /// Three: `16.4–32.8ms`.
    Three,
}

/// The bucket as a range in one unit: `16.4–32.8ms`, `0.524–1.05ms`; `<64µs` when it begins at
/// zero, `>1.05s` when it has no upper bound, `0` when it holds nothing longer.
pub fn range(bucket: Bucket, digits: Digits) -> String {
    let Some(hi) = bucket.hi else {
        let (scale, unit) = unit_of(bucket.lo);
        return format!(">{}{unit}", number(bucket.lo, scale, digits));
    };
    if hi <= Nanos::new(1) {
        return "0".to_owned();
    }
    let (scale, unit) = unit_of(hi);
    let top = number(hi, scale, digits);
    if bucket.lo == Nanos::ZERO && hi == Nanos::new(1) {
        return "0".to_owned();
    }
    if bucket.lo == Nanos::ZERO {
        return format!("<{top}{unit}");
    }
    format!("{}–{top}{unit}", number(bucket.lo, scale, digits))
}

/// The label of a row's edge.
pub(crate) fn edge(row: &isotherm_analysis::Row) -> String {
    use isotherm_analysis::RowKind;
    match row.kind {
        RowKind::Underflow if row.hi == Some(Nanos::new(1)) => "0".to_owned(),
        RowKind::Underflow => format!("<{}", row.hi.unwrap_or(Nanos::new(Scheme::UNBOUNDED))),
        RowKind::Body => row.lo.to_string(),
        RowKind::Overflow => format!(">{}", row.lo),
    }
}

/// A length of time estimated to be so: `≈4.7ms`.
pub(crate) fn mean(mean_ns: Option<f64>, exact: bool) -> String {
    let length = mean_ns.and_then(|ns| Nanos::from_secs_f64(ns / 1e9));
    match length {
        None => "-".to_owned(),
        Some(Nanos::ZERO) => "0".to_owned(),
        Some(length) if exact => length.to_string(),
        Some(length) => format!("≈{length}"),
    }
}

/// Nanoseconds in the largest unit of which `length` has at least one, and the unit's name.
fn unit_of(length: Nanos) -> (f64, &'static str) {
    match length.as_nanos() {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        1_000_000_000..=u64::MAX => (1e9, "s"),
    }
}

fn number(length: Nanos, scale: f64, digits: Digits) -> String {
    let value = length.as_nanos() as f64 / scale;
    let significant: usize = if digits == Digits::Two { 2 } else { 3 };
    // Zeros before the first digit are no digits.
    let decimals = match value {
        ..0.0995 => significant + 1,
        ..0.995 => significant,
        ..9.95 => significant - 1,
        ..99.5 => significant - 2,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(lo: u64, hi: u64) -> Bucket {
        let hi = (hi != Scheme::UNBOUNDED).then_some(Nanos::new(hi));
        Bucket { lo: Nanos::new(lo), hi }
    }

    #[test]
    fn ranges_are_in_one_unit_and_no_more_exact_than_their_ends() {
        let power = bucket(16_384_000, 32_768_000);
        assert_eq!(range(power, Digits::Three), "16.4–32.8ms");
        assert_eq!(range(power, Digits::Two), "16–33ms");
        let across = bucket(524_288, 1_048_576);
        assert_eq!(range(across, Digits::Three), "0.524–1.05ms");
        assert_eq!(range(across, Digits::Two), "0.52–1ms");
        assert_eq!(range(bucket(131_072, 262_144), Digits::Two), "131–262µs");
        assert_eq!(range(bucket(11_010_048, 12_058_624), Digits::Three), "11–12.1ms");
        assert_eq!(range(bucket(16_000, 5_000_000), Digits::Two), "0.016–5ms");
    }

    #[test]
    fn ends_without_a_bound_are_said_to_be_so() {
        assert_eq!(range(bucket(1_048_576_000, Scheme::UNBOUNDED), Digits::Three), ">1.05s");
        assert_eq!(range(bucket(0, 64_000), Digits::Three), "<64µs");
        assert_eq!(range(bucket(0, 1), Digits::Three), "0");
        assert_eq!(range(bucket(5, 6), Digits::Two), "5–6ns");
    }
}
