//! Decimal numbers at the beginning or end of bytes.

const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The powers of ten that fewer than eight digits take.
const SCALES: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The number that `bytes` begin with, and its length; none if they do not begin with a digit or
/// the number does not fit.
#[inline]
pub(super) fn leading(bytes: &[u8]) -> Option<(u64, usize)> {
    let Some(first) = bytes.first_chunk::<8>() else { return plain(bytes) };
    let (value, length) = eight(*first);
    if length < 8 {
        return (length > 0).then_some((value, length));
    }
    let second = bytes.get(8..).and_then(<[u8]>::first_chunk::<8>);
    let Some((more, length)) = second.map(|second| eight(*second)) else { return plain(bytes) };
    let Some(scale) = SCALES.get(length) else { return plain(bytes) };
    Some((value * scale + more, 8 + length))
}

/// The same, digit by digit.
#[cold]
fn plain(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    let mut length = 0;
    for byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        length += 1;
    }
    (length > 0).then_some((value, length))
}

/// The number that eight bytes begin with, and how many digits it has: all eight at once.
#[inline]
fn eight(bytes: [u8; 8]) -> (u64, usize) {
    let digits = u64::from_le_bytes(bytes) ^ ZEROS;
    // The position of the first byte that is no digit, in bits.
    let bits = others(digits).trailing_zeros() & !7;
    (value(digits.checked_shl(64 - bits).unwrap_or(0)), (bits / 8) as usize)
}

/// The number that eight bytes end with, and how many digits it has.
#[inline]
fn last_eight(bytes: [u8; 8]) -> (u64, usize) {
    let digits = u64::from_le_bytes(bytes) ^ ZEROS;
    let bits = others(digits).leading_zeros() & !7;
    let kept = !u64::MAX.checked_shr(bits).unwrap_or(0);
    (value(digits & kept), (bits / 8) as usize)
}

/// A high bit for each byte that is no digit.
#[inline]
fn others(digits: u64) -> u64 {
    ((digits & !HIGH).wrapping_add(0x7676_7676_7676_7676) | digits) & HIGH
}

/// The number that eight digits are, the first of them in the lowest byte.
#[inline]
fn value(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    low.wrapping_add(high) >> 32
}

/// The number that `bytes` end with, and what stands before it. Of fewer than 17 bytes it may not
/// be found.
#[inline]
pub(super) fn trailing(bytes: &[u8]) -> Option<(&[u8], u64)> {
    let (rest, last) = bytes.split_last_chunk::<8>()?;
    let (low, length) = last_eight(*last);
    if length < 8 {
        let before = bytes.get(..bytes.len() - length)?;
        return (length > 0).then_some((before, low));
    }
    let (high, length) = rest.last_chunk::<8>().map(|first| last_eight(*first))?;
    if length == 8 {
        return plain_trailing(bytes);
    }
    Some((rest.get(..rest.len() - length)?, high * 100_000_000 + low))
}

/// The same, digit by digit.
#[cold]
fn plain_trailing(bytes: &[u8]) -> Option<(&[u8], u64)> {
    let count = bytes.iter().rev().take(21).take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = bytes.split_at_checked(bytes.len() - count)?;
    Some((before, plain(number)?.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_of_every_length_are_read() {
        for length in 1..=19 {
            let text = &"1234567890123456789"[..length];
            for tail in ["", ",", " tim=1", "x1234567890123456789", "\n23456789012"] {
                let bytes = format!("{text}{tail}");
                let expected = Some((text.parse().unwrap(), length));
                assert_eq!(leading(bytes.as_bytes()), expected, "{bytes}");
            }
        }
        assert_eq!(leading(b"18446744073709551615 "), Some((u64::MAX, 20)));
        for bytes in ["", "x", "-1", " 1", "18446744073709551616", "999999999999999999999 "] {
            assert_eq!(leading(bytes.as_bytes()), None, "{bytes}");
        }
    }

    proptest! {
        #[test]
        fn the_quick_way_reads_what_the_plain_one_does(bytes in "[0-9]{0,22}[ -~\u{80}-\u{ff}]{0,12}") {
            prop_assert_eq!(leading(bytes.as_bytes()), plain(bytes.as_bytes()));
        }

        #[test]
        fn any_bytes_are_read_alike(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            prop_assert_eq!(leading(&bytes), plain(&bytes));
        }

        #[test]
        fn trailing_finds_the_number_at_the_end(
            before in "[a-z =\u{80}]{0,9}",
            value: u64,
            shift in 0_u32..64,
        ) {
            let value = value >> shift;
            // What it is used on is never shorter.
            let before = format!("a long beginning={before}");
            let text = format!("{before}{value}");
            prop_assert_eq!(trailing(text.as_bytes()), Some((before.as_bytes(), value)));
        }

        #[test]
        fn trailing_is_the_same_whatever_stands_before(
            before in prop::collection::vec(any::<u8>(), 17..40),
        ) {
            prop_assert_eq!(trailing(&before), plain_trailing(&before));
        }
    }
}
