//! Whether a comparison fails.

use isotherm_analysis::Verdict;

use super::Compared;
use crate::compare_args::{CompareArgs, Condition};
use crate::failure::{Code, Failure};
use crate::screen;

/// A condition on a kind of event, and whether it holds.
struct Outcome<'a> {
    condition: &'a Condition,
    label: &'a str,
    verdict: Verdict,
    /// What is possible of a factor.
    found: Option<String>,
}

fn all<'a>(args: &'a CompareArgs, compared: &'a Compared) -> Vec<Outcome<'a>> {
    let mut outcomes = Vec::new();
    for (line, found) in compared.lines.iter().zip(&compared.comparisons) {
        let Some((comparison, latencies)) = found else { continue };
        for condition in &args.fail_if {
            let (verdict, found) = match condition {
                Condition::Factor(factor) => (
                    factor.judge(comparison),
                    factor.interval(comparison).map(isotherm_views::ratio_interval),
                ),
                Condition::Limit(limit) => (limit.judge(latencies), None),
            };
            outcomes.push(Outcome { condition, label: &line.label, verdict, found });
        }
    }
    outcomes
}

fn text(condition: &Condition) -> String {
    match condition {
        Condition::Factor(factor) => factor.to_string(),
        Condition::Limit(limit) => limit.to_string(),
    }
}

/// What is shown: every condition that holds or may hold with the kind of event it holds for, and
/// those that hold for none.
pub fn outcomes(args: &CompareArgs, compared: &Compared) -> Vec<(String, Verdict)> {
    let all = all(args, compared);
    let mut shown = Vec::new();
    for condition in &args.fail_if {
        let of = || all.iter().filter(|outcome| std::ptr::eq(outcome.condition, condition));
        let name = |outcome: &Outcome<'_>| match compared.lines.len() {
            1 => text(condition),
            _ => format!("{} for {}", text(condition), outcome.label),
        };
        let told = of().filter(|outcome| outcome.verdict != Verdict::DoesNotHold);
        let told: Vec<(String, Verdict)> =
            told.map(|outcome| (name(outcome), outcome.verdict)).collect();
        if told.is_empty() {
            shown.push((text(condition), Verdict::DoesNotHold));
        }
        shown.extend(told);
    }
    shown
}

/// Fails when a condition is proved, or may hold and that is enough; else warns where it may.
pub fn fail(args: &CompareArgs, compared: &Compared) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for Outcome { condition, label, verdict, found } in all(args, compared) {
        let text = text(condition);
        let has = found.map(|found| format!(" has {found}"));
        match (verdict, condition) {
            (Verdict::DoesNotHold, _) => {}
            (Verdict::Holds, _) => {
                failed.push(format!("FAIL {text}: {label}{}", has.unwrap_or_default()));
            }
            (Verdict::Unknown, Condition::Limit(_)) => {
                failed.push(format!("FAIL {text}: {label}: buckets too coarse to rule it out"));
            }
            (Verdict::Unknown, Condition::Factor(_)) => {
                let has = has.unwrap_or_else(|| " has too few events or intervals".to_owned());
                let said = format!("cannot tell whether {text}: {label}{has}");
                if args.fail_when_unsure {
                    failed.push(said);
                } else {
                    screen::warn(&format!("{said}; --fail-when-unsure would fail"));
                }
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(Code::Threshold, failed.join("\n")))
}
