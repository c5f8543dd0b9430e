//! Whether a comparison fails.

use isotherm_analysis::{Observed, Verdict};
use isotherm_frame::shown_name;

use super::compared::Compared;
use crate::compare_args::{CompareArgs, Condition};
use crate::failure::Failure;
use crate::screen;
use crate::thresholds::{Judged, Judgement};

/// Every condition, asked of every kind of event it can be asked of.
fn all(args: &CompareArgs, compared: &Compared) -> Vec<Judged> {
    let mut judged = Vec::new();
    for (index, line) in compared.lines.iter().enumerate() {
        let found = &compared.found[index];
        for condition in &args.fail_if {
            let of = shown_name(&line.label);
            judged.extend(match condition {
                Condition::Factor(factor) => found.compared.as_ref().map(|comparison| {
                    let interval = factor.interval(comparison).map(isotherm_views::ratio_interval);
                    let few = || " has too few events or intervals".to_owned();
                    let found = interval.map_or_else(few, |interval| format!(" has {interval}"));
                    let verdict = factor.judge(comparison);
                    let nearness = factor.nearness(comparison);
                    Judged { condition: factor.to_string(), of, verdict, found, nearness }
                }),
                Condition::Limit(limit) => found.latencies_of_b.as_ref().map(|latencies| {
                    let b = &found.b;
                    let rate_hz = (b.covered_s > 0.0).then(|| b.events as f64 / b.covered_s);
                    Judged::of(limit, of, &Observed::of_rate(latencies, rate_hz))
                }),
            });
        }
    }
    judged
}

/// What is shown: every condition that holds or may hold with the kind of event it holds for, and
/// those that hold for none.
pub fn outcomes(args: &CompareArgs, compared: &Compared) -> Vec<(String, Verdict)> {
    let all = all(args, compared);
    let mut shown = Vec::new();
    for condition in args.fail_if.iter().map(ToString::to_string) {
        let of = || {
            let with_events = |one: &&Judged| one.verdict != Verdict::NoEvents;
            all.iter().filter(|one| one.condition == condition).filter(with_events)
        };
        let name = |one: &Judged| match compared.lines.len() {
            1 => condition.clone(),
            _ => format!("{condition} for {}", one.of),
        };
        let told = of().filter(|one| one.verdict != Verdict::DoesNotHold);
        let told: Vec<(String, Verdict)> = told.map(|one| (name(one), one.verdict)).collect();
        if told.is_empty() {
            let none = if of().next().is_none() { Verdict::NoEvents } else { Verdict::DoesNotHold };
            shown.push((condition.clone(), none));
        }
        shown.extend(told);
    }
    shown
}

/// Fails when a condition is proved, or may hold and that is enough, or had no event to be asked
/// of; else warns where it may hold.
pub fn fail(args: &CompareArgs, compared: &Compared) -> Result<(), Failure> {
    let mut judged = all(args, compared);
    let factors: Vec<String> =
        args.fail_if.iter().filter(|one| one.is_factor()).map(ToString::to_string).collect();
    for one in &mut judged {
        // Chance leaves most factors possible somewhere: that alone is no failure.
        let unsure = one.verdict == Verdict::Unknown && factors.contains(&one.condition);
        if unsure && !args.fail_when_unsure {
            let Judged { condition, of, found, .. } = one;
            screen::warn(&format!(
                "UNSURE {condition}: {of}{found}; --fail-when-unsure would fail"
            ));
            one.verdict = Verdict::DoesNotHold;
        }
    }
    Judgement::of(&args.fail_if, &judged).conclude()
}
