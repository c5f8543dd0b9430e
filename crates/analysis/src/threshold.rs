//! Conditions such as `p99>20ms` that make a run fail.

use std::fmt;
use std::str::FromStr;

use isotherm_frame::{Histogram, Nanos, quantile_of_percent};
use thiserror::Error;

/// A condition on a distribution: `p99>20ms`, `mean>=1ms`, `max>1s`, `p50<10us`.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    measure: Measure,
    above: bool,
    or_equal: bool,
    limit: Nanos,
    text: String,
}

#[derive(Copy, Clone, Debug, PartialEq)]
enum Measure {
    Quantile(f64),
    Mean,
}

/// Whether a condition holds, given that buckets only know ranges.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds whatever the exact latencies were.
    Holds,
    /// It does not hold.
    DoesNotHold,
    /// The range lies across the limit: the buckets are too coarse to tell.
    Unknown,
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ThresholdError {
    /// No comparison.
    #[error("'{0}' has no comparison: write a measure, < or >, and a time, such as p99>20ms")]
    NoComparison(String),
    /// An unknown measure.
    #[error("'{0}' is not a measure: use p50, p99.9 or any other percentile, mean or max")]
    UnknownMeasure(String),
    /// A limit that is no time.
    #[error(transparent)]
    BadLimit(#[from] isotherm_frame::ParseNanosError),
}

impl FromStr for Threshold {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Threshold, ThresholdError> {
        let split = text.find(['<', '>']);
        let split = split.ok_or_else(|| ThresholdError::NoComparison(text.to_owned()))?;
        let (measure, rest) = text.split_at(split);
        let above = rest.starts_with('>');
        let or_equal = rest[1..].starts_with('=');
        let limit = rest[1 + usize::from(or_equal)..].parse()?;
        let measure = measure.trim().parse()?;
        Ok(Threshold { measure, above, or_equal, limit, text: text.trim().to_owned() })
    }
}

impl FromStr for Measure {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Measure, ThresholdError> {
        let unknown = || ThresholdError::UnknownMeasure(text.to_owned());
        match text {
            "mean" | "avg" => Ok(Measure::Mean),
            "max" => Ok(Measure::Quantile(1.0)),
            _ => {
                let percent: f64 =
                    text.strip_prefix('p').and_then(|p| p.parse().ok()).ok_or_else(unknown)?;
                let possible = (0.0..=100.0).contains(&percent);
                let quantile = Measure::Quantile(quantile_of_percent(percent));
                possible.then_some(quantile).ok_or_else(unknown)
            }
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Threshold {
    /// Whether the condition holds for these latencies; `DoesNotHold` without events.
    pub fn judge(&self, latencies: &Histogram) -> Verdict {
        let Some((lo, hi)) = self.range(latencies) else { return Verdict::DoesNotHold };
        let holds = |value: f64| {
            let limit = self.limit.as_nanos() as f64;
            (self.or_equal && value >= limit && value <= limit)
                || if self.above { value > limit } else { value < limit }
        };
        match (holds(lo), hi.map_or(self.above, holds)) {
            (true, true) => Verdict::Holds,
            (false, false) => Verdict::DoesNotHold,
            _ => Verdict::Unknown,
        }
    }

    /// The least and greatest value the measure can have, in nanoseconds, both possible; no greatest
    /// where a bucket has no upper bound, and `None` without events.
    pub fn range(&self, latencies: &Histogram) -> Option<(f64, Option<f64>)> {
        match self.measure {
            Measure::Quantile(q) => {
                let bucket = latencies.quantile(q).ok()?.bucket;
                // Latencies are whole nanoseconds: the largest in the bucket is one below its end.
                let last = bucket.hi.map(|hi| (hi.as_nanos() - 1) as f64);
                Some((bucket.lo.as_nanos() as f64, last))
            }
            Measure::Mean => mean_range(latencies),
        }
    }
}

fn mean_range(latencies: &Histogram) -> Option<(f64, Option<f64>)> {
    let events = latencies.events() as f64;
    if let Some(sum) = latencies.sum() {
        let mean = sum.as_nanos() as f64 / events;
        return (events > 0.0).then_some((mean, Some(mean)));
    }
    let lo: f64 =
        latencies.non_zero().map(|(bucket, n)| bucket.lo.as_nanos() as f64 * n as f64).sum();
    let hi: Option<f64> = latencies
        .non_zero()
        .map(|(bucket, n)| bucket.hi.map(|hi| (hi.as_nanos() - 1) as f64 * n as f64))
        .sum();
    (events > 0.0).then_some((lo / events, hi.map(|hi| hi / events)))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Unit};

    use super::*;

    fn judge(threshold: &str, millis: &[u64]) -> Verdict {
        let scheme = Scheme::powers_of_two(Unit::Millis);
        let mut counts = vec![0; scheme.buckets()];
        for ms in millis {
            counts[scheme.index_of(Nanos::from_millis(*ms)).unwrap()] += 1;
        }
        let latencies = Histogram::new(scheme, counts, None).unwrap();
        threshold.parse::<Threshold>().unwrap().judge(&latencies)
    }

    #[test]
    fn a_condition_holds_only_when_the_buckets_prove_it() {
        // The longest latency lies in [16 ms, 32 ms).
        let waits = [1, 2, 3, 20];
        assert_eq!(judge("max>10ms", &waits), Verdict::Holds);
        assert_eq!(judge("max>20ms", &waits), Verdict::Unknown);
        assert_eq!(judge("max>32ms", &waits), Verdict::DoesNotHold);
        assert_eq!(judge("max>=16ms", &waits), Verdict::Holds);
        assert_eq!(judge("p50<4ms", &waits), Verdict::Holds);
        assert_eq!(judge("mean>8ms", &waits), Verdict::Unknown);
        assert_eq!(judge("max>1ns", &[]), Verdict::DoesNotHold);
    }

    #[test]
    fn percentiles_are_of_exact_ranks() {
        // 999 waits of at most 1 ms and one of 20 ms: of 1,000 p99.9 is the 999th.
        let mut waits = vec![1; 999];
        waits.push(20);
        assert_eq!(judge("p99.9>2ms", &waits), Verdict::DoesNotHold);
        assert_eq!(judge("p99.91>2ms", &waits), Verdict::Holds);
    }

    #[test]
    fn nonsense_is_refused_with_the_reason() {
        let error = |text: &str| text.parse::<Threshold>().unwrap_err();
        assert_eq!(error("p99"), ThresholdError::NoComparison("p99".into()));
        assert_eq!(error("median>1ms"), ThresholdError::UnknownMeasure("median".into()));
        assert_eq!(error("p101>1ms"), ThresholdError::UnknownMeasure("p101".into()));
        assert!(matches!(error("p99>fast"), ThresholdError::BadLimit(_)));
    }
}
