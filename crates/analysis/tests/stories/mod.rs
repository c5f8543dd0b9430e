//! Stories: seeded recordings with one planted phenomenon each, and what must be found in them.
//!
//! Frames of one second from a fixed moment on, the last one cut after a fifth of it. The same seed
//! gives the same story.

use isotherm_analysis::{ChangeKind, Circumstances, Findings, ResponseKind};
use isotherm_frame::{
    Frame, Gap, Histogram, Nanos, Quality, Random, Scheme, Series, Timestamp, Unit,
};

/// A planted phenomenon.
pub struct Story {
    pub name: &'static str,
    pub frames: fn(&mut Chance) -> Vec<Frame>,
    pub truth: Truth,
}

/// What must be found, with the second at which it begins.
#[derive(Copy, Clone, Debug)]
pub enum Truth {
    /// Nothing happens; what is always so may be said.
    Steady,
    Burst(i64),
    /// A change of this kind that begins at a second and ends at another, if it ends.
    Change(fn(&ChangeKind) -> bool, i64, Option<i64>),
    /// Something from then to then, bit by bit: to a tenth of its length.
    Drift(fn(&ChangeKind) -> bool, i64, i64),
    /// Bursts each so many seconds, so many of them.
    Period(f64, usize),
    /// Latency that follows load.
    Follows,
    /// So many seconds of which nothing is known, and so many resets.
    Gaps(f64, usize),
}

/// Draws from distributions.
pub struct Chance(Random);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(Random::new(Random::new(!seed).next()))
    }

    fn poisson(&mut self, mean: f64) -> usize {
        let mut left = mean;
        let mut count = 0;
        loop {
            left += (1.0 - self.0.unit()).ln();
            if left < 0.0 {
                return count;
            }
            count += 1;
        }
    }

    /// Around a middle, with a deviation in octaves.
    fn lognormal(&mut self, middle_us: f64, octaves: f64) -> f64 {
        middle_us * (octaves * self.0.normal()).exp2()
    }

    fn exponential(&mut self, mean_us: f64) -> f64 {
        -mean_us * (1.0 - self.0.unit()).ln()
    }
}

/// 2025-11-21 14:30:00 UTC.
const START: i64 = 1_763_735_400;
/// The length of most stories.
const LENGTH: i64 = 600;
/// The part of its last second that a recording covers.
const LAST: f64 = 0.19;

pub fn at(second: i64) -> Timestamp {
    Timestamp::new((START + second) * 1_000_000_000)
}

/// A frame of one second with these latencies in microseconds.
fn frame(series: &Series, scheme: &Scheme, second: i64, latencies_us: Vec<f64>) -> Frame {
    let mut counts = Histogram::empty(scheme.clone());
    for us in latencies_us {
        counts.record(Nanos::from_secs_f64(us / 1e6).unwrap_or_default());
    }
    let (series, quality) = (series.clone(), Quality::Complete);
    Frame { series, start: at(second), end: at(second + 1), counts, quality }
}

/// Frames whose latencies in each second `draw` gives; the last one is cut.
fn run(
    chance: &mut Chance,
    seconds: i64,
    mut draw: impl FnMut(i64, &mut Chance) -> Vec<f64>,
) -> Vec<Frame> {
    let (series, scheme) = (Series::named("read"), Scheme::log_linear());
    let mut frames: Vec<Frame> =
        (0..seconds).map(|second| frame(&series, &scheme, second, draw(second, chance))).collect();
    let mut cut = draw(seconds, chance);
    cut.truncate((cut.len() as f64 * LAST) as usize);
    let mut last = frame(&series, &scheme, seconds, cut);
    last.end = last.start.plus(Nanos::from_secs_f64(LAST).unwrap_or_default());
    frames.push(last);
    frames
}

/// Events per second, the middle in microseconds and its deviation in octaves.
type Peak = (f64, f64, f64);

fn hills(chance: &mut Chance, hills: &[Peak]) -> Vec<f64> {
    let mut all = Vec::new();
    for &(rate, middle_us, octaves) in hills {
        for _ in 0..chance.poisson(rate) {
            all.push(chance.lognormal(middle_us, octaves));
        }
    }
    all
}

/// A run of hills that depend on the second.
fn course(chance: &mut Chance, of: impl Fn(i64) -> Vec<Peak>) -> Vec<Frame> {
    run(chance, LENGTH, |second, chance| hills(chance, &of(second)))
}

