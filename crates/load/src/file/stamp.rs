//! What isotherm writes: units of 512 bytes, each of which says what it is and which nothing can
//! compress or deduplicate.
//!
//! A unit is a head of 40 bytes, little-endian, and 472 bytes that follow from it:
//!
//! | bytes | |
//! |---|---|
//! | 0..8 | `isothrm1` |
//! | 8..16 | number of the file, drawn when it was made |
//! | 16..24 | number of the unit in the file |
//! | 24..32 | epoch: which write it was; [`FIRST_EPOCH`] when the file was made |
//! | 32..40 | check of the four before |
//! | 40..512 | words made of the check |
//!
//! As the content follows from the head, reading it back compares every byte, at no cost to the
//! write beyond making it.

/// Bytes of a unit: no device writes less at once.
pub(super) const UNIT: usize = 512;

/// The same as a number of bytes in a file.
pub(super) const UNIT_BYTES: u64 = 512;

/// The epoch of what was written when the file was made.
pub(super) const FIRST_EPOCH: u64 = 0;

const MAGIC: [u8; 8] = *b"isothrm1";

/// What a unit says of itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// The number of the file.
    pub(super) file: u64,
    /// The number of the unit in the file.
    pub(super) unit: u64,
    /// Which write it was.
    pub(super) epoch: u64,
}

impl Stamp {
    /// Fills a block, whose first unit this is, with units of the same file and epoch.
    pub(super) fn fill(self, block: &mut [u8]) {
        let mut stamp = self;
        for unit in block.chunks_exact_mut(UNIT) {
            stamp.write(unit);
            stamp.unit = stamp.unit.wrapping_add(1);
        }
    }

    fn write(self, unit: &mut [u8]) {
        let check = self.check();
        let head = [u64::from_le_bytes(MAGIC), self.file, self.unit, self.epoch, check];
        let mut seed = check;
        let (words, _) = unit.as_chunks_mut::<8>();
        for (place, word) in words.iter_mut().enumerate() {
            *word = match head.get(place) {
                Some(head) => head.to_le_bytes(),
                None => next(&mut seed).to_le_bytes(),
            };
        }
    }

    /// What a unit says of itself, if its head is one of ours and whole.
    pub(super) fn read(unit: &[u8]) -> Option<Stamp> {
        let (words, _) = unit.as_chunks::<8>();
        let &[magic, file, unit, epoch, check, ..] = words else { return None };
        let [file, unit, epoch, check] = [file, unit, epoch, check].map(u64::from_le_bytes);
        let stamp = Stamp { file, unit, epoch };
        (magic == MAGIC && check == stamp.check()).then_some(stamp)
    }

    /// Whether every byte of a unit is what its head says.
    pub(super) fn is_whole(self, unit: &[u8]) -> bool {
        let mut expected = [0; UNIT];
        self.write(&mut expected);
        unit == expected
    }

    fn check(self) -> u64 {
        [self.file, self.unit, self.epoch].into_iter().fold(0x1507_4e12, |check, word| {
            scatter((check ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15))
        })
    }
}

/// The next word of content: cheap enough to make gigabytes a second, and no two alike.
#[inline]
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = seed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 29)
}

/// Scatters the bits of a number, one to one (the finaliser of `SplitMix64`: Steele, Lea and
/// Flood 2014).
#[inline]
pub(super) fn scatter(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> (Stamp, Vec<u8>) {
        let stamp = Stamp { file: 7, unit: 1_000, epoch: 3 };
        let mut block = vec![0; 4 * UNIT];
        stamp.fill(&mut block);
        (stamp, block)
    }

    #[test]
    fn every_unit_says_what_it_is_and_is_whole() {
        let (stamp, block) = block();
        for (place, unit) in (0_u64..).zip(block.chunks(UNIT)) {
            let expected = Stamp { unit: stamp.unit + place, ..stamp };
            assert_eq!(Stamp::read(unit), Some(expected));
            assert!(expected.is_whole(unit));
        }
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        let (stamp, block) = block();
        for place in 0..UNIT {
            let mut unit = block[..UNIT].to_vec();
            unit[place] ^= 0x10;
            let whole =
                Stamp::read(&unit).is_some_and(|read| read == stamp && read.is_whole(&unit));
            assert!(!whole, "byte {place}");
        }
        assert_eq!(Stamp::read(&[0; UNIT]), None);
        assert_eq!(Stamp::read(b"short"), None);
    }

    #[test]
    fn content_can_not_be_compressed_or_deduplicated() {
        let mut content = vec![0; 1 << 20];
        Stamp { file: 7, unit: 0, epoch: 3 }.fill(&mut content);
        let mut words: Vec<&[u8]> = content.chunks(8).collect();
        words.sort_unstable();
        words.dedup();
        // Each unit repeats the magic, the file's number and the epoch: 3 of its 64 words.
        assert!(words.len() > content.len() / 8 * 60 / 64, "{}", words.len());
        let mut counts = [0_u64; 256];
        for byte in &content {
            counts[usize::from(*byte)] += 1;
        }
        let total = content.len() as f64;
        let entropy: f64 = counts
            .iter()
            .filter(|count| **count > 0)
            .map(|count| *count as f64 / total)
            .map(|share| -share * share.log2())
            .sum();
        assert!(entropy > 7.8, "{entropy} bits a byte");
    }
}
