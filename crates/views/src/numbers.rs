//! Numbers as people read them: three significant digits.

/// A quantity with three significant digits and a suffix for thousands: `0.035`, `4.96k`, `1.32M`.
pub fn quantity(value: f64) -> String {
    let magnitude = value.abs();
    let (scaled, suffix) = match magnitude {
        ..999.5 => (value, ""),
        ..999_500.0 => (value / 1e3, "k"),
        ..999_500_000.0 => (value / 1e6, "M"),
        ..999_500_000_000.0 => (value / 1e9, "G"),
        _ => (value / 1e12, "T"),
    };
    format!("{}{suffix}", three_digits(scaled))
}

/// Seconds waited per second with three significant digits, small ones as `<0.001`.
pub fn seconds(value: f64) -> String {
    if value > 0.0 && value < 0.001 { "<0.001".to_owned() } else { quantity(value) }
}

/// A count with its thousands set apart: `12,345`.
pub(crate) fn grouped(count: u64) -> String {
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
    fn quantities_keep_three_digits() {
        let shown: Vec<String> = [0.0, 0.035, 1.0, 82.13, 330.0, 999.6, 4_962.0, 1_320_000.0]
            .into_iter()
            .map(quantity)
            .collect();
        assert_eq!(shown, ["0", "0.035", "1.00", "82.1", "330", "1.00k", "4.96k", "1.32M"]);
        assert_eq!(seconds(0.0004), "<0.001");
        assert_eq!(seconds(0.0), "0");
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }
}
