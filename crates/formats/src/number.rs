//! Numbers in text, read exactly: never by way of floating point.

use std::borrow::Cow;

use isotherm_frame::Unit;
use isotherm_frame::plausible::TEN_YEARS;

/// Why a text is not a number that can be used.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    NotANumber,
    Negative,
    DecimalComma,
    TooLarge,
    Fraction,
}

impl Wrong {
    /// What is wrong with `text`, which was read as `what`: words for a rejection.
    pub(crate) fn about(self, what: &str, text: &[u8]) -> String {
        let text = shown(text);
        match self {
            Wrong::NotANumber => format!("the {what} '{text}' is not a number"),
            Wrong::Negative => format!("the {what} '{text}' is negative"),
            Wrong::DecimalComma => format!(
                "the {what} '{text}' has a comma in it: write decimals with a point and \
                 thousands without a mark (LC_ALL=C)"
            ),
            Wrong::TooLarge => format!("the {what} '{text}' is too large to be true"),
            Wrong::Fraction => format!("the {what} '{text}' has a fraction"),
        }
    }
}

/// The beginning of a text, to show in a message.
pub(crate) fn shown(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * LONGEST)]);
    let visible = text.trim().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut short: String = visible.clone().take(LONGEST).collect();
    if visible.count() > LONGEST {
        short.push_str("...");
    }
    short
}

/// A number with a decimal point, where a comma may stand for it.
pub(crate) fn with_point(digits: &[u8], is_comma: bool) -> Cow<'_, [u8]> {
    let point = |byte: &u8| if *byte == b',' { b'.' } else { *byte };
    if is_comma && digits.contains(&b',') {
        digits.iter().map(point).collect::<Vec<u8>>().into()
    } else {
        digits.into()
    }
}

/// Whether the comma of a number, such as `1,25`, can stand for nothing but a decimal point: groups of thousands have
/// three digits behind it, and one to three before it, of which the first is no zero.
pub(crate) fn has_decimal_comma(text: &[u8]) -> bool {
    let (whole, fraction) = split(text, |byte| *byte == b',');
    let Some(fraction) = fraction else { return false };
    let are_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let is_group = fraction.len() == 3 && whole.len() <= 3 && !whole.starts_with(b"0");
    are_digits(whole) && are_digits(fraction) && !is_group
}

/// A count: a whole number up to 2^63 - 1. What is larger was negative before a tool printed it
/// without its sign.
pub(crate) fn whole(text: &[u8]) -> Result<u64, Wrong> {
    let value = decimal(text)?;
    if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return Err(Wrong::NotANumber);
    }
    let count = i64::try_from(value.digits).map_err(|_| Wrong::TooLarge)?;
    u64::try_from(count).map_err(|_| Wrong::TooLarge)
}

/// A length of time in nanoseconds, written as a decimal number of units. Fractions of a
/// nanosecond are dropped.
pub(crate) fn nanos(text: &[u8], unit: Unit) -> Result<u64, Wrong> {
    if let Some(ns) = short_nanos(text, unit) {
        return Ok(ns);
    }
    let value = decimal(text)?;
    let units = value.digits.checked_mul(u128::from(unit.as_nanos().as_nanos()));
    let units = units.ok_or(Wrong::TooLarge)?;
    let shift = 10_u128.checked_pow(value.power.unsigned_abs());
    let ns = match (shift, value.power >= 0) {
        _ if units == 0 => Some(0),
        (Some(shift), true) => units.checked_mul(shift),
        (Some(shift), false) => Some(units / shift),
        (None, true) => None,
        (None, false) => Some(0),
    };
    ns.and_then(|ns| u64::try_from(ns).ok()).ok_or(Wrong::TooLarge)
}

/// The length of an operation: a length of time of at most ten years.
pub(crate) fn latency(text: &[u8], unit: Unit) -> Result<u64, Wrong> {
    nanos(text, unit)
        .and_then(|ns| if ns > TEN_YEARS.as_nanos() { Err(Wrong::TooLarge) } else { Ok(ns) })
}

/// The length of an operation as tables have it: a number of units, or with its own unit behind it
/// (`5ms`, `2m`, `1m2.5s`, `PT0.5S`, `00:00:01.234`, `01:02.345`).
pub(crate) fn length(text: &[u8], unit: Unit) -> Result<u64, Wrong> {
    nanos(text, unit).or_else(|wrong| {
        let grouped = without_apostrophes(text).map(|digits| nanos(&digits, unit));
        grouped.or_else(|| written_length(text)).unwrap_or(Err(wrong))
    })
}

