//! Values beside the limit they were compared with: with as many digits as it takes that they differ
//! from it as the verdict says.

use std::cmp::Ordering;

use isotherm_frame::{Bucket, Nanos};
use isotherm_views::{Digits, quantity, range};

/// The digits in which most numbers are written.
const USUAL: usize = 3;
/// With so many every number is distinguished from every other.
const MOST: usize = 17;

/// A number without a unit.
pub fn number(value: f64, limit: f64) -> String {
    match on_the_same_side(value, limit) {
        (_, USUAL) => quantity(value),
        (rounded, _) => rounded.to_string(),
    }
}

/// Numbers of which one is right: one of them where they are the same.
pub fn numbers((lo, hi): (f64, f64), limit: f64) -> String {
    let [low, high] = [lo, hi].map(|end| number(end, limit));
    if low == high { low } else { format!("{low}–{high}") }
}

/// The latency, or the range in which it lies, in nanoseconds.
pub fn latency(lo: f64, last: Option<f64>, limit: f64) -> String {
    let Some(last) = last else { return range(bucket(lo, None), Digits::Three) };
    if last <= lo {
        return exact(lo, limit);
    }
    let usual = range(bucket(lo, Some(last + 1.0)), Digits::Three);
    if agrees(&usual, (lo, last), limit) { usual } else { in_full(lo, last) }
}

fn bucket(lo: f64, hi: Option<f64>) -> Bucket {
    Bucket { lo: nanos(lo), hi: hi.map(nanos) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "never negative; a mean loses its fraction of a nanosecond"
)]
fn nanos(ns: f64) -> Nanos {
    Nanos::new(ns as u64)
}

fn exact(ns: f64, limit: f64) -> String {
    match on_the_same_side(ns, limit) {
        // Nanoseconds that are not whole ones have their fraction.
        (rounded, USUAL) if rounded.fract() == 0.0 => nanos(rounded).to_string(),
        (rounded, _) => {
            let (scale, unit) = unit_of(rounded);
            format!("{}{unit}", rounded / scale)
        }
    }
}

/// Both ends to the nanosecond, the upper one included.
fn in_full(lo: f64, last: f64) -> String {
    let (scale, unit) = unit_of(last);
    format!("{}–{}{unit}", lo.floor() / scale, last.floor() / scale)
}

/// The largest unit of which there is one, in nanoseconds.
fn unit_of(ns: f64) -> (f64, &'static str) {
    match ns {
        ..1e3 => (1.0, "ns"),
        ..1e6 => (1e3, "µs"),
        ..1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// Whether the ends of a range, as they are written, lie on the same side of the limit as what is
/// written there. What a range ends with is not in it.
fn agrees(written: &str, (lo, last): (f64, f64), limit: f64) -> bool {
    let at = written.find(|c: char| c.is_alphabetic()).unwrap_or(written.len());
    let (numbers, unit) = written.split_at(at);
    let scale = match unit {
        "ns" | "" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        _ => 1e9,
    };
    let ends: Vec<f64> = numbers.split('–').filter_map(|end| end.parse::<f64>().ok()).collect();
    let [low, high] = ends[..] else { return true };
    let order = |value: f64, limit: f64| value.total_cmp(&limit);
    // 9.9 ms x 1e6 is not a whole number of nanoseconds.
    let written = |end: f64| (end * scale).round();
    let below = match order(written(high), limit) {
        Ordering::Equal => Ordering::Less,
        other => other,
    };
    order(written(low), limit) == order(lo, limit) && below == order(last, limit)
}

/// The value rounded to the fewest digits, [`USUAL`] or more, with which it is on the same side of
/// the limit, and how many these are.
fn on_the_same_side(value: f64, limit: f64) -> (f64, usize) {
    let rounded = |digits: usize| {
        let text = format!("{value:.places$e}", places = digits - 1);
        text.parse::<f64>().unwrap_or(value)
    };
    let same = |digits: &usize| rounded(*digits).total_cmp(&limit) == value.total_cmp(&limit);
    let digits = (USUAL..MOST).find(same).unwrap_or(MOST);
    (rounded(digits), digits)
}

/// Beyond this factor, or its inverse, a bound of an interval of ratios says nothing.
const SAYS_NOTHING: f64 = 100.0;

/// The ratios that are possible, beside the factor they were compared with; `None` where they may be
/// any.
pub fn ratios((lo, hi): (f64, f64), limit: f64) -> Option<String> {
    let far = SAYS_NOTHING.max(10.0 * limit).max(10.0 / limit);
    match (lo > 1.0 / far, hi < far) {
        (true, true) => Some(format!("×{}", numbers((lo, hi), limit))),
        (true, false) => Some(format!("×{} or more", number(lo, limit))),
        (false, true) => Some(format!("×{} or less", number(hi, limit))),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beside_its_limit_is_not_rounded_to_it() {
        let ms = 1e6;
        assert_eq!(latency(9.999_999 * ms, Some(9.999_999 * ms), 10.0 * ms), "9.999999ms");
        assert_eq!(latency(9.9 * ms, Some(9.9 * ms), 10.0 * ms), "9.9ms");
        assert_eq!(latency(10.0 * ms, Some(10.0 * ms), 10.0 * ms), "10ms");
        // A mean of a fraction of a nanosecond more than 3 ms.
        assert_eq!(latency(3_000_000.4, Some(3_000_000.4), 3.0 * ms), "3.0000004ms");
        // A mean of 1, 2 and 2 ns.
        assert_eq!(latency(5.0 / 3.0, Some(5.0 / 3.0), 1.0), "1.67ns");
        assert_eq!(latency(0.4, Some(0.4), 1.0), "0.4ns");
        assert_eq!(number(9.9996, 10.0), "9.9996");
        assert_eq!(number(10.0, 10.0), quantity(10.0));
        assert_eq!(number(12_345.6, 10.0), quantity(12_345.6));
        assert_eq!(numbers((49.996, 50.0), 50.0), "49.996–50.0");
    }

    #[test]
    fn ends_of_ranges_beside_a_limit_are_not_rounded_across_it() {
        let ms = 1e6;
        // From 10.004 ms on everything is above 10 ms: not from 10.
        let above = latency(10.004 * ms, Some(10.9 * ms), 10.0 * ms);
        assert_eq!(above, "10.004–10.9ms");
        // Up to and including the limit is not above it.
        assert_eq!(latency(9.5 * ms, Some(10.0 * ms), 10.0 * ms), "9.5–10ms");
        // The upper end is not in the range.
        assert_eq!(latency(8.0 * ms, Some(16.0 * ms - 1.0), 16.0 * ms), "8–16ms");
        assert_eq!(latency(8.0 * ms, Some(16.0 * ms - 1.0), 10.0 * ms), "8–16ms");
        assert_eq!(latency(8.0 * ms, None, 10.0 * ms), ">8ms");
    }

    #[test]
    fn ratios_beside_their_factor_are_not_rounded_to_it() {
        assert_eq!(ratios((1.2004, 1.3), 1.2).unwrap(), "×1.2004–1.30");
        assert_eq!(ratios((0.5, f64::INFINITY), 1.2).unwrap(), "×0.5 or more");
        assert_eq!(ratios((0.0, 0.098), 0.5).unwrap(), "×0.098 or less");
        assert_eq!(ratios((1e-9, 1e9), 1.2), None);
        assert_eq!(ratios((150.0, 190.0), 200.0).unwrap(), "×150–190");
    }
}
