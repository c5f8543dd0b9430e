//! Random numbers that are the same on every machine.

/// A small generator (splitmix64, Steele, Lea and Flood 2014): the same seed gives the same
/// numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "it never ends: an iterator would be odd")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`: the high half of the product (Lemire 2019), whose bias is below
    /// 2^-40 for limits up to 2^24.
    #[inline]
    pub fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(limit);
        (product >> 64) as u64
    }

    /// An index of `limit` things.
    pub fn index(&mut self, limit: usize) -> usize {
        usize::try_from(self.below(limit as u64)).unwrap_or(0)
    }

    /// Fills bytes with what nothing can compress.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for word in bytes.chunks_mut(8) {
            let random = self.next().to_le_bytes();
            word.copy_from_slice(&random[..word.len()]);
        }
    }

    /// A number in `[0, 1)` of 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An exponentially distributed number of mean 1: never rounded, so that sums keep their mean.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// A number of the standard normal distribution (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_paper() {
        // The first three of seed 0, as other implementations give them.
        let mut random = Random::new(0);
        let first = [random.next(), random.next(), random.next()];
        let expected = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!(first, expected);
    }

    #[test]
    fn bytes_have_no_pattern_and_none_is_left_out() {
        let mut bytes = vec![0; (64 << 10) + 3];
        Random::new(7).fill(&mut bytes);
        let mut seen = [0_u32; 256];
        for byte in &bytes {
            seen[usize::from(*byte)] += 1;
        }
        // 256 each; the standard deviation is 16.
        assert!(seen.iter().all(|count| (160..352).contains(count)), "{seen:?}");
        let mut words = Random::new(7);
        let last = (0..8_193).map(|_| words.next()).last().unwrap();
        assert_eq!(bytes[64 << 10..], last.to_le_bytes()[..3]);
    }

    #[test]
    fn every_number_below_a_limit_comes_about_as_often() {
        let mut random = Random::new(7);
        let mut chosen = [0_u32; 10];
        for _ in 0..10_000 {
            chosen[random.index(10)] += 1;
        }
        // 1,000 each; the standard deviation is 30.
        assert!(chosen.iter().all(|count| (850..1_150).contains(count)), "{chosen:?}");
    }
}
