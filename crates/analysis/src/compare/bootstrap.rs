//! How far a value of one side may be off by chance: the moving-block bootstrap over columns.

use super::measure::Measure;
use super::sample::Sample;

/// How often a side is drawn anew.
const RESAMPLES: usize = 1_000;
/// The fewest columns of a block.
const LEAST_BLOCK: usize = 3;

/// The chance error of the logarithm of a value.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct ChanceError {
    /// The standard error.
    pub deviation: f64,
    /// What it is estimated from, in independent columns.
    pub freedom: f64,
}

/// A small generator of random numbers (splitmix64, Steele, Lea and Flood 2014): the same seed
/// gives the same comparison on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`: the high half of the product (Lemire 2019), whose bias is below
    /// 2^-40 for any number of columns there can be.
    fn below(&mut self, limit: usize) -> usize {
        let product = u128::from(self.next()) * limit as u128;
        usize::try_from(product >> 64).unwrap_or(0)
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
/// missed; it is made good with the lag-one autocorrelation of the columns' part in the error,
/// corrected for its bias in short series (Kendall 1954), as if they were an autoregression: the
/// error is widened by the share of the long-run variance that blocks of this length do not see.
pub(crate) fn chance_errors(
    sample: &Sample,
    measures: &[Measure],
    random: &mut Random,
) -> Vec<Option<ChanceError>> {
    let columns = sample.columns();
    let block = block_length(columns);
    let mut logs = vec![Vec::with_capacity(RESAMPLES); measures.len()];
    for _ in 0..RESAMPLES {
        let drawn = draw(sample, block, random);
        for (measure, logs) in measures.iter().zip(&mut logs) {
            logs.extend(measure.value(&drawn, &sample.buckets).map(f64::ln));
        }
    }
    let error = |(measure, logs): (&Measure, &Vec<f64>)| {
        let nearly_all = logs.len() * 100 >= RESAMPLES * 95;
        let value = measure.value(sample.total(), &sample.buckets).filter(|_| nearly_all)?;
        let alike = autocorrelation(sample, *measure, value);
        let seen = share_seen(alike, block) * (1.0 - block as f64 / columns as f64);
        let independent = columns as f64 * (1.0 - alike) / (1.0 + alike);
        Some(ChanceError {
            deviation: deviation(logs) / seen.sqrt(),
            freedom: (independent - 1.0).max(1.0),
        })
    };
    measures.iter().zip(&logs).map(error).collect()
}

/// The numbers of as many columns as there are, in blocks that begin anywhere.
fn draw(sample: &Sample, block: usize, random: &mut Random) -> Vec<f64> {
    let columns = sample.columns();
    let mut numbers = vec![0.0; sample.total().len()];
    let mut missing = columns;
    while missing > 0 {
        let length = block.min(missing);
        let first = random.below(columns - length + 1);
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

/// The most that columns are taken to be alike.
const MOST_ALIKE: f64 = 0.95;

/// How much neighbouring columns are alike in what they add to the error: 0 to [`MOST_ALIKE`].
fn autocorrelation(sample: &Sample, measure: Measure, value: f64) -> f64 {
    let columns = sample.columns();
    let parts: Vec<f64> = (0..columns)
        .map(|index| measure.excess(&sample.column(index), &sample.buckets, value))
        .collect();
    let count = columns as f64;
    let mean = parts.iter().sum::<f64>() / count;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    let products: f64 = parts.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    ((products / squares + 1.0 / count) / (1.0 - 3.0 / count)).clamp(0.0, MOST_ALIKE)
}

/// The share of the long-run variance of an autoregression that blocks of this length see.
fn share_seen(alike: f64, block: usize) -> f64 {
    let weight = |lag: usize| 1.0 - lag as f64 / block as f64;
    let mut power = 1.0;
    let mut seen = 1.0;
    for lag in 1..block {
        power *= alike;
        seen += 2.0 * weight(lag) * power;
    }
    seen * (1.0 - alike) / (1.0 + alike)
}
