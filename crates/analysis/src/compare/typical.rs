//! A percentile of short runs, judged by what it is in their typical columns.
//!
//! Of a dozen columns neither their variance nor how long they stay alike can be estimated well, so that
//! the interval of [`super::bootstrap`] is as good as unbounded, also where one side takes five times as
//! long in all columns but one. What decides there is how far the percentiles of columns lie apart in
//! units of how much they move within each side, without the columns that stand out (Yuen 1974).
//!
//! A rank test of columns can not: it calls 52 % of 20,000 pairs of equal runs different, of 12 columns
//! each of which is like the one before by 0.9, at a level of 0.7 %.

use super::column_numbers::EVENTS;
use super::dependence::Parts;
use super::measure::{JUDGED, Measure};
use super::sample::Sample;
use super::shift::LEAST_COLUMNS;

/// From so many columns on, the bootstrap decides.
const SHORT: usize = 30;
/// The part of the columns at either end of their order that is taken for as far off as the next one.
const TRIMMED: f64 = 0.2;
/// The fewest events of a column beyond the percentile on average.
const LEAST_BEYOND: f64 = 3.0;
/// How many standard errors two equal runs may be apart. This is no level of Student's t but of
/// simulations (`benches/README.md`): two equal runs of 8 to 29 columns are further apart in at most 0.01 %
/// where each column is like the one before by 0 to 0.6, in 0.8 % by 0.9 and in 2.4 % by 0.95, and in
/// 2.4 % where columns switch between two states.
const FAR: f64 = 10.0;
/// How fast the tails of that distance fall: at least as this power.
const TAIL: f64 = 4.0;

/// The ratios of a percentile that are possible, B over A, of runs too short for the bootstrap; `judged`
/// is how many intervals are to be right together. `None` for what is no percentile, or where columns are
/// too few, or so many that it is not needed, or have too few events.
pub(crate) fn ratios(samples: &[Sample; 2], measure: Measure, judged: usize) -> Option<(f64, f64)> {
    let Measure::Quantile(q) = measure else { return None };
    if samples.iter().map(Sample::columns).min()? >= SHORT {
        return None;
    }
    let [a, b] = [0, 1].map(|side: usize| TypicalColumns::of(&samples[side], q));
    let (a, b) = (a?, b?);
    let alike = a.autocorrelation.max(b.autocorrelation);
    let variance = (a.variance + b.variance) * (1.0 + alike) / (1.0 - alike);
    let more = judged as f64 / JUDGED.len() as f64;
    let off = FAR * more.max(1.0).powf(1.0 / TAIL) * variance.sqrt();
    let apart = b.log - a.log;
    Some(((apart - off).exp(), (apart + off).exp()))
}

/// A percentile of the columns of a side.
struct TypicalColumns {
    /// The logarithm of its trimmed mean.
    log: f64,
    /// The variance of that, if columns were independent.
    variance: f64,
    /// How much neighbouring columns are alike.
    autocorrelation: f64,
}

impl TypicalColumns {
    fn of(sample: &Sample, q: f64) -> Option<TypicalColumns> {
        let columns = sample.columns() as f64;
        if q.min(1.0 - q) * sample.total()[EVENTS] < LEAST_BEYOND * columns {
            return None;
        }
        let column = |index| Measure::Quantile(q).value(&sample.column(index), &sample.buckets);
        let logs: Vec<f64> = (0..sample.columns()).filter_map(column).map(f64::ln).collect();
        (logs.len() >= LEAST_COLUMNS).then(|| TypicalColumns::of_logs(&logs))
    }

    fn of_logs(logs: &[f64]) -> TypicalColumns {
        let mut sorted = logs.to_vec();
        sorted.sort_by(f64::total_cmp);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of them"
        )]
        let cut = (TRIMMED * sorted.len() as f64) as usize;
        let kept = &sorted[cut..sorted.len() - cut];
        let (lowest, highest) = (kept[0], kept[kept.len() - 1]);
        let pulled_in: Vec<f64> = logs.iter().map(|log| log.clamp(lowest, highest)).collect();
        let parts = Parts::of(&pulled_in);
        let count = kept.len() as f64;
        TypicalColumns {
            log: kept.iter().sum::<f64>() / count,
            variance: parts.sum_of_squares / (count * (count - 1.0)),
            autocorrelation: parts.autocorrelation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_in_five_does_not_change_what_is_typical() {
        let steady = [1.0, 1.1, 0.9, 1.2, 1.0, 0.8, 1.1, 1.0, 0.9, 1.0];
        let mut stands_out = steady;
        stands_out[3] = 50.0;
        let [one, two] = [steady, stands_out].map(|logs| TypicalColumns::of_logs(&logs));
        // The two lowest and the two highest are left out: of 0.9 to 1.1 the mean is 1.
        assert!((one.log - 1.0).abs() < 1e-12, "{}", one.log);
        assert!((one.log - two.log).abs() < 1e-12 && (one.variance - two.variance).abs() < 1e-12);
        // Pulled in they are 0.9, 0.9, 0.9, 1 four times and 1.1, 1.1, 1.1: 6 x 0.01 about a mean of 1.
        assert!((one.variance - 0.06 / 30.0).abs() < 1e-12, "{}", one.variance);
    }
}
