//! Sessions that compete for the latches of the chains.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use isotherm_frame::Random;
use schemars::JsonSchema;
use serde::Serialize;

use super::access::Accesses;
use super::buffers::Buffers;
use super::settings::ModelSettings;

/// A latch is held this long, and longer for each header that is looked at; nanoseconds.
pub(super) const HELD_NS: u64 = 200;
/// For each header.
pub(super) const HELD_PER_HEADER_NS: u64 = 100;
/// The mean time of a session between two latches, nanoseconds.
pub(super) const BETWEEN_NS: u64 = 5_000;
/// Latch gets that are simulated.
const GETS: u64 = 100_000;

/// How sessions compete with a number of chains and latches.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Contention {
    /// Hash chains.
    pub chains: u32,
    /// Latches.
    pub latches: u32,
    /// The share of latch gets that have to wait, 0 to 1.
    pub waiting_share: f64,
    /// The mean time that a get waits, of all gets, nanoseconds.
    pub mean_wait_ns: f64,
    /// The share of all gets that the busiest latch has.
    pub busiest_share: f64,
    /// The share of the time of all sessions that they wait for latches.
    pub session_share: f64,
    /// The share of the time for which the busiest latch is held.
    pub busiest_held: f64,
    /// Latch gets per second of all sessions.
    pub gets_per_s: f64,
}

/// Sessions and what they compete for.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Competitors {
    pub sessions: u32,
    pub latches: u32,
    pub seed: u64,
}

impl From<&ModelSettings> for Competitors {
    fn from(settings: &ModelSettings) -> Competitors {
        let ModelSettings { sessions, latches, seed, .. } = *settings;
        Competitors { sessions, latches, seed }
    }
}

/// What sessions did.
#[derive(Clone, Debug, Default)]
pub(crate) struct LatchTimes {
    pub gets: u64,
    pub waiting: u64,
    pub waited_ns: u64,
    pub between_ns: u64,
    pub held_ns: u64,
    /// When the last get ended.
    pub end_ns: u64,
    /// Gets, and nanoseconds held, of each latch.
    pub latches: Vec<(u64, u64)>,
}

impl Contention {
    /// Lets sessions reference blocks of these buffers; `given` are the blocks of an input.
    pub(super) fn of(
        settings: &ModelSettings,
        given: &Arc<[u32]>,
        buffers: &Buffers,
    ) -> Contention {
        let latches = settings.latches as usize;
        let held: Vec<u64> = buffers.chains.iter().map(|chain| chain.len() as u64).collect();
        let mut accesses = Accesses::new(settings, given, settings.seed ^ 0x01a7_c4e5);
        let times = compete(settings.into(), BETWEEN_NS, &mut || {
            let (block, _) = accesses.next();
            let chain = buffers.chain_of(block);
            let examined = buffers.place_of(block).map_or(held[chain], |place| place as u64 + 1);
            (latch_of(chain, latches), HELD_NS + examined * HELD_PER_HEADER_NS)
        });
        Contention::from_times(&times, settings.chains, settings.into())
    }

    /// What the times of sessions come to.
    pub(crate) fn from_times(times: &LatchTimes, chains: u32, who: Competitors) -> Contention {
        let busiest = times.latches.iter().copied().max().unwrap_or((0, 0));
        let (gets, end) = (times.gets.max(1) as f64, times.end_ns.max(1) as f64);
        Contention {
            chains,
            latches: who.latches,
            waiting_share: times.waiting as f64 / gets,
            mean_wait_ns: times.waited_ns as f64 / gets,
            session_share: times.waited_ns as f64 / (end * f64::from(who.sessions)),
            busiest_share: busiest.0 as f64 / gets,
            busiest_held: busiest.1 as f64 / end,
            gets_per_s: gets / end * 1e9,
        }
    }
}

/// The latch of a chain.
pub(super) fn latch_of(chain: usize, latches: usize) -> usize {
    chain % latches
}

