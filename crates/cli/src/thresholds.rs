//! `--fail-if`: whether a condition makes the command fail.

use std::fmt::Display;
use std::io::{self, IsTerminal};

use isotherm_analysis::{
    FrameTotals, Measured, Observed, Summary, Threshold, Verdict, WaitedBounds,
};
use isotherm_views::{ThresholdJson, ThresholdVerdict};

use crate::failure::{Code, Failure};
use crate::screen;
use crate::threshold_text as text;

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
    /// How near it comes to holding: the larger, the nearer.
    pub nearness: f64,
    /// What was measured, if it is known: in words, and the least and the greatest value.
    pub measured: Option<(String, [Option<f64>; 2])>,
}

impl Judged {
    /// What a condition comes to.
    pub fn of(threshold: &Threshold, of: String, observed: &Observed<'_>) -> Judged {
        Judged::with_verb(threshold, (of, "has"), observed)
    }

    /// The same of what is several things: `the selected events have 3ms`.
    pub fn of_several(threshold: &Threshold, of: String, observed: &Observed<'_>) -> Judged {
        Judged::with_verb(threshold, (of, "have"), observed)
    }

    fn with_verb(
        threshold: &Threshold,
        (of, verb): (String, &str),
        observed: &Observed<'_>,
    ) -> Judged {
        let verdict = threshold.judge(observed);
        let measured = threshold.measured(observed);
        let measured =
            measured.map(|measured| (value(measured, threshold.limit()), range(measured)));
        let mut found =
            measured.as_ref().map_or_else(String::new, |(value, _)| format!(" {verb} {value}"));
        if verdict == Verdict::Unknown {
            found.push_str(match &measured {
                Some(_) => ": buckets too coarse to rule it out",
                None if observed.latencies.is_averages() && threshold.is_of_latency() => {
                    ": averages only: no percentiles"
                }
                None => ": not known here",
            });
        }
        let nearness = threshold.nearness(observed);
        Judged { condition: threshold.to_string(), of, verdict, found, nearness, measured }
    }

    /// The same for programs.
    fn json(&self, verdict: ThresholdVerdict) -> ThresholdJson {
        let (value, range) = self.measured.clone().unzip();
        let (condition, of) = (self.condition.clone(), Some(self.of.clone()));
        ThresholdJson { condition, verdict, of, value, range }
    }

    /// `FAIL`, the condition, what it was asked of and what was found.
    pub fn line(&self, word: &str) -> String {
        let Judged { condition, of, found, .. } = self;
        format!("{word} {condition}: {of}{found}")
    }
}

/// The value of a condition's measure beside its limit: of latencies, and of shares of estimated
/// times, a range, because that is all buckets know.
fn value(measured: Measured, limit: f64) -> String {
    match measured {
        Measured::Rate(per_second) => format!("{} events/s", text::number(per_second, limit)),
        Measured::Waited(lo, hi) => {
            format!("{} % of all time waited", text::numbers((lo, hi), limit))
        }
        Measured::Latency(lo, last) => text::latency(lo, last, limit),
    }
}

/// The least and the greatest value that are possible.
fn range(measured: Measured) -> [Option<f64>; 2] {
    match measured {
        Measured::Rate(per_second) => [Some(per_second), Some(per_second)],
        Measured::Waited(lo, hi) => [Some(lo), Some(hi)],
        Measured::Latency(lo, last) => [Some(lo), last],
    }
}

/// What all conditions came to: a line for each that says what was found, also when all is well.
#[derive(Debug, Default)]
#[must_use]
pub struct Judgement {
    /// `PASS`, `FAIL` or `UNSURE`, the condition, and what was found.
    pub lines: Vec<String>,
    /// The same for programs.
    pub json: Vec<ThresholdJson>,
    failed: bool,
}

impl Judgement {
    /// A condition fails for each thing that it holds for or may hold for, and if nothing can be said
    /// because there was not a single event to ask it of. Else it passes, once.
    pub fn of<C: Display>(conditions: &[C], judge: impl Fn(&C) -> Vec<Judged>) -> Judgement {
        let mut judgement = Judgement::default();
        for condition in conditions {
            judgement.add(&condition.to_string(), &judge(condition));
        }
        judgement
    }

