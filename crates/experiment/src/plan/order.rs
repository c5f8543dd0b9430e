//! The order in which the runs of a sweep are done.

use isotherm_frame::Random;
use serde::{Deserialize, Serialize};

/// The order of runs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All points once in their order, then all of them again: what drifts over hours spreads over
    /// all points instead of posing as an effect of the load.
    #[default]
    Rounds,
    /// In rounds, each shuffled anew by the seed: what depends on the run before spreads, too.
    Random,
    /// Each point with all its repeats before the next.
    AsWritten,
}

/// One run to be done: which point, and which repeat of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The index of the point in the plan's order.
    pub point: usize,
    /// The repeat, counted from 0.
    pub repeat: u32,
}

/// All runs in their order.
pub fn turns(order: Order, seed: u64, points: usize, repeats: u32) -> Vec<Turn> {
    let round = |repeat: u32| (0..points).map(move |point| Turn { point, repeat });
    match order {
        Order::AsWritten => (0..points)
            .flat_map(|point| (0..repeats).map(move |repeat| Turn { point, repeat }))
            .collect(),
        Order::Rounds => (0..repeats).flat_map(round).collect(),
        Order::Random => (0..repeats)
            .flat_map(|repeat| shuffled(round(repeat).collect(), seed.wrapping_add(repeat.into())))
            .collect(),
    }
}

/// Fisher and Yates' shuffle. A round's own seed keeps earlier rounds as they are when repeats are
/// added.
fn shuffled(mut turns: Vec<Turn>, seed: u64) -> Vec<Turn> {
    let mut random = Random::new(seed);
    for last in (1..turns.len()).rev() {
        turns.swap(last, random.index(last + 1));
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(turns: &[Turn]) -> Vec<(usize, u32)> {
        turns.iter().map(|turn| (turn.point, turn.repeat)).collect()
    }

    #[test]
    fn as_written_and_in_rounds() {
        let written = turns(Order::AsWritten, 1, 2, 2);
        assert_eq!(pairs(&written), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(pairs(&turns(Order::Rounds, 1, 2, 2)), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    fn random_rounds_hold_every_point_once_and_follow_the_seed() {
        let random = turns(Order::Random, 7, 9, 3);
        for (repeat, round) in (0_u32..).zip(random.chunks(9)) {
            let mut points: Vec<usize> = round.iter().map(|turn| turn.point).collect();
            assert!(round.iter().all(|turn| turn.repeat == repeat));
            assert!(!points.is_sorted(), "nine points in order by chance: 1 in 362,880");
            points.sort_unstable();
            assert_eq!(points, (0..9).collect::<Vec<usize>>());
        }
        assert_eq!(random, turns(Order::Random, 7, 9, 3));
        assert_ne!(random, turns(Order::Random, 8, 9, 3));
        assert_eq!(random, turns(Order::Random, 7, 9, 5)[..27]);
    }

    #[test]
    fn every_place_is_as_likely() {
        // Where point 0 of 4 comes first: 4,000 seeds, a quarter each, 5 standard deviations.
        let mut counts = [0_u32; 4];
        for seed in 0..4_000 {
            let round = turns(Order::Random, seed << 8, 4, 1);
            counts[round.iter().position(|turn| turn.point == 0).unwrap_or(0)] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(1_000) < 137), "{counts:?}");
    }
}
