//! Amounts: bytes, counts, rates, shares, factors.

use super::TypedError;
use super::error::Expected;

const BYTES: Expected = Expected { name: "a number of bytes", examples: ["8k", "1.5GiB"] };
const COUNT: Expected = Expected { name: "a count", examples: ["10000", "10k"] };
const RATE: Expected = Expected { name: "a rate", examples: ["5000/s", "2k"] };
const SHARE: Expected = Expected { name: "a share", examples: ["5%", "12.5%"] };
const FACTOR: Expected = Expected { name: "a factor", examples: ["1.2x", "x0.67"] };

const NUMBER: Expected = Expected { name: "a number", examples: ["2.5", "10k"] };

/// Whole numbers above this are not all exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads a number of bytes: `512`, `8k`, `8kb`, `8 KiB`, `1.5G`. Letters stand for powers of 1,024
/// in all spellings, as block sizes are meant.
pub fn bytes(text: &str) -> Result<u64, TypedError> {
    let (number, unit) = split(text, BYTES)?;
    let lower = unit.to_ascii_lowercase();
    let letter = match lower.as_str() {
        "" | "b" | "byte" | "bytes" => Some(""),
        other => other.strip_suffix("ib").or_else(|| other.strip_suffix('b')).or(Some(other)),
    };
    let power = letter.and_then(|letter| power(letter, "kmgtp"));
    let power = power.ok_or_else(|| BYTES.refuse(text, no_unit(unit, "k, M, G, T and P")))?;
    whole(number * 1024_f64.powi(power)).map_err(|why| BYTES.refuse(text, why))
}

/// Reads a count: `10000`, `10,000`, `10k`, `1.5M`. Letters stand for powers of 1,000.
pub fn count(text: &str) -> Result<u64, TypedError> {
    let (number, unit) = split(text, COUNT)?;
    let power = power(&unit.to_ascii_lowercase(), "kmgt");
    let power = power.ok_or_else(|| COUNT.refuse(text, no_unit(unit, "k, M, G and T")))?;
    whole(number * 1000_f64.powi(power)).map_err(|why| COUNT.refuse(text, why))
}

/// Reads a number, whole or not: `2.5`, `0.04`, `10k`. Letters stand for powers of 1,000.
pub fn number(text: &str) -> Result<f64, TypedError> {
    let (number, unit) = split(text, NUMBER)?;
    let power = power(&unit.to_ascii_lowercase(), "kmg");
    let power = power.ok_or_else(|| NUMBER.refuse(text, no_unit(unit, "k, M and G")))?;
    Ok(number * 1000_f64.powi(power))
}

/// Reads a rate per second: `5000`, `5k`, `5000/s`, `300/min`, `20 events/s`, `5k IOPS`.
pub fn rate(text: &str) -> Result<f64, TypedError> {
    let (number, rest) = split(text, RATE)?;
    let lower = rest.to_lowercase();
    let (amount, per) = lower.split_once('/').map_or((lower.as_str(), "s"), |(a, b)| (a.trim(), b));
    let named = |word| amount.strip_suffix(word).map(str::trim_end);
    let letter = RATE_WORDS.into_iter().find_map(named).unwrap_or(amount);
    let power = power(letter, "kmg");
    let power =
        power.ok_or_else(|| RATE.refuse(text, no_unit(rest, "k, M, G and /s, /min, /h")))?;
    let seconds = match per.trim() {
        "s" | "sec" | "second" => 1.0,
        "m" | "min" | "minute" => 60.0,
        "h" | "hour" => 3_600.0,
        other => return Err(RATE.refuse(text, no_unit(other, "/s, /min and /h"))),
    };
    Ok(number * 1000_f64.powi(power) / seconds)
}

/// What may be said to arrive; the longest first where one ends with another.
const RATE_WORDS: [&str; 7] = ["operations", "events", "iops", "ops", "tps", "hz", "ev"];

/// Reads a share in per cent, 0 to 100: `5%`, `12.5 %`, `40`.
pub fn share(text: &str) -> Result<f64, TypedError> {
    let (number, unit) = split(text, SHARE)?;
    if !matches!(unit, "" | "%") {
        return Err(SHARE.refuse(text, no_unit(unit, "%")));
    }
    let possible = number <= 100.0;
    possible.then_some(number).ok_or_else(|| SHARE.refuse(text, "it is above 100 per cent"))
}

/// Reads a factor above 0: `1.2x`, `x0.67`, `2×`.
pub fn factor(text: &str) -> Result<f64, TypedError> {
    const TIMES: [char; 2] = ['x', '×'];
    let bare = text.trim();
    let Some(number) = bare.strip_suffix(TIMES).or_else(|| bare.strip_prefix(TIMES)) else {
        return Err(FACTOR.refuse(text, "it has no x"));
    };
    let (number, rest) = split_number(number.trim()).ok_or_else(|| {
        let why = format!("'{}' is not a number", number.trim());
        FACTOR.refuse(text, why)
    })?;
    if !rest.is_empty() {
        return Err(FACTOR.refuse(text, format!("'{rest}' is too much")));
    }
    (number > 0.0).then_some(number).ok_or_else(|| FACTOR.refuse(text, "it is not above 0"))
}

