//! A scripted scene: two modes, a backup that fills the disk, a gap, a reset, rare outliers.

use std::sync::LazyLock;

use isotherm_frame::{Frame, Gap, Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit};

/// The scene's first second: 2026-03-01 14:30:40 UTC.
pub const BEGIN_S: i64 = 1_772_375_440;
/// The seconds of the scene.
pub const SECONDS: i64 = 100;

/// How fine the source's buckets are.
#[derive(Copy, Clone, PartialEq, Eq)]
#[allow(dead_code, reason = "not every test uses both")]
pub enum Grain {
    Fine,
    PowersOfTwo,
}

pub fn at(second: i64) -> Timestamp {
    Timestamp::new((BEGIN_S + second) * 1_000_000_000)
}

/// The frames of one second of the scene.
pub fn second(second: i64, grain: Grain) -> Vec<Frame> {
    let mut random =
        Random(0x9e37_79b9_7f4a_7c15 ^ second.unsigned_abs().wrapping_mul(0x2545_f491));
    let backup = (40..62).contains(&second);
    let mut reads = Counter::new(grain);
    let (fast, slow) = if backup { (1_900, 700) } else { (3_600, 1_400) };
    reads.add(&mut random, fast, 220.0, 0.35);
    reads.add(&mut random, slow, 7_200.0, 0.38);
    if backup {
        reads.add(&mut random, 2_300, 19_500.0, 0.22);
    }
    reads.add(&mut random, 150, 900.0, 0.8);
    reads.add(&mut random, 40, 60_000.0, 0.5);
    if random.unit() < 0.4 {
        reads.add(&mut random, 2, 350_000.0, 0.6);
    }
    let mut scattered = Counter::new(grain);
    scattered.add(&mut random, 60, 2_500.0, 0.8);
    let mut sync = Counter::new(grain);
    sync.add(
        &mut random,
        if backup { 180 } else { 220 },
        if backup { 9_000.0 } else { 1_800.0 },
        0.4,
    );
    let mut write = Counter::new(grain);
    write.add(&mut random, 210, 900.0, 0.3);
    [
        ("db file sequential read", reads),
        ("db file scattered read", scattered),
        ("log file sync", sync),
        ("log file parallel write", write),
    ]
    .into_iter()
    .filter_map(|(name, counter)| counter.frame(name, second))
    .collect()
}

/// The whole scene.
pub fn frames(grain: Grain) -> Vec<Frame> {
    static FINE: LazyLock<Vec<Frame>> = LazyLock::new(|| scene(Grain::Fine));
    static COARSE: LazyLock<Vec<Frame>> = LazyLock::new(|| scene(Grain::PowersOfTwo));
    if grain == Grain::Fine { FINE.clone() } else { COARSE.clone() }
}

fn scene(grain: Grain) -> Vec<Frame> {
    (0..SECONDS).flat_map(|number| second(number, grain)).collect()
}

struct Counter {
    counts: Histogram,
    exact: bool,
}

impl Counter {
    fn new(grain: Grain) -> Counter {
        let fine = grain == Grain::Fine;
        let scheme = if fine { Scheme::log_linear() } else { Scheme::powers_of_two(Unit::Micros) };
        Counter { counts: Histogram::empty(scheme), exact: fine }
    }

    /// `count` latencies, give or take a few percent, around `micros`, log-normal.
    fn add(&mut self, random: &mut Random, count: u64, micros: f64, width: f64) {
        for _ in 0..count * (940 + random.next() % 121) / 1_000 {
            let latency = micros * (width * random.normal()).exp() / 1e6;
            self.counts.record(Nanos::from_secs_f64(latency).unwrap_or_default());
        }
    }

    fn frame(self, name: &str, second: i64) -> Option<Frame> {
        // The source is away for three seconds, and its counters are reset after them.
        let away = (78..81).contains(&second);
        let reset = second == 81;
        if away {
            return None;
        }
        let counts = if reset { self.counts.cleared() } else { self.counts };
        let counts = if self.exact { counts } else { counts.with_sum(None) };
        let quality = if reset { Quality::Gap(Gap::Reset) } else { Quality::Complete };
        let (start, end) = (at(second), at(second + 1));
        Some(Frame { series: Series::named(name), start, end, counts, quality })
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}
