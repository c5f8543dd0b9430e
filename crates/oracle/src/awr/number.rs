//! Numbers as reports print them: rounded, with letters for thousands, with units.

use schemars::JsonSchema;
use serde::Serialize;

/// A number a report prints, and how far the truth may be from it, since reports round.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Printed {
    /// The number, in the unit of the field that holds it.
    pub value: f64,
    /// Half of the last printed digit, in the same unit: the truth lies within `value` ± `half`.
    /// 0 for whole counts printed in full.
    pub half: f64,
}

impl Printed {
    /// A number known exactly.
    pub fn exact(value: f64) -> Printed {
        Printed { value, half: 0.0 }
    }

    /// The smallest and the largest number that is printed like this; never below zero.
    pub fn range(self) -> (f64, f64) {
        ((self.value - self.half).max(0.0), self.value + self.half)
    }

    /// The same number in another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Printed {
        Printed { value: self.value * factor, half: self.half * factor }
    }

    /// The sum; uncertainties add up.
    #[must_use]
    pub fn plus(self, other: Printed) -> Printed {
        Printed { value: self.value + other.value, half: self.half + other.half }
    }

    /// The quotient; relative uncertainties add up.
    #[must_use]
    pub fn by(self, divisor: Printed) -> Printed {
        let value = self.value / divisor.value;
        Printed { value, half: self.half / divisor.value + value * divisor.relative() }
    }

    /// Whether both may be the same number.
    pub(super) fn overlaps(self, other: Printed) -> bool {
        let ((low, high), (least, most)) = (self.range(), other.range());
        low <= most && least <= high
    }

    /// The nearest whole number.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "never negative; what is too large becomes the largest number"
    )]
    pub fn rounded(self) -> u64 {
        self.value.round() as u64
    }

    /// How far the truth may be off, as a part of the number; infinite for a printed zero.
    pub fn relative(self) -> f64 {
        if self.half == 0.0 { 0.0 } else { self.half / self.value }
    }
}

/// `text` as digits with an optional fraction, thousands separated by commas, nothing else:
/// `6,575`, `.047`, `3138.`. The half of the last digit comes with it.
fn plain(text: &str) -> Option<Printed> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: String = whole.chars().filter(|c| *c != ',').collect();
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let sane = digits(&whole) && digits(fraction) && text.len() <= 40;
    if !sane || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let value: f64 =
        format!("{whole}.{fraction}0").parse::<f64>().ok().filter(|v| v.is_finite())?;
    let decimals = i32::try_from(fraction.len()).ok()?;
    Some(Printed { value, half: 0.5 * 10_f64.powi(-decimals) })
}

/// A number with an exponent, as Oracle prints what is too long for a format: `7.0E+08`.
fn scientific(text: &str) -> Option<Printed> {
    let (mantissa, exponent) = text.trim().split_once(['E', 'e'])?;
    let exponent: i32 = exponent.parse().ok().filter(|power| (-30..=30).contains(power))?;
    plain(mantissa).map(|printed| printed.times(10_f64.powi(exponent)))
}

/// A percentage: never shortened with a letter.
pub(super) fn percent(text: &str) -> Option<f64> {
    plain(text).or_else(|| scientific(text)).map(|printed| printed.value)
}

/// A rounded amount such as `35.97` or `2,287.8`, in thousands of 1000 where it is shortened
/// (`100.5K`); scientific notation as `1.4E+03` too.
pub(super) fn amount(text: &str) -> Option<Printed> {
    let text = text.trim();
    if let Some((number, factor)) = lettered(text) {
        return plain(number).map(|printed| printed.times(factor));
    }
    plain(text).or_else(|| scientific(text))
}

/// A whole count printed in full, such as `1,800,747`.
pub(super) fn count(text: &str) -> Option<u64> {
    let digits: String = text.trim().chars().filter(|c| *c != ',').collect();
    let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole { digits.parse().ok() } else { None }
}

/// The factor of a letter, with `thousand` of them to the next.
fn scale(letter: char, thousand: f64) -> Option<f64> {
    let power = "KMGTP".find(letter.to_ascii_uppercase())?;
    Some(thousand.powi(i32::try_from(power).ok()? + 1))
}

/// What stands before a letter for thousands of 1000, and its factor.
fn lettered(text: &str) -> Option<(&str, f64)> {
    let letter = text.chars().last()?;
    let number = text.get(..text.len() - letter.len_utf8())?;
    scale(letter, 1e3).map(|factor| (number, factor))
}

/// A count printed in full, or shortened with its letter or an exponent: `1,800,747`, `35.9K`, `2M`,
/// `7.0E+08`.
pub(super) fn count_or_shortened(text: &str) -> Option<Printed> {
    let text = text.trim();
    if let Some(whole) = count(text) {
        return Some(Printed::exact(whole as f64));
    }
    match lettered(text) {
        Some((number, factor)) => plain(number).map(|printed| printed.times(factor)),
        None => scientific(text),
    }
}

/// A count that may be shortened, in thousands of 1000: `252`, `35.9K`, `3138.K`. A fraction whose
/// letter was cut off by a narrow column (`616.4`) is one of thousands.
pub(super) fn shortened(text: &str) -> Option<Printed> {
    count_or_shortened(text).or_else(|| plain(text).map(|printed| printed.times(1e3)))
}

/// An amount of data in mebibytes: `170M`, `1.2T`, `.047M`, `0M`; without a letter megabytes are
/// meant, as 11g prints them per second.
pub(super) fn mebibytes(text: &str) -> Option<Printed> {
    let text = text.trim();
    let letter = text.chars().last()?;
    let factor = match letter.to_ascii_uppercase() {
        'B' => Some(1.0 / 1_048_576.0),
        _ => scale(letter, 1_024.0).map(|bytes| bytes / 1_048_576.0),
    };
    match factor {
        Some(factor) => plain(&text[..text.len() - letter.len_utf8()]).map(|p| p.times(factor)),
        None => plain(text).or_else(|| scientific(text)),
    }
}