/// `1'000` without its marks; `None` of any other text.
fn without_apostrophes(text: &[u8]) -> Option<Vec<u8>> {
    let whole = text.split(|byte| *byte == b'.').next()?;
    let mut groups = whole.split(|byte| *byte == b'\'');
    let is_first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    let mut rest = groups.peekable();
    let is_grouped = is_first && rest.peek().is_some() && rest.all(|group| group.len() == 3);
    is_grouped.then(|| text.iter().copied().filter(|byte| *byte != b'\'').collect())
}

/// A length that says its unit; `None` of any other text.
pub(crate) fn written_length(text: &[u8]) -> Option<Result<u64, Wrong>> {
    let text = text.trim_ascii();
    of_clock(text)
        .or_else(|| of_parts(text.strip_prefix(b"PT").unwrap_or(text), text.starts_with(b"PT")))
}

/// Whether a length is a number of minutes with an `m` behind it and nothing else: `2m`.
pub(crate) fn is_in_minutes(text: &[u8]) -> bool {
    matches!(text.trim_ascii().strip_suffix(b"m"), Some([.., b'0'..=b'9' | b' ']))
}

/// `00:00:01.234`: hours, minutes and seconds. Without hours only what has a fraction is certain: `10:00` may be
/// minutes and seconds, or hours and minutes.
fn of_clock(text: &[u8]) -> Option<Result<u64, Wrong>> {
    let parts: Vec<&[u8]> = text.split(|byte| *byte == b':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes, seconds] => (hours, minutes, seconds),
        [minutes, seconds] if seconds.contains(&b'.') => (&b"0"[..], minutes, seconds),
        _ => return None,
    };
    let is_part = |part: &[u8]| part.len() == 2 && part.iter().all(u8::is_ascii_digit);
    let whole = seconds.get(..2)?;
    let fraction = seconds.get(2..)?;
    let is_fraction = fraction.is_empty() || fraction.starts_with(b".") && fraction.len() > 1;
    if digits(hours).is_none() || !is_part(minutes) || !is_part(whole) || !is_fraction {
        return None;
    }
    let coarse = digits(hours)?.checked_mul(60)?.checked_add(digits(minutes)?)?;
    let fine = plain_nanos(seconds, Unit::Seconds)?;
    Some(
        coarse
            .checked_mul(60_000_000_000)
            .and_then(|ns| ns.checked_add(fine))
            .ok_or(Wrong::TooLarge),
    )
}

/// `900us`, `5 ms`, `2m`, `1m2.5s`; of ISO 8601 `0.5S`, `1M2.5S`.
fn of_parts(text: &[u8], is_iso: bool) -> Option<Result<u64, Wrong>> {
    let (mut rest, mut parts, mut total) = (text, 0, 0_u64);
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    while !rest.is_empty() {
        let number = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        let behind = rest[number..].trim_ascii_start();
        let letters = behind.iter().take_while(|byte| is_letter(byte)).count();
        let (word, after) = behind.split_at(letters);
        if number == 0 || letters == 0 {
            return None;
        }
        let coarse = match word {
            b"h" | b"H" | b"hour" | b"hours" => Some(3_600),
            b"M" if is_iso => Some(60),
            b"m" | b"min" | b"mins" | b"minute" | b"minutes" => Some(60),
            _ => None,
        };
        let ns = match coarse {
            Some(seconds) => nanos(&rest[..number], Unit::Seconds)
                .and_then(|ns| ns.checked_mul(seconds).ok_or(Wrong::TooLarge)),
            None => nanos(&rest[..number], unit_in_words(std::str::from_utf8(word).ok()?)?),
        };
        match ns.and_then(|ns| total.checked_add(ns).ok_or(Wrong::TooLarge)) {
            Ok(sum) => total = sum,
            Err(wrong) => return Some(Err(wrong)),
        }
        parts += 1;
        rest = after.trim_ascii_start();
    }
    (parts > 0).then_some(Ok(total))
}

/// A unit as it stands behind a number, in the singular, too: `1 second`, `250 millisecond`.
fn unit_in_words(word: &str) -> Option<Unit> {
    word.parse()
        .ok()
        .or_else(|| format!("{word}s").parse().ok().filter(|_| word.ends_with("second")))
}

/// The same of a few digits with or without a point, as most lengths of time are; `None` of any other
/// text.
fn short_nanos(text: &[u8], unit: Unit) -> Option<u64> {
    const LONGEST: usize = 17;
    if text.len() > LONGEST || !text.first()?.is_ascii_digit() {
        return None;
    }
    let (mut digits, mut divisor, mut after_point) = (0_u64, 1_u64, false);
    for byte in text {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                divisor *= if after_point { 10 } else { 1 };
            }
            b'.' if !after_point => after_point = true,
            _ => return None,
        }
    }
    // Units and divisors are powers of ten. Dividing them first, what fits goes through with seconds
    // since 1970 and their decimals, too.
    let unit = unit.as_nanos().as_nanos();
    if unit >= divisor {
        digits.checked_mul(unit / divisor)
    } else {
        Some(digits / (divisor / unit))
    }
}

