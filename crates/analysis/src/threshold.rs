//! Conditions such as `p99>20ms` that make a run fail.

use std::fmt;
use std::str::FromStr;

use isotherm_frame::typed::{self, Condition, Limit};
use isotherm_frame::{Histogram, TypedError, quantile_of_percent};

/// A condition on what was observed: `p99>20ms`, `mean>=1ms`, `max>1s`, `rate<10/s`, `waited>5%`.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    measure: Measure,
    limit: f64,
    condition: Condition,
}

/// What a threshold is about; the unit of its limit.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Measure {
    /// A quantile of latency, nanoseconds.
    Quantile(f64),
    /// The mean latency, nanoseconds.
    Mean,
    /// Events per second.
    Rate,
    /// The share of all time waited, per cent.
    Waited,
}

/// What a threshold is asked of.
#[derive(Copy, Clone, Debug)]
pub struct Observed<'a> {
    /// How long its events took.
    pub latencies: &'a Histogram,
    /// Events per second; `None` where it is not known for how long was looked.
    pub rate_hz: Option<f64>,
    /// The least and the greatest share that it can have of all time waited, per cent; `None` where
    /// it is not known.
    pub waited_pct: Option<(f64, f64)>,
}

/// What was measured: the least and the greatest value that are possible.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Measured {
    /// A latency in nanoseconds; no greatest one where the last bucket has no end.
    Latency(f64, Option<f64>),
    /// Events per second.
    Rate(f64),
    /// Per cent of all time waited.
    Waited(f64, f64),
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
    /// There is not a single event to ask it of.
    NoEvents,
}

impl<'a> Observed<'a> {
    /// Latencies with the rate of their events, where that is known, and nothing else.
    pub fn of_rate(latencies: &'a Histogram, rate_hz: Option<f64>) -> Observed<'a> {
        Observed { latencies, rate_hz, waited_pct: None }
    }
}

impl FromStr for Threshold {
    type Err = TypedError;

    fn from_str(text: &str) -> Result<Threshold, TypedError> {
        Threshold::try_from(text.parse::<Condition>()?)
    }
}

impl TryFrom<Condition> for Threshold {
    type Error = TypedError;

