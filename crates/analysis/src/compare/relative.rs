//! Conditions on a comparison, such as `p99>1.2x`.

use std::fmt;
use std::str::FromStr;

use isotherm_frame::TypedError;
use isotherm_frame::typed::{self, Condition, Limit};

use super::{Comparison, Measure, OneSided, Shift};
use crate::Verdict;

/// A condition on the ratio of B to A: `p99>1.2x`, `mean>1.1x`, `rate<0.9x`, `waited>1.2x`,
/// `max>2x`.
#[derive(Clone, Debug, PartialEq)]
pub struct RelativeThreshold {
    measure: Measure,
    limit: f64,
    condition: Condition,
}

impl FromStr for RelativeThreshold {
    type Err = TypedError;

    fn from_str(text: &str) -> Result<RelativeThreshold, TypedError> {
        RelativeThreshold::try_from(text.parse::<Condition>()?)
    }
}

impl TryFrom<Condition> for RelativeThreshold {
    type Error = TypedError;

    fn try_from(condition: Condition) -> Result<RelativeThreshold, TypedError> {
        let refuse = |why: &str| condition.refuse(why, ["p99>1.2x", "rate<0.9x"]);
        let measure = judged(condition.measure)
            .ok_or_else(|| refuse("there are p50, p90, p99, p99.9, mean, max, rate and waited"))?;
        // A ratio is never known so well that equality could be known.
        match condition.limit {
            Limit::Factor(limit) => Ok(RelativeThreshold { measure, limit, condition }),
            _ => Err(refuse("its limit must be a factor")),
        }
    }
}

/// The measure of a comparison that is meant.
fn judged(measure: typed::Measure) -> Option<Measure> {
    const PERCENTILES: [(f64, f64); 4] = [(50.0, 0.5), (90.0, 0.9), (99.0, 0.99), (99.9, 0.999)];
    match measure {
        typed::Measure::Rate => Some(Measure::Rate),
        typed::Measure::Waited => Some(Measure::Waited),
        typed::Measure::Mean => Some(Measure::Mean),
        typed::Measure::Max => Some(Measure::MAX),
        typed::Measure::Gain => None,
        typed::Measure::Percentile(percent) => PERCENTILES
            .into_iter()
            .find(|(known, _)| known.total_cmp(&percent).is_eq())
            .map(|(_, quantile)| Measure::Quantile(quantile)),
    }
}

impl fmt::Display for RelativeThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl RelativeThreshold {
    /// Whether the condition holds: only if the whole interval of the ratio is beyond the limit,
    /// and not if none of it is. Where chance leaves both possible, or where there is no interval,
    /// it cannot be known. The maximum, of which there is no interval, is judged by what the bounds
    /// of its buckets leave possible. A side without events proves nothing.
    pub fn judge(&self, comparison: &Comparison) -> Verdict {
        if comparison.a.events == 0 || comparison.b.events == 0 {
            return Verdict::NoEvents;
        }
        self.interval(comparison).map_or(Verdict::Unknown, |interval| self.within(interval))
    }

    /// The same where only one side has events: rate and time waited of the other are zero, of
    /// which chance leaves a bound. Of how long its events take nothing is known.
    pub fn judge_one_sided(&self, found: &OneSided) -> Verdict {
        self.interval_one_sided(found).map_or(Verdict::Unknown, |interval| self.within(interval))
    }

    /// The ratios that are possible where only one side has events.
    pub fn interval_one_sided(&self, found: &OneSided) -> Option<(f64, f64)> {
        found.ratio.filter(|_| matches!(self.measure, Measure::Rate | Measure::Waited))
    }

    /// The factor it is compared with.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Whether what is not known of its measure is left open by buckets, not by chance.
    pub fn is_of_maximum(&self) -> bool {
        self.measure == Measure::MAX
    }

    fn within(&self, (lo, hi): (f64, f64)) -> Verdict {
        let holds =
            |ratio: f64| if self.condition.above { ratio > self.limit } else { ratio < self.limit };
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

    /// The ratios of what was measured that the bounds of its buckets leave possible; what chance does
    /// is not in them.
    pub fn measured(&self, comparison: &Comparison) -> Option<(f64, f64)> {
        let shift = comparison.shifts.iter().find(|shift| shift.measure == self.measure)?;
        Some((shift.possible.0, shift.possible.1.unwrap_or(f64::INFINITY)))
    }

    /// Whether it is about time waited.
    pub fn is_of_time_waited(&self) -> bool {
        self.measure == Measure::Waited
    }

    /// How near the ratio comes to holding: the larger, the nearer.
    pub fn nearness(&self, comparison: &Comparison) -> f64 {
        let (lo, hi) = self.interval(comparison).unwrap_or_default();
        if self.condition.above { hi } else { -lo }
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
        for text in ["p99", "p98>2x", "gain>2x", "p99>1.2", "p99>-1x", "p99>0x", "p99>infx", "p99>"]
        {
            let said = text.parse::<RelativeThreshold>().unwrap_err().to_string();
            assert!(said.contains(text), "{said}");
        }
        let read: RelativeThreshold = " p99.9 >= 1.2x ".parse().unwrap();
        assert_eq!(read.to_string(), "p99.9 >= 1.2x");
    }
}