/// The number and the unit behind it.
fn split(text: &str, wanted: Expected) -> Result<(f64, &str), TypedError> {
    let bare = text.trim();
    let why = || match bare {
        "" => "it is empty".to_owned(),
        _ => "it does not begin with a number".to_owned(),
    };
    let (number, rest) = split_number(bare).ok_or_else(|| wanted.refuse(text, why()))?;
    Ok((number, rest.trim_start()))
}

/// The number at the beginning, with or without groups of thousands (`12,345`), and what follows.
/// Neither signs nor exponents are numbers here.
pub(super) fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(a, b)| (a, Some(b)));
    let grouped = whole.split(',').skip(1).all(|group| group.len() == 3)
        && (!whole.contains(',') || (1..=3).contains(&whole.find(',').unwrap_or(0)));
    let exact = fraction.is_none_or(|fraction| fraction.bytes().all(|b| b.is_ascii_digit()));
    let number = digits.replace(',', "").parse::<f64>().ok()?;
    (grouped && exact && number.is_finite()).then_some((number, rest))
}

/// Which of the letters it is, counted from 1; 0 for none; nothing for anything else.
fn power(letter: &str, letters: &str) -> Option<i32> {
    if letter.is_empty() {
        return Some(0);
    }
    let index = letters.find(letter).filter(|_| letter.len() == 1)?;
    i32::try_from(index + 1).ok()
}

fn no_unit(unit: &str, units: &str) -> String {
    format!("'{unit}' is not one of the units {units}")
}

/// The number if it is whole and can be kept exactly; else why not.
fn whole(number: f64) -> Result<u64, &'static str> {
    if number > EXACT {
        return Err("it is more than 2^53");
    }
    if number.fract() != 0.0 || number < 0.0 {
        return Err("it is not whole");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative and at most 2^53"
    )]
    Ok(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_powers_of_1024_in_every_spelling() {
        for text in ["8k", "8K", "8kb", "8kB", "8KB", "8KiB", "8kib", "8 KiB", " 8 k ", "8192"] {
            assert_eq!(bytes(text), Ok(8_192), "{text}");
        }
        for (text, wanted) in [
            ("512", 512),
            ("512 bytes", 512),
            ("8,192", 8_192),
            ("1.5GiB", 3 << 29),
            ("1.5m", 3 << 19),
            ("2T", 2 << 40),
            ("1p", 1 << 50),
            ("0", 0),
        ] {
            assert_eq!(bytes(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn counts_and_rates_are_powers_of_1000() {
        for (text, wanted) in [("10k", 10_000), ("1.5M", 1_500_000), ("12,345", 12_345), ("7", 7)] {
            assert_eq!(count(text), Ok(wanted), "{text}");
        }
        for text in ["5k", "5000", "5000/s", "5k/s", "5,000 events/s", "5k IOPS", "300k/min"] {
            assert_eq!(rate(text), Ok(5_000.0), "{text}");
        }
        assert_eq!((rate("0.5/s"), rate("90/h"), rate("3 k ops/s")), (Ok(0.5), Ok(0.025), Ok(3e3)));
    }

    #[test]
    fn shares_and_factors() {
        for text in ["5%", "5 %", "5", " 5.0% "] {
            assert_eq!(share(text), Ok(5.0), "{text}");
        }
        for text in ["1.2x", "x1.2", "1.2×", " 1.2 x "] {
            assert_eq!(factor(text), Ok(1.2), "{text}");
        }
    }

    #[test]
    fn a_refusal_says_what_where_and_what_to_write() {
        let said = |error: TypedError| error.to_string();
        assert_eq!(
            said(bytes("8q").unwrap_err()),
            "'8q' is not a number of bytes: 'q' is not one of the units k, M, G, T and P; write for \
             example 8k or 1.5GiB"
        );
        assert_eq!(
            said(rate("fast").unwrap_err()),
            "'fast' is not a rate: it does not begin with a number; write for example 5000/s or 2k"
        );
        for text in ["", "k", "-8k", "1e3", "0.3", "8kk", "8bb", "1,2", "1234,567", "inf", "9999p"]
        {
            assert!(bytes(text).is_err(), "{text}");
        }
        for text in ["", "1.5", "-1", "1e3", "0x10", "5/s", "nan"] {
            assert!(count(text).is_err(), "{text}");
        }
        for text in ["", "5/", "5/d", "k/s", "-5/s", "5 apples/s"] {
            assert!(rate(text).is_err(), "{text}");
        }
        assert!(["-1", "101", "NaN", "half", "5x"].iter().all(|text| share(text).is_err()));
        assert!(["1.2", "0x", "-1x", "fastx", "infx", "x", ""].iter().all(|t| factor(t).is_err()));
    }

    #[test]
    fn numbers_need_not_be_whole() {
        assert_eq!(number("2.5"), Ok(2.5));
        assert_eq!(number(" 10k "), Ok(10_000.0));
        for text in ["", "-1", "many", "2.5 s", "1e3"] {
            assert!(number(text).is_err(), "{text}");
        }
    }
}