/// A whole number as programs write it that keep counts as floating point: `1.287408e+06`, `12.0`.
pub(crate) fn whole_float(text: &[u8]) -> Result<u64, Wrong> {
    let Decimal { digits, power } = decimal(text)?;
    let shift = 10_u128.checked_pow(power.unsigned_abs());
    let number = match shift {
        _ if digits == 0 => Ok(0),
        Some(shift) if power >= 0 => digits.checked_mul(shift).ok_or(Wrong::TooLarge),
        Some(shift) if digits % shift == 0 => Ok(digits / shift),
        None if power >= 0 => Err(Wrong::TooLarge),
        _ => Err(Wrong::Fraction),
    };
    u64::try_from(number?).map_err(|_| Wrong::TooLarge)
}

/// A count of nothing but digits.
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    let plain = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    plain.then(|| whole(text).ok()).flatten()
}

/// A length of time of nothing but digits and points, as tools print it that never round by powers.
pub(crate) fn plain_nanos(text: &[u8], unit: Unit) -> Option<u64> {
    let plain = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    nanos(text, unit).ok().filter(|_| plain)
}

/// Whether a number is a second since 1970, from 2001 on.
pub(crate) fn is_epoch_second(number: u64) -> bool {
    (1_000_000_000..4_294_967_296).contains(&number)
}

/// `digits` x 10^`power`.
struct Decimal {
    digits: u128,
    power: i32,
}

/// A number as people and programs write it: `12`, `12.5`, `.5`, `+3`, `1.2e-05`.
fn decimal(text: &[u8]) -> Result<Decimal, Wrong> {
    /// Digits after the point that are looked at: far beyond a nanosecond of any unit.
    const FRACTION: usize = 18;
    let text = text.trim_ascii();
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mantissa, exponent) = split(unsigned, |byte| byte.eq_ignore_ascii_case(&b'e'));
    let (before, after) = split(mantissa, |byte| *byte == b'.');
    let fraction = after.unwrap_or_default();
    if before.is_empty() && fraction.is_empty() {
        return Err(Wrong::NotANumber);
    }
    let (kept, dropped) = fraction.split_at(fraction.len().min(FRACTION));
    if !dropped.iter().all(u8::is_ascii_digit) {
        return Err(fault(text));
    }
    let mut digits = 0_u128;
    for byte in before.iter().chain(kept) {
        if !byte.is_ascii_digit() {
            return Err(fault(text));
        }
        let ten_times = digits.checked_mul(10).ok_or(Wrong::TooLarge)?;
        digits = ten_times.checked_add(u128::from(byte - b'0')).ok_or(Wrong::TooLarge)?;
    }
    if negative && digits > 0 {
        return Err(Wrong::Negative);
    }
    let exponent = match exponent.map(std::str::from_utf8) {
        None => 0,
        Some(Ok(text)) => text.parse::<i16>().map_err(|_| Wrong::NotANumber)?,
        Some(Err(_)) => return Err(Wrong::NotANumber),
    };
    let places = i32::try_from(kept.len()).unwrap_or(0);
    Ok(Decimal { digits, power: i32::from(exponent) - places })
}

/// What is before and, if there is a separator, what is after it.
fn split(text: &[u8], separator: impl Fn(&u8) -> bool) -> (&[u8], Option<&[u8]>) {
    let mut parts = text.splitn(2, separator);
    (parts.next().unwrap_or_default(), parts.next())
}