    fn add(&mut self, condition: &str, asked: &[Judged]) {
        let with = |verdict| asked.iter().filter(move |one| one.verdict == verdict);
        for one in with(Verdict::Holds) {
            self.push(one.line("FAIL"), true);
            self.json.push(one.json(ThresholdVerdict::Fail));
        }
        for one in with(Verdict::Unknown) {
            self.push(one.line("UNSURE"), true);
            self.json.push(one.json(ThresholdVerdict::Unsure));
        }
        if with(Verdict::Holds).chain(with(Verdict::Unknown)).next().is_some() {
            return;
        }
        let passed = with(Verdict::DoesNotHold);
        let nearest = passed.clone().max_by(|a, b| a.nearness.total_cmp(&b.nearness));
        let Some(nearest) = nearest else { return self.add_nothing(condition) };
        let line = nearest.line("PASS");
        match passed.count() {
            1 => self.push(line, false),
            all => self.push(format!("{line} ({} of {all})", extreme(condition)), false),
        }
        self.json.push(nearest.json(ThresholdVerdict::Pass));
    }

    fn add_nothing(&mut self, condition: &str) {
        self.push(no_events(condition), true);
        self.json.push(ThresholdJson {
            condition: condition.to_owned(),
            verdict: ThresholdVerdict::Unsure,
            of: None,
            value: None,
            range: None,
        });
    }

    /// Adds the line of a condition, and whether the condition fails.
    pub fn push(&mut self, line: String, fails: bool) {
        self.failed |= fails;
        self.lines.push(line);
    }

    /// Says every line; fails if a condition does.
    pub fn conclude(self) -> Result<(), Failure> {
        if self.failed {
            return Err(Failure::new(Code::Threshold, self.lines.join("\n")));
        }
        self.lines.iter().for_each(|line| screen::warn(line));
        Ok(())
    }

    /// Says every line, or nothing but what fails if it is to be quiet; nothing if they stand in the
    /// summary on the same terminal already.
    pub fn conclude_below(self, is_shown: bool, is_quiet: bool) -> Result<(), Failure> {
        if is_shown && screen::is_terminal() && io::stderr().is_terminal() {
            return if self.failed { Err(Failure::new(Code::Threshold, "")) } else { Ok(()) };
        }
        if is_quiet { self.conclude_quietly() } else { self.conclude() }
    }

    /// Says nothing but what fails.
    pub fn conclude_quietly(self) -> Result<(), Failure> {
        if self.failed { self.conclude() } else { Ok(()) }
    }
}

/// What conditions come to for every series that was summed up; `left_out` is what was waited in
/// series that are not asked.
pub fn of_totals(
    thresholds: &[Threshold],
    totals: &FrameTotals,
    left_out: WaitedBounds,
) -> Judgement {
    Judgement::of(thresholds, |threshold| of_each_series(threshold, totals, Some(left_out)))
}

/// The same for several inputs, each with its own rates and shares; shares are not known where it is
/// not known what was waited in series that are not asked.
pub fn of_all(
    thresholds: &[Threshold],
    inputs: &[(FrameTotals, Option<WaitedBounds>)],
) -> Judgement {
    Judgement::of(thresholds, |threshold| {
        let each = inputs.iter();
        each.flat_map(|(totals, left_out)| of_each_series(threshold, totals, *left_out)).collect()
    })
}

fn of_each_series(
    threshold: &Threshold,
    totals: &FrameTotals,
    left_out: Option<WaitedBounds>,
) -> Vec<Judged> {
    let summaries = totals.by_time_waited();
    let waited = |summary: &Summary| WaitedBounds::of(&summary.latencies);
    let all = left_out
        .map(|left_out| summaries.iter().fold(left_out, |all, summary| all.plus(waited(summary))));
    let judged = |summary: &&Summary| {
        let observed = Observed {
            latencies: &summary.latencies,
            rate_hz: totals.rate(summary.events()),
            waited_pct: all.and_then(|all| waited(summary).share_of(all)),
        };
        Judged::of(threshold, summary.series.to_string(), &observed)
    };
    summaries.iter().map(judged).collect()
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

/// Which of several values that pass a condition is nearest to its limit.
pub fn extreme(condition: &str) -> &'static str {
    if condition.contains('<') { "lowest" } else { "highest" }
}

