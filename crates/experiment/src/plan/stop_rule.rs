//! When raising the load further is of no use.

use std::fmt;
use std::str::FromStr;

use isotherm_analysis::{Observed, Threshold, Verdict};
use isotherm_frame::TypedError;
use isotherm_frame::typed::{Condition, Limit, Measure};
use isotherm_load::Outcome;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::PlanError;

/// When the load is not raised any further.
#[derive(Clone, Debug, PartialEq)]
pub enum StopRule {
    /// When response times or the rate are past a limit: `p99>20ms`.
    Latency(Threshold),
    /// When more load brings hardly more throughput: `gain<5%`. The gain is the growth of
    /// throughput as a share of the growth of load: 100 % below saturation, 0 % beyond it, however
    /// large the steps are.
    Gain {
        /// Per cent.
        below_pct: f64,
    },
}

impl StopRule {
    /// Whether a run says so; `before` is the load and the outcome of the next smaller load, in
    /// the same repeat, and `load` the load of this run.
    pub fn holds(&self, load: f64, run: &Outcome, before: Option<(f64, &Outcome)>) -> bool {
        match self {
            StopRule::Latency(limit) => {
                let latencies = run.response().histogram();
                let observed = Observed::of_rate(&latencies, Some(run.per_second()));
                limit.judge(&observed) == Verdict::Holds
            }
            StopRule::Gain { below_pct } => before.is_some_and(|(less, before)| {
                let gained = run.per_second() / before.per_second() - 1.0;
                let raised = load / less - 1.0;
                raised > 0.0 && gained.is_finite() && 100.0 * gained / raised < *below_pct
            }),
        }
    }
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopRule::Latency(limit) => limit.fmt(f),
            StopRule::Gain { below_pct } => write!(f, "gain<{below_pct}%"),
        }
    }
}

impl FromStr for StopRule {
    type Err = PlanError;

    /// Reads `gain<5%` or a condition on latencies such as `p99>20ms`.
    fn from_str(text: &str) -> Result<StopRule, PlanError> {
        let refused =
            |error: TypedError| PlanError::StopRule { text: text.to_owned(), why: error.reason() };
        let condition: Condition = text.parse().map_err(refused)?;
        match (condition.measure, condition.limit) {
            (Measure::Gain, Limit::Share(below_pct)) if !condition.above && !condition.or_equal => {
                Ok(StopRule::Gain { below_pct })
            }
            (Measure::Gain, _) => {
                let why = "a gain is compared with per cent, and must be below them";
                Err(refused(condition.refuse(why, ["gain<5%", "gain<10%"])))
            }
            _ => Threshold::try_from(condition).map(StopRule::Latency).map_err(refused),
        }
    }
}

impl Serialize for StopRule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StopRule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<StopRule, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}