/// Sessions that get latches one after the other, each for a time, with exponential times between; a
/// latch serves them in the order in which they come.
pub(crate) fn compete(
    who: Competitors,
    between_ns: u64,
    next: &mut dyn FnMut() -> (usize, u64),
) -> LatchTimes {
    let mut random = Random::new(who.seed ^ 0x5e55_1045);
    let mut between = || whole(random.exponential() * between_ns as f64);
    let mut times =
        LatchTimes { latches: vec![(0, 0); who.latches as usize], ..LatchTimes::default() };
    let mut free_at = vec![0_u64; who.latches as usize];
    let mut ready: BinaryHeap<Reverse<(u64, u32)>> =
        (0..who.sessions).map(|session| Reverse((between(), session))).collect();
    while times.gets < GETS {
        let Some(Reverse((at, session))) = ready.pop() else { break };
        let (latch, held) = next();
        let begins = at.max(free_at[latch]);
        free_at[latch] = begins + held;
        times.gets += 1;
        times.waiting += u64::from(begins > at);
        times.waited_ns += begins - at;
        times.held_ns += held;
        times.end_ns = times.end_ns.max(begins + held);
        times.latches[latch].0 += 1;
        times.latches[latch].1 += held;
        let pause = between();
        times.between_ns += pause;
        ready.push(Reverse((begins + held + pause, session)));
    }
    times
}

/// A length of time in whole nanoseconds.
fn whole(ns: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a length of time is not negative"
    )]
    let whole = ns.round() as u64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(sessions: u32, latches: u32) -> Competitors {
        Competitors { sessions, latches, seed: ModelSettings::PLAIN.seed }
    }

    #[test]
    fn a_session_alone_never_waits() {
        let times = compete(with(1, 1), BETWEEN_NS, &mut || (0, 500));
        assert_eq!((times.waiting, times.waited_ns, times.gets), (0, 0, GETS));
        assert_eq!(times.held_ns, 500 * GETS);
    }

    #[test]
    fn sessions_that_do_nothing_else_stand_in_line() {
        // With S sessions always at one latch each waits for the S - 1 before it.
        let times = compete(with(10, 1), 0, &mut || (0, 400));
        assert_eq!(times.end_ns, GETS * 400);
        let mean = times.waited_ns as f64 / GETS as f64;
        assert!((mean - 9.0 * 400.0).abs() < 1.0, "{mean}");
    }

    #[test]
    fn the_time_of_all_sessions_is_accounted_for() {
        for (sessions, latches) in [(4, 1), (32, 4), (100, 64)] {
            let mut random = Random::new(3);
            let times = compete(with(sessions, latches), 2_000, &mut || {
                (random.index(latches as usize), 100 + random.below(800))
            });
            let spent = times.waited_ns + times.held_ns + times.between_ns;
            let all = times.end_ns * u64::from(sessions);
            // What the last get of each session leaves open at the end.
            assert!((spent as f64 / all as f64 - 1.0).abs() < 0.01, "{sessions} {latches}");
            let of_latches: (u64, u64) =
                times.latches.iter().fold((0, 0), |sum, latch| (sum.0 + latch.0, sum.1 + latch.1));
            assert_eq!(of_latches, (times.gets, times.held_ns));
            assert!(times.latches.iter().all(|latch| latch.1 <= times.end_ns));
        }
    }

    #[test]
    fn waiting_is_that_of_an_open_queue_where_sessions_are_many() {
        // A thousand sessions that come seldom are nearly a Poisson stream: M/D/1 with a load of one
        // half waits 0.5 * 500 / (2 * (1 - 0.5)) = 250 ns.
        let times = compete(with(1_000, 1), 1_000_000, &mut || (0, 500));
        let load = times.held_ns as f64 / times.end_ns as f64;
        let mean = times.waited_ns as f64 / GETS as f64;
        let expected = load * 500.0 / (2.0 * (1.0 - load));
        assert!((mean / expected - 1.0).abs() < 0.05, "{mean} {expected} {load}");
    }
}
