//! Whether a comparison fails.

use isotherm_analysis::{
    ComparedSide, Comparison, Failures, Measure, Observed, OneSided, PairComparison,
    RelativeThreshold, Threshold, Verdict,
};
use isotherm_frame::{percent, shown_name};
use isotherm_report::JudgedCondition;

use super::compared::Compared;
use crate::compare_args::{CompareArgs, Condition};
use crate::failure::Failure;
use crate::threshold_text;
use crate::thresholds::{self, Judged, Judgement};

/// A condition that was asked of a kind of event.
struct Asked {
    judged: Judged,
    /// Whether it is only chance that leaves it possible: that alone can be let pass.
    by_chance: bool,
}

impl Asked {
    /// How bad it is: the more, the worse.
    fn rank(&self) -> u8 {
        match self.judged.verdict {
            Verdict::Holds => 3,
            Verdict::Unknown if !self.by_chance => 2,
            Verdict::Unknown => 1,
            Verdict::DoesNotHold | Verdict::NoEvents => 0,
        }
    }
}

/// A condition, asked of every kind of event it can be asked of.
fn asked(condition: &Condition, compared: &Compared) -> Vec<Asked> {
    let mut asked = Vec::new();
    for (line, found) in compared.lines.iter().zip(&compared.found) {
        let of = shown_name(&line.label);
        let one = match condition {
            Condition::Factor(factor) => of_factor(factor, of, found),
            Condition::Limit(limit) => of_limit(limit, of, found),
        };
        asked.extend(one.filter(|one| one.judged.verdict != Verdict::NoEvents));
    }
    asked
}

fn of_factor(factor: &RelativeThreshold, of: String, found: &PairComparison) -> Option<Asked> {
    match (&found.one_sided, &found.compared) {
        (Some(one_sided), _) => Some(of_one_side(factor, of, one_sided)),
        (None, compared) => compared.as_ref().map(|comparison| of_both(factor, of, comparison)),
    }
}

fn of_both(factor: &RelativeThreshold, of: String, comparison: &Comparison) -> Asked {
    let verdict = factor.judge(comparison);
    let found = match factor.interval(comparison) {
        None if is_of_averages(comparison) && factor.measured(comparison).is_none() => {
            ": averages only: no percentiles".to_owned()
        }
        None => {
            let why = "too few events or intervals to distinguish it from chance";
            match measured_ratio(factor, comparison) {
                Some(measured) => format!(": {measured} measured, but {why}"),
                None => format!(": {why}"),
            }
        }
        Some(interval) => ratios(factor, comparison, interval, verdict),
    };
    let nearness = factor.nearness(comparison);
    let judged =
        Judged { condition: factor.to_string(), of, verdict, found, nearness, measured: None };
    Asked { judged, by_chance: true }
}

/// Whether there is not one percentile to compare: of a distribution there is the maximum at least.
fn is_of_averages(comparison: &Comparison) -> bool {
    !comparison.shifts.iter().any(|shift| matches!(shift.measure, Measure::Quantile(_)))
}

/// What is possible of the ratio: a statement where that decides it, a reason where it does not.
fn ratios(
    factor: &RelativeThreshold,
    comparison: &Comparison,
    interval: (f64, f64),
    verdict: Verdict,
) -> String {
    let who = if factor.is_of_maximum() { "the buckets allow" } else { "95 % interval" };
    match (threshold_text::ratios(interval, factor.limit()), verdict) {
        (None, _) if factor.is_of_maximum() => ": the buckets are too coarse to tell".to_owned(),
        (None, _) => match measured_ratio(factor, comparison) {
            Some(measured) => format!(": {measured} measured, but it may be chance"),
            None => ": the ratio is unknown".to_owned(),
        },
        (Some(ratios), Verdict::Unknown) => format!(": {who} {ratios}"),
        (Some(ratios), _) => format!(" has {ratios}"),
    }
}

/// What was measured of the ratio, whether or not it proves anything.
fn measured_ratio(factor: &RelativeThreshold, comparison: &Comparison) -> Option<String> {
    let measured = factor.measured(comparison)?;
    threshold_text::ratios(measured, factor.limit())
}

