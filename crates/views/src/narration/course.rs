//! What changes slowly, stands still or ends.

use isotherm_analysis::{Change, Stall};
use isotherm_frame::Nanos;

use super::{about_ns, in_percent};
use crate::numbers::quantity;
use crate::ranges::{Digits, range};
use crate::times::span;

/// From which factor on times are more telling than percent.
const TIMES: f64 = 2.0;

/// All latencies longer or shorter by one factor.
pub(super) fn scales(factor: f64, change: &Change) -> String {
    let how = match factor {
        TIMES.. => format!("{} times as long", quantity(factor)),
        1.0.. => format!("{:.0} % longer", (factor - 1.0) * 100.0),
        _ => format!("{:.0} % less time", (1.0 - factor) * 100.0),
    };
    // Three digits: two would hide what is a fifth longer.
    let mean = |ns: f64| Nanos::from_secs_f64(ns / 1e9).unwrap_or_default();
    let (now, was) = (mean(change.after.mean_ns), mean(change.before.mean_ns));
    format!("everything took {how}: ≈{now} on average instead of ≈{was}")
}

/// Latency that becomes longer or shorter little by little.
pub(super) fn drifts(change: &Change) -> String {
    let (before, after) = (change.before.mean_ns, change.after.mean_ns);
    let way = if after > before { "rose" } else { "fell" };
    format!("latency {way} steadily, from {} to {} on average", about_ns(before), about_ns(after))
}

/// Load that grows or falls little by little.
pub(super) fn rate_drifts(change: &Change) -> String {
    let (before, after) = (change.before.rate, change.after.rate);
    let way = if after > before { "rose" } else { "fell" };
    format!("load {way} steadily, from {} to {} events/s", quantity(before), quantity(after))
}

/// What had to wait until things went on.
pub(super) fn stalls(stall: &Stall) -> String {
    let events = match stall.held_up {
        1 => "1 event ended that had waited".to_owned(),
        events => format!("{} events ended that had waited", quantity(events as f64)),
    };
    format!(
        "nothing ended, then {events} for {}: a stall, ≈{} of all time waited",
        range(stall.longest, Digits::Two),
        in_percent(stall.time_share)
    )
}

/// A stretch without events.
pub(super) fn silent(change: &Change) -> String {
    let length = change.end.map_or(Nanos::ZERO, |end| end.since(change.start));
    let before = change.before.rate;
    let against = if before > 0.0 {
        format!(", {} events/s before", quantity(before))
    } else {
        String::new()
    };
    format!("there were no events for {}{against}", span(length))
}

/// The end of everything while the source went on.
pub(super) fn stops(change: &Change) -> String {
    let before = quantity(change.before.rate);
    let left = if change.after.rate > 0.0 { "hardly any events" } else { "no events" };
    format!("everything stopped: {left}, {before} events/s before")
}
