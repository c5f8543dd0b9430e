//! Numbers without pattern, for offsets and for content that nothing can compress.

use std::time::{SystemTime, UNIX_EPOCH};

/// Marsaglia's xorshift64*: fast, and even enough to choose blocks with.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A sequence no other process or moment has.
    pub(crate) fn new() -> Random {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mixed = u64::from(since.subsec_nanos()) ^ (since.as_secs() << 30);
        Random::seeded(mixed ^ (u64::from(std::process::id()) << 48))
    }

    fn seeded(seed: u64) -> Random {
        Random(seed | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let scaled = u128::from(self.next()) * u128::from(end);
        u64::try_from(scaled >> 64).unwrap_or_default()
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for word in bytes.chunks_mut(8) {
            let random = self.next().to_le_bytes();
            for (byte, random) in word.iter_mut().zip(random) {
                *byte = random;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_chosen_about_as_often() {
        let mut random = Random::seeded(7);
        let mut chosen = [0_u32; 10];
        for _ in 0..10_000 {
            let block = usize::try_from(random.below(10)).expect("small");
            chosen[block] += 1;
        }
        // 1,000 each; the standard deviation is 30.
        assert!(chosen.iter().all(|count| (850..1_150).contains(count)), "{chosen:?}");
    }

    #[test]
    fn content_has_no_pattern() {
        let mut bytes = vec![0; 64 << 10];
        Random::seeded(7).fill(&mut bytes);
        let mut seen = [0_u32; 256];
        for byte in &bytes {
            seen[usize::from(*byte)] += 1;
        }
        // 256 each; the standard deviation is 16.
        assert!(seen.iter().all(|count| (160..352).contains(count)), "{seen:?}");
    }
}
