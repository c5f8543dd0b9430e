//! Where a quantile lies, as people read it: a range, because that is all buckets know.

use isotherm_frame::{Bucket, Nanos};

/// How many digits the ends of a range have.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Digits {
    /// Two, or three for values of a hundred and more: `16–33ms`, `131–262µs`.
    Two,
    /// Three: `16.4–32.8ms`.
    Three,
}

/// The bucket as a range in one unit, its ends rounded outwards, so that what lies in the bucket
/// lies in what is printed: `16.3–32.8ms`, `0.524–1.05ms`; `<64µs` when it begins at zero, `>1.04s`
/// when it has no upper bound, `0` when it holds nothing longer.
pub fn range(bucket: Bucket, digits: Digits) -> String {
    let Some(hi) = bucket.hi else { return above(bucket.lo, digits) };
    if hi <= Nanos::new(1) {
        return "0".to_owned();
    }
    if bucket.lo == Nanos::ZERO {
        return below(hi, digits);
    }
    let (scale, unit) = unit_of(hi);
    let [lo, hi] =
        [(bucket.lo, false), (hi, true)].map(|(end, up)| outwards(end, scale, digits, up));
    format!("{lo}–{hi}{unit}")
}

/// `<66µs`: less than a bound, rounded up.
fn below(bound: Nanos, digits: Digits) -> String {
    format!("<{}", end(bound, digits, true))
}

/// `>1.04s`: a bound, rounded down, or more.
fn above(bound: Nanos, digits: Digits) -> String {
    format!(">{}", end(bound, digits, false))
}

/// An end of a range with a unit of its own, rounded up or down: `1.05ms`.
pub fn end(bound: Nanos, digits: Digits, up: bool) -> String {
    let (scale, unit) = unit_of(bound);
    format!("{}{unit}", outwards(bound, scale, digits, up))
}

/// The label of the only row of what has no lengths, or none in common.
pub const ANY_LENGTH: &str = "any";

/// The label of a row: its lower edge, or of the lowest row the upper one, as the row beside it has it.
pub fn edge(row: &isotherm_analysis::Row) -> String {
    use isotherm_analysis::RowKind;
    match (row.kind, row.hi) {
        (RowKind::Underflow, Some(hi)) if hi == Nanos::new(1) => "0".to_owned(),
        (RowKind::Underflow, Some(hi)) => format!("<{hi}"),
        (RowKind::Overflow, _) if row.lo == Nanos::ZERO => ANY_LENGTH.to_owned(),
        (RowKind::Overflow, _) => format!(">{}", row.lo),
        (RowKind::Underflow | RowKind::Body, _) => row.lo.to_string(),
    }
}

/// A mean, `≈4.7ms` where it is estimated. One of a few nanoseconds has its fraction: of 1, 2 and 2 ns it
/// is 1.67ns.
pub fn mean(mean_ns: Option<f64>, exact: bool) -> String {
    let length = mean_ns.and_then(|ns| Some((ns, Nanos::from_secs_f64(ns / 1e9)?)));
    let text = match length {
        None => return "-".to_owned(),
        Some((..=0.0, _)) => return "0".to_owned(),
        Some((ns, _)) if ns < 99.95 => few_nanoseconds(ns),
        Some((_, length)) => length.to_string(),
    };
    if exact { text } else { format!("≈{text}") }
}

