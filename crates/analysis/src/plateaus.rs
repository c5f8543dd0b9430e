//! Stretches of time, several and alike, in which latencies were clearly longer than in the rest.

use std::ops::Range;

use isotherm_frame::Histogram;

use crate::bursts::of_columns;
use crate::busiest::effective_events;
use crate::segments::medians_of_three;
use crate::{Burst, Column, Timeline};

/// Fewer are changes: a level steps up, and down again.
const LEAST_STRETCHES: usize = 3;
/// What goes up and down more often than this has no levels.
const MOST_STRETCHES: usize = 20;
/// The fewest columns of a stretch, and between two.
const LEAST_COLUMNS: usize = 3;
/// Fewer columns show no levels.
const LEAST_RUN: usize = 32;
/// The longer latencies are so many times as long, at least.
const LEAST_TIMES: f64 = 1.5;
/// The two levels are so many standard deviations of what lies about them apart. Of two halves of one
/// hump these are 2.7, of an even spread 3.5, of a wave 4.1.
const CLEAR: f64 = 6.0;
/// The stretches take at most this share of the time: the rest is what is usual.
const MOST_SHARE: f64 = 0.4;
/// Each stretch owes its time to so many events, at least: of fewer, a few slow ones that come at random
/// among fast ones make one.
const LEAST_EVENTS: f64 = 8.0;

