//! How finely latencies were measured, as far as their counts tell.

use isotherm_frame::{Bucket, Histogram};

/// Resolutions a clock may have: decimal parts of a second, in nanoseconds, the coarsest first.
const UNITS: [u64; 9] =
    [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10];
/// This many empty buckets in which no multiple of a unit lies make it the resolution.
const LEAST_EMPTY: usize = 3;
/// So does one between two buckets with this many events each: it is not empty by chance.
const LEAST_BESIDE: u64 = 10;

/// The coarsest unit all latencies may be multiples of, in nanoseconds, when buckets are narrow
/// enough to show it. It is a decimal part of a second that all are multiples of, or the tick of
/// whatever clock most of them were read from.
///
/// Latencies in whole microseconds, counted in buckets of half a microsecond, fill every other
/// bucket. Without this each of them would be a mode.
pub(crate) fn resolution(counts: &Histogram) -> Option<f64> {
    let decimal = decimal(counts);
    // The tick of a decimal clock is that unit, found less exactly; another holds all there is.
    let is_other =
        |(tick, off): &(f64, u64)| decimal.is_none_or(|unit| *off == 0 && *tick > COARSER * unit);
    tick(counts).filter(is_other).map(|(tick, _)| tick).or(decimal)
}

/// The coarsest decimal part of a second all latencies may be multiples of: the buckets between the
/// first and the last event in which no multiple lies are empty, and there are some. (Where each
/// bucket holds one multiple or more, nothing shows it.)
fn decimal(counts: &Histogram) -> Option<f64> {
    let (first, _) = counts.counted().next()?;
    let (last, _) = counts.counted().next_back()?;
    UNITS.into_iter().map(|unit| unit as f64).find(|&unit| {
        let holds = |bucket: Bucket| multiples(bucket, unit).is_some();
        let empty = || (first..last).filter(|&index| !holds(counts.scheme().bucket(index)));
        let alone =
            |index: usize| counts.count(index - 1).min(counts.count(index + 1)) >= LEAST_BESIDE;
        counts.non_zero().all(|(bucket, _)| holds(bucket))
            && (empty().count() >= LEAST_EMPTY || empty().any(alone))
    })
}

/// Where multiples of a tick are written rounded, they are off by this share of it.
const ROUNDED: f64 = 0.04;
/// At most this share of the events lies between the ticks: they were measured otherwise.
const STRAY: f64 = 0.1;
/// A bucket with this share of the events of the fuller ones beside it is a gap.
const GAP: f64 = 0.2;
/// So many ticks one after the other have events, with gaps between: two may be two bands.
const LEAST_TICKS: usize = 3;
/// A bucket shows where a tick is if it is narrower than this share of it.
const NARROW: f64 = 0.5;
/// Candidates are so much finer than the one before.
const FINER: f64 = 0.997;
/// Ticks off which there are so many times the events, at most, are as good: what was measured
/// otherwise lies anywhere.
const AS_GOOD: f64 = 1.5;
/// Of ticks not finer than this share of the coarsest possible one the best counts.
const ALIKE: f64 = 0.9;
/// A tick is another than a decimal unit if it is so many times as long.
const COARSER: f64 = 1.5;
/// The shortest latency is so many times a tick, or the other way round, at most.
const MOST_MULTIPLES: f64 = 10.0;

/// The coarsest tick, whatever its length, that nearly all latencies are multiples of. Where buckets
/// are narrower than a tick, those between two multiples are empty, and several multiples in a row are
/// not: bands of latencies do not lie in even steps from zero.
fn tick(counts: &Histogram) -> Option<(f64, u64)> {
    if counts.is_averages() || gaps(counts) + 1 < LEAST_TICKS {
        return None;
    }
    let (shortest, _) = counts.non_zero().find(|(bucket, _)| bucket.lo.as_nanos() > 0)?;
    let coarsest = shortest.hi?.as_nanos() as f64 * MOST_MULTIPLES;
    let finest = shortest.lo.as_nanos() as f64 / MOST_MULTIPLES;
    // Possible ticks, the coarsest first, with the events off them.
    let mut possible: Vec<(f64, u64)> = Vec::new();
    let mut unit = coarsest;
    while unit > finest {
        possible.extend(off_ticks(counts, unit).map(|off| (unit, off)));
        unit *= FINER;
    }
    // One that holds everything is better than a coarser one that nearly does.
    let exact = possible.iter().find(|(_, off)| *off == 0);
    let (coarsest, _) = *exact.or(possible.first())?;
    possible.retain(|(unit, _)| *unit <= coarsest && *unit > ALIKE * coarsest);
    let least = possible.iter().map(|(_, off)| *off).min()?;
    possible.retain(|(_, off)| *off as f64 <= AS_GOOD * least as f64);
    let (coarsest, finest) = (possible.first()?.0, possible.last()?.0);
    Some((smoothest(counts, (finest * FINER, coarsest / FINER)), least))
}

