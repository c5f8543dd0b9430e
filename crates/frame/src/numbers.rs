//! Numbers as people read them: three significant digits; one formatter for each kind of amount.
//! What these print, [`typed`](crate::typed) reads.

use crate::Nanos;

/// A quantity with three significant digits and a suffix for thousands or, below one thousandth, for
/// parts of them: `36.0µ`, `0.035`, `4.96k`, `1.32M`.
pub fn quantity(value: f64) -> String {
    let magnitude = value.abs();
    let (scaled, suffix) = match magnitude {
        0.0 => (value, ""),
        ..0.999_5e-12 => return format!("{value:.1e}"),
        ..0.999_5e-9 => (value * 1e12, "p"),
        ..0.999_5e-6 => (value * 1e9, "n"),
        ..0.995e-3 => (value * 1e6, "µ"),
        ..999.5 => (value, ""),
        ..999_500.0 => (value / 1e3, "k"),
        ..999_500_000.0 => (value / 1e6, "M"),
        ..999_500_000_000.0 => (value / 1e9, "G"),
        _ => (value / 1e12, "T"),
    };
    format!("{}{suffix}", three_digits(scaled))
}

/// Events per second with three significant digits, with all its zeros where it is small: `0.000139`,
/// `0.035`, `4.96k`.
pub fn rate(per_second: f64) -> String {
    let magnitude = per_second.abs();
    if magnitude == 0.0 || magnitude >= 0.995e-3 || !per_second.is_finite() {
        return quantity(per_second);
    }
    if magnitude < 1e-9 {
        return "<0.000000001".to_owned();
    }
    let (mut decimals, mut scaled) = (5_usize, magnitude * 1e5);
    while scaled < 99.95 {
        (decimals, scaled) = (decimals + 1, scaled * 10.0);
    }
    format!("{per_second:.decimals$}").trim_end_matches('0').to_owned()
}

/// Seconds waited per second with three significant digits, small ones as `<0.001`.
pub fn seconds(value: f64) -> String {
    if value > 0.0 && value < 0.001 { "<0.001".to_owned() } else { quantity(value) }
}

/// A length of time waited with three significant digits: `344 µs`, `4.36 s`; from a hundred seconds
/// on in whole seconds, `1,360 s`.
pub fn waited(seconds: f64) -> String {
    let (scaled, unit) = match seconds.abs() {
        ..0.000_000_999_5 => (seconds * 1e9, "ns"),
        ..0.000_999_5 => (seconds * 1e6, "µs"),
        ..0.999_5 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    if seconds <= 0.0 {
        return "0 s".to_owned();
    }
    if scaled < 99.95 {
        return format!("{} {unit}", three_digits(scaled));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above zero")]
    let whole = scaled.round() as u64;
    format!("{} {unit}", grouped(whole))
}

/// A length of time in seconds as [`Nanos`] displays it: `344µs`, `4.36s`; nothing is `0`, and what is no
/// length of time is `-`.
pub fn length(seconds: f64) -> String {
    match Nanos::from_secs_f64(seconds) {
        Some(Nanos::ZERO) => "0".to_owned(),
        Some(length) => length.to_string(),
        None => "-".to_owned(),
    }
}

/// A number of things, with all its digits as long as that is readable: `999999`, `1.32M`.
pub fn count(number: u64) -> String {
    if number < 1_000_000 { number.to_string() } else { quantity(number as f64) }
}

/// A number of things with their name: `1 call`, `12,345 calls`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Bytes per second in the unit of data sheets: `12.3 MB/s`, `2.01 GB/s`.
pub fn bytes_per_s(bytes: f64) -> String {
    if bytes >= 0.999_5e9 {
        return format!("{} GB/s", quantity(bytes / 1e9));
    }
    format!("{} MB/s", seconds(bytes / 1e6))
}

/// Megabytes per second under a heading that has the unit: three significant digits, from a thousand on
/// whole with its thousands set apart: `12.3`, `412`, `2,253`.
pub fn megabytes(per_second: f64) -> String {
    if per_second < 999.5 { quantity(per_second) } else { whole(per_second) }
}

/// A count with its thousands set apart: `12,345`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number that is counted and was computed, such as a rate, whole and with its thousands set apart.
pub fn whole(count: f64) -> String {
    grouped(rounded(count))
}

/// Bytes in the largest unit of 1,024 that leaves at least one, exactly if that is whole, else with
/// three significant digits: `512 bytes`, `8 KiB`, `1.5 GiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1_024 {
        return format!("{bytes} bytes");
    }
    let (mut value, mut unit) = (bytes as f64 / 1_024.0, 0);
    while value >= 1_023.5 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1_024.0, unit + 1);
    }
    let number = match value {
        ..999.5 if value.fract() > 0.0 => {
            let text = three_digits(value);
            let bare = text.trim_end_matches('0').trim_end_matches('.');
            if text.contains('.') { bare.to_owned() } else { text }
        }
        _ => whole(value),
    };
    format!("{number} {}", UNITS[unit])
}

