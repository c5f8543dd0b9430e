//! Random numbers for the hot loop, the same on every machine for the same seed.

/// A small generator (splitmix64, Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of one lane: lanes of one seed do not follow each other.
    pub fn of_lane(seed: u64, lane: u64) -> Random {
        let mut mixer = Random(seed ^ lane.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Random(mixer.next())
    }

    /// 64 random bits.
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`: the high half of the product (Lemire 2019).
    #[inline]
    pub fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(limit);
        (product >> 64) as u64
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
}
