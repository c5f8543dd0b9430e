//! Which operation comes next, and where.

use crate::engine::{KindMeta, Operation};
use crate::job::{HotSpot, Mix, Pattern, Work};
use crate::random::of_lane;
use isotherm_frame::Random;

/// Chooses the operations of one lane.
#[derive(Debug)]
pub struct Chooser {
    random: Random,
    places: u64,
    pattern: Walk,
    hot: Option<Hot>,
    mix: Mixer,
}

/// The order in which places are visited.
#[derive(Debug)]
enum Walk {
    Random,
    Sequential { next: u64, from: u64, to: u64 },
}

/// Places visited more often.
#[derive(Debug)]
struct Hot {
    offset: u64,
    places: u64,
    one_in: u64,
}

/// How reads and updates are mixed.
#[derive(Debug)]
enum Mixer {
    One(u8),
    Independent { read: u8, update: u8, share: f64 },
    Slob { read: u8, update: u8, quota: u32, left: u32, updates_left: u32 },
}

/// Which lane of how many.
#[derive(Copy, Clone, Debug)]
pub struct LaneNumber {
    pub lane: u32,
    pub lanes: u32,
}

impl Chooser {
    /// For one lane of several. The work has been checked.
    pub fn new(work: &Work, kinds: &[KindMeta], places: u64, number: LaneNumber) -> Chooser {
        let places = places.max(1);
        let lane = u64::from(number.lane);
        Chooser {
            random: of_lane(work.seed, lane),
            places,
            pattern: Walk::of(work.pattern, places, number),
            hot: work.hot.map(|hot| Hot::of(hot, places)),
            mix: Mixer::of(work, kinds),
        }
    }

    /// The next operation.
    #[inline]
    pub fn next(&mut self) -> Operation {
        let kind = self.mix.next(&mut self.random);
        let place = match &mut self.pattern {
            Walk::Sequential { next, from, to } => {
                let place = *next;
                *next = if place + 1 >= *to { *from } else { place + 1 };
                place
            }
            Walk::Random => match &self.hot {
                Some(hot) if self.random.below(hot.one_in) == 0 => {
                    hot.offset + self.random.below(hot.places)
                }
                _ => self.random.below(self.places),
            },
        };
        Operation { kind, place }
    }
}

impl Walk {
    fn of(pattern: Pattern, places: u64, number: LaneNumber) -> Walk {
        let part = |lane: u32| {
            let share = u128::from(places) * u128::from(lane) / u128::from(number.lanes.max(1));
            u64::try_from(share).unwrap_or(places)
        };
        let (from, to) = (part(number.lane), part(number.lane + 1));
        match pattern {
            Pattern::Random => Walk::Random,
            // More lanes than places: each begins somewhere and goes round everything.
            Pattern::Sequential if from >= to => {
                Walk::Sequential { next: from.min(places - 1), from: 0, to: places }
            }
            Pattern::Sequential => Walk::Sequential { next: from, from, to },
        }
    }
}

impl Hot {
    fn of(hot: HotSpot, places: u64) -> Hot {
        let share = |pct: f64| {
            let exact = (places as f64 * pct / 100.0).round().clamp(0.0, places as f64);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            {
                exact as u64
            }
        };
        let offset = share(hot.offset_pct).min(places - 1);
        let size = share(hot.size_pct).clamp(1, places - offset);
        Hot { offset, places: size, one_in: u64::from(hot.one_in.max(1)) }
    }
}