/// Bytes on average, such as those of an operation, as [`bytes`] has them.
pub fn mean_bytes(mean: f64) -> String {
    bytes(rounded(mean))
}

/// The nearest whole number; 0 of what is below it or no number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float saturates")]
fn rounded(value: f64) -> u64 {
    value.round() as u64
}

fn three_digits(value: f64) -> String {
    let magnitude = value.abs();
    let decimals = match magnitude {
        0.0 => return "0".to_owned(),
        ..0.000_995 => return format!("{value:.1e}"),
        ..0.00995 => 5,
        ..0.0995 => 4,
        ..0.995 => 3,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    if decimals > 2 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_exact_when_round() {
        let mib = 1_u64 << 20;
        let sizes =
            [0, 512, 1_023, 8_192, 1_536, 1_000_000, 1_023 << 10, mib, mib - 1, 1_500 * mib];
        let said = ["0 bytes", "512 bytes", "1023 bytes", "8 KiB", "1.5 KiB", "977 KiB"];
        assert_eq!(sizes.map(bytes)[..6], said);
        assert_eq!(sizes.map(bytes)[6..], ["1,023 KiB", "1 MiB", "1 MiB", "1.46 GiB"]);
        assert_eq!(bytes(u64::MAX), "16,384 PiB");
    }

    #[test]
    fn quantities_keep_three_digits() {
        let shown: Vec<String> = [0.0, 0.035, 1.0, 82.13, 330.0, 999.6, 4_962.0, 1_320_000.0]
            .into_iter()
            .map(quantity)
            .collect();
        assert_eq!(shown, ["0", "0.035", "1.00", "82.1", "330", "1.00k", "4.96k", "1.32M"]);
        let small = [9.946e-4, 9.96e-4, 3.6e-5, 9.996e-7, 3.4e-7, 5e-10, 1e-12, 2e-13, -3.6e-5];
        let shown =
            ["995µ", "0.001", "36.0µ", "1.00µ", "340n", "500p", "1.00p", "2.0e-13", "-36.0µ"];
        assert_eq!(small.map(quantity), shown);
        assert_eq!(seconds(0.0004), "<0.001");
        let rates = [0.0, 1.39e-4, 1.0 / 86_400.0, 2e-5, 9.996e-7, 1e-12, 9.96e-4, 0.035, 4_962.0];
        let shown = ["0", "0.000139", "0.0000116", "0.00002", "0.000001", "<0.000000001"];
        assert_eq!(rates.map(rate)[..6], shown);
        assert_eq!(rates.map(rate)[6..], ["0.001", "0.035", "4.96k"]);
        let times = [0.0, 5.4e-7, 3.44e-4, 0.9996, 4.357, 344.4, 1_360.2, 201_000.0, 1.69e6];
        let shown = ["0 s", "540 ns", "344 µs", "1.00 s", "4.36 s", "344 s", "1,360 s"];
        assert_eq!(times.map(waited)[..7], shown);
        assert_eq!(times.map(waited)[7..], ["201,000 s", "1,690,000 s"]);
        let lengths = [0.0, 3.44e-4, 4.357, -1.0, f64::NAN].map(length);
        assert_eq!(lengths, ["0", "344µs", "4.36s", "-", "-"]);
        assert_eq!([999_999, 1_320_000].map(count), ["999999", "1.32M"]);
        let calls = [1, 2, 12_345].map(|number| counted(number, "call"));
        assert_eq!(calls, ["1 call", "2 calls", "12,345 calls"]);
        assert_eq!(
            [12.34e6, 999.4e6, 2.01e9].map(bytes_per_s),
            ["12.3 MB/s", "999 MB/s", "2.01 GB/s"]
        );
        assert_eq!(
            [5.744, 999.4, 999.6, 2_252.9].map(megabytes),
            ["5.74", "999", "1,000", "2,253"]
        );
        assert_eq!(seconds(0.0), "0");
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }
}
