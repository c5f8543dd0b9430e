//! The summary of a run for programs: one JSON object, described by
//! `docs/schema/load.schema.json`.

use std::io::{self, Write};

use isotherm_frame::{Nanos, QuantileInterval};
use serde_json::{Value, json};

use super::{
    LoadArrival, LoadCpu, LoadEnded, LoadKind, LoadLatency, LoadObserved, LoadSheet, LoadSpread,
    LoadTouched,
};

/// The version of the object's schema.
pub const LOAD_SCHEMA_VERSION: u64 = 1;

/// The JSON object.
#[derive(Clone, Debug)]
pub struct LoadJson {
    /// The run as a line of a run table: everything there is.
    pub run: Value,
}

impl LoadJson {
    /// Writes the object on one line. Fails only when `out` does.
    pub fn render(&self, sheet: &LoadSheet, out: &mut dyn Write) -> io::Result<()> {
        let object = json!({
            "schema_version": LOAD_SCHEMA_VERSION,
            "run": self.run,
            "summary": summary(sheet),
        });
        serde_json::to_writer(&mut *out, &object)?;
        out.write_all(b"\n")
    }
}

/// Seconds and counts, shares from 0 to 1.
fn summary(sheet: &LoadSheet) -> Value {
    let LoadSheet { what, rate, latency, little, schedule, cpu, .. } = sheet;
    json!({
        "target": what.target,
        "arrival": arrival(what.arrival),
        "threads": what.threads,
        "warmup_s": what.warmup_s,
        "measured_s": what.measured_s,
        "rate": {
            "unit": rate.unit,
            "per_s": rate.per_s,
            "bytes_per_s": rate.bytes_per_s,
            "blocks_per_s": rate.blocks_per_s,
        },
        "latency": self::latency(latency),
        "little": {
            "computed": little.computed,
            "in_flight": little.in_flight,
            "gap": little.gap,
        },
        "schedule": schedule.map(|schedule| json!({
            "asked_hz": schedule.asked_hz,
            "delivered_hz": schedule.delivered_hz,
            "queued": schedule.queued,
            "longest_lag_s": schedule.longest_lag.as_secs_f64(),
        })),
        "cpu": self::cpu(cpu),
        "touched": sheet.touched.as_ref().map(touched),
        "observed": sheet.observed.iter().map(observed).collect::<Vec<Value>>(),
        "steady": {
            "steady": sheet.steady.steady,
            "drift": sheet.steady.drift,
            "deviation": sheet.steady.deviation,
        },
        "verdicts": sheet.verdicts.iter().map(|verdict| json!({
            "code": verdict.code,
            "serious": verdict.serious,
            "words": verdict.words,
        })).collect::<Vec<Value>>(),
        "faults": sheet.faults.iter().map(|(words, count)| json!({
            "words": words,
            "count": count,
        })).collect::<Vec<Value>>(),
        "ended": ended(&sheet.end.why),
        "recording": sheet.end.recording,
    })
}

fn arrival(arrival: LoadArrival) -> Value {
    match arrival {
        LoadArrival::Closed { in_flight, think } => {
            json!({ "loop": "closed", "in_flight": in_flight, "think": think })
        }
        LoadArrival::Open { rate_hz, fixed, slots } => {
            let spacing = if fixed { "fixed" } else { "poisson" };
            json!({ "loop": "open", "rate_hz": rate_hz, "spacing": spacing, "slots": slots })
        }
    }
}

fn latency(latency: &LoadLatency) -> Value {
    json!({
        "response": spread(&latency.all),
        "service": latency.service.as_ref().map(spread),
        "kinds": latency.kinds.iter().map(kind).collect::<Vec<Value>>(),
        "waited_per_s": latency.waited_per_s,
        "sentences": latency.sentences,
        "p99_withheld_for": latency.withheld.as_ref().map(|(code, _)| code),
    })
}

fn kind(kind: &LoadKind) -> Value {
    json!({
        "name": kind.name,
        "per_s": kind.per_s,
        "bytes_per_s": kind.bytes_per_s,
        "failed": kind.failed,
        "response": spread(&kind.response),
        "service": kind.service.as_ref().map(spread),
    })
}

fn spread(spread: &LoadSpread) -> Value {
    json!({
        "events": spread.events,
        "mean_s": spread.mean_ns.map(|ns| ns / 1e9),
        "min_s": spread.extremes.map(|(shortest, _)| shortest.as_secs_f64()),
        "max_s": spread.extremes.map(|(_, longest)| longest.as_secs_f64()),
        "quantiles": spread.quantiles.iter().map(quantile).collect::<Vec<Value>>(),
    })
}

fn quantile((found, unstable): &(QuantileInterval, bool)) -> Value {
    json!({
        "q": found.q,
        "lo_s": found.bucket.lo.as_secs_f64(),
        "hi_s": found.bucket.hi.map(Nanos::as_secs_f64),
        "estimate_s": found.estimate.as_secs_f64(),
        "unstable": unstable,
    })
}

fn cpu(cpu: &LoadCpu) -> Value {
    let each = |ns: Option<f64>| ns.map(|ns| ns / 1e9);
    json!({
        "lanes_per_operation_s": each(cpu.lanes_ns),
        "process_per_operation_s": each(cpu.process_ns),
        "machine_per_operation_s": each(cpu.machine_ns),
        "machine_busy": cpu.machine_share,
        "processors": cpu.processors,
    })
}

fn touched(touched: &LoadTouched) -> Value {
    json!({
        "places": touched.places,
        "distinct": touched.distinct,
        "visits": touched.visits,
        "first": spread(&touched.first),
        "again": spread(&touched.again),
    })
}

/// Times are in seconds here, too.
fn observed(observed: &LoadObserved) -> Value {
    let scale = if observed.unit == "ns" { 1e-9 } else { 1.0 };
    let unit = if observed.unit == "ns" { "s" } else { &observed.unit };
    json!({
        "name": observed.name,
        "value": observed.value as f64 * scale,
        "unit": unit,
        "per_operation": observed.per_operation.map(|each| each * scale),
    })
}

fn ended(why: &LoadEnded) -> Value {
    let (reason, words) = match why {
        LoadEnded::Time => ("time", None),
        LoadEnded::Operations => ("operations", None),
        LoadEnded::Interrupted => ("interrupted", None),
        LoadEnded::Failed(words) => ("failed", Some(words)),
    };
    json!({ "reason": reason, "words": words })
}
