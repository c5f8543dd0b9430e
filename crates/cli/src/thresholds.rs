//! `--fail-if`: whether a condition makes the command fail.

use std::fmt::Display;

use isotherm_analysis::{Threshold, Verdict};
use isotherm_frame::{Bucket, Histogram, Nanos};
use isotherm_views::{Digits, range};

use crate::failure::{Code, Failure};

/// A condition and something it was asked of.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The condition, as it was written.
    pub condition: String,
    /// What it was asked of, such as a series.
    pub of: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// What was found, if anything: ` has 2.05–4.1ms`, or why nothing can be said.
    pub found: String,
}

impl Judged {
    /// What a condition on latencies comes to.
    pub fn of_latencies(threshold: &Threshold, of: String, latencies: &Histogram) -> Judged {
        let verdict = threshold.judge(latencies);
        let mut found =
            value(threshold, latencies).map_or_else(String::new, |v| format!(" has {v}"));
        if verdict == Verdict::Unknown {
            found.push_str(": buckets too coarse to rule it out");
        }
        Judged { condition: threshold.to_string(), of, verdict, found }
    }
}

/// The value of a condition's measure: a range, because that is all buckets know.
fn value(threshold: &Threshold, latencies: &Histogram) -> Option<String> {
    let (lo, last) = threshold.measured(latencies)?;
    if last == Some(lo) {
        return Some(lo.to_string());
    }
    let hi = last.map(|last| Nanos::new(last.as_nanos().saturating_add(1)));
    Some(range(Bucket { lo, hi }, Digits::Three))
}

/// Fails with a line for each condition that holds, that may hold, or of which nothing can be said
/// because there was not a single event to ask it of.
pub fn judge<C: Display>(conditions: &[C], judged: &[Judged]) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for condition in conditions.iter().map(ToString::to_string) {
        let with_events = judged
            .iter()
            .filter(|one| one.condition == condition && one.verdict != Verdict::NoEvents);
        let before = with_events.clone().count();
        for Judged { of, verdict, found, .. } in with_events {
            match verdict {
                Verdict::Holds => lines.push(format!("FAIL {condition}: {of}{found}")),
                Verdict::Unknown => lines.push(format!("UNSURE {condition}: {of}{found}")),
                Verdict::DoesNotHold | Verdict::NoEvents => {}
            }
        }
        if before == 0 {
            lines.push(no_events(&condition));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    Err(Failure::new(Code::Threshold, lines.join("\n")))
}

/// A failure because there was nothing to look at is also that of every condition.
pub fn or_unsure<T, C: Display>(
    conditions: &[C],
    result: Result<T, Failure>,
) -> Result<T, Failure> {
    result.map_err(|failure| {
        if !failure.no_events || conditions.is_empty() {
            return failure;
        }
        let lines = conditions.iter().map(|condition| no_events(&condition.to_string()));
        let lines: Vec<String> = std::iter::once(failure.message).chain(lines).collect();
        Failure::new(Code::Threshold, lines.join("\n"))
    })
}

fn no_events(condition: &str) -> String {
    format!("UNSURE {condition}: no events")
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Scheme;

    use super::*;

    fn latencies(micros: &[u64]) -> Histogram {
        let mut latencies = Histogram::empty(Scheme::log_linear());
        for us in micros {
            latencies.record(Nanos::from_micros(*us));
        }
        latencies
    }

    fn judged(condition: &str, of: &[(&str, &[u64])]) -> Result<(), String> {
        let threshold: Threshold = condition.parse().unwrap();
        let one = |(name, micros): &(&str, &[u64])| {
            Judged::of_latencies(&threshold, (*name).to_owned(), &latencies(micros))
        };
        let judged: Vec<Judged> = of.iter().map(one).collect();
        judge(std::slice::from_ref(&threshold), &judged).map_err(|failure| {
            assert_eq!(failure.code as u8, 99);
            failure.message
        })
    }

    #[test]
    fn a_condition_that_no_event_was_asked_of_fails() {
        let unsure = Err("UNSURE p99>1ns: no events".to_owned());
        assert_eq!(judged("p99>1ns", &[]), unsure);
        assert_eq!(judged("p99>1ns", &[("read", &[])]), unsure);
        assert_eq!(judged("p99>1ms", &[("read", &[]), ("write", &[5])]), Ok(()));
    }

    #[test]
    fn a_condition_that_holds_is_told_with_what_was_found() {
        // The mean of 2 and 4 ms is known exactly: 3 ms.
        let failed = judged("mean>1ms", &[("read", &[2_000, 4_000]), ("write", &[5])]);
        assert_eq!(failed, Err("FAIL mean>1ms: read has 3ms".to_owned()));
    }

    #[test]
    fn nothing_to_look_at_fails_conditions_and_nothing_else() {
        let nothing = || Err::<(), _>(Failure::nothing("there is no event"));
        let failure = or_unsure(&["p99>1ms", "max>1s"], nothing()).unwrap_err();
        assert_eq!(failure.code as u8, 99);
        assert_eq!(
            failure.message,
            "there is no event\nUNSURE p99>1ms: no events\nUNSURE max>1s: no events"
        );
        assert_eq!(or_unsure::<(), &str>(&[], nothing()).unwrap_err().code as u8, 1);
        let other = Err::<(), _>(Failure::usage("bad option"));
        assert_eq!(or_unsure(&["p99>1ms"], other).unwrap_err().code as u8, 2);
    }
}
