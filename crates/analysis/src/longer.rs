//! A stretch of time in which events took longer than all others, though nobody would see it in a picture.

use isotherm_frame::{Bucket, Histogram, Timestamp};

use crate::segments::long_run_variance;
use crate::{Column, Timeline};

/// A stretch of time in which events took longer.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct LongerStretch {
    /// Where it begins.
    pub from: Timestamp,
    /// Where it ends.
    pub to: Timestamp,
    /// So many standard deviations of what chance accounts for are between the ranks inside and outside.
    pub score: f64,
}

/// Fewer columns with events, or fewer events, show no stretch.
const LEAST: (usize, f64) = (16, 100.0);
/// A stretch is of so many columns, and of so many events, at least.
const SHORTEST: (usize, f64) = (3, 12.0);
/// A longer stretch, as a share of the columns, is the usual state.
const LONGEST: f64 = 0.5;
/// So many standard deviations. The highest of all stretches of a thousand columns in which nothing
/// happened is about 4.5, and several series are looked at.
const LEAST_SCORE: f64 = 6.5;
/// An event inside takes longer than one outside in this share of pairs, at least (Mann & Whitney 1947).
const LEAST_SUPERIORITY: f64 = 0.6;
/// The mean inside is so many times that outside, at least.
const LEAST_TIMES: f64 = 1.2;
/// Each third of the stretch shows this part of the difference, at least: otherwise a part of it is all.
const LEAST_OF_THIRD: f64 = 0.4;

/// The stretch of columns in which the ranks of latencies among all are the most standard deviations above
/// those of the rest: ranks, because a few wild latencies weigh no more than others in them. What latencies
/// vary by from column to column, and go on varying for a while, is in the standard deviation.
pub(crate) fn longer_stretch(timeline: &Timeline) -> Option<LongerStretch> {
    if timeline.total.is_averages() || (timeline.total.events() as f64) < LEAST.1 {
        return None;
    }
    let ranks = Ranks::of(&timeline.total);
    let columns: Vec<&Column> = timeline.known().filter(|column| column.events > 0).collect();
    let sums = Sums::of(&columns, &ranks)?;
    let count = columns.len();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of it")]
    let longest = (LONGEST * count as f64) as usize;
    let mut best: Option<(f64, usize, usize)> = None;
    for from in 0..count.saturating_sub(SHORTEST.0) {
        for to in from + SHORTEST.0..=(from + longest).min(count) {
            let score = sums.score(from, to).filter(|score| *score >= LEAST_SCORE);
            let Some(score) = score else { continue };
            if best.is_none_or(|(highest, ..)| score > highest) {
                best = Some((score, from, to));
            }
        }
    }
    let (score, from, to) = best?;
    let is_longer = sums.is_all_over(from, to) && times(&columns, from, to) >= LEAST_TIMES;
    let (first, last) = (columns.get(from)?, columns.get(to - 1)?);
    is_longer.then_some(LongerStretch { from: first.start, to: last.end, score })
}

/// How many times the mean latency of all other columns that of some is.
fn times(columns: &[&Column], from: usize, to: usize) -> f64 {
    let mean = |columns: &[&Column]| {
        let counted = columns.iter().filter_map(|column| column.latencies.as_ref());
        Histogram::merged(counted).and_then(|all| all.mean_ns()).unwrap_or_default()
    };
    let others = [&columns[..from], &columns[to..]].concat();
    mean(&columns[from..to]) / mean(&others).max(f64::MIN_POSITIVE)
}

/// The rank of a latency among all, 0 to 1: that of the middle of its bucket.
struct Ranks {
    /// Where buckets begin, and the middle rank of their events.
    of_buckets: Vec<(u64, f64)>,
}

impl Ranks {
    fn of(total: &Histogram) -> Ranks {
        let all = total.events() as f64;
        let mut below = 0.0;
        let rank = |(bucket, count): (Bucket, u64)| {
            let middle = (below + count as f64 / 2.0) / all;
            below += count as f64;
            (bucket.lo.as_nanos(), middle)
        };
        Ranks { of_buckets: total.non_zero().map(rank).collect() }
    }

    fn rank(&self, ns: u64) -> f64 {
        let after = self.of_buckets.partition_point(|(lo, _)| *lo <= ns);
        self.of_buckets.get(after.saturating_sub(1)).map_or(0.0, |(_, rank)| *rank)
    }
}

/// Events and the sums of their ranks before each column.
struct Sums {
    events: Vec<f64>,
    ranks: Vec<f64>,
    /// The variance of a rank, or of one of many in a row, whichever is more.
    variance: f64,
}

