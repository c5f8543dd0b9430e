//! What changes slowly, stands still or ends.

use isotherm_analysis::{Change, RankedRemark, Stall};
use isotherm_frame::{Nanos, percent, percent_more};

use super::wording::{about_ns, about_share, is_to_the_second, named};
use crate::numbers::{grouped, quantity};
use crate::ranges::{Digits, range};
use crate::times::span;

/// From which factor on times are more telling than percent.
const TIMES: f64 = 2.0;

/// The series that a remark is about, or all there is.
pub(super) fn everything(ranked: &RankedRemark) -> String {
    named(ranked).unwrap_or_else(|| "everything".to_owned())
}

/// ` of SERIES` where a remark is about one of several.
pub(super) fn of_series(ranked: &RankedRemark) -> String {
    named(ranked).map_or(String::new(), |series| format!(" of {series}"))
}

/// All latencies longer or shorter by one factor.
pub(super) fn scales(factor: f64, change: &Change, ranked: &RankedRemark) -> String {
    // The factor of the means that are printed: another estimate of it would contradict them.
    let (before, after) = (change.before.mean_ns, change.after.mean_ns);
    let of_means = if before > 0.0 { after / before } else { factor };
    let how = match of_means {
        TIMES.. => format!("{} times as long", quantity(of_means)),
        1.0.. => format!("{} longer", percent_more(of_means - 1.0)),
        _ => format!("{} less time", percent(1.0 - of_means)),
    };
    // Three digits: two would hide what is a fifth longer.
    let mean = |ns: f64| Nanos::from_secs_f64(ns / 1e9).unwrap_or_default();
    let (now, was) = (mean(change.after.mean_ns), mean(change.before.mean_ns));
    let all = everything(ranked);
    format!("{all} took {how}: ≈{now} on average instead of ≈{was}")
}

/// Latency that becomes longer or shorter little by little.
pub(super) fn drifts(change: &Change, ranked: &RankedRemark) -> String {
    let (before, after) = (change.before.mean_ns, change.after.mean_ns);
    let way = if after > before { "rose" } else { "fell" };
    let (before, after) = (about_ns(before), about_ns(after));
    format!("latency{} {way} steadily, from {before} to {after} on average", of_series(ranked))
}

/// Load that grows or falls little by little.
pub(super) fn rate_drifts(change: &Change, ranked: &RankedRemark) -> String {
    let (before, after) = (change.before.rate, change.after.rate);
    let way = if after > before { "rose" } else { "fell" };
    let (before, after) = (crate::numbers::rate(before), crate::numbers::rate(after));
    format!("load{} {way} steadily, from {before} to {after} events/s", of_series(ranked))
}

/// What had to wait until things went on.
pub(super) fn stalls(stall: &Stall, ranked: &RankedRemark) -> String {
    let longest = range(stall.longest, Digits::Two);
    let events = match stall.held_up {
        1 => "1 event waited".to_owned(),
        events => format!("≈{} events waited up to", grouped(events)),
    };
    let share = about_share(ranked.time_share.unwrap_or(stall.time_share), false);
    format!("{} stalled: {events} {longest}, {share} of all time waited", everything(ranked))
}

/// A stretch without events.
pub(super) fn silent(change: &Change, ranked: &RankedRemark) -> String {
    let length = change.end.map_or(Nanos::ZERO, |end| end.since(change.start));
    let before = change.before.rate;
    let against = if before > 0.0 {
        format!(", {} events/s before", crate::numbers::rate(before))
    } else {
        String::new()
    };
    // Intervals that are partly silent are not counted.
    let at_least = if is_to_the_second(change.exact_to) { "" } else { "at least " };
    format!("there were no events{} for {at_least}{}{against}", of_series(ranked), span(length))
}

/// The end of everything while the source went on.
pub(super) fn stops(change: &Change, ranked: &RankedRemark) -> String {
    let before = crate::numbers::rate(change.before.rate);
    let left = if change.after.rate > 0.0 { "almost no events" } else { "no events" };
    format!("{} stopped: {left}, {before} events/s before", everything(ranked))
}