const PLAIN: Peak = (200.0, 1_000.0, 0.45);

/// Several series of one second each, coarsely counted; `of` gives the hills of a series.
fn together(
    chance: &mut Chance,
    (count, seconds): (usize, i64),
    of: impl Fn(usize, i64) -> Vec<Peak>,
) -> Vec<Frame> {
    let scheme = Scheme::powers_of_two(Unit::Micros);
    let mut frames = Vec::new();
    for one in 0..count {
        let series = Series::with_attributes("wait", [("session", format!("s{one}"))]);
        for second in 0..seconds {
            let latencies = hills(chance, &of(one, second));
            frames.push(frame(&series, &scheme, second, latencies));
        }
    }
    frames
}

/// Level noise: each latency times this, the rate times that, each second like the one before.
fn waves(chance: &mut Chance, alike: f64, spread: f64) -> Vec<Frame> {
    let fresh = (1.0 - alike * alike).sqrt();
    let (mut load, mut place) = (0.0, 0.0);
    run(chance, LENGTH, |_, chance| {
        load = alike * load + fresh * chance.0.normal();
        place = alike * place + fresh * chance.0.normal();
        let middle = 1_000.0 * (0.5 * spread * place).exp();
        hills(chance, &[(200.0 * (spread * load).exp(), middle, 0.45)])
    })
}

/// A server that answers 200 a second, under a load that grows from 50 to 190.
fn saturation(chance: &mut Chance) -> Vec<Frame> {
    let mut load = 0.0;
    run(chance, LENGTH, |second, chance| {
        load = 0.8 * load + 0.6 * chance.0.normal();
        let rate = (50.0 + 135.0 * second as f64 / LENGTH as f64) * (0.05 * load).exp();
        let rate = rate.min(190.0);
        let mean = 1e6 / (200.0 - rate);
        (0..chance.poisson(rate)).map(|_| chance.exponential(mean)).collect()
    })
}

/// Two seconds in which nothing ends, and then all that was due.
fn stall(chance: &mut Chance) -> Vec<Frame> {
    run(chance, LENGTH, |second, chance| match second {
        300 | 301 => Vec::new(),
        302 => {
            let mut late: Vec<f64> = (0..400).map(|_| 2e6 * chance.0.unit()).collect();
            late.extend(hills(chance, &[PLAIN]));
            late
        }
        _ => hills(chance, &[PLAIN]),
    })
}

/// Counters of which nothing is known for 40 s.
fn gap(chance: &mut Chance, gap: Gap) -> Vec<Frame> {
    let mut frames = course(chance, |_| vec![PLAIN]);
    frames.retain(|frame| frame.start < at(200) || frame.start >= at(240));
    let counts = frames[0].counts.cleared();
    let (series, quality) = (frames[0].series.clone(), Quality::Gap(gap));
    frames.insert(200, Frame { series, start: at(200), end: at(240), counts, quality });
    frames
}

fn between(second: i64, from: i64, to: i64, inside: f64, outside: f64) -> f64 {
    if (from..to).contains(&second) { inside } else { outside }
}

fn scales(kind: &ChangeKind, from: f64, to: f64) -> bool {
    matches!(kind, ChangeKind::Scales(factor) if (from..to).contains(factor))
}

/// The stories in which something happens.
pub fn planted() -> Vec<Story> {
    let mut all = levels();
    all.extend(happenings());
    all
}

