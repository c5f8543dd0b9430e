//! Moments as `perf script` prints them.

/// `63025.205443` as nanoseconds; `None` if it is no such number.
pub(crate) fn nanoseconds(text: &[u8]) -> Option<u64> {
    let dot = memchr::memchr(b'.', text)?;
    let (seconds, fraction) = (&text[..dot], &text[dot + 1..]);
    if seconds.is_empty() || fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let mut ns = number(seconds)?.checked_mul(1_000_000_000)?;
    let mut unit = 1_000_000_000;
    let fraction_digits = number(fraction)?;
    for _ in 0..fraction.len() {
        unit /= 10;
    }
    ns = ns.checked_add(fraction_digits.checked_mul(unit)?)?;
    Some(ns)
}

/// A whole number of digits alone.
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_exact() {
        assert_eq!(nanoseconds(b"63025.205443"), Some(63_025_205_443_000));
        assert_eq!(nanoseconds(b"0.000000001"), Some(1));
        for text in ["", ".", "1.", ".5", "1", "1.2.3", "1.-5", "99999999999999.5", "1.0000000001"]
        {
            assert_eq!(nanoseconds(text.as_bytes()), None, "{text}");
        }
    }
}
