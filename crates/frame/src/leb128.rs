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
    let mut bytes = packed.iter();
    std::iter::from_fn(move || {
        let first = *bytes.next()?;
        let mut number = u64::from(first & 0x7f);
        let (mut shift, mut more) = (7, first >= 0x80);
        while more {
            let Some(byte) = bytes.next() else { break };
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            more = *byte >= 0x80;
        }
        Some(number)
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
        // What is cut short, and what is longer than any number.
        assert_eq!(numbers(&[1, 0xb9]).collect::<Vec<u64>>(), [1, 0x39]);
        let long = [[0xff; 12].as_slice(), &[0x7f, 5]].concat();
        assert_eq!(numbers(&long).collect::<Vec<u64>>(), [u64::MAX, 5]);
    }
}
