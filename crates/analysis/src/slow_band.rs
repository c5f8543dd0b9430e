//! A few slow events apart from all others that own much of the time waited.

use isotherm_frame::{Bucket, Histogram, Nanos};

use crate::Mode;
use crate::busiest::effective_events;
use crate::part_of_time::{AllTime, Limits, PartOfTime};

/// Slow events with hardly any between them and the rest: too few for a mode, enough to matter.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SlowBand {
    /// The shortest latency, and the first too long; `None` without upper bound.
    pub edges: (Nanos, Option<Nanos>),
    /// How many there are.
    pub events: u64,
    /// Their share of all events, 0 to 1.
    pub share: f64,
    /// Their share of all time waited, 0 to 1: an estimate.
    pub time_share: f64,
    /// Between which bounds that lies, by the buckets and the total.
    pub part: PartOfTime,
}

/// More than this share of the events is a mode, not a few.
const FEW: f64 = 0.05;
/// The least share of all time waited.
const LEAST_TIME: f64 = 0.1;
/// Fewer events that really matter are outliers.
const LEAST_EVENTS: f64 = 20.0;
/// The valley holds at most this part of the hill beyond it...
const VALLEY: f64 = 0.25;
/// ...by so many standard errors of a difference of two counts.
const LEAST_Z: f64 = 4.0;

/// The slow band beyond the deepest valley, if it is no mode already.
pub fn slow_band(total: &Histogram, modes: &[Mode]) -> Option<SlowBand> {
    if total.is_averages() {
        return None;
    }
    let octaves = octaves(total);
    let valleys = (1..octaves.len().checked_sub(1)?).filter_map(|valley| {
        let hill = octaves[valley + 1..].iter().map(|octave| octave.events).max()?;
        let (low, high) = (octaves[valley].events as f64, hill as f64);
        let deep = low <= VALLEY * high && high - low >= LEAST_Z * (high + low).sqrt();
        deep.then_some((octaves[valley].events, valley))
    });
    let (_, valley) = valleys.min()?;
    let beyond = octaves[valley + 1..].iter().find(|octave| octave.events > 0)?.bucket.lo;
    let end = octaves.last()?.bucket.hi;
    if modes.iter().any(|mode| mode.at >= beyond) {
        return None;
    }
    found(total, (beyond, end))
}

/// Buckets taken together until they span an octave, from the first that holds events to the last.
struct Octave {
    bucket: Bucket,
    events: u64,
}

fn octaves(total: &Histogram) -> Vec<Octave> {
    let mut octaves: Vec<Octave> = Vec::new();
    for (index, events) in total.counts().into_iter().enumerate() {
        let bucket = total.scheme().bucket(index);
        let begun = !octaves.is_empty();
        match octaves.last_mut().filter(|last| spans_less(last.bucket)) {
            Some(last) => {
                last.bucket.hi = bucket.hi;
                last.events = last.events.saturating_add(events);
            }
            None if events > 0 || begun => octaves.push(Octave { bucket, events }),
            None => {}
        }
    }
    while octaves.last().is_some_and(|last| last.events == 0) {
        octaves.pop();
    }
    octaves
}

fn spans_less(bucket: Bucket) -> bool {
    bucket.lo > Nanos::ZERO
        && bucket.hi.is_some_and(|hi| hi.as_nanos() < bucket.lo.as_nanos().saturating_mul(2))
}

fn found(total: &Histogram, edges: (Nanos, Option<Nanos>)) -> Option<SlowBand> {
    let mut own = Limits::default();
    let mut counts = vec![0; total.scheme().buckets()];
    for (index, count) in total.counted() {
        let bucket = total.scheme().bucket(index);
        if bucket.lo >= edges.0 {
            counts[index] = count;
            own.add(bucket, count);
        }
    }
    let inside = Histogram::new(total.scheme().clone(), counts, None).ok()?;
    let events = inside.events();
    let share = events as f64 / total.events() as f64;
    let part = AllTime::of(total).part(own);
    let time_share = part.share;
    let matters =
        share <= FEW && time_share >= LEAST_TIME && effective_events(&inside) >= LEAST_EVENTS;
    matters.then_some(SlowBand { edges, events, share, time_share, part })
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Unit};

    use super::*;
    use crate::simulated::{Chance, Peak, run};

    #[test]
    fn a_hill_of_three_in_a_thousand_that_owns_a_seventh_of_the_time_is_reported() {
        // Counts as a database prints them, in octaves of milliseconds: below 1 ms, from 1 ms on,
        // and so on. The band is the 1,043 from 256 ms on and the 2,204 from 512 ms on.
        let thousands = [157, 138, 57, 297, 426, 135, 23, 1];
        let counts = thousands.map(|count| count * 1_000);
        let counts = [&counts[..], &[20, 1_043, 2_204, 0]].concat();
        let mut bounds = vec![0];
        bounds.extend((0..12).map(|octave| 1_000_000_u64 << octave));
        let scheme = Scheme::new(bounds).unwrap();
        let total = Histogram::new(scheme, counts, None).unwrap();
        let found = slow_band(&total, &[]).unwrap();
        assert_eq!(found.events, 3_247);
        assert_eq!(found.edges, (Nanos::from_millis(256), Some(Nanos::from_millis(1_024))));
        assert!((found.share - 3_247.0 / total.events() as f64).abs() < 1e-12);
        // By hand: 1,043 x 384 ms + 2,204 x 768 ms.
        let by_hand = (1_043.0 * 0.384 + 2_204.0 * 0.768) / total.time_waited().seconds;
        assert!((found.time_share - by_hand).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_smooth_tail_however_heavy_is_no_band() {
        for scheme in [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)] {
            for seed in 0..40 {
                let smooth = run(seed, 100, &scheme, |_, chance: &mut Chance| {
                    let wild = 300.0 / chance.uniform().max(1e-6).powf(1.0 / 1.5);
                    vec![Peak(50.0, 300.0, 1.5), Peak(10.0, wild, 1.0)]
                });
                assert_eq!(slow_band(&smooth.total, &[]), None, "{seed}");
            }
        }
    }
}
