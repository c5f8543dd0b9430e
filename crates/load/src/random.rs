//! Random numbers of lanes.

use isotherm_frame::Random;

use crate::engine::System;
use crate::job::Work;

/// The generator of one lane: lanes of one seed do not follow each other.
pub fn of_lane(seed: u64, lane: u64) -> Random {
    Random::new(Random::new(seed ^ lane.wrapping_mul(0xd1b5_4a32_d192_ed03)).next())
}

/// The generator of a lane's arrivals and pauses: other numbers than those of its places.
pub(crate) fn of_arrivals(system: &dyn System, work: &Work, lane: u32) -> Random {
    of_lane(!work.seed ^ system.seed().rotate_left(32), u64::from(lane))
}