/// The stretches, in the order of time; none where latencies do not keep to two levels.
///
/// The logarithms of the columns' means are split where the squared distances from two levels are least
/// (Fisher 1958; of histograms Otsu 1979). What wanders, rises or falls fills the range between them.
pub(crate) fn plateaus(timeline: &Timeline) -> Vec<Burst> {
    let runs = runs_of_known(&timeline.columns);
    let mut sorted: Vec<f64> = runs.iter().flat_map(|run| run.values.iter().copied()).collect();
    if sorted.len() < LEAST_RUN {
        return Vec::new();
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(border) = border(&sorted) else { return Vec::new() };
    let stretches: Option<Vec<Range<usize>>> = runs
        .iter()
        .map(|run| run.above(border))
        .collect::<Option<Vec<_>>>()
        .map(|all| all.concat());
    let stretches = stretches.unwrap_or_default();
    if !(LEAST_STRETCHES..=MOST_STRETCHES).contains(&stretches.len()) {
        return Vec::new();
    }
    let of_many = |at: &Range<usize>| {
        let counted = timeline.columns[at.clone()].iter().filter_map(|c| c.latencies.as_ref());
        Histogram::merged(counted).is_some_and(|all| effective_events(&all) >= LEAST_EVENTS)
    };
    if !stretches.iter().all(of_many) {
        return Vec::new();
    }
    stretches.into_iter().filter_map(|at| of_columns(&timeline.columns[at], timeline)).collect()
}

/// Columns one after the other in each of which something ended.
struct Run {
    first: usize,
    /// The logarithms of the means, without lone spikes.
    values: Vec<f64>,
}

impl Run {
    /// The columns above a border; `None` where one stretch is too short to be a level.
    fn above(&self, border: f64) -> Option<Vec<Range<usize>>> {
        let mut found = Vec::new();
        let mut at = 0;
        for part in self.values.chunk_by(|one, two| (*one > border) == (*two > border)) {
            let (from, to) = (at, at + part.len());
            at = to;
            let inside = from > 0 && to < self.values.len();
            if inside && part.len() < LEAST_COLUMNS {
                return None;
            }
            if part.first().is_some_and(|value| *value > border) {
                found.push(self.first + from..self.first + to);
            }
        }
        Some(found)
    }
}

fn runs_of_known(columns: &[Column]) -> Vec<Run> {
    let mean = |column: &Column| column.latencies.as_ref().and_then(Histogram::mean_ns);
    let values: Vec<Option<f64>> =
        columns.iter().map(|column| Some(mean(column)?.max(1.0).ln())).collect();
    let mut at = 0;
    let mut runs = Vec::new();
    for part in values.chunk_by(|one, two| one.is_some() == two.is_some()) {
        let known: Vec<f64> = part.iter().flatten().copied().collect();
        if !known.is_empty() {
            runs.push(Run { first: at, values: medians_of_three(&known) });
        }
        at += part.len();
    }
    runs
}

/// What lies between two levels that are clearly apart, of values in order.
fn border(sorted: &[f64]) -> Option<f64> {
    let mut sums = vec![(0.0, 0.0)];
    for value in sorted {
        let (sum, square) = sums[sums.len() - 1];
        sums.push((sum + value, square + value * value));
    }
    let level = |from: usize, to: usize| {
        let count = (to - from) as f64;
        let (sum, square) = (sums[to].0 - sums[from].0, sums[to].1 - sums[from].1);
        (sum / count, (square - sum * sum / count).max(0.0))
    };
    let count = sorted.len();
    let squares = |at: usize| level(0, at).1 + level(at, count).1;
    let at = (1..count).min_by(|&one, &two| squares(one).total_cmp(&squares(two)))?;
    let (low, high) = (level(0, at).0, level(at, count).0);
    let deviation = (squares(at) / count as f64).sqrt();
    let share = (count - at) as f64 / count as f64;
    let clear = high - low >= LEAST_TIMES.ln().max(CLEAR * deviation) && share <= MOST_SHARE;
    clear.then_some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Timestamp};

    use super::*;
    use crate::simulated::{Chance, Peak, at, drifting, run};
    use crate::{Circumstances, Findings, Remark};

    const PLANTED: [(usize, usize); 5] = [(50, 78), (120, 148), (300, 328), (410, 438), (505, 533)];

    fn with_bursts(seed: u64, rate: f64, times: f64) -> Timeline {
        run(seed, 600, &Scheme::log_linear(), |second, _| {
            let slow = PLANTED.iter().any(|(from, to)| (*from..*to).contains(&second));
            vec![Peak(rate, if slow { 1_000.0 * times } else { 1_000.0 }, 0.7)]
        })
    }

    #[test]
    fn five_stretches_of_half_a_minute_are_found_where_they_are() {
        for (seed, rate, times) in
            [(1, 100.0, 3.0), (2, 100.0, 2.0), (3, 30.0, 3.0), (4, 500.0, 1.7)]
        {
            let timeline = with_bursts(seed, rate, times);
            let found: Vec<(Timestamp, Timestamp)> =
                plateaus(&timeline).iter().map(|burst| (burst.start, burst.end)).collect();
            assert_eq!(
                found,
                PLANTED.map(|(from, to)| (at(from), at(to))),
                "{rate}/s, {times} times"
            );
        }
    }

    /// Steps are looked for in stretches that a step divides: of five closed ones it said of one that it
    /// lasts.
    #[test]
    fn they_are_one_remark_and_nothing_is_said_to_last() {
        for seed in 1..=8 {
            let findings = Findings::of(&with_bursts(seed, 100.0, 3.0), &Circumstances::default());
            assert_eq!(findings.changes, [], "{seed}");
            let remarks = findings.remarks();
            let Remark::Bursts(bursts) = &remarks[0].remark else { panic!("{seed}: {remarks:#?}") };
            assert_eq!(bursts.stretches.len(), 5);
            assert!((bursts.inside.mean_ns / bursts.outside.mean_ns / 3.0 - 1.0).abs() < 0.05);
        }
    }

    #[test]
    fn what_wanders_rises_or_steps_once_has_no_such_stretches() {
        let log_linear = Scheme::log_linear();
        let level = |seed: u64, of: &mut dyn FnMut(usize, &mut Chance) -> f64| {
            run(seed, 300, &log_linear, |second, chance| {
                vec![Peak(60.0, 1_000.0 * of(second, chance).exp(), 0.7)]
            })
        };
        for seed in 0..40 {
            for memory in [0.0, 0.8, 0.95, 0.99] {
                let mut noise = drifting(memory);
                let wanders = level(seed, &mut |_, chance| 0.6 * noise(chance));
                assert_eq!(plateaus(&wanders), [], "{seed}, {memory}");
            }
        }
        assert_eq!(plateaus(&level(1, &mut |second, _| second as f64 / 150.0)), []);
        assert_eq!(plateaus(&level(1, &mut |second, _| (second as f64 / 9.0).sin())), []);
        let once = |second: usize, _: &mut Chance| f64::from(u8::from((90..150).contains(&second)));
        assert_eq!(plateaus(&level(1, &mut { once })), []);
        assert_eq!(plateaus(&level(1, &mut |_, chance| chance.uniform() * 2.0)), []);
    }
}
