//! The rows: which key comes when, and texts that hardly compress.

use crate::random::of_lane;
use isotherm_frame::Random;

/// The numbers below a bound in an order that looks random and can be reported at any point: a
/// Feistel network (Luby and Rackoff 1988) over the next power of four, walked until it falls
/// below the bound (Black and Rogaway 2002).
#[derive(Copy, Clone, Debug)]
pub struct Shuffle {
    bound: u64,
    half: u32,
    seed: u64,
}

impl Shuffle {
    /// The numbers below `bound`, at most 2^62.
    pub fn new(bound: u64, seed: u64) -> Shuffle {
        let bound = bound.clamp(1, 1 << 62);
        let bits = u64::BITS - (bound - 1).leading_zeros();
        Shuffle { bound, half: bits.div_ceil(2).max(1), seed }
    }

    /// The number at a place; `place` is below the bound.
    pub fn at(&self, place: u64) -> u64 {
        let mut number = self.step(place);
        while number >= self.bound {
            number = self.step(number);
        }
        number
    }

    fn step(&self, number: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (mut left, mut right) = ((number >> self.half) & mask, number & mask);
        for round in 0..4 {
            let key = of_lane(self.seed.wrapping_add(round), right).next();
            (left, right) = (right, left ^ (key & mask));
        }
        (left << self.half) | right
    }
}

/// Adds `length` characters from space to tilde, each as likely: 6.6 bits of each 8 are random.
pub fn noise(out: &mut Vec<u8>, length: usize, random: &mut Random) {
    let end = out.len() + length;
    while out.len() < end {
        let few = (end - out.len()).min(8);
        let bytes = random.next().to_be_bytes();
        out.extend(bytes.iter().take(few).map(|byte| printable(*byte)));
    }
}

fn printable(byte: u8) -> u8 {
    b' ' + u8::try_from((u16::from(byte) * 95) >> 8).unwrap_or(0)
}

/// A table's rows from place `from` to `until` of its shuffled order, as `copy ... (format
/// binary)` takes them in.
pub fn rows(shuffle: &Shuffle, from: u64, until: u64, width: usize) -> Vec<u8> {
    let count = usize::try_from(until.saturating_sub(from)).unwrap_or(0);
    let mut out = Vec::with_capacity(32 + count.min(1 << 16) * (2 * width + 64));
    out.extend_from_slice(b"PGCOPY\n\xff\r\n\0");
    out.extend_from_slice(&[0; 8]);
    for place in from..until {
        let id = shuffle.at(place);
        let mut random = of_lane(!shuffle.seed, id);
        out.extend_from_slice(&4_i16.to_be_bytes());
        for number in [id, 0] {
            out.extend_from_slice(&8_i32.to_be_bytes());
            out.extend_from_slice(&number.to_be_bytes());
        }
        for _ in 0..2 {
            out.extend_from_slice(&i32::try_from(width).unwrap_or(0).to_be_bytes());
            noise(&mut out, width, &mut random);
        }
    }
    out.extend_from_slice(&(-1_i16).to_be_bytes());
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_number_comes_once(bound in 1u64..3_000, seed in any::<u64>()) {
            let shuffle = Shuffle::new(bound, seed);
            let mut all: Vec<u64> = (0..bound).map(|place| shuffle.at(place)).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..bound).collect::<Vec<_>>());
        }
    }

    #[test]
    fn neighbours_are_not_kept_together() {
        let shuffle = Shuffle::new(10_000, 7);
        let near = (1..10_000).filter(|at| shuffle.at(*at).abs_diff(shuffle.at(at - 1)) < 100);
        // By chance about 2 % of neighbours are less than 1 % of the range apart.
        let near = near.count();
        assert!((100..300).contains(&near), "{near}");
    }

    #[test]
    fn rows_have_the_widths_asked_for_and_differ() {
        let data = rows(&Shuffle::new(100, 1), 0, 2, 40);
        let row = 2 + 12 + 12 + 44 + 44;
        assert_eq!(data.len(), 19 + 2 * row + 2);
        let texts: Vec<&[u8]> = [49, 93, 163, 207].iter().map(|at| &data[*at..at + 40]).collect();
        assert!(texts.iter().all(|text| text.iter().all(|c| (b' '..=b'~').contains(c))));
        for (at, text) in texts.iter().enumerate() {
            assert!(!texts[at + 1..].contains(text));
        }
    }
}