/// Bursts, steps and drifts.
fn levels() -> Vec<Story> {
    let story = |name, frames, truth| Story { name, frames, truth };
    vec![
        story(
            "a burst of 4 s",
            |c| course(c, |s| vec![PLAIN, (between(s, 155, 159, 400.0, 0.0), 5e5, 0.3)]),
            Truth::Burst(155),
        ),
        story(
            "three times as long",
            |c| course(c, |s| vec![(200.0, between(s, 300, 999, 3e3, 1e3), 0.45)]),
            Truth::Change(|kind| scales(kind, 2.8, 3.2), 300, None),
        ),
        story(
            "a third as long",
            |c| course(c, |s| vec![(200.0, between(s, 300, 999, 1e3, 3e3), 0.45)]),
            Truth::Change(|kind| scales(kind, 0.31, 0.36), 300, None),
        ),
        story(
            "everything 20 % longer",
            |c| course(c, |s| vec![(200.0, between(s, 340, 999, 1.2e3, 1e3), 0.45)]),
            Truth::Change(|kind| scales(kind, 1.15, 1.25), 340, None),
        ),
        story(
            "a drift to three times",
            |c| course(c, |s| vec![(200.0, 1e3 * 3_f64.powf(s as f64 / 600.0), 0.45)]),
            Truth::Drift(|kind| *kind == ChangeKind::Drifts, 0, 600),
        ),
        story(
            "a drift between levels",
            |c| {
                course(c, |s| {
                    let part = (s.clamp(200, 400) - 200) as f64 / 200.0;
                    vec![(200.0, 1e3 * 4_f64.powf(part), 0.45)]
                })
            },
            Truth::Drift(|kind| *kind == ChangeKind::Drifts, 200, 400),
        ),
        story(
            "load that doubles bit by bit",
            |c| course(c, |s| vec![(100.0 + 100.0 * s as f64 / 600.0, 1e3, 0.45)]),
            Truth::Drift(|kind| *kind == ChangeKind::RateDrifts, 0, 600),
        ),
        story(
            "twice the load",
            |c| course(c, |s| vec![(between(s, 300, 999, 200.0, 100.0), 1e3, 0.45)]),
            Truth::Change(|kind| *kind == ChangeKind::Rate, 300, None),
        ),
    ]
}

/// What comes again, comes and goes, or is missing.
fn happenings() -> Vec<Story> {
    let story = |name, frames, truth| Story { name, frames, truth };
    let appears: fn(&ChangeKind) -> bool = |kind| matches!(kind, ChangeKind::Appears(_));
    vec![
        story(
            "slow waits each minute",
            |c| course(c, |s| vec![PLAIN, (if (s + 55) % 60 < 3 { 30.0 } else { 0.3 }, 2e4, 0.5)]),
            Truth::Period(60.0, 10),
        ),
        story(
            "a stall with catch-up",
            stall,
            Truth::Change(|kind| matches!(kind, ChangeKind::Stalls(_)), 300, Some(303)),
        ),
        story(
            "a new band in one of ten series",
            |c| {
                together(c, (10, 300), |one, second| {
                    let slow = if one == 3 { between(second, 150, 999, 20.0, 0.0) } else { 0.0 };
                    vec![(20.0 - slow, 1e3, 0.45), (slow, 3e4, 0.3)]
                })
            },
            Truth::Change(appears, 150, None),
        ),
        story("saturation", saturation, Truth::Follows),
        story(
            "a cache that is lost",
            |c| course(c, |s| vec![(between(s, 0, 300, 100.0, 0.0), 1e2, 0.4), (100.0, 6e3, 0.4)]),
            Truth::Change(|kind| matches!(kind, ChangeKind::Vanishes(_)), 300, None),
        ),
        story(
            "one culprit of 50 sessions",
            |c| {
                together(c, (50, 240), |one, second| {
                    let slow = if one == 11 { between(second, 100, 160, 20.0, 0.0) } else { 0.0 };
                    vec![(4.0, 1e3, 0.45), (slow, 5e4, 0.3)]
                })
            },
            Truth::Change(appears, 100, Some(160)),
        ),
        story("a gap", |c| gap(c, Gap::SourceAway), Truth::Gaps(40.0, 0)),
        story("a reset", |c| gap(c, Gap::Reset), Truth::Gaps(40.0, 1)),
        story(
            "silence",
            |c| course(c, |s| vec![(between(s, 200, 240, 0.0, 200.0), 1e3, 0.45)]),
            Truth::Change(|kind| *kind == ChangeKind::Silent, 200, Some(240)),
        ),
        story(
            "an end",
            |c| course(c, |s| vec![(between(s, 300, 999, 0.0, 200.0), 1e3, 0.45)]),
            Truth::Change(|kind| *kind == ChangeKind::Stops, 300, None),
        ),
    ]
}

