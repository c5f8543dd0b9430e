//! How far a value of one side may be off by chance: the moving-block bootstrap over columns.

use super::column_numbers::{COVERED, EVENTS};
use super::dependence::Parts;
use super::measure::Measure;
use super::sample::Sample;
use crate::student::variance_ratio_p;
use isotherm_frame::Random;

/// How often a side is drawn anew.
const RESAMPLES: usize = 1_000;
/// The fewest columns of a block.
const LEAST_BLOCK: usize = 3;

/// The chance error of the logarithm of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChanceError {
    /// The logarithm of the value, estimated as in the resamples.
    pub log: f64,
    /// How far the logarithm was off in each resample.
    pub offs: Vec<f64>,
    /// The standard error.
    pub deviation: f64,
    /// How well the standard error is known, in degrees of freedom.
    pub degrees_of_freedom: f64,
    /// What the columns add to it.
    parts: Parts,
    /// How much is left of what columns have in common with each one between them.
    persistence: f64,
    /// The variance of a column in units of its amount, per second: of a percentile that of the
    /// share of events below it, which does not depend on how dense events are there.
    unsteady: f64,
    /// The part of it that is left where nothing but the draw of single events moves a column.
    sampling: f64,
    /// Events per second of what is covered.
    events_per_s: f64,
}

/// How rarely two runs of equal steadiness may be taken to be unequally steady by one measure.
const UNEQUAL: f64 = 0.001;

/// The fewest events beyond the other side's that prove a run to be the less steady one.
const LEAST_EXTRA: f64 = 10.0;

/// The errors of all measures of a side.
pub(crate) type Errors = Vec<Option<ChanceError>>;

/// Which of two sides, 0 for A and 1 for B, is clearly the less steady one by any measure, by
/// Fisher's test of the variance of its columns.
///
/// Not where all that a side has more is the time of a few events, by their effective numbers
/// `extra`: how many events a thousand times as long come in a run is chance.
pub(crate) fn less_steady([a, b]: [&Errors; 2], extra: [f64; 2]) -> Option<usize> {
    let both = || a.iter().zip(b).filter_map(|(a, b)| a.as_ref().zip(b.as_ref()));
    let least = |tests: &mut dyn Iterator<Item = f64>| tests.fold(1.0, f64::min);
    let of_many = |side: usize, test: f64| if extra[side] >= LEAST_EXTRA { test } else { 1.0 };
    let more_in_a = of_many(0, least(&mut both().map(|(a, b)| steadier_by_chance(b, a))));
    let more_in_b = of_many(1, least(&mut both().map(|(a, b)| steadier_by_chance(a, b))));
    let (side, test) = if more_in_b <= more_in_a { (1, more_in_b) } else { (0, more_in_a) };
    (test < UNEQUAL).then_some(side)
}

/// The errors by which it is decided whether these two runs differ: where one was clearly the less
/// steady, what it did beyond the other is a difference between them, not noise, and both have the
/// error that the steadier one would have with as many events. So an incident in one of the runs does
/// not hide itself. Of what other runs would do it says nothing, and no interval is made of it.
pub(crate) fn of_steadier(
    [a, b]: [&ChanceError; 2],
    less_steady: Option<usize>,
    covered_s: [f64; 2],
) -> [ChanceError; 2] {
    let longer = (covered_s[0] / covered_s[1]).sqrt();
    match less_steady {
        Some(0) => [b.over(1.0 / longer, a), b.clone()],
        Some(_) => [a.clone(), a.over(longer, b)],
        None => [a.clone(), b.clone()],
    }
}

/// How often `one` would be so much steadier than `other` if both were equally steady, each with as many
/// events as it has.
fn steadier_by_chance(one: &ChanceError, other: &ChanceError) -> f64 {
    let expected = one.unsteady_with_events_of(other);
    if other.unsteady <= expected {
        return 1.0;
    }
    // Equally steady runs are equally alike: what both say together is nearest to it.
    let together = |one: f64, other: f64| one.hypot(other) / std::f64::consts::SQRT_2;
    let autocorrelation = together(one.parts.autocorrelation, other.parts.autocorrelation);
    let persistence = together(one.persistence, other.persistence);
    let degrees_of_freedom =
        |error: &ChanceError| error.parts.variance_degrees_of_freedom(autocorrelation, persistence);
    variance_ratio_p(other.unsteady / expected, degrees_of_freedom(other), degrees_of_freedom(one))
}

impl ChanceError {
    /// The variance of a column of a run as steady as this one, with as many events as the other: the
    /// fewer they are, the more each column is moved by which ones it drew. Of a run with more events
    /// it is taken to be no less.
    fn unsteady_with_events_of(&self, other: &ChanceError) -> f64 {
        let fewer = (self.events_per_s / other.events_per_s).max(1.0);
        self.unsteady + self.sampling * (fewer - 1.0)
    }

