//! What steps and what is left out are called.

use isotherm_analysis::PlacedStep;
use isotherm_frame::numbers::{bytes, grouped};
use isotherm_frame::{Nanos, PathLevel, PathOutcome, Timestamp};

use super::{PathTimeline, TimelineInput};
use crate::times::TimeFormat;

/// How often something is, with its word.
fn count(number: u64, one: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {one}{end}", grouped(number))
}

/// What a step is, in one line without what it is in.
pub(super) fn label(placed: &PlacedStep) -> String {
    let step = &placed.step;
    let mut words = Vec::new();
    match step.level {
        PathLevel::Statement if step.subject.is_empty() => {
            words.push("statement without its text".to_owned());
        }
        PathLevel::Statement => words.push(step.subject.to_string()),
        _ => words.extend([step.name.to_string(), step.subject.to_string()]),
    }
    words.extend(step.bytes.filter(|_| step.outcome != PathOutcome::Failed).map(bytes));
    if step.level == PathLevel::SystemCall {
        words.extend(step.offset.map(|offset| format!("at {}", grouped(offset))));
    }
    if step.outcome == PathOutcome::Failed {
        words.push("(failed)".to_owned());
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// What is remarkable about a step, behind its label.
pub(super) fn remarks(placed: &PlacedStep) -> Vec<String> {
    let mut remarks = Vec::new();
    if placed.step.queued > Nanos::ZERO {
        remarks.push(format!("queued {}", placed.step.queued));
    }
    if placed.step.outcome == PathOutcome::RestOfSplit {
        remarks.push("rest of a split".to_owned());
    }
    if placed.beyond > Nanos::ZERO && placed.step.level == PathLevel::BlockRequest {
        remarks.push(format!("ends {} later", placed.beyond));
    }
    remarks
}

/// How far a moment is behind another.
pub(super) fn offset(at: Timestamp, from: Timestamp) -> String {
    let ns = at.since(from).as_nanos();
    format!("+{}.{:03} ms", grouped(ns / 1_000_000), ns / 1_000 % 1_000)
}

/// From when to when, and how many steps.
pub(super) fn headline(timeline: &PathTimeline) -> String {
    let steps: u64 = timeline.path.levels.iter().map(|total| total.count).sum();
    let Some((start, end)) = timeline.path.span else {
        return match timeline.path.unplaced_count() {
            0 => "Nothing finished in this time.".to_owned(),
            requests => format!(
                "No statement, wait or system call finished in this time; {} did.",
                count(requests, "block request")
            ),
        };
    };
    let clock = TimeFormat::new(timeline.clock, timeline.zero);
    let length = end.since(start);
    format!("{} in {length}: {}", count(steps, "step"), clock.between(start, end))
}

/// What limits the truth of all this, and what stands in no line.
pub(super) fn findings(timeline: &PathTimeline) -> Vec<String> {
    let mut all: Vec<String> = timeline.inputs.iter().flat_map(findings_of).collect();
    let unplaced = timeline.path.unplaced_count();
    if unplaced > 0 {
        let some = timeline.path.unplaced.iter().take(5);
        let some = some.map(|one| format!("{} {}", one.program, grouped(one.count)));
        let mut programs: Vec<String> = some.collect();
        let more = timeline.path.unplaced.len().saturating_sub(programs.len());
        if more > 0 {
            programs.push(format!("{more} more"));
        }
        all.push(format!(
            "Not placed: {}, which no traced thread asked for during a step ({}).",
            count(unplaced, "block request"),
            programs.join(", ")
        ));
    }
    all
}

fn findings_of(input: &TimelineInput) -> Vec<String> {
    let name = &input.name;
    let mut all = Vec::new();
    if input.lost > 0 {
        all.push(format!(
            "⚠ {name}: bpftrace lost {}. What they said is missing: trace fewer processes \
             (--pid), fewer devices (--device), or for a shorter time.",
            count(input.lost, "line")
        ));
    }
    if input.rejected > 0 {
        let first = input.rejections.first().map(|first| format!(" ({first})")).unwrap_or_default();
        all.push(format!("⚠ {name}: {} cannot be read{first}.", count(input.rejected, "line")));
    }
    if input.left_out > 0 {
        all.push(format!(
            "⚠ {name}: {} at its end are left out: they do not fit into memory (--memory).",
            count(input.left_out, "step")
        ));
    }
    all.extend(input.remarks.iter().map(|remark| format!("⚠ {name}: {remark}")));
    all
}

/// The heads of the table of levels.
pub(super) const LEVEL_HEADS: [&str; 6] =
    ["count", "outermost", "total", "mean", "longest", "bytes"];

/// The table of levels: a name, and a cell for each head.
pub(super) fn levels(timeline: &PathTimeline) -> Vec<(String, Vec<String>)> {
    let nanos = |ns: u128| Nanos::new(u64::try_from(ns).unwrap_or(u64::MAX)).to_string();
    let row = |total: &isotherm_analysis::PathTotal| {
        let mean = total.total_ns / u128::from(total.count.max(1));
        let size = u64::try_from(total.bytes).unwrap_or(u64::MAX);
        let cells = vec![
            grouped(total.count),
            grouped(total.outermost),
            nanos(total.total_ns),
            nanos(mean),
            total.longest.to_string(),
            if size == 0 { String::new() } else { bytes(size) },
        ];
        (total.level.name().to_owned(), cells)
    };
    timeline.path.levels.iter().map(row).collect()
}