/// Up to a hundred nanoseconds in three digits.
fn few_nanoseconds(ns: f64) -> String {
    let decimals = if ns < 9.995 { 2 } else { 1 };
    let text = format!("{ns:.decimals$}");
    format!("{}ns", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Nanoseconds in the largest unit of which `length` has at least one, and the unit's name.
fn unit_of(length: Nanos) -> (u64, &'static str) {
    match length.as_nanos() {
        0..1_000 => (1, "ns"),
        1_000..1_000_000 => (1_000, "µs"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        1_000_000_000..=u64::MAX => (1_000_000_000, "s"),
    }
}

/// An end of a range in units of `scale` nanoseconds, rounded up or down in whole numbers.
fn outwards(end: Nanos, scale: u64, digits: Digits, up: bool) -> String {
    let ns = end.as_nanos();
    let significant = if digits == Digits::Two { 2 } else { 3 };
    // Zeros before the first digit are no digits.
    let decimals: u32 = match ns.saturating_mul(10) / scale {
        0 => significant + 1,
        1..10 => significant,
        10..100 => significant - 1,
        100..1_000 => significant - 2,
        _ => 0,
    };
    let step = (scale / 10_u64.pow(decimals)).max(1);
    let steps = if up { ns.div_ceil(step) } else { ns / step };
    let rounded = u128::from(steps) * u128::from(step);
    let (whole, rest) = (rounded / u128::from(scale), rounded % u128::from(scale));
    let text = format!("{whole}.{rest:0places$}", places = scale.ilog10() as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, LogLinear, Scheme, Unit};
    use proptest::prelude::*;

    use super::*;

    fn bucket(lo: u64, hi: u64) -> Bucket {
        let hi = (hi != Scheme::UNBOUNDED).then_some(Nanos::new(hi));
        Bucket { lo: Nanos::new(lo), hi }
    }

    #[test]
    fn ranges_are_in_one_unit_and_rounded_outwards() {
        let power = bucket(16_384_000, 32_768_000);
        assert_eq!(range(power, Digits::Three), "16.3–32.8ms");
        assert_eq!(range(power, Digits::Two), "16–33ms");
        let across = bucket(524_288, 1_048_576);
        assert_eq!(range(across, Digits::Three), "0.524–1.05ms");
        assert_eq!(range(across, Digits::Two), "0.52–1.1ms");
        assert_eq!(range(bucket(131_072, 262_144), Digits::Two), "131–263µs");
        assert_eq!(range(bucket(11_010_048, 12_058_624), Digits::Three), "11–12.1ms");
        assert_eq!(range(bucket(16_000, 5_000_000), Digits::Two), "0.016–5ms");
        assert_eq!(range(bucket(996, 9_996), Digits::Three), "0.996–10µs");
        assert_eq!(range(bucket(5, 3_000_000_000), Digits::Two), "0–3s");
        assert_eq!(range(bucket(8_000, 16_000), Digits::Three), "8–16µs");
    }

    #[test]
    fn ends_without_a_bound_are_said_to_be_so() {
        assert_eq!(range(bucket(1_048_576_000, Scheme::UNBOUNDED), Digits::Three), ">1.04s");
        assert_eq!(range(bucket(0, 64_000), Digits::Three), "<64µs");
        assert_eq!(range(bucket(0, 1), Digits::Three), "0");
        assert_eq!(range(bucket(0, 65_536), Digits::Three), "<65.6µs");
        assert_eq!(range(bucket(5, 6), Digits::Two), "5–6ns");
    }

    /// The ends that a printed range stands for, in nanoseconds.
    fn read(text: &str) -> (f64, f64) {
        let digits = |c: char| c.is_ascii_digit() || c == '.';
        let unit = text.trim_start_matches(|c: char| digits(c) || matches!(c, '<' | '>' | '–'));
        let scale = match unit {
            "ns" => 1.0,
            "µs" => 1e3,
            "ms" => 1e6,
            _ => 1e9,
        };
        let value =
            |text: &str| text.trim_matches(|c: char| !digits(c)).parse::<f64>().unwrap() * scale;
        match text.split_once('–') {
            Some((lo, hi)) => (value(lo), value(hi)),
            None if text.starts_with('<') => (0.0, value(text)),
            None => (value(text), f64::INFINITY),
        }
    }

    proptest! {
        #[test]
        fn a_printed_range_holds_every_event_of_its_bucket(ns: u64, shift in 0_u32..64, bits in 1_u32..=8) {
            let latency = Nanos::new(ns >> shift);
            let schemes = [Scheme::powers_of_two(Unit::Nanos), Scheme::powers_of_two(Unit::Micros)];
            for scheme in schemes.into_iter().chain([LogLinear::new(bits).scheme().clone()]) {
                let held = scheme.bucket(scheme.index_of(latency).unwrap());
                for digits in [Digits::Two, Digits::Three] {
                    let text = range(held, digits);
                    if text == "0" {
                        prop_assert_eq!(latency, Nanos::ZERO);
                        continue;
                    }
                    let (lo, hi) = read(&text);
                    // A parsed end is off by a rounding of binary floating point at most.
                    let exact = latency.as_nanos() as f64;
                    let slack = exact * 1e-14;
                    prop_assert!(lo <= exact + slack && exact <= hi + slack, "{text}: {latency:?}");
                }
            }
        }

        #[test]
        fn printed_percentiles_hold_the_events_of_their_ranks(
            events in prop::collection::vec((any::<u64>(), 10_u32..64), 1..200),
            thousandths in 1_usize..=1_000,
        ) {
            let mut exact: Vec<u64> = events.iter().map(|(ns, shift)| ns >> shift).collect();
            exact.sort_unstable();
            let rank = (thousandths * exact.len()).div_ceil(1_000);
            for scheme in [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)] {
                let mut counts = Histogram::empty(scheme);
                for &ns in &exact {
                    counts.record(Nanos::new(ns));
                }
                let found = counts.quantile(thousandths as f64 / 1_000.0).unwrap();
                let truth = exact[rank - 1] as f64;
                for digits in [Digits::Two, Digits::Three] {
                    let text = range(found.bucket, digits);
                    let (lo, hi) = if text == "0" { (0.0, 0.0) } else { read(&text) };
                    let slack = truth * 1e-14;
                    prop_assert!(lo <= truth + slack && truth <= hi + slack, "{text}: {truth}");
                }
            }
        }
    }
}
