//! Amounts as people write them on the command line: `8k`, `1M`, `2.5k`, `40%`.

/// Reads a number of bytes, `k`, `M`, `G` and `T` for powers of 1,024, as block sizes are meant.
pub fn bytes(text: &str) -> Result<u64, String> {
    let told = || format!("'{text}' is no number of bytes, such as 8k, 1M or 10G (powers of 1024)");
    let (number, exponent) = split(text, "kmgt").ok_or_else(told)?;
    let bytes = number * 1024_f64.powi(exponent);
    whole(bytes).filter(|&bytes| bytes > 0).ok_or_else(told)
}

/// Reads a count or a rate, `k` and `M` for thousands and millions.
pub fn rate(text: &str) -> Result<f64, String> {
    let told = || format!("'{text}' is no rate per second, such as 500 or 2k");
    let (number, exponent) = split(text, "km").ok_or_else(told)?;
    let rate = number * 1000_f64.powi(exponent);
    (rate > 0.0 && rate <= MOST_RATE).then_some(rate).ok_or_else(|| {
        format!("'{text}' is no rate: it must lie above 0, at most {MOST_RATE:.0} a second")
    })
}

/// No schedule runs faster, operations per second.
const MOST_RATE: f64 = 1e8;

/// Reads a count, `k` and `M` for thousands and millions.
pub fn count(text: &str) -> Result<u64, String> {
    let told = || format!("'{text}' is no number of operations, such as 1000000 or 1M");
    let (number, exponent) = split(text, "kmg").ok_or_else(told)?;
    whole(number * 1000_f64.powi(exponent)).filter(|&count| count > 0).ok_or_else(told)
}

/// Reads the rows of a table as SLOB's SCALE does: a number of them, or with `M`, `G` or `T` how
/// large the table is to be in blocks of 8 KiB.
pub fn scale(text: &str) -> Result<u64, String> {
    let told = || format!("'{text}' is no scale: give rows (10000), or a size (80M, 10G)");
    let rows = match text.trim().parse() {
        Ok(rows) => rows,
        Err(_) if text.trim_end().ends_with(['k', 'K']) => return Err(told()),
        Err(_) => bytes(text).map_err(|_| told())? / 8_192,
    };
    if rows > 0 { Ok(rows) } else { Err(told()) }
}

/// Reads a share from 0 to 100, with or without `%`.
pub fn per_cent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    let share = number.ok().filter(|share| (0.0..=100.0).contains(share));
    share.ok_or_else(|| format!("'{text}' is no share: give per cent, 0 to 100"))
}

/// The number and which of the letters follows it, counted from 1; 0 for none.
fn split(text: &str, letters: &str) -> Option<(f64, i32)> {
    let text = text.trim().to_ascii_lowercase();
    let last = text.chars().last()?;
    let found = letters.chars().position(|letter| letter == last);
    let exponent = found.map_or(0, |index| i32::try_from(index + 1).unwrap_or(0));
    let digits = if found.is_some() { &text[..text.len() - 1] } else { &text };
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    Some((digits.parse().ok().filter(|_| plain)?, exponent))
}

/// The number if it is whole and can be kept exactly.
fn whole(number: f64) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative and below 2^53"
    )]
    let exact = (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64);
    exact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        let read: Vec<u64> =
            ["512", "8k", "8K", "1M", "1.5m", "10G", "2T"].map(|text| bytes(text).unwrap()).into();
        let mib = 1_048_576;
        assert_eq!(read, [512, 8_192, 8_192, mib, mib * 3 / 2, 10_240 * mib, 2 * mib * mib]);
        for text in ["", "k", "-8k", "8kb", "0", "1e3", "0.3", "99999999999T", "inf", "nan"] {
            assert!(bytes(text).unwrap_err().contains("8k"), "{text}");
        }
    }

    #[test]
    fn rates_and_counts_are_powers_of_1000() {
        for (text, wanted) in [("0.5", 0.5), ("500", 500.0), ("2k", 2e3), ("1.5M", 1.5e6)] {
            assert!((rate(text).unwrap() - wanted).abs() < 1e-9, "{text}");
        }
        for text in ["0", "-1", "fast", "1e9", "101M", ""] {
            assert!(rate(text).is_err(), "{text}");
        }
        assert_eq!(count("1.5k"), Ok(1_500));
        assert!(count("0").is_err() && count("0.5").is_err());
    }

    #[test]
    fn a_scale_is_rows_or_a_size_in_blocks() {
        assert_eq!(scale("10000"), Ok(10_000));
        assert_eq!(scale("80M"), Ok(10_240));
        assert_eq!(scale("1g"), Ok(131_072));
        assert!(["0", "10k", "x"].iter().all(|text| scale(text).is_err()));
    }

    #[test]
    fn shares_lie_between_0_and_100() {
        assert_eq!(per_cent("12.5%"), Ok(12.5));
        assert_eq!(per_cent("100"), Ok(100.0));
        assert!(["-1", "101", "NaN", "half"].iter().all(|text| per_cent(text).is_err()));
    }
}