    fn try_from(condition: Condition) -> Result<Threshold, TypedError> {
        let (measure, limit) = match (condition.measure, condition.limit) {
            (typed::Measure::Percentile(percent), Limit::Time(limit)) => {
                (Measure::Quantile(quantile_of_percent(percent)), condition.nanoseconds(limit))
            }
            (typed::Measure::Max, Limit::Time(limit)) => {
                (Measure::Quantile(1.0), condition.nanoseconds(limit))
            }
            (typed::Measure::Mean, Limit::Time(limit)) => {
                (Measure::Mean, condition.nanoseconds(limit))
            }
            (typed::Measure::Rate, Limit::Rate(limit)) => (Measure::Rate, limit),
            (typed::Measure::Waited, Limit::Share(limit)) => (Measure::Waited, limit),
            (measure, _) => return Err(unfit(&condition, measure)),
        };
        Ok(Threshold { measure, limit, condition })
    }
}

/// What the measure can be compared with.
fn unfit(condition: &Condition, measure: typed::Measure) -> TypedError {
    let (why, examples) = match measure {
        typed::Measure::Rate => {
            ("a rate is compared with events per second", ["rate<10/s", "rate>5k"])
        }
        typed::Measure::Waited => {
            ("time waited is compared with a share of all of it", ["waited>50%", "p99>20ms"])
        }
        typed::Measure::Gain => {
            ("there is no gain without steps of load", ["p99>20ms", "rate<10/s"])
        }
        _ => ("a latency is compared with a length of time", ["p99>20ms", "mean>1.5s"]),
    };
    condition.refuse(why, examples)
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

/// What is nearer to a limit than this part of it is the limit.
const ROUNDING: f64 = 1e-12;

impl Threshold {
    /// Whether the condition holds for what was observed.
    pub fn judge(&self, observed: &Observed<'_>) -> Verdict {
        if observed.latencies.events() == 0 {
            return Verdict::NoEvents;
        }
        self.range(observed).map_or(Verdict::Unknown, |range| self.within(range))
    }

    /// Whether it holds for what was looked for and did not come: its rate is zero, and of all else
    /// there is nothing to judge.
    pub fn judge_absence(&self) -> Verdict {
        match self.measure {
            Measure::Rate => self.within((0.0, Some(0.0))),
            _ => Verdict::NoEvents,
        }
    }

    fn within(&self, (lo, hi): (f64, Option<f64>)) -> Verdict {
        let Condition { above, or_equal, .. } = self.condition;
        let holds = |value: f64| {
            // 54 of 60 ms are computed to be 90.00000000000001 %.
            if (value - self.limit).abs() <= ROUNDING * self.limit.abs() {
                return or_equal;
            }
            if above { value > self.limit } else { value < self.limit }
        };
        match (holds(lo), hi.map_or(above, holds)) {
            (true, true) => Verdict::Holds,
            (false, false) => Verdict::DoesNotHold,
            _ => Verdict::Unknown,
        }
    }

    /// How near the measure comes to holding: the larger, the nearer.
    pub fn nearness(&self, observed: &Observed<'_>) -> f64 {
        let range = self.range(observed);
        let (lo, hi) = range.map_or((0.0, 0.0), |(lo, hi)| (lo, hi.unwrap_or(f64::INFINITY)));
        if self.condition.above { hi } else { -lo }
    }

    /// Whether it is about latencies and nothing else.
    pub fn is_of_latency(&self) -> bool {
        matches!(self.measure, Measure::Quantile(_) | Measure::Mean)
    }

    /// The least and the greatest value that the condition's measure can have, both possible.
    /// `None` without events, or where it is not known.
    pub fn measured(&self, observed: &Observed<'_>) -> Option<Measured> {
        let (lo, hi) = self.range(observed)?;
        Some(match self.measure {
            Measure::Rate => Measured::Rate(lo),
            Measure::Waited => Measured::Waited(lo, hi.unwrap_or(lo)),
            Measure::Quantile(_) | Measure::Mean => Measured::Latency(lo, hi),
        })
    }

    /// The limit, in nanoseconds, events per second or per cent.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Whether it is about a share of all time waited.
    pub fn is_of_share(&self) -> bool {
        self.measure == Measure::Waited
    }

    /// The error that this condition cannot be judged here, and which can.
    pub fn refuse(&self, why: &str, examples: [&'static str; 2]) -> TypedError {
        self.condition.refuse(why, examples)
    }

    /// The least and greatest value the measure can have, in its unit, both possible.
    fn range(&self, observed: &Observed<'_>) -> Option<(f64, Option<f64>)> {
        let exactly = |value: f64| (value, Some(value));
        match self.measure {
            Measure::Rate => observed.rate_hz.map(exactly),
            Measure::Waited => observed.waited_pct.map(|(lo, hi)| (lo, Some(hi))),
            Measure::Mean => mean_range(observed.latencies),
            Measure::Quantile(q) => {
                let bucket = observed.latencies.quantile(q).ok()?.bucket;
                // Latencies are whole nanoseconds: the largest in the bucket is one below its end.
                let last = bucket.hi.map(|hi| (hi.as_nanos() - 1) as f64);
                Some((bucket.lo.as_nanos() as f64, last))
            }
        }
    }
}

fn mean_range(latencies: &Histogram) -> Option<(f64, Option<f64>)> {
    let events = latencies.events() as f64;
    if let Some(sum) = latencies.sum() {
        let mean = sum.as_nanos() as f64 / events;
        return (events > 0.0).then_some((mean, Some(mean)));
    }
    if latencies.is_averages() {
        return None;
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
    use isotherm_frame::{Nanos, Scheme, Unit};

    use super::*;

    fn judge(threshold: &str, millis: &[u64]) -> Verdict {
        let scheme = Scheme::powers_of_two(Unit::Millis);
        let mut counts = vec![0; scheme.buckets()];
        for ms in millis {
            counts[scheme.index_of(Nanos::from_millis(*ms)).unwrap()] += 1;
        }
        let latencies = Histogram::new(scheme, counts, None).unwrap();
        threshold.parse::<Threshold>().unwrap().judge(&Observed::of_rate(&latencies, Some(0.5)))
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
        assert_eq!(judge("max>1ns", &[]), Verdict::NoEvents);
    }

    #[test]
    fn means_and_limits_below_a_nanosecond_are_not_rounded() {
        let mut latencies = Histogram::empty(Scheme::log_linear());
        for ns in [1, 2, 2] {
            latencies.record(Nanos::new(ns));
        }
        let judge = |text: &str| {
            text.parse::<Threshold>().unwrap().judge(&Observed::of_rate(&latencies, None))
        };
        // Their mean is 5 / 3 ns.
        for text in
            ["mean>1ns", "mean>1.5ns", "mean>1.66ns", "mean<1.67ns", "mean<2ns", "p50>1.5ns"]
        {
            assert_eq!(judge(text), Verdict::Holds, "{text}");
        }
        for text in ["mean>1.67ns", "mean<1.5ns", "mean<1ns", "mean>2ns", "p50<1.5ns"] {
            assert_eq!(judge(text), Verdict::DoesNotHold, "{text}");
        }
    }

    #[test]
    fn a_share_that_is_the_limit_is_not_above_it() {
        let scheme = Scheme::powers_of_two(Unit::Millis);
        let counts = vec![1; scheme.buckets()];
        let latencies = Histogram::new(scheme, counts, None).unwrap();
        let waited_pct = Some((0.054 / 0.06 * 100.0, 0.054 / 0.06 * 100.0));
        let observed = Observed { waited_pct, ..Observed::of_rate(&latencies, None) };
        let judge = |text: &str| text.parse::<Threshold>().unwrap().judge(&observed);
        assert_eq!(judge("waited>90%"), Verdict::DoesNotHold);
        assert_eq!(judge("waited>=90%"), Verdict::Holds);
        assert_eq!(judge("waited>89.9%"), Verdict::Holds);
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
        for (text, part) in [
            ("p99", "no comparison"),
            ("median>1ms", "'median' is not a measure"),
            ("p99>fast", "'fast' does not begin with a number"),
            ("p99>5%", "a latency is compared with a length of time"),
            ("p99>1.2x", "a latency is compared with a length of time"),
            ("rate<5%", "write for example rate<10/s or rate>5k"),
            ("waited>10ms", "a share of all of it"),
            ("gain<5%", "without steps of load"),
        ] {
            let said = text.parse::<Threshold>().unwrap_err().to_string();
            assert!(said.contains(part) && said.contains(&format!("'{text}'")), "{text}: {said}");
        }
    }

    #[test]
    fn rates_and_shares_are_judged_where_they_are_known() {
        // One event in two seconds; a quarter of all time waited.
        let mut latencies = Histogram::empty(Scheme::log_linear());
        latencies.record(Nanos::from_millis(1));
        let judge = |text: &str, rate_hz, waited_pct: Option<f64>| {
            let waited_pct = waited_pct.map(|share| (share, share));
            let observed = Observed { latencies: &latencies, rate_hz, waited_pct };
            text.parse::<Threshold>().unwrap().judge(&observed)
        };
        assert_eq!(judge("rate<10", Some(0.5), None), Verdict::Holds);
        assert_eq!(judge("rate<30/min", Some(0.5), None), Verdict::DoesNotHold);
        assert_eq!(judge("rate<=30/min", Some(0.5), None), Verdict::Holds);
        assert_eq!(judge("rate<10", None, None), Verdict::Unknown);
        let absent = |text: &str| text.parse::<Threshold>().unwrap().judge_absence();
        assert_eq!((absent("rate<10"), absent("rate>10")), (Verdict::Holds, Verdict::DoesNotHold));
        assert_eq!(
            (absent("p99>1ms"), absent("waited<5%")),
            (Verdict::NoEvents, Verdict::NoEvents)
        );
        assert_eq!(judge("waited>20%", None, Some(25.0)), Verdict::Holds);
        assert_eq!(judge("waited>25%", None, Some(25.0)), Verdict::DoesNotHold);
        assert_eq!(judge("waited>25%", None, None), Verdict::Unknown);
        let between = |text: &str| {
            let waited_pct = Some((20.0, 40.0));
            let observed = Observed { latencies: &latencies, rate_hz: None, waited_pct };
            text.parse::<Threshold>().unwrap().judge(&observed)
        };
        assert_eq!(between("waited>19%"), Verdict::Holds);
        assert_eq!(between("waited>30%"), Verdict::Unknown);
        assert_eq!(between("waited>40%"), Verdict::DoesNotHold);
    }
}