/// The stories in which nothing happens.
pub fn steady() -> Vec<Story> {
    let story = |name, frames| Story { name, frames, truth: Truth::Steady };
    vec![
        story("exponential", |c| {
            run(c, LENGTH, |_, c| (0..c.poisson(100.0)).map(|_| c.exponential(1e3)).collect())
        }),
        story("lognormal", |c| course(c, |_| vec![PLAIN])),
        story("bimodal", |c| course(c, |_| vec![(140.0, 2e2, 0.4), (60.0, 8e3, 0.4)])),
        story("Pareto", |c| {
            run(c, LENGTH, |_, c| {
                (0..c.poisson(100.0)).map(|_| 500.0 * (1.0 - c.0.unit()).powf(-1.0 / 1.5)).collect()
            })
        }),
        story("each second like the one before", |c| waves(c, 0.6, 0.15)),
        story("Poisson arrivals, 20 a second", |c| course(c, |_| vec![(20.0, 1e3, 0.6)])),
        story("a fixed rate", |c| {
            run(c, LENGTH, |_, c| (0..64).map(|_| c.lognormal(1e3, 0.45)).collect())
        }),
        story("few events", |c| course(c, |_| vec![(0.5, 1e3, 0.6)])),
        story("many events", |c| course(c, |_| vec![(2_000.0, 1e3, 0.45)])),
        story("two devices", |c| {
            together(c, (2, 300), |one, _| vec![(60.0, [3e2, 5e3][one.min(1)], 0.45)])
        }),
        story("one session that always waits 5 s", |c| {
            run(c, LENGTH, |second, _| if second % 5 == 4 { vec![5e6] } else { Vec::new() })
        }),
    ]
}

/// What is found in a story.
pub fn found(story: &Story, seed: u64) -> (Vec<Frame>, Findings) {
    let frames = (story.frames)(&mut Chance::new(seed));
    let findings = Findings::of_frames(&frames, &Circumstances::default());
    let nothing =
        || Findings::of_total(&frames[0].counts.cleared(), 0.0, &Circumstances::default());
    let findings = findings.unwrap_or_else(nothing);
    (frames, findings)
}

/// What is wrong with what was found: what was planted is missing, or something else is there.
pub fn faults(truth: Truth, found: &Findings) -> Option<String> {
    let near =
        |one: Timestamp, second: i64, by: i64| (at(second - by)..=at(second + by)).contains(&one);
    let is_planted = |change: &isotherm_analysis::Change| match truth {
        Truth::Change(kind, start, end) => {
            let ends = match (change.end, end) {
                (Some(end), Some(second)) => near(end, second, 1),
                (end, second) => end.is_none() && second.is_none(),
            };
            kind(&change.kind) && near(change.start, start, 1) && ends
        }
        Truth::Drift(kind, start, end) => {
            let by = (end - start) / 8;
            let to = change.end.unwrap_or(at(LENGTH));
            kind(&change.kind) && near(change.start, start, by) && near(to, end, by)
        }
        // A load that grows is the other half of latency that follows it.
        Truth::Follows => change.kind == ChangeKind::RateDrifts,
        _ => false,
    };
    let missing = match truth {
        Truth::Steady => false,
        Truth::Burst(second) => !found.bursts.iter().any(|burst| near(burst.start, second, 1)),
        Truth::Change(..) | Truth::Drift(..) => !found.changes.iter().any(is_planted),
        Truth::Period(every, times) => found.period.is_none_or(|period| {
            period.cycles != times || (period.every.as_secs_f64() / every - 1.0).abs() > 0.02
        }),
        Truth::Follows => {
            !found.response.is_some_and(|found| matches!(found.kind, ResponseKind::Follows(_)))
        }
        Truth::Gaps(seconds, resets) => found
            .gaps
            .is_none_or(|gaps| (gaps.missing_s - seconds).abs() > 1.5 || gaps.resets != resets),
    };
    if missing {
        return Some(format!("missing: {:?} {:?} {:?}", kinds(found), found.gaps, found.response));
    }
    let others = found.changes.iter().any(|change| !is_planted(change))
        || (found.period.is_some() && !matches!(truth, Truth::Period(..)))
        || (found.bursts.len() > usize::from(matches!(truth, Truth::Burst(_)))
            && !matches!(truth, Truth::Follows))
        || (found.response.is_some() && matches!(truth, Truth::Steady));
    others.then(|| format!("false: {:?} {:?}", kinds(found), found.response))
}

/// The kinds and seconds of what was found over time.
fn kinds(found: &Findings) -> Vec<String> {
    let second = |at: Timestamp| at.as_nanos() as f64 / 1e9 - START as f64;
    let changes = found.changes.iter().map(|change| {
        format!("{:?} {:?}-{:?}", change.kind, second(change.start), change.end.map(second))
    });
    let bursts = found.bursts.iter().map(|burst| format!("burst {:?}", second(burst.start)));
    let period = found.period.iter().map(|period| format!("{period:?}"));
    changes.chain(bursts).chain(period).collect()
}
