//! The latency that is still good enough.

use std::fmt;
use std::str::FromStr;

use isotherm_frame::typed::{self, Condition, Limit};
use isotherm_frame::{Nanos, TypedError, quantile_of_percent};
use isotherm_load::Distribution;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A bound on a measure of latency: `p99<5ms`, `mean<=10ms`, `max<1s`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LatencyLimit {
    measure: Measure,
    bound: Nanos,
    /// Whether the bound itself is good enough.
    or_equal: bool,
}

/// What is bounded.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Measure {
    /// Of a hundred operations so many are at least as fast.
    Percentile(f64),
    /// The mean, as `CALIBRATE_IO` bounds it.
    Mean,
    /// The longest.
    Longest,
}

impl LatencyLimit {
    /// `mean<` so long: what `CALIBRATE_IO` calls `max_latency`.
    pub const fn mean(bound: Nanos) -> LatencyLimit {
        LatencyLimit { measure: Measure::Mean, bound, or_equal: false }
    }

    /// The longest the measure may be.
    pub fn bound(self) -> Nanos {
        self.bound
    }

    /// Whether the measure is the mean.
    pub fn is_mean(self) -> bool {
        self.measure == Measure::Mean
    }

    /// The measure of these latencies in nanoseconds, no less than it can be: of a percentile the
    /// upper end of its bucket. `None` without operations.
    pub fn measured_ns(self, latencies: &Distribution) -> Option<f64> {
        match self.measure {
            Measure::Mean => latencies.mean_ns(),
            Measure::Longest => (latencies.events > 0).then_some(latencies.max_ns as f64),
            Measure::Percentile(percent) => {
                let bucket =
                    latencies.histogram().quantile(quantile_of_percent(percent)).ok()?.bucket;
                let end = bucket.hi.map_or(latencies.max_ns, Nanos::as_nanos);
                Some(end.min(latencies.max_ns) as f64)
            }
        }
    }

    /// Whether these latencies are within the bound; not without operations.
    pub fn is_met(self, latencies: &Distribution) -> bool {
        let bound = self.bound.as_nanos() as f64;
        let within = |ns: f64| ns < bound || (self.or_equal && ns <= bound);
        self.measured_ns(latencies).is_some_and(within)
    }

    /// Whether these latencies are so many times the bound or more.
    pub fn is_exceeded(self, latencies: &Distribution, times: f64) -> bool {
        self.measured_ns(latencies).is_some_and(|ns| ns >= times * self.bound.as_nanos() as f64)
    }
}

impl Default for LatencyLimit {
    fn default() -> LatencyLimit {
        let (measure, bound) = (Measure::Percentile(99.0), Nanos::from_millis(5));
        LatencyLimit { measure, bound, or_equal: false }
    }
}

impl fmt::Display for LatencyLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.measure {
            Measure::Percentile(percent) => write!(f, "p{percent}")?,
            Measure::Mean => f.write_str("mean")?,
            Measure::Longest => f.write_str("max")?,
        }
        write!(f, "{}{}", if self.or_equal { "<=" } else { "<" }, self.bound)
    }
}

impl FromStr for LatencyLimit {
    type Err = TypedError;

    fn from_str(text: &str) -> Result<LatencyLimit, TypedError> {
        let condition: Condition = text.parse()?;
        let refuse = |why: &str| condition.refuse(why, ["p99<5ms", "mean<10ms"]);
        if condition.above {
            return Err(refuse("it must say what is still good enough, with <"));
        }
        let measure = match condition.measure {
            typed::Measure::Mean => Measure::Mean,
            typed::Measure::Max => Measure::Longest,
            typed::Measure::Percentile(percent) if percent > 0.0 && percent < 100.0 => {
                Measure::Percentile(percent)
            }
            _ => {
                return Err(refuse(
                    "its measure must be a percentile between 0 and 100, mean or max",
                ));
            }
        };
        match condition.limit {
            Limit::Time(bound) if bound > Nanos::ZERO => {
                Ok(LatencyLimit { measure, bound, or_equal: condition.or_equal })
            }
            _ => Err(refuse("its bound must be a length of time above 0")),
        }
    }
}

impl Serialize for LatencyLimit {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LatencyLimit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<LatencyLimit, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::simulated_device::distribution;

    #[test]
    fn limits_are_read_as_they_are_written() {
        for text in ["p99<5ms", "mean<10ms", "max<1s", "p99.9<20ms", "p99<=5ms"] {
            assert_eq!(text.parse::<LatencyLimit>().unwrap().to_string(), text);
        }
        assert_eq!("avg< 250us".parse(), Ok(LatencyLimit::mean(Nanos::from_micros(250))));
        for wrong in
            ["p99>5ms", "p0<5ms", "p100<5ms", "iops<5ms", "p99<0ms", "5ms", "p99", "p99<fast"]
        {
            let said = wrong.parse::<LatencyLimit>().unwrap_err().to_string();
            assert!(said.contains(&format!("'{wrong}'")), "{said}");
        }
    }

    #[test]
    fn each_measure_bounds_what_it_says() {
        // 98 of 1 ms and 2 of 11 ms: the mean is 1.2 ms, p99 and the longest are 11 ms.
        let latencies = distribution((0..100).map(|i| if i < 98 { 1_000_000 } else { 11_000_000 }));
        let met = |text: &str| text.parse::<LatencyLimit>().unwrap().is_met(&latencies);
        assert!(met("mean<1.3ms") && !met("mean<1.1ms"));
        assert!(met("p95<1.1ms") && !met("p99<10ms") && met("p99<11.2ms"));
        assert!(met("max<12ms") && !met("max<11ms"));
        let tight: LatencyLimit = "p99<1ms".parse().unwrap();
        assert!(tight.is_exceeded(&latencies, 10.0) && !tight.is_exceeded(&latencies, 12.0));
        assert!(!tight.is_met(&Distribution::default()));
    }
}