/// The line of a condition that no event was asked of.
pub fn no_events(condition: &str) -> String {
    format!("UNSURE {condition}: no events")
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit};

    use super::*;

    fn latencies(micros: &[u64]) -> Histogram {
        let mut latencies = Histogram::empty(Scheme::log_linear());
        for us in micros {
            latencies.record(Nanos::from_micros(*us));
        }
        latencies
    }

    /// The lines, and the exit code.
    fn judged(condition: &str, of: &[(&str, &[u64])]) -> (String, u8) {
        let threshold: Threshold = condition.parse().unwrap();
        let judge = |threshold: &Threshold| {
            let one = |(name, micros): &(&str, &[u64])| {
                let latencies = latencies(micros);
                let observed = Observed::of_rate(&latencies, Some(4.0));
                Judged::of(threshold, (*name).to_owned(), &observed)
            };
            of.iter().map(one).collect()
        };
        let judgement = Judgement::of(std::slice::from_ref(&threshold), judge);
        let lines = judgement.lines.join("\n");
        (lines, judgement.conclude().map_or_else(|failure| failure.code as u8, |()| 0))
    }

    fn said(lines: &str, code: u8) -> (String, u8) {
        (lines.to_owned(), code)
    }

    #[test]
    fn a_condition_that_is_given_twice_has_a_line_for_each_time() {
        let threshold: Threshold = "max>1ms".parse().unwrap();
        let read = latencies(&[2_000]);
        let judge = |threshold: &Threshold| {
            vec![Judged::of(threshold, "read".to_owned(), &Observed::of_rate(&read, None))]
        };
        let judgement = Judgement::of(&[threshold.clone(), threshold], judge);
        assert_eq!((judgement.lines.len(), judgement.json.len()), (2, 2));
    }

    #[test]
    fn a_condition_that_no_event_was_asked_of_fails() {
        let unsure = said("UNSURE p99>1ns: no events", 99);
        assert_eq!(judged("p99>1ns", &[]), unsure);
        assert_eq!(judged("p99>1ns", &[("read", &[])]), unsure);
        assert_eq!(judged("mean>1ms", &[("read", &[]), ("write", &[5])]).1, 0);
    }

    #[test]
    fn every_condition_is_reported_with_what_was_found() {
        // The mean of 2 and 4 ms is known exactly: 3 ms.
        let both: [(&str, &[u64]); 2] = [("read", &[2_000, 4_000]), ("write", &[5])];
        assert_eq!(judged("mean>1ms", &both), said("FAIL mean>1ms: read has 3ms", 99));
        assert_eq!(judged("mean>3ms", &both[..1]), said("PASS mean>3ms: read has 3ms", 0));
        assert_eq!(
            judged("mean>3ms", &both),
            said("PASS mean>3ms: read has 3ms (highest of 2)", 0)
        );
        assert_eq!(judged("rate<10", &both[..1]), said("FAIL rate<10: read has 4.00 events/s", 99));
        assert_eq!(judged("rate<4", &both[..1]), said("PASS rate<4: read has 4.00 events/s", 0));
        assert_eq!(
            judged("waited>5%", &both[1..]),
            said("UNSURE waited>5%: write: not known here", 99)
        );
    }

    fn totals(of: &[(&str, Histogram)]) -> FrameTotals {
        let mut totals = FrameTotals::default();
        for (name, counts) in of {
            let (start, end) = (Timestamp::new(0), Timestamp::new(2_000_000_000));
            let (series, counts) = (Series::named(*name), counts.clone());
            totals.add(&Frame { series, start, end, counts, quality: Quality::Complete });
        }
        totals
    }

    fn lines(condition: &str, totals: &FrameTotals, left_out: WaitedBounds) -> Vec<String> {
        of_totals(&[condition.parse().unwrap()], totals, left_out).lines
    }

    #[test]
    fn shares_and_rates_are_those_of_all_that_was_read() {
        let (reads, writes) = (latencies(&[3_000, 3_000]), latencies(&[2_000]));
        let both = totals(&[("read", reads.clone()), ("write", writes.clone())]);
        // Of 8 ms 6 are of reads: 75 %. Two events in two seconds are one a second.
        let of_both = |text: &str| lines(text, &both, WaitedBounds::default());
        assert_eq!(of_both("waited>50%"), ["FAIL waited>50%: read has 75.0 % of all time waited"]);
        assert_eq!(of_both("rate<1/s"), ["FAIL rate<1/s: write has 0.5 events/s"]);
        assert_eq!(
            of_both("rate<0.5/s"),
            ["PASS rate<0.5/s: write has 0.5 events/s (lowest of 2)"]
        );
        // The same share where writes are not asked.
        let reads = totals(&[("read", reads)]);
        assert_eq!(
            lines("waited>80%", &reads, WaitedBounds::of(&writes)),
            ["PASS waited>80%: read has 75.0 % of all time waited"]
        );
        assert_eq!(
            of_all(&["waited>80%".parse().unwrap()], &[(reads, None)]).lines,
            ["UNSURE waited>80%: read: not known here"]
        );
    }

    #[test]
    fn a_share_of_estimated_times_is_a_range() {
        // One read of 4 to 8 ms and one write of 16 to 32 ms: reads have 11.1 to 33.3 %.
        let coarse = |ms: u64| {
            let scheme = Scheme::powers_of_two(Unit::Millis);
            let mut counts = vec![0; scheme.buckets()];
            counts[scheme.index_of(Nanos::from_millis(ms)).unwrap()] = 1;
            Histogram::new(scheme, counts, None).unwrap()
        };
        let reads = totals(&[("read", coarse(5))]);
        let line = |text: &str| lines(text, &reads, WaitedBounds::of(&coarse(20)));
        assert_eq!(
            line("waited>20%"),
            ["UNSURE waited>20%: read has 11.1–33.3 % of all time waited: buckets too coarse to \
              rule it out"]
        );
        assert_eq!(
            line("waited>34%"),
            ["PASS waited>34%: read has 11.1–33.3 % of all time waited"]
        );
        assert_eq!(
            line("waited>11%"),
            ["FAIL waited>11%: read has 11.1–33.3 % of all time waited"]
        );
    }

    #[test]
    fn programs_read_the_same_as_people() {
        let both = totals(&[("read", latencies(&[3_000, 3_000])), ("write", latencies(&[2_000]))]);
        let json = |text: &str| {
            let judgement = of_totals(&[text.parse().unwrap()], &both, WaitedBounds::default());
            serde_json::to_value(judgement.json).unwrap()
        };
        assert_eq!(
            json("waited>50%"),
            serde_json::json!([{
                "condition": "waited>50%", "verdict": "fail", "of": "read",
                "value": "75.0 % of all time waited", "range": [75.0, 75.0],
            }])
        );
        assert_eq!(json("mean>1s")[0]["verdict"], "pass");
        assert_eq!(json("mean>1s")[0]["range"], serde_json::json!([3e6, 3e6]));
        let none = of_totals(
            &["p99>1ms".parse().unwrap()],
            &FrameTotals::default(),
            WaitedBounds::default(),
        );
        assert_eq!(
            (none.json[0].verdict, none.json[0].of.clone()),
            (ThresholdVerdict::Unsure, None)
        );
    }

    #[test]
    fn what_is_printed_does_not_contradict_the_verdict() {
        let one = [("read", &[9_999_u64][..])];
        assert_eq!(judged("mean<10ms", &one).0, "FAIL mean<10ms: read has 9.999ms");
        assert_eq!(judged("mean>10ms", &one).0, "PASS mean>10ms: read has 9.999ms");
        assert_eq!(judged("mean>11ms", &one).0, "PASS mean>11ms: read has 10ms");
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
