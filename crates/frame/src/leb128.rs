//! Whole numbers in as few bytes as they need: unsigned LEB128, groups of seven bits, the lowest
//! first, with the eighth bit set in all but the last (DWARF 5, section 7.6).

/// Appends a number: one byte below 128, two below 16,384, ten at most.
pub fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// The numbers that [`push`] appended, in their order.
pub fn numbers(packed: &[u8]) -> impl Iterator<Item = u64> {
    packed.split_inclusive(|byte| byte & 0x80 == 0).map(|bytes| {
        bytes.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_take_the_bytes_of_the_standard() {
        let given = [0, 1, 127, 128, 16_383, 16_384, u64::MAX];
        let mut packed = Vec::new();
        for number in given {
            push(&mut packed, number);
        }
        assert_eq!(numbers(&packed).collect::<Vec<u64>>(), given);
        assert_eq!(packed.len(), 1 + 1 + 1 + 2 + 2 + 3 + 10);
        // The example of the standard's section.
        let mut example = Vec::new();
        push(&mut example, 12_857);
        assert_eq!(example, [0xb9, 0x64]);
    }
}