/// Of a kind of event that only one side has: that it is gone, or new, is no chance.
fn of_one_side(factor: &RelativeThreshold, of: String, found: &OneSided) -> Asked {
    let verdict = factor.judge_one_sided(found);
    let gone = match found.has {
        ComparedSide::A => " has no events in B",
        ComparedSide::B => " has no events in A",
    };
    let possible = factor.interval_one_sided(found);
    let possible = possible.and_then(|found| threshold_text::ratios(found, factor.limit()));
    let of_what = if factor.is_of_time_waited() { "time waited" } else { "rate" };
    let possible = possible.map(|ratios| format!(": {ratios} of its {of_what}"));
    let nearness = match (verdict, found.has) {
        (Verdict::DoesNotHold, _) => f64::MIN,
        _ => f64::MAX,
    };
    let found = format!("{gone}{}", possible.unwrap_or_default());
    let judged =
        Judged { condition: factor.to_string(), of, verdict, found, nearness, measured: None };
    Asked { judged, by_chance: false }
}

/// A limit of B alone, as in `stats`; what came in A and was looked for in B has a rate of zero there.
fn of_limit(limit: &Threshold, of: String, found: &PairComparison) -> Option<Asked> {
    let b = &found.b;
    let gone = found.one_sided.filter(|one| one.has == ComparedSide::A && one.ratio.is_some());
    let judged = if gone.is_some() {
        Judged {
            condition: limit.to_string(),
            of,
            verdict: limit.judge_absence(),
            found: " has no events in B".to_owned(),
            nearness: 0.0,
            measured: None,
        }
    } else {
        let rate_hz = (b.counted_s > 0.0).then(|| b.rate());
        let latencies = found.latencies_of_b.as_ref()?;
        Judged::of(limit, of, &Observed::of_rate(latencies, rate_hz))
    };
    Some(Asked { judged, by_chance: false })
}

/// What is shown: every condition that holds or may hold with the kind of event it holds for, and
/// those that hold for none.
fn outcomes(args: &CompareArgs, compared: &Compared) -> Vec<(String, Verdict)> {
    let mut shown = Vec::new();
    for condition in &args.fail_if {
        let all = asked(condition, compared);
        let name = |one: &Judged| match compared.lines.len() {
            1 => condition.to_string(),
            _ => format!("{condition} for {}", one.of),
        };
        let holding = all.iter().filter(|one| one.rank() > 0).map(|one| &one.judged);
        let holding: Vec<(String, Verdict)> = holding.map(|one| (name(one), one.verdict)).collect();
        if holding.is_empty() {
            let none = if all.is_empty() { Verdict::NoEvents } else { Verdict::DoesNotHold };
            shown.push((condition.to_string(), none));
        }
        shown.extend(holding);
    }
    shown
}

/// What each condition comes to, in one line: the worst, with the kind of event it is of.
pub fn judged(args: &CompareArgs, compared: &Compared) -> Vec<JudgedCondition> {
    let each = args.fail_if.iter().map(|condition| {
        let (line, fails) = worst(condition, &asked(condition, compared), args.pass_when_unsure);
        JudgedCondition { condition: condition.to_string(), line, fails }
    });
    each.collect()
}

/// What the conditions come to, and that more operations failed.
pub fn with_failures(
    args: &CompareArgs,
    compared: &Compared,
    failures: Option<Failures>,
) -> (Vec<JudgedCondition>, Vec<(String, Verdict)>) {
    let (mut judged, mut outcomes) = (judged(args, compared), outcomes(args, compared));
    if let Some(unsure) = of_failures(args, failures) {
        outcomes.push((unsure.condition.clone(), Verdict::Unknown));
        judged.push(unsure);
    }
    (judged, outcomes)
}

