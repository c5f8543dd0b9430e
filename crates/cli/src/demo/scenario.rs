//! The story that `isotherm demo` shows: simulated from a seed, so that it is the same everywhere.
//!
//! Single events are drawn one by one and become intervals in a [`Binner`], like those of any log.

use isotherm_frame::{
    Binner, BinnerLimits, Frame, Gap, Histogram, Mark, Nanos, Quality, Random, Scheme, Series,
    Timestamp,
};

/// 2026-11-21 05:10:00 UTC.
const START: Timestamp = Timestamp::new(1_795_237_800_000_000_000);
/// The length of the story.
pub const LENGTH: Nanos = seconds(300);
/// A new band in the reads of one device, from when to when after the start.
pub const BAND: (Nanos, Nanos) = (seconds(90), seconds(140));
/// No commit ends.
pub const STALL: (Nanos, Nanos) = (Nanos::from_millis(170_400), Nanos::from_millis(172_900));
/// Nothing is known.
pub const GAP: (Nanos, Nanos) = (seconds(210), seconds(218));
/// Commits take longer from here on.
pub const DEPLOY: Nanos = seconds(245);
/// The device whose reads have the new band.
pub const CULPRIT: &str = "sdb";
/// The sessions that commit: no more of them can wait at once.
pub const SESSIONS: u64 = 40;

const DEVICES: [&str; 3] = ["sda", CULPRIT, "sdc"];
const SEED: u64 = 2026;
/// So many intervals of a second that none is joined with another.
const LIMITS: BinnerLimits = BinnerLimits::cells(1 << 14);

const fn seconds(count: u64) -> Nanos {
    Nanos::from_millis(1_000 * count)
}

/// A moment of the story.
pub fn at(after: Nanos) -> Timestamp {
    START.plus(after)
}

/// How often and how long.
#[derive(Copy, Clone)]
struct Band {
    rate_hz: f64,
    middle_us: f64,
    /// The standard deviation of the logarithm to base 2.
    octaves: f64,
}

const CACHE: Band = Band { rate_hz: 240.0, middle_us: 120.0, octaves: 0.35 };
const DISK: Band = Band { rate_hz: 40.0, middle_us: 5_000.0, octaves: 0.4 };
const INCIDENT: Band = Band { rate_hz: 55.0, middle_us: 45_000.0, octaves: 0.3 };
const COMMIT: Band = Band { rate_hz: 120.0, middle_us: 1_000.0, octaves: 0.4 };
const DEPLOYED: Band = Band { middle_us: 3_000.0, ..COMMIT };

/// One event: when after the start it began, and how long it took.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub begin: Nanos,
    pub latency: Nanos,
}

impl Operation {
    /// When after the start it ended.
    pub fn end(self) -> Nanos {
        sum(self.begin, self.latency)
    }

    fn lies_in(self, (from, to): (Nanos, Nanos)) -> bool {
        self.begin >= from && self.end() < to
    }
}

fn sum(one: Nanos, other: Nanos) -> Nanos {
    one.checked_add(other).unwrap_or(Nanos::new(u64::MAX))
}

/// What was observed: all but the gap.
const OBSERVED: [(Nanos, Nanos); 2] = [(Nanos::ZERO, GAP.0), (GAP.1, LENGTH)];

/// What happened.
pub struct Scenario {
    /// Every event that was observed from its beginning to its end.
    pub operations: Vec<(Series, Vec<Operation>)>,
}

impl Scenario {
    /// Draws it.
    pub fn draw() -> Scenario {
        let mut random = Random::new(SEED);
        let mut operations: Vec<(Series, Vec<Operation>)> = DEVICES
            .iter()
            .map(|&device| {
                let attributes = [("device", device), ("op", "read")];
                (Series::with_attributes("block I/O", attributes), reads(&mut random, device))
            })
            .collect();
        operations.push((Series::named("log file sync"), commits(&mut random)));
        for (_, one) in &mut operations {
            one.retain(|operation| OBSERVED.iter().any(|part| operation.lies_in(*part)));
        }
        Scenario { operations }
    }

