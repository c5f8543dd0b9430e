//! Lengths of time as people say them.

use crate::Nanos;

/// A length of time in the largest two units: `250ms`, `12s`, `1m30s`, `3h05m`, `2d03h`.
pub fn span(length: Nanos) -> String {
    if length < Nanos::SECOND && length > Nanos::ZERO {
        return length.to_string();
    }
    let tenths = (length.as_nanos().saturating_add(50_000_000)) / 100_000_000;
    let secs = tenths / 10;
    let two = |big: u64, big_unit: &str, small: u64, small_unit: &str| {
        if small == 0 {
            format!("{big}{big_unit}")
        } else {
            format!("{big}{big_unit}{small:02}{small_unit}")
        }
    };
    match secs {
        0..60 if !tenths.is_multiple_of(10) => format!("{}.{}s", secs, tenths % 10),
        0..60 => format!("{secs}s"),
        60..3_600 => two(secs / 60, "m", secs % 60, "s"),
        3_600..86_400 => two(secs / 3_600, "h", secs % 3_600 / 60, "m"),
        _ => two(secs / 86_400, "d", secs % 86_400 / 3_600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_two_units() {
        let shown = |ms| span(Nanos::from_millis(ms));
        assert_eq!(shown(250), "250ms");
        assert_eq!(shown(12_000), "12s");
        assert_eq!(shown(1_500), "1.5s");
        assert_eq!(shown(90_000), "1m30s");
        assert_eq!(shown(11_100_000), "3h05m");
        assert_eq!(shown(183_600_000), "2d03h");
        assert_eq!(shown(0), "0s");
    }
}