/// Of ticks that are as good as each other the one with which the events of each multiple rise and
/// fall most smoothly: wide buckets hold now more multiples, now fewer.
fn smoothest(counts: &Histogram, (from, to): (f64, f64)) -> f64 {
    const STEPS: u32 = 200;
    /// An event off the ticks is so much worse than one too many on them.
    const OFF: f64 = 10.0;
    let roughness = |unit: f64| {
        let held = |bucket: Bucket| match multiples(bucket, unit) {
            Some((first, Some(last))) => ((last - first) / unit).round() + 1.0,
            Some((_, None)) => 1.0,
            None => 0.0,
        };
        let all = counts.occupied_range().map(|at| {
            let (held, count) = (held(counts.scheme().bucket(at)), counts.count(at) as f64);
            (held, count)
        });
        let empty = |(held, count): &(f64, f64)| if *held > 0.0 { 0.0 } else { *count };
        let off: f64 = all.clone().map(|one| empty(&one)).sum();
        let each: Vec<(f64, f64)> =
            all.filter(|(held, _)| *held > 0.0).map(|(held, count)| (held, count / held)).collect();
        let bend = |three: &[(f64, f64)]| {
            three[1].0 * (three[1].1 - f64::midpoint(three[0].1, three[2].1)).abs()
        };
        OFF * off + each.windows(3).map(bend).sum::<f64>()
    };
    let units = (0..=STEPS).map(|step| from + (to - from) * f64::from(step) / f64::from(STEPS));
    let rough = units.map(|unit| (unit, roughness(unit)));
    rough.min_by(|one, two| one.1.total_cmp(&two.1)).map_or(from, |(unit, _)| unit)
}

/// How many buckets, or rows of buckets, between fuller ones are as good as empty.
fn gaps(counts: &Histogram) -> usize {
    /// Within so many buckets on either side.
    const BESIDE: usize = 8;
    let filled = counts.occupied_range();
    let highest = |from: usize, to: usize| (from..to).map(|at| counts.count(at)).max().unwrap_or(0);
    let is_gap = |at: usize| {
        let before = highest(at.saturating_sub(BESIDE).max(filled.start), at);
        let after = highest(at + 1, (at + 1 + BESIDE).min(filled.end));
        let beside = before.min(after);
        beside >= LEAST_BESIDE && counts.count(at) as f64 <= GAP * beside as f64
    };
    let gaps: Vec<bool> = filled.clone().map(is_gap).collect();
    gaps.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

/// A multiple of a tick and the events of the buckets that hold it.
struct Tick {
    multiple: u64,
    events: u64,
    /// Whether these show where it is, and stand apart from those of the one before.
    apart: bool,
}

/// The events in buckets that hold no multiple of a tick; `None` if these are too many, or if no
/// several ticks in a row stand apart.
fn off_ticks(counts: &Histogram, unit: f64) -> Option<u64> {
    let (mut off, mut all) = (0_u64, 0_u64);
    let mut ticks: Vec<Tick> = Vec::new();
    let mut apart = true;
    for index in counts.occupied_range() {
        let (bucket, count) = (counts.scheme().bucket(index), counts.count(index));
        all = all.saturating_add(count);
        let Some(multiple) = tick_in(bucket, unit) else {
            off = off.saturating_add(count);
            apart = true;
            continue;
        };
        match ticks.last_mut() {
            // One on the edge of two buckets.
            Some(last) if last.multiple == multiple => {
                last.events = last.events.saturating_add(count);
            }
            _ => {
                let width = bucket.hi.map(|hi| hi.as_nanos() - bucket.lo.as_nanos());
                let narrow = width.is_some_and(|width| width as f64 <= NARROW * unit);
                ticks.push(Tick { multiple, events: count, apart: apart && narrow });
            }
        }
        apart = false;
    }
    let is_next = |one: &Tick, two: &Tick| {
        let shown = |tick: &Tick| tick.apart && tick.events >= LEAST_BESIDE;
        shown(one) && shown(two) && one.multiple + 1 == two.multiple
    };
    let rows = ticks.chunk_by(is_next).map(<[Tick]>::len).max().unwrap_or(0);
    (rows >= LEAST_TICKS && off as f64 <= STRAY * all as f64).then_some(off)
}

/// Which multiple of a tick, as it may be rounded, lies in a bucket: the first.
fn tick_in(bucket: Bucket, unit: f64) -> Option<u64> {
    let slack = ROUNDED * unit;
    let first = ((bucket.lo.as_nanos() as f64 - slack) / unit).ceil().max(0.0);
    let end = bucket.hi.map_or(f64::INFINITY, |hi| hi.as_nanos() as f64 + slack);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, above 0")]
    (first * unit < end).then_some(first as u64)
}

/// The first and the last multiple of a unit in a bucket; the last is `None` without upper bound.
pub(crate) fn multiples(bucket: Bucket, unit: f64) -> Option<(f64, Option<f64>)> {
    // A whole number of nanoseconds is one in spite of rounding.
    let first = (bucket.lo.as_nanos() as f64 / unit - 1e-9).ceil().max(0.0) * unit;
    let last = bucket.hi.map(|hi| ((hi.as_nanos() - 1) as f64 / unit + 1e-9).floor() * unit);
    last.is_none_or(|last| first <= last).then_some((first, last))
}