    /// How many events there are.
    pub fn events(&self) -> u64 {
        self.operations.iter().map(|(_, one)| one.len() as u64).sum()
    }

    /// The intervals: before the gap, the gap, and after it.
    pub fn frames(&self) -> Vec<Frame> {
        let [before, after] = OBSERVED.map(|part| self.part(part));
        before.into_iter().chain(self.gap()).chain(after).collect()
    }

    fn part(&self, part: (Nanos, Nanos)) -> Vec<Frame> {
        let mut binner = Binner::new(Nanos::SECOND, LIMITS);
        binner.observe(at(part.0), at(part.1));
        for (series, operations) in &self.operations {
            for one in operations.iter().filter(|one| one.lies_in(part)) {
                binner.record(at(one.end()), series, one.latency);
            }
        }
        let mut frames = Vec::new();
        binner.finish(&mut |frame| frames.push(frame));
        frames
    }

    fn gap(&self) -> impl Iterator<Item = Frame> {
        self.operations.iter().map(|(series, _)| Frame {
            series: series.clone(),
            start: at(GAP.0),
            end: at(GAP.1),
            counts: Histogram::empty(Scheme::log_linear()),
            quality: Quality::Gap(Gap::SourceAway),
        })
    }

    /// The moments that somebody marked.
    pub fn marks() -> Vec<Mark> {
        vec![Mark { at: at(DEPLOY), text: "deploy v2".to_owned() }]
    }
}

/// The reads of one device.
fn reads(random: &mut Random, device: &str) -> Vec<Operation> {
    let mut all = of_band(random, CACHE, (Nanos::ZERO, LENGTH));
    all.extend(of_band(random, DISK, (Nanos::ZERO, LENGTH)));
    if device == CULPRIT {
        all.extend(of_band(random, INCIDENT, BAND));
    }
    all
}

/// The commits. Those that would end in the stall end shortly after it, one after the other; once
/// all sessions wait, none begins another.
fn commits(random: &mut Random) -> Vec<Operation> {
    let mut all = of_band(random, COMMIT, (Nanos::ZERO, DEPLOY));
    all.sort_by_key(|one| one.begin);
    let mut stalled = 0;
    all.retain_mut(|one| {
        if one.begin >= STALL.1 || one.end() < STALL.0 {
            return true;
        }
        stalled += 1;
        let end = sum(STALL.1, Nanos::from_millis(stalled));
        one.latency = end.checked_sub(one.begin).unwrap_or_default();
        stalled <= SESSIONS
    });
    all.extend(of_band(random, DEPLOYED, (DEPLOY, LENGTH)));
    all
}

/// Events that begin at random, as often as the band says, in whole seconds. What is drawn is
/// rounded to microseconds, far more than two machines' logarithms differ by.
fn of_band(random: &mut Random, band: Band, (from, to): (Nanos, Nanos)) -> Vec<Operation> {
    let mut all = Vec::new();
    for second in from.as_nanos() / 1_000_000_000..to.as_nanos() / 1_000_000_000 {
        for _ in 0..poisson(random, band.rate_hz) {
            let begin_us = 1_000_000 * second + random.below(1_000_000);
            let latency_us = band.middle_us * (band.octaves * random.normal()).exp2();
            let latency = Nanos::from_secs_f64(latency_us.round() / 1e6).unwrap_or_default();
            all.push(Operation { begin: Nanos::new(1_000 * begin_us), latency });
        }
    }
    all
}

/// How many events of a Poisson process there are where so many are expected.
fn poisson(random: &mut Random, expected: f64) -> u64 {
    let (mut count, mut until) = (0, random.exponential());
    while until < expected {
        until += random.exponential();
        count += 1;
    }
    count
}

#[cfg(test)]
#[path = "scenario_tests.rs"]
mod tests;