    /// The error of a run as steady as this one over another time, with the other's value and events.
    fn over(&self, longer: f64, other: &ChanceError) -> ChanceError {
        let noisier = if self.unsteady > 0.0 {
            (self.unsteady_with_events_of(other) / self.unsteady).sqrt()
        } else {
            1.0
        };
        let scale = longer * noisier;
        let offs = self.offs.iter().map(|off| off * scale).collect();
        ChanceError { log: other.log, offs, deviation: self.deviation * scale, ..*self }
    }
}

/// The length of a block: the cube root of the number of columns, which is the order that makes
/// the error of the variance least (Künsch 1989; Hall, Horowitz and Jing 1995), at least three.
pub(crate) fn block_length(columns: usize) -> usize {
    let mut root = LEAST_BLOCK;
    while root * root * root < columns {
        root += 1;
    }
    root.min(columns.max(1))
}

/// The chance errors of these measures; `None` where a value does not exist in nearly every
/// resample, so that nothing can be said of its error.
///
/// Blocks keep what neighbouring columns have in common. What lasts longer than a block would be
/// missed; it is made good as if the columns followed an autoregression under noise. By how much
/// less columns are alike with each one between them is the same for all measures, and is seen best
/// in the measure with the least noise.
pub(crate) fn chance_errors(
    sample: &Sample,
    measures: &[Measure],
    random: &mut Random,
) -> Vec<Option<ChanceError>> {
    let block = block_length(sample.columns());
    let mut logs = vec![Vec::with_capacity(RESAMPLES); measures.len()];
    for _ in 0..RESAMPLES {
        let drawn = draw(sample, block, random);
        for (measure, logs) in measures.iter().zip(&mut logs) {
            logs.extend(measure.value(&drawn, &sample.buckets).map(f64::ln));
        }
    }
    let values: Vec<Option<(f64, Parts)>> =
        measures.iter().map(|&measure| parts(sample, measure)).collect();
    let persistence =
        values.iter().flatten().map(|(_, parts)| parts.autocorrelation).fold(0.0, f64::max);
    let total = sample.total();
    let mut errors = Vec::new();
    for ((value, measure), logs) in values.into_iter().zip(measures).zip(logs) {
        let nearly_all = logs.len() * 100 >= RESAMPLES * 95;
        errors.push(value.filter(|_| nearly_all).map(|(value, parts)| {
            let (log, wider) = (value.ln(), parts.share_seen(block, persistence).powf(-0.5));
            let columns = parts.columns as f64;
            let column = measure.amount(total) / columns;
            let unsteady =
                parts.sum_of_squares / columns / column.powi(2) * total[COVERED] / columns;
            let events_per_s = total[EVENTS] / total[COVERED];
            let sampling = measure.sampling(total, &sample.buckets, value) / events_per_s;
            ChanceError {
                log,
                deviation: deviation(&logs) * wider,
                degrees_of_freedom: parts.degrees_of_freedom(persistence),
                parts,
                persistence,
                unsteady,
                sampling: sampling.min(unsteady),
                events_per_s,
                offs: logs.into_iter().map(|found| (found - log) * wider).collect(),
            }
        }));
    }
    errors
}

/// The value of a measure of all columns, and what each column adds to its error.
fn parts(sample: &Sample, measure: Measure) -> Option<(f64, Parts)> {
    let value = measure.value(sample.total(), &sample.buckets)?;
    let excess = |index: usize| measure.excess(&sample.column(index), &sample.buckets, value);
    let parts: Vec<f64> = (0..sample.columns()).map(excess).collect();
    Some((value, Parts::of(&parts)))
}

/// The numbers of as many columns as there are, in blocks that begin anywhere.
fn draw(sample: &Sample, block: usize, random: &mut Random) -> Vec<f64> {
    let columns = sample.columns();
    let mut numbers = vec![0.0; sample.total().len()];
    let mut missing = columns;
    while missing > 0 {
        let length = block.min(missing);
        let first = random.index(columns - length + 1);
        sample.add_run(&mut numbers, first, length);
        missing -= length;
    }
    numbers
}

fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_grow_with_the_cube_root_of_the_columns() {
        assert_eq!([1, 8, 27, 60, 600, 3_600].map(block_length), [1, 3, 3, 4, 9, 16]);
    }

    #[test]
    fn numbers_reach_everywhere_and_are_the_same_every_time() {
        let draw = || {
            let mut random = Random::new(7);
            (0..6_000).map(|_| random.index(6)).collect::<Vec<usize>>()
        };
        let drawn = draw();
        for face in 0..6 {
            let count = drawn.iter().filter(|number| **number == face).count();
            assert!((850..1_150).contains(&count), "{face}: {count}");
        }
        assert_eq!(drawn, draw());
    }
}
