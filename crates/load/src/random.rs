//! Random numbers of lanes.

use isotherm_frame::Random;

/// The generator of one lane: lanes of one seed do not follow each other.
pub fn of_lane(seed: u64, lane: u64) -> Random {
    Random::new(Random::new(seed ^ lane.wrapping_mul(0xd1b5_4a32_d192_ed03)).next())
}
