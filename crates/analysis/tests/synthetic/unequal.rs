//! Pairs of runs of single events whose processes, and so whose true ratios, are known: what is rare
//! or comes in stretches, on one side or on both. The same seed gives the same pair.

use isotherm_analysis::{Excerpt, History, Timeline};
use isotherm_frame::{Binner, BinnerLimits, Nanos, Random, Series, Timestamp};

/// Events of a run: how long each takes, and when.
#[derive(Copy, Clone, Debug)]
pub struct Process {
    /// Events per second.
    pub rate_hz: f64,
    /// How long events take.
    pub latency: Latency,
    /// Stalls that come by chance, so many per run on average.
    pub stalls: f64,
}

/// How long events take, in seconds.
#[derive(Copy, Clone, Debug)]
pub enum Latency {
    /// Half to one and a half milliseconds, and this share of events so many times as long.
    Rare(f64, f64),
    /// Exponential of this mean.
    Exponential(f64),
    /// Lognormal of this median and deviation of the logarithm.
    Lognormal(f64, f64),
    /// Half to one and a half milliseconds, and so many times as long in stretches that last 5 s
    /// on average and follow upon as long ones without.
    OnOff(f64),
}

/// A pair of runs and what is true of them.
#[derive(Copy, Clone, Debug)]
pub struct Pair {
    pub name: &'static str,
    pub sides: [Process; 2],
    pub seconds: f64,
}

/// A stall holds up so many events, which all end together.
const HELD_UP: usize = 40;
/// For so long, on average.
const STALL_S: f64 = 2.4;
/// The mean length of a stretch of [`Latency::OnOff`].
const STRETCH_S: f64 = 5.0;

const STEADY: Process = Process { rate_hz: 50.0, latency: Latency::Rare(0.0, 1.0), stalls: 0.0 };

impl Process {
    const fn of(latency: Latency) -> Process {
        Process { latency, ..STEADY }
    }

    /// The true mean latency of a run of so many seconds.
    fn mean_s(&self, seconds: f64) -> f64 {
        let (events, held) = (self.rate_hz * seconds, self.stalls * HELD_UP as f64);
        (events * self.latency.mean_s() + held * STALL_S) / (events + held)
    }

    /// The true number of events of a run of so many seconds.
    fn events(&self, seconds: f64) -> f64 {
        self.rate_hz * seconds + self.stalls * HELD_UP as f64
    }

    /// The ends of events, from zero on, and how long they took.
    pub fn draw(&self, seconds: f64, random: &mut Random) -> Vec<(f64, f64)> {
        let slow = match self.latency {
            Latency::OnOff(_) => stretches(seconds, random),
            _ => Vec::new(),
        };
        let mut events = Vec::new();
        let mut at = random.exponential() / self.rate_hz;
        while at < seconds {
            let held = slow.iter().any(|(from, to)| (*from..*to).contains(&at));
            events.push((at, self.latency.draw(held, random)));
            at += random.exponential() / self.rate_hz;
        }
        let mut stall = random.exponential();
        while stall < self.stalls {
            let end = 3.0 + random.unit() * (seconds - 3.0);
            let part = |random: &mut Random| {
                (end + 0.01 * random.unit(), STALL_S * (0.9 + 0.2 * random.unit()))
            };
            events.extend((0..HELD_UP).map(|_| part(random)));
            stall += random.exponential();
        }
        events.sort_by(|one, two| one.0.total_cmp(&two.0));
        events
    }
}