/// That a gate cannot tell by latencies where more operations failed: those that fail may take less time.
fn of_failures(args: &CompareArgs, failures: Option<Failures>) -> Option<JudgedCondition> {
    let is_asked = !args.fail_if.is_empty() && !args.each;
    let failures = failures.filter(|failures| is_asked && failures.more_in_b())?;
    let [a, b] = [failures.a, failures.b].map(|side| percent(side.share()));
    let fails = !args.pass_when_unsure;
    let hint = if fails { "; compare with --each, or use --pass-when-unsure" } else { "" };
    let line = format!(
        "UNSURE failed: {b} of the events failed in B, {a} in A: the latencies compared include theirs{hint}"
    );
    Some(JudgedCondition { condition: "failed".to_owned(), line, fails })
}

/// Fails when a condition is proved, or may hold and is not let pass, or had no event to be asked of.
pub fn fail(args: &CompareArgs, judged: &[JudgedCondition]) -> Result<(), Failure> {
    let mut judgement = Judgement::default();
    for one in judged {
        judgement.push(one.line.clone(), one.fails);
    }
    if args.quiet { judgement.conclude_quietly() } else { judgement.conclude() }
}

/// The line of a condition, and whether it fails.
fn worst(condition: &Condition, asked: &[Asked], pass_when_unsure: bool) -> (String, bool) {
    let order = |one: &&Asked, two: &&Asked| {
        let nearness = || one.judged.nearness.total_cmp(&two.judged.nearness);
        one.rank().cmp(&two.rank()).then_with(nearness)
    };
    // Of equals the first: kinds of events are in the order of their change.
    let Some(worst) = asked.iter().rev().max_by(order) else {
        return (thresholds::no_events(&condition.to_string()), true);
    };
    let alike = asked.iter().filter(|one| one.rank() == worst.rank()).count();
    let (word, fails) = match worst.rank() {
        3 => ("FAIL", true),
        2 => ("UNSURE", true),
        1 => ("UNSURE", !pass_when_unsure),
        _ => ("PASS", false),
    };
    let among = match (alike, word) {
        (1, _) => String::new(),
        (_, "FAIL") => format!(" (worst of {alike} that fail)"),
        (_, "UNSURE") => format!(" (worst of {alike} that are unsure)"),
        _ => format!(" ({} of {alike})", thresholds::extreme(&condition.to_string())),
    };
    let hint = match worst.rank() {
        1 if !pass_when_unsure => "; record longer runs, or use --pass-when-unsure",
        _ => "",
    };
    (format!("{}{among}{hint}", worst.judged.line(word)), fails)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(of: &str, verdict: Verdict, by_chance: bool, nearness: f64) -> Asked {
        let (condition, of) = ("p99>1.2x".to_owned(), of.to_owned());
        let found = format!(" has ×{nearness}");
        let judged = Judged { condition, of, verdict, found, nearness, measured: None };
        Asked { judged, by_chance }
    }

    #[test]
    fn a_condition_has_one_line_and_it_is_the_worst() {
        use Verdict::{DoesNotHold, Holds, Unknown};
        let condition: Condition = "p99>1.2x".parse().unwrap();
        let of = |asked: &[Asked], lenient| worst(&condition, asked, lenient);
        let good = || one("read", DoesNotHold, true, 1.1);
        let open = || one("write", Unknown, true, 1.3);
        assert_eq!(of(&[], false), ("UNSURE p99>1.2x: no events".to_owned(), true));
        assert_eq!(of(&[good()], false), ("PASS p99>1.2x: read has ×1.1".to_owned(), false));
        // A gate that cannot tell does not open.
        let line = "UNSURE p99>1.2x: write has ×1.3; record longer runs, or use --pass-when-unsure";
        assert_eq!(of(&[good(), open()], false), (line.to_owned(), true));
        assert_eq!(
            of(&[good(), open()], true),
            ("UNSURE p99>1.2x: write has ×1.3".to_owned(), false)
        );
        let gone = one("sync", Unknown, false, 0.0);
        assert_eq!(
            of(&[good(), open(), gone], true),
            ("UNSURE p99>1.2x: sync has ×0".to_owned(), true)
        );
        let bad = |nearness| one("sync", Holds, true, nearness);
        assert_eq!(
            of(&[bad(2.0), open(), bad(3.0)], false),
            ("FAIL p99>1.2x: sync has ×3 (worst of 2 that fail)".to_owned(), true)
        );
    }
}