impl Sums {
    fn of(columns: &[&Column], ranks: &Ranks) -> Option<Sums> {
        if columns.len() < LEAST.0 {
            return None;
        }
        let (mut events, mut sums) = (vec![0.0], vec![0.0]);
        let mut squares = 0.0;
        for column in columns {
            let (mut count, mut sum) = (0.0, 0.0);
            for (bucket, number) in column.latencies.iter().flat_map(Histogram::non_zero) {
                let (number, rank) = (number as f64, ranks.rank(bucket.mid_point().as_nanos()));
                count += number;
                sum += number * rank;
                squares += number * rank * rank;
            }
            events.push(events.last()? + count);
            sums.push(sums.last()? + sum);
        }
        let (all, total) = (*events.last()?, *sums.last()?);
        let mean = total / all;
        // Each column's distance from the mean, made even in variance.
        let distance = |at: usize| {
            let count = events[at + 1] - events[at];
            (sums[at + 1] - sums[at] - mean * count) / count.max(1.0).sqrt()
        };
        let distances: Vec<f64> = (0..columns.len()).map(distance).collect();
        let variance = (squares / all - mean * mean).max(long_run_variance(&distances));
        (variance > 0.0).then_some(Sums { events, ranks: sums, variance })
    }

    /// How many events there are in some columns, and their mean rank.
    fn inside(&self, from: usize, to: usize) -> (f64, f64) {
        let events = self.events[to] - self.events[from];
        (events, (self.ranks[to] - self.ranks[from]) / events.max(1.0))
    }

    /// The same of all others.
    fn outside(&self, from: usize, to: usize) -> (f64, f64) {
        let last = self.events.len() - 1;
        let events = self.events[last] - (self.events[to] - self.events[from]);
        let ranks = self.ranks[last] - (self.ranks[to] - self.ranks[from]);
        (events, ranks / events.max(1.0))
    }

    /// How far apart, in standard deviations; `None` of too few events, or too little.
    fn score(&self, from: usize, to: usize) -> Option<f64> {
        let (inside, outside) = (self.inside(from, to), self.outside(from, to));
        if inside.0 < SHORTEST.1 || outside.0 < SHORTEST.1 {
            return None;
        }
        let apart = inside.1 - outside.1;
        let error = (self.variance * (1.0 / inside.0 + 1.0 / outside.0)).sqrt();
        (0.5 + apart >= LEAST_SUPERIORITY).then_some(apart / error)
    }

    /// Whether each third of it shows the difference.
    fn is_all_over(&self, from: usize, to: usize) -> bool {
        let outside = self.outside(from, to).1;
        let apart = self.inside(from, to).1 - outside;
        let edges = [from, from + (to - from) / 3, from + (to - from) * 2 / 3, to];
        edges.windows(2).all(|third| {
            let (events, rank) = self.inside(third[0], third[1]);
            events < 1.0 || rank - outside >= LEAST_OF_THIRD * apart
        })
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Scheme;

    use super::*;
    use crate::simulated::{Chance, Peak, at, drifting, run};

    /// Sixty seconds to ten minutes of steady latencies, each so many times as long in a stretch.
    fn planted(seed: u64, times: f64) -> (Timeline, (usize, usize)) {
        let mut chance = Chance::new(seed + 1_000);
        let seconds = [120, 300, 600][usize::try_from(seed % 3).unwrap()];
        let from = 20 + usize::try_from(seed * 7 % 60).unwrap();
        let to = from + 6 + usize::try_from(seed * 5 % 20).unwrap();
        let (rate, spread) = (20.0 + 80.0 * chance.uniform(), 0.3 + 0.7 * chance.uniform());
        let timeline = run(seed, seconds, &Scheme::log_linear(), |second, _| {
            let slower = if (from..to).contains(&second) { times } else { 1.0 };
            vec![Peak(rate, 300.0 * slower, spread)]
        });
        (timeline, (from, to))
    }

    #[test]
    fn a_stretch_that_takes_twice_as_long_is_found_with_its_ends() {
        let mut missed = 0;
        for seed in 0..60 {
            let (timeline, (from, to)) = planted(seed, 2.0);
            let Some(found) = longer_stretch(&timeline) else {
                missed += 1;
                continue;
            };
            let off = |one: Timestamp, second: usize| {
                one.since(at(second)).max(at(second).since(one)).as_secs_f64()
            };
            assert!(off(found.from, from) <= 2.0 && off(found.to, to) <= 2.0, "{seed}: {found:?}");
        }
        assert!(missed <= 6, "{missed} of 60");
    }

    #[test]
    fn there_is_none_in_steady_noise_of_any_kind() {
        let log_linear = Scheme::log_linear();
        let wanders = |seed| {
            let mut drift = drifting(0.95);
            run(seed, 300, &log_linear, move |_, chance| {
                vec![Peak(40.0, 300.0 * (0.3 * drift(chance)).exp(), 0.5)]
            })
        };
        let mixed = |seed| {
            run(seed, 300, &log_linear, |_, chance: &mut Chance| {
                let wild = 300.0 / chance.uniform().max(1e-6).powf(1.0 / 1.5);
                vec![Peak(2.0, 300.0, 0.4), Peak(0.2, 20_000.0, 0.3), Peak(0.2, wild, 0.1)]
            })
        };
        let found = (0..100)
            .flat_map(|seed| {
                let steady = planted(seed, 1.0).0;
                [steady, wanders(2_000 + seed), mixed(4_000 + seed)]
            })
            .filter_map(|timeline| longer_stretch(&timeline))
            .count();
        assert!(found <= 3, "{found} of 300");
    }
}
