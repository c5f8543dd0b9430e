//! What kept a run from being faster.

use isotherm_frame::Nanos;

use super::{LoadArrival, LoadSchedule, LoadSummary};
use crate::narration::about_share;
use crate::numbers::{grouped, quantity};

/// From this share of busy processors on they limit what can be had.
const BUSY: f64 = 0.9;
/// A rate is met if it is missed by less than this.
const MOST_MISSED: f64 = 0.01;

/// What limited the throughput, as far as it is known; nothing of a run that could not go on.
pub(super) fn sentence(summary: &LoadSummary) -> Option<String> {
    if summary.ended.reason == "failed" {
        return None;
    }
    let unit = summary.rate.unit;
    if let Some(schedule) = &summary.schedule {
        let missed = 1.0 - schedule.delivered_hz / schedule.asked_hz.max(1e-9);
        if missed < MOST_MISSED {
            return Some(format!(
                "Not limited: it kept the rate of {} {unit}.",
                quantity(schedule.asked_hz)
            ));
        }
    }
    match (busy(summary), &summary.schedule, summary.arrival) {
        (Some(busy), ..) => Some(format!("Limited by CPU: this machine was {busy} busy.")),
        (None, Some(schedule), _) => Some(of_system(schedule, unit)),
        (None, None, LoadArrival::Closed { in_flight, think }) => {
            Some(of_load(summary, u64::from(in_flight), think))
        }
        (None, None, LoadArrival::Open { .. }) => None,
    }
}

fn busy(summary: &LoadSummary) -> Option<String> {
    let share = summary.cpu.machine_busy.filter(|share| *share >= BUSY)?;
    Some(about_share(share.min(1.0), true))
}

fn of_system(schedule: &LoadSchedule, unit: &str) -> String {
    format!(
        "Limited by the system: {} of {} {unit} asked for.",
        quantity(schedule.delivered_hz),
        quantity(schedule.asked_hz)
    )
}

fn of_load(summary: &LoadSummary, in_flight: u64, think: bool) -> String {
    let mean = summary.latency.response.mean_ns.and_then(|ns| Nanos::from_secs_f64(ns / 1e9));
    let each = mean.map_or_else(String::new, |mean| format!(", {mean} each"));
    let pauses = if think { " with pauses" } else { "" };
    let in_flight = grouped(in_flight);
    format!(
        "Limited by the load: {in_flight} in flight{pauses}{each}. More in flight may give more."
    )
}