/// What is wrong with a text that is not a plain number.
fn fault(text: &[u8]) -> Wrong {
    let digits_and_marks = text.iter().all(|byte| byte.is_ascii_digit() || b",.+-".contains(byte));
    if digits_and_marks && text.contains(&b',') { Wrong::DecimalComma } else { Wrong::NotANumber }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_may_have_their_unit_behind_them() {
        for (text, ns) in [
            ("5", 5_000),
            ("5ms", 5_000_000),
            ("900us", 900_000),
            ("1.5 s", 1_500_000_000),
            ("7\u{b5}s", 7_000),
            ("1m2.5s", 62_500_000_000),
            ("2h", 7_200_000_000_000),
            ("2 min", 120_000_000_000),
            ("1 second", 1_000_000_000),
            ("250 milliseconds", 250_000_000),
            ("PT0.5S", 500_000_000),
            ("PT1M2.5S", 62_500_000_000),
            ("00:00:01.234", 1_234_000_000),
            ("1:02:03", 3_723_000_000_000),
            ("01:02.345", 62_345_000_000),
            ("2m", 120_000_000_000),
            ("1.5 m", 90_000_000_000),
            ("1'000", 1_000_000),
            ("12'345'678.5", 12_345_678_500),
        ] {
            assert_eq!(length(text.as_bytes(), Unit::Micros), Ok(ns), "{text}");
        }
        for text in [
            "ms",
            "5 apples",
            "10:00",
            "1:02.5",
            "100:02.5",
            "01:02.",
            "5M",
            "1:2:3",
            "",
            "P1D",
            "5ms x",
            "00:00:01.",
            "1'00",
            "'000",
        ] {
            assert!(length(text.as_bytes(), Unit::Micros).is_err(), "{text}");
        }
        assert_eq!(latency(b"315360000", Unit::Seconds), Ok(315_360_000_000_000_000));
        assert_eq!(latency(b"315360001", Unit::Seconds), Err(Wrong::TooLarge));
    }

    #[test]
    fn a_comma_that_can_only_be_a_decimal_one_is_distinguished() {
        for text in ["1,25", "0,125", "1795253272,365", "12,5", "1,2345"] {
            assert!(has_decimal_comma(text.as_bytes()), "{text}");
        }
        for text in ["1,250", "12,345", "1,234,567", "1,", ",5", "a,5", "1.5", "125", "1,2,3", ""] {
            assert!(!has_decimal_comma(text.as_bytes()), "{text}");
        }
        for (text, is) in [
            ("2m", true),
            ("1.5 m", true),
            ("5ms", false),
            ("1m2s", false),
            ("m", false),
            ("xm", false),
        ] {
            assert_eq!(is_in_minutes(text.as_bytes()), is, "{text}");
        }
    }

    #[test]
    fn decimals_become_nanoseconds_exactly() {
        let us = |text: &str| nanos(text.as_bytes(), Unit::Micros);
        assert_eq!(us("1234"), Ok(1_234_000));
        assert_eq!(us(" 0.25 "), Ok(250));
        assert_eq!(us("1.2e3"), Ok(1_200_000));
        assert_eq!(us("4.8E-05"), Ok(0));
        assert_eq!(us("-0"), Ok(0));
        // A double would give ...457 here.
        let seconds = nanos(b"1700000000.123456789", Unit::Seconds);
        assert_eq!(seconds, Ok(1_700_000_000_123_456_789));
        assert_eq!(nanos(b"0.0000000019", Unit::Seconds), Ok(1));
    }

    #[test]
    fn what_is_no_number_says_why() {
        let us = |text: &str| nanos(text.as_bytes(), Unit::Micros);
        for text in ["", ".", "x", "NaN", "inf", "1e", "1.2.3", "0x10", "1 2", "--1"] {
            assert_eq!(us(text), Err(Wrong::NotANumber), "{text}");
        }
        assert_eq!(us("-5"), Err(Wrong::Negative));
        assert_eq!(us("0,25"), Err(Wrong::DecimalComma));
        assert_eq!(us("1e30"), Err(Wrong::TooLarge));
        assert_eq!(us(&"9".repeat(60)), Err(Wrong::TooLarge));
        assert_eq!(us("1e-30000"), Ok(0));
    }

    #[test]
    fn counts_are_whole_and_not_a_wrapped_negative() {
        assert_eq!(whole(b"4129312"), Ok(4_129_312));
        assert_eq!(whole(b"9223372036854775807"), Ok(i64::MAX.unsigned_abs()));
        assert_eq!(whole(b"18446744073709551615"), Err(Wrong::TooLarge));
        assert_eq!(whole(b"-1"), Err(Wrong::Negative));
        assert_eq!(whole(b"1.5"), Err(Wrong::NotANumber));
        assert_eq!(whole(b"3.1e1"), Err(Wrong::NotANumber));
        assert_eq!(whole(b"4,129,312"), Err(Wrong::DecimalComma));
    }

    #[test]
    fn counts_kept_as_floating_point_are_whole_or_refused() {
        let of = |text: &str| whole_float(text.as_bytes());
        assert_eq!(of("1.287408e+06"), Ok(1_287_408));
        assert_eq!(of("12.0"), Ok(12));
        assert_eq!(of("0e-400"), Ok(0));
        assert_eq!(of("18446744073709551615"), Ok(u64::MAX));
        for text in ["3893.33", "0.5", "1e-3", "12.000000001", "1e-400"] {
            assert_eq!(of(text), Err(Wrong::Fraction), "{text}");
        }
        assert_eq!(of("1e300"), Err(Wrong::TooLarge));
        assert_eq!(of("NaN"), Err(Wrong::NotANumber));
    }

    #[test]
    fn messages_show_the_beginning_of_what_was_found() {
        let text = Wrong::NotANumber.about("count", &[b'z'; 5_000]);
        assert_eq!(text, format!("the count '{}...' is not a number", "z".repeat(40)));
        assert!(Wrong::NotANumber.about("count", b"\x00\xff").contains('\u{fffd}'));
    }
}