impl Mixer {
    fn of(work: &Work, kinds: &[KindMeta]) -> Mixer {
        let index = |writes: bool| {
            let found = kinds.iter().position(|kind| kind.writes() == writes);
            found.and_then(|index| u8::try_from(index).ok())
        };
        match (index(false), index(true)) {
            (Some(read), Some(update)) if work.update_pct > 0.0 && work.update_pct < 100.0 => {
                match work.mix {
                    Mix::Independent => {
                        Mixer::Independent { read, update, share: work.update_pct / 100.0 }
                    }
                    Mix::Slob => {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "between 0 and 100"
                        )]
                        let quota = work.update_pct.round() as u32;
                        Mixer::Slob { read, update, quota, left: 0, updates_left: 0 }
                    }
                }
            }
            (Some(read), _) if work.update_pct <= 0.0 => Mixer::One(read),
            (_, Some(update)) => Mixer::One(update),
            _ => Mixer::One(0),
        }
    }

    #[inline]
    fn next(&mut self, random: &mut Random) -> u8 {
        match self {
            Mixer::One(kind) => *kind,
            Mixer::Independent { read, update, share } => {
                if random.unit() < *share {
                    *update
                } else {
                    *read
                }
            }
            Mixer::Slob { read, update, quota, left, updates_left } => {
                if *left == 0 {
                    (*left, *updates_left) = (100, *quota);
                }
                *left -= 1;
                if *updates_left > 0 && (random.next() & 1 == 0 || *left < *updates_left) {
                    *updates_left -= 1;
                    *update
                } else {
                    *read
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Role;

    const KINDS: [KindMeta; 2] = [
        KindMeta { name: "read", role: Role::Read, places: 1 },
        KindMeta { name: "write", role: Role::Write, places: 1 },
    ];
    const ALONE: LaneNumber = LaneNumber { lane: 0, lanes: 1 };

    fn updates(work: &Work, count: usize) -> Vec<bool> {
        let mut chooser = Chooser::new(work, &KINDS, 1_000, ALONE);
        (0..count).map(|_| chooser.next().kind == 1).collect()
    }

    #[test]
    fn the_share_of_updates_is_as_asked_for() {
        for (mix, tolerance) in [(Mix::Independent, 0.01), (Mix::Slob, 1e-9)] {
            let work = Work { update_pct: 30.0, mix, ..Work::default() };
            let all = updates(&work, 100_000);
            let share = all.iter().filter(|update| **update).count() as f64 / 1e5;
            assert!((share - 0.3).abs() <= tolerance, "{mix:?}: {share}");
        }
    }

    #[test]
    fn slob_spends_its_updates_early_in_each_hundred() {
        let work = Work { update_pct: 20.0, mix: Mix::Slob, ..Work::default() };
        let all = updates(&work, 10_000);
        let (early, late): (Vec<_>, Vec<_>) =
            all.iter().enumerate().partition(|(index, _)| index % 100 < 60);
        let count = |part: &[(usize, &bool)]| part.iter().filter(|(_, update)| **update).count();
        assert_eq!(count(&early) + count(&late), 2_000);
        assert!(count(&early) > 1_900, "{}", count(&early));
        for hundred in all.chunks(100) {
            assert_eq!(hundred.iter().filter(|update| **update).count(), 20);
        }
    }

    #[test]
    fn nothing_but_reads_and_nothing_but_updates() {
        for (update_pct, expected) in [(0.0, false), (100.0, true)] {
            let work = Work { update_pct, ..Work::default() };
            assert!(updates(&work, 1_000).iter().all(|update| *update == expected));
        }
    }

    #[test]
    fn lanes_share_the_places_of_a_sequential_walk() {
        let work = Work { pattern: Pattern::Sequential, ..Work::default() };
        let mut visited = vec![0_u32; 10];
        for lane in 0..3 {
            let mut chooser = Chooser::new(&work, &KINDS, 10, LaneNumber { lane, lanes: 3 });
            let first = chooser.next().place;
            visited[usize::try_from(first).unwrap()] += 1;
            loop {
                let place = chooser.next().place;
                if place == first {
                    break;
                }
                visited[usize::try_from(place).unwrap()] += 1;
            }
        }
        assert_eq!(visited, vec![1; 10]);
    }

    #[test]
    fn more_lanes_than_places_still_stay_inside() {
        let work = Work { pattern: Pattern::Sequential, ..Work::default() };
        for lane in 0..8 {
            let mut chooser = Chooser::new(&work, &KINDS, 3, LaneNumber { lane, lanes: 8 });
            assert!((0..100).all(|_| chooser.next().place < 3));
        }
    }

    #[test]
    fn a_hot_spot_gets_its_share_and_its_place() {
        let hot = HotSpot { size_pct: 10.0, offset_pct: 50.0, one_in: 2 };
        let work = Work { hot: Some(hot), ..Work::default() };
        let mut chooser = Chooser::new(&work, &KINDS, 1_000, ALONE);
        let hits = (0..100_000).filter(|_| (500..600).contains(&chooser.next().place)).count();
        // Half of them on purpose, and a tenth of the other half by chance.
        assert!((54_000..56_000).contains(&hits), "{hits}");
    }
}
