//! Conditions on a comparison, such as `p99>1.2x`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Comparison, Measure, Shift};
use crate::Verdict;

/// A condition on the ratio of B to A: `p99>1.2x`, `mean>1.1x`, `rate<0.9x`, `waited>1.2x`,
/// `max>2x`.
#[derive(Clone, Debug, PartialEq)]
pub struct RelativeThreshold {
    measure: Measure,
    above: bool,
    limit: f64,
    text: String,
}

/// Why a text is not a condition on a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RelativeThresholdError {
    /// No comparison.
    #[error("'{0}' has no comparison: write a measure, < or >, and a factor, such as p99>1.2x")]
    NoComparison(String),
    /// An unknown measure.
    #[error("'{0}' is not a measure: use p50, p90, p99, p99.9, mean, max, rate or waited")]
    UnknownMeasure(String),
    /// A limit that is no factor.
    #[error("'{0}' is not a factor: write a number above zero and an x, such as 1.2x")]
    BadFactor(String),
}

impl FromStr for RelativeThreshold {
    type Err = RelativeThresholdError;

    fn from_str(text: &str) -> Result<RelativeThreshold, RelativeThresholdError> {
        let split = text.find(['<', '>']);
        let split = split.ok_or_else(|| RelativeThresholdError::NoComparison(text.to_owned()))?;
        let (measure, rest) = text.split_at(split);
        // A ratio is never known so well that equality could be told.
        let factor = rest[1..].trim_start_matches('=').trim();
        let number = factor.strip_suffix(['x', '×']).and_then(|number| number.trim().parse().ok());
        let limit = number.filter(|limit: &f64| limit.is_finite() && *limit > 0.0);
        let limit = limit.ok_or_else(|| RelativeThresholdError::BadFactor(factor.to_owned()))?;
        let measure = judged(measure.trim())?;
        let text = text.trim().to_owned();
        Ok(RelativeThreshold { measure, above: rest.starts_with('>'), limit, text })
    }
}

fn judged(name: &str) -> Result<Measure, RelativeThresholdError> {
    match name {
        "rate" => Ok(Measure::Rate),
        "waited" | "wait" => Ok(Measure::Waited),
        "mean" | "avg" => Ok(Measure::Mean),
        "max" => Ok(Measure::MAX),
        "p50" => Ok(Measure::Quantile(0.5)),
        "p90" => Ok(Measure::Quantile(0.9)),
        "p99" => Ok(Measure::Quantile(0.99)),
        "p99.9" => Ok(Measure::Quantile(0.999)),
        _ => Err(RelativeThresholdError::UnknownMeasure(name.to_owned())),
    }
}

impl fmt::Display for RelativeThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl RelativeThreshold {
    /// Whether the condition holds: only if the whole interval of the ratio is beyond the limit,
    /// and not if none of it is. Where chance leaves both possible, or where there is no interval,
    /// it cannot be told. The maximum, of which there is no interval, is judged by what the bounds
    /// of its buckets leave possible. A side without events proves nothing.
    pub fn judge(&self, comparison: &Comparison) -> Verdict {
        if comparison.a.events == 0 || comparison.b.events == 0 {
            return Verdict::NoEvents;
        }
        let Some((lo, hi)) = self.interval(comparison) else { return Verdict::Unknown };
        let holds = |ratio: f64| if self.above { ratio > self.limit } else { ratio < self.limit };
        match (holds(lo), holds(hi)) {
            (true, true) => Verdict::Holds,
            (false, false) => Verdict::DoesNotHold,
            _ => Verdict::Unknown,
        }
    }

    /// The ratios that are possible of its measure; `None` where there is no interval.
    pub fn interval(&self, comparison: &Comparison) -> Option<(f64, f64)> {
        let shift = comparison.shifts.iter().find(|shift| shift.measure == self.measure);
        shift.and_then(|shift| self.range(shift))
    }

    fn range(&self, shift: &Shift) -> Option<(f64, f64)> {
        if self.measure == Measure::MAX {
            return Some((shift.possible.0, shift.possible.1.unwrap_or(f64::INFINITY)));
        }
        shift.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_with_the_reason() {
        let error = |text: &str| text.parse::<RelativeThreshold>().unwrap_err();
        let owned = str::to_owned;
        assert_eq!(error("p99"), RelativeThresholdError::NoComparison(owned("p99")));
        assert_eq!(error("p98>2x"), RelativeThresholdError::UnknownMeasure(owned("p98")));
        for factor in ["1.2", "-1x", "0x", "fastx", "infx", ""] {
            let found = error(&format!("p99>{factor}"));
            assert_eq!(found, RelativeThresholdError::BadFactor(owned(factor)));
        }
        let read: RelativeThreshold = " p99.9 >= 1.2x ".parse().unwrap();
        assert_eq!(read.to_string(), "p99.9 >= 1.2x");
    }
}