/// Pairs of which one side or both have what is rare or comes in stretches.
pub fn pairs() -> Vec<Pair> {
    let rare = |share, times| Process::of(Latency::Rare(share, times));
    let often = Process { rate_hz: 100.0, ..STEADY };
    let stalls = |stalls: f64| Process { stalls, ..often };
    let exponential = Process::of(Latency::Exponential(1e-3));
    let lognormal = Process::of(Latency::Lognormal(1e-3, 2.0));
    let on_off = Process::of(Latency::OnOff(5.0));
    let of = |name, a, b, seconds| Pair { name, sides: [a, b], seconds };
    vec![
        of("both exponential", exponential, exponential, 60.0),
        of("1 % x50 in B", STEADY, rare(0.01, 50.0), 60.0),
        of("5 % x50 in B", STEADY, rare(0.05, 50.0), 60.0),
        of("1 % x1000 in B", STEADY, rare(0.01, 1000.0), 60.0),
        of("5 % x1000 in B", STEADY, rare(0.05, 1000.0), 60.0),
        of("0.2 % x1000 in B", STEADY, rare(0.002, 1000.0), 60.0),
        of("1 % x50 in A", rare(0.01, 50.0), STEADY, 60.0),
        of("1 % x1000 in both", rare(0.01, 1000.0), rare(0.01, 1000.0), 60.0),
        of("1 % in A, 2 % in B x1000", rare(0.01, 1000.0), rare(0.02, 1000.0), 60.0),
        of("lognormal, 2, in both", lognormal, lognormal, 60.0),
        of("lognormal, 2, in B", exponential, lognormal, 60.0),
        of("1 stall on average in both", stalls(1.0), stalls(1.0), 120.0),
        of("3 stalls on average in B", often, stalls(3.0), 120.0),
        of("on and off in both", on_off, on_off, 120.0),
        of("on and off in B", STEADY, on_off, 120.0),
        of("on and off in B, 600 s", STEADY, on_off, 600.0),
        of("1 % x50 in B, 600 s", STEADY, rare(0.01, 50.0), 600.0),
    ]
}

impl Latency {
    fn mean_s(self) -> f64 {
        match self {
            Latency::Rare(share, times) => 1e-3 * (1.0 - share + share * times),
            Latency::Exponential(mean) => mean,
            Latency::Lognormal(median, deviation) => median * (deviation * deviation / 2.0).exp(),
            Latency::OnOff(times) => 1e-3 * f64::midpoint(1.0, times),
        }
    }

    fn draw(self, held: bool, random: &mut Random) -> f64 {
        let short = 1e-3 * (0.5 + random.unit());
        match self {
            Latency::Rare(share, times) if random.unit() < share => short * times,
            Latency::OnOff(times) if held => short * times,
            Latency::Rare(..) | Latency::OnOff(_) => short,
            Latency::Exponential(mean) => mean * random.exponential(),
            Latency::Lognormal(median, deviation) => median * (deviation * random.normal()).exp(),
        }
    }
}

/// Stretches of exponential length with as long ones between them.
fn stretches(seconds: f64, random: &mut Random) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    let mut at = if random.unit() < 0.5 { 0.0 } else { STRETCH_S * random.exponential() };
    while at < seconds {
        let end = at + STRETCH_S * random.exponential();
        found.push((at, end));
        at = end + STRETCH_S * random.exponential();
    }
    found
}

impl Pair {
    /// The true ratios of the mean, of the time waited and of the rate.
    pub fn truth(&self) -> [f64; 3] {
        let [a, b] = self.sides;
        let mean = b.mean_s(self.seconds) / a.mean_s(self.seconds);
        let rate = b.events(self.seconds) / a.events(self.seconds);
        [mean, mean * rate, rate]
    }

    /// Both runs, as `compare` reads single events: by the second.
    pub fn draw(&self, seed: u64) -> [Timeline; 2] {
        let mut random = Random::new(Random::new(seed).next());
        self.sides.map(|side| timeline(&side.draw(self.seconds, &mut random), self.seconds))
    }
}

fn timeline(events: &[(f64, f64)], seconds: f64) -> Timeline {
    let series = Series::named("read");
    let at = |seconds: f64| Timestamp::new(0).plus(Nanos::from_secs_f64(seconds).unwrap());
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    binner.observe(at(0.0), at(seconds));
    for &(end, latency) in events {
        let latency = Nanos::from_secs_f64(latency).unwrap();
        assert!(binner.record(at(end), &series, latency).behind.is_none());
    }
    let mut history = History::of_everything(usize::MAX);
    binner.finish(&mut |frame| history.push(&frame));
    let all = Excerpt::of(&history);
    all.timeline(all.grid(600).unwrap())
}