/// A length of time with its unit (`9.77ms`, `52.86 s`, `.00ns`) in seconds; without a unit it is
/// in units of `bare` seconds.
pub(super) fn duration(text: &str, bare: f64) -> Option<Printed> {
    let text = text.trim();
    let (number, unit) = text.split_at(length_of_number(text));
    let factor = match unit.trim() {
        "" => bare,
        // An average of thousands of the bare unit.
        "K" | "M" | "G" => bare * scale(unit.trim().chars().next()?, 1e3)?,
        "s" => 1.0,
        "ms" => 1e-3,
        // Narrow columns of text cut the last letter off; `m` may be anything.
        "us" | "µs" | "u" => 1e-6,
        "ns" | "n" => 1e-9,
        "min" => 60.0,
        "h" => 3_600.0,
        _ => return None,
    };
    plain(number).or_else(|| scientific(number)).map(|printed| printed.times(factor))
}

/// Where the number that a text begins with ends: before its unit, behind its exponent.
fn length_of_number(text: &str) -> usize {
    let is_exponent = |at: usize| {
        let rest = text.get(at..).and_then(|rest| rest.strip_prefix(['E', 'e']));
        let digits = rest.map(|rest| rest.trim_start_matches(['+', '-']));
        digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut letters = text.char_indices().filter(|(_, c)| c.is_ascii_alphabetic() || *c == 'µ');
    letters.find(|(at, _)| !is_exponent(*at)).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<Printed>, value: f64, half: f64) {
        let found = found.unwrap();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-9);
        assert!(close(found.value, value) && close(found.half, half), "{found:?}");
    }

    #[test]
    fn counts_are_whole_or_shortened() {
        assert_eq!(count("1,800,747"), Some(1_800_747));
        assert_eq!(count("35.9K"), None);
        assert_eq!(count(""), None);
        near(shortened("252"), 252.0, 0.0);
        near(shortened("35.9K"), 35_900.0, 50.0);
        near(shortened("3138.K"), 3_138_000.0, 500.0);
        near(shortened("12.3M"), 12_300_000.0, 50_000.0);
        near(shortened("616.4"), 616_400.0, 50.0);
        for bad in ["", "K", "-5", "1x", "####", "1.2.3"] {
            assert_eq!(shortened(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_with_an_exponent_are_read_wherever_they_stand() {
        near(count_or_shortened("7.0E+08"), 7e8, 5e6);
        near(shortened("1.25e+09"), 1.25e9, 5e6);
        near(amount("5.0E+03"), 5_000.0, 50.0);
        near(mebibytes("1.2E+06"), 1.2e6, 5e4);
        near(duration("1.2E+05", 1e-3), 120.0, 5.0);
        near(duration("1.2E+03ms", 1.0), 1.2, 0.05);
        near(duration("2.50E-01s", 1.0), 0.25, 5e-4);
        assert_eq!(percent("1.0E+02"), Some(100.0));
        for bad in ["E+08", "7.0E", "7.0E+", "7.0E+99", "1e2e3", "7.0E+08K"] {
            assert_eq!(count_or_shortened(bad), None, "{bad}");
        }
    }

    #[test]
    fn data_counts_in_1024_and_bare_numbers_are_megabytes() {
        near(mebibytes("170M"), 170.0, 0.5);
        near(mebibytes("1.5G"), 1_536.0, 51.2);
        near(mebibytes("1.2T"), 1.2 * 1_048_576.0, 0.05 * 1_048_576.0);
        near(mebibytes(".047M"), 0.047, 0.0005);
        near(mebibytes("362.100"), 362.1, 0.0005);
    }

    #[test]
    fn times_carry_their_unit() {
        near(duration("9.77ms", 1.0), 0.00977, 0.000_005);
        near(duration("52.86 s", 1e-3), 52.86, 0.005);
        near(duration("14.94us", 1e-3), 14.94e-6, 5e-9);
        near(duration("184", 1e-3), 0.184, 0.0005);
        near(duration(".00ns", 1.0), 0.0, 5e-12);
        near(duration("990.12u", 1.0), 990.12e-6, 5e-9);
        assert_eq!(duration("12.5m", 1.0), None);
        assert_eq!(duration("5 parsecs", 1.0), None);
        assert_eq!(duration("", 1.0), None);
    }

    #[test]
    fn shortened_numbers_are_read_wherever_they_stand() {
        near(amount("100.5K"), 100_500.0, 50.0);
        near(amount("2M"), 2e6, 5e5);
        near(amount("1.1G"), 1.1e9, 5e7);
        near(count_or_shortened("17,795"), 17_795.0, 0.0);
        near(count_or_shortened("2M"), 2e6, 5e5);
        near(duration("33.0K", 1e-3), 33.0, 0.05);
        assert_eq!(count_or_shortened("616.4"), None);
        assert_eq!(duration("33.0K", f64::NAN).filter(|d| d.value.is_finite()), None);
        assert_eq!((percent("99.9"), percent("9K"), percent("")), (Some(99.9), None, None));
    }

    #[test]
    fn amounts_keep_their_precision() {
        near(amount("2,287.8"), 2_287.8, 0.05);
        near(amount(".0"), 0.0, 0.05);
        near(amount("1.4E+03"), 1_400.0, 50.0);
        assert_eq!(amount("."), None);
        assert_eq!(amount("1e999"), None);
    }
}
