//! Decimal numbers at the beginning or end of bytes.

const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The number that `bytes` begin with, and its length; none if they do not begin with a digit or
/// the number does not fit.
pub(super) fn leading(bytes: &[u8]) -> Option<(u64, usize)> {
    let Some(first) = bytes.first_chunk::<8>() else { return short(bytes) };
    let (value, length) = eight(*first);
    if length < 8 {
        return (length > 0).then_some((value, length));
    }
    let Some(second) = bytes.get(8..).and_then(<[u8]>::first_chunk::<8>) else {
        return short(bytes);
    };
    let (more, length) = eight(*second);
    if length < 8 {
        let scale = 10_u64.pow(u32::try_from(length).unwrap_or(0));
        return Some((value * scale + more, 8 + length));
    }
    short(bytes)
}

/// The same, digit by digit.
fn short(bytes: &[u8]) -> Option<(u64, usize)> {
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
fn eight(bytes: [u8; 8]) -> (u64, usize) {
    let digits = u64::from_le_bytes(bytes) ^ ZEROS;
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & HIGH;
    // The position of the first byte that is no digit, in bits.
    let bits = others.trailing_zeros() & !7;
    let aligned = digits.checked_shl(64 - bits).unwrap_or(0);
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, (bits / 8) as usize)
}

/// The number that `bytes` end with, and what stands before it.
pub(super) fn trailing(bytes: &[u8]) -> Option<(&[u8], u64)> {
    let count = bytes.iter().rev().take(21).take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = bytes.split_at_checked(bytes.len() - count)?;
    Some((before, leading(number)?.0))
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
            prop_assert_eq!(leading(bytes.as_bytes()), short(bytes.as_bytes()));
        }

        #[test]
        fn any_bytes_are_read_alike(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            prop_assert_eq!(leading(&bytes), short(&bytes));
        }

        #[test]
        fn trailing_finds_the_number_at_the_end(before in "[a-z =]{0,9}", value: u64) {
            let text = format!("{before}{value}");
            prop_assert_eq!(trailing(text.as_bytes()), Some((before.as_bytes(), value)));
        }
    }
}
