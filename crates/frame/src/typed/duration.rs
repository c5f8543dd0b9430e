//! Lengths of time.

use std::str::FromStr;

use super::TypedError;
use super::amount::split_number;
use super::error::Expected;
use crate::{Nanos, Unit};

const LENGTH: Expected = Expected { name: "a length of time", examples: ["20ms", "3m40s"] };

const RANGE: Expected = Expected { name: "a range of time", examples: ["100us..1s", "1ms..30s"] };

/// Reads a length of time: `20ms`, `1.5s`, `250us`, `10m`, `1h`, or several units, larger ones first:
/// `3m40s`, `1h 30min`, `2d03h`. A `0` needs no unit.
pub fn duration(text: &str) -> Result<Nanos, TypedError> {
    let mut rest = text.trim();
    if rest == "0" {
        return Ok(Nanos::ZERO);
    }
    let (mut total, mut before) = (Nanos::ZERO, Nanos::new(u64::MAX));
    loop {
        let lacks_unit = split_number(rest).is_some_and(|(_, after)| after.trim().is_empty());
        if lacks_unit && before > Nanos::SECOND {
            return Err(TypedError::without_unit(text));
        }
        let (part, unit, after) = part(rest).map_err(|why| LENGTH.refuse(text, why))?;
        let broken = |why: String| LENGTH.refuse(text, why);
        if unit >= before {
            return Err(broken(format!("'{rest}' comes after a unit that is no larger")));
        }
        total = total.checked_add(part).ok_or_else(|| broken("it is too long".to_owned()))?;
        if after.is_empty() {
            return Ok(total);
        }
        (rest, before) = (after, unit);
    }
}

/// Reads two lengths of time with two dots between them, the shorter one first: `100us..1s`.
pub fn duration_range(text: &str) -> Result<(Nanos, Nanos), TypedError> {
    let (from, to) = text
        .split_once("..")
        .ok_or_else(|| RANGE.refuse(text, "it has no '..' between its ends"))?;
    let end = |part: &str| duration(part).map_err(|error| error.within(text, RANGE));
    let (from, to) = (end(from)?, end(to)?);
    let ordered = from < to;
    ordered
        .then_some((from, to))
        .ok_or_else(|| RANGE.refuse(text, "it does not end after its start"))
}

impl FromStr for Nanos {
    type Err = TypedError;

    /// Reads a length of time as [`duration`] does.
    fn from_str(text: &str) -> Result<Nanos, TypedError> {
        duration(text)
    }
}

/// By how much a readable length of time is longer or shorter than its whole nanoseconds: only the last
/// number can have a fraction.
pub(super) fn fraction_ns(text: &str) -> f64 {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let unit_at = text.rfind(is_number).map_or(0, |at| at + 1);
    let before = text[..unit_at].trim_end_matches(is_number);
    let number: Option<f64> = text[before.len()..unit_at].parse().ok();
    let Some((number, unit)) = number.zip(unit(text[unit_at..].trim())) else { return 0.0 };
    let exact = number * unit.as_nanos() as f64;
    let whole = times(number, unit).map_or(exact, |length| length.as_nanos() as f64);
    // 1.1 ms are computed to be 1100000.0000000002 ns.
    let fraction = exact - whole;
    if fraction.abs() > 1e-9 * exact { fraction } else { 0.0 }
}

/// The first number with its unit: how long, the unit, and what follows.
fn part(text: &str) -> Result<(Nanos, Nanos, &str), String> {
    let (number, rest) = split_number(text).ok_or_else(|| match text {
        "" => "it is empty".to_owned(),
        _ => format!("'{text}' does not begin with a number"),
    })?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    if name.is_empty() {
        return Err(format!("'{text}' has no unit (ns, us, ms, s, m, h or d)"));
    }
    let unit = unit(name).ok_or_else(|| format!("'{name}' is not ns, us, ms, s, m, h or d"))?;
    let after = after.trim_start();
    if number.fract() > 0.0 && !after.is_empty() {
        return Err(format!("only the last number may have a fraction, and '{after}' follows"));
    }
    let length = times(number, unit).ok_or_else(|| "it is too long".to_owned())?;
    Ok((length, unit, after))
}

/// So many units; whole numbers exactly.
fn times(number: f64, unit: Nanos) -> Option<Nanos> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number <= EXACT {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        let whole = number as u64;
        return whole.checked_mul(unit.as_nanos()).map(Nanos::new);
    }
    Nanos::from_secs_f64(number * unit.as_secs_f64())
}

/// The length of one of these. A capital M is none: it could be a month or a million.
fn unit(name: &str) -> Option<Nanos> {
    let seconds = match name {
        "m" | "min" | "mins" | "minute" | "minutes" => 60,
        "h" | "hr" | "hour" | "hours" => 3_600,
        "d" | "day" | "days" => 86_400,
        other => return other.parse::<Unit>().ok().map(Unit::as_nanos),
    };
    Some(Nanos::new(seconds * Nanos::SECOND.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_length() {
        const S: u64 = 1_000_000_000;
        for (text, wanted) in [
            ("20ms", 20_000_000),
            ("1.5s", 1_500_000_000),
            ("250us", 250_000),
            ("250µs", 250_000),
            ("0.25ms", 250_000),
            ("10m", 600 * S),
            ("10 min", 600 * S),
            ("3m40s", 220 * S),
            ("3m 40s", 220 * S),
            ("3 minutes 40 seconds", 220 * S),
            ("1h30m", 5_400 * S),
            ("1.5h", 5_400 * S),
            ("1h05m", 3_900 * S),
            ("2d03h", 183_600 * S),
            ("1m0.5s", 60_500_000_000),
            ("1,360 s", 1_360 * S),
            ("0", 0),
            ("0s", 0),
        ] {
            assert_eq!(duration(text), Ok(Nanos::new(wanted)), "{text}");
        }
    }

    #[test]
    fn a_refusal_says_where_it_breaks() {
        for (text, part) in [
            ("20/s", "'20/s' has no unit"),
            ("3s40", "'40' has no unit"),
            ("40s3m", "'3m' comes after"),
            ("3m4m", "'4m' comes after"),
            ("1.5h30m", "'30m' follows"),
            ("10M", "'M' is not ns"),
            ("-1s", "'-1s' does not begin with a number"),
            ("fast", "'fast' does not begin"),
            ("", "it is empty"),
            ("1e99s", "'e' is not ns"),
            ("999999999999d", "too long"),
        ] {
            let said = duration(text).unwrap_err().to_string();
            assert!(said.contains(part), "{text}: {said}");
            assert!(said.ends_with("write for example 20ms or 3m40s"), "{said}");
        }
        let without = |text: &str| duration(text).unwrap_err().to_string();
        assert_eq!(without("20"), "20: add a unit, such as 20ms or 20s");
        assert_eq!(without("3m40 "), "3m40: add a unit, such as 3m40ms or 3m40s");
    }

    #[test]
    fn ranges_have_two_ends_in_their_order() {
        let range = |from, to| Ok((Nanos::from_micros(from), Nanos::from_micros(to)));
        assert_eq!(duration_range("100us..1s"), range(100, 1_000_000));
        assert_eq!(duration_range("0 .. 3m40s"), range(0, 220_000_000));
        for text in ["", "100us", "..1s", "1ms..", "1s..1s", "2s..1s", "1..2", "a..b"] {
            let refused = duration_range(text).unwrap_err().to_string();
            let units = refused.contains("add a unit, such as ");
            assert!(refused.contains("100us..1s") || units, "{text}: {refused}");
        }
    }
}
