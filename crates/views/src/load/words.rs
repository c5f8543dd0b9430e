//! The lines of words below the numbers of a run.

use isotherm_experiment::{Run, Steady};
use isotherm_frame::{Bucket, Nanos, percent_change};
use isotherm_load::{Ended, Observed, Spacing, Unit};

use super::work::work;
use super::{
    LatencySummary, LoadArrival, LoadCpu, LoadLittle, LoadResult, LoadSchedule, LoadSummary,
    LoadTouched, QuantileSummary,
};
use crate::headline::quantile_name;
use crate::narration::about_share;
use crate::numbers::{bytes_per_s, grouped, length, mean_bytes, quantity};
use crate::ranges::{Digits, mean, range};
use crate::times::span;

/// What marks a percentile that is not repeatable.
pub(super) const UNSTABLE: &str = "*";

/// The system, and how operations arrived.
pub(super) fn title(summary: &LoadSummary) -> String {
    let arrival = match summary.arrival {
        LoadArrival::Closed { in_flight, think } => {
            let pauses = if think { " with pauses" } else { "" };
            format!("closed loop, {} in flight{pauses}", grouped(u64::from(in_flight)))
        }
        LoadArrival::Open { rate_hz, spacing, slots } => {
            let gaps = match spacing {
                Spacing::Fixed => "at equal gaps",
                Spacing::Poisson => "as they come (Poisson)",
            };
            let slots = grouped(u64::from(slots));
            format!("open loop, {}/s {gaps}, at most {slots} in flight", quantity(rate_hz))
        }
    };
    format!("{}: {arrival}", summary.target)
}

/// What the operations were and how long they were measured.
pub(super) fn how(LoadResult { run, summary, .. }: &LoadResult) -> String {
    let updates = run.job.work.update_pct;
    let mut parts = vec![match updates {
        ..=0.0 => "reads".to_owned(),
        100.0.. => "updates".to_owned(),
        _ => format!("{} % reads, {} % updates", 100.0 - updates, updates),
    }];
    parts.extend(work(&run.job));
    let threads = summary.threads;
    parts.push(format!("{threads} thread{}", if threads == 1 { "" } else { "s" }));
    let operations = grouped(summary.latency.response.events);
    let (time, warmup) = (long(summary.measured_s), long(summary.warmup_s));
    parts.push(format!("measured {operations} operations in {time} after {warmup} of warm-up"));
    parts.join(" · ")
}

fn long(length_s: f64) -> String {
    span(Nanos::from_secs_f64(length_s).unwrap_or_default())
}

/// The rate with its latencies, in one sentence.
pub(super) fn headline(summary: &LoadSummary) -> String {
    let rate = &summary.rate;
    let blocks = rate.blocks_per_s.map(|blocks| format!("{} blocks/s", quantity(blocks)));
    let bytes = rate.bytes_per_s.map(bytes_per_s);
    let rates = [Some(format!("{} {}", quantity(rate.per_s), rate.unit)), blocks, bytes];
    let text = rates.into_iter().flatten().collect::<Vec<String>>().join(", ");
    let response = &summary.latency.response;
    if response.events == 0 {
        return "Nothing was measured: no operation ended while it was.".to_owned();
    }
    if let Some(why) = summary.withheld() {
        let median = response.quantile(0.5);
        let median = median.map(|found| format!(": p50 {}", value(found))).unwrap_or_default();
        return format!("{text}{median}. No p99 can be named: {why} (see ⚠ below).");
    }
    format!("{text}: {}", percentiles(response))
}

/// `p50 4.1–4.2ms, p99 31.2–31.5ms`: the table has the others.
fn percentiles(latency: &LatencySummary) -> String {
    let named = [0.5, 0.99].into_iter().filter_map(|q| latency.quantile(q));
    let parts: Vec<String> =
        named.map(|found| format!("{} {}", quantile_name(found.q), value(found))).collect();
    parts.join(", ")
}

/// The range of a percentile, marked if it is unstable.
pub(super) fn value(found: &QuantileSummary) -> String {
    let mark = if found.unstable { UNSTABLE } else { "" };
    let range = range(Bucket { lo: found.lo, hi: found.hi }, Digits::Three);
    // Buckets may be narrower than three digits.
    let narrow = range.split_once('–').filter(|(lo, hi)| hi.strip_prefix(lo).is_some_and(is_unit));
    format!("{}{mark}", narrow.map_or(range.as_str(), |(_, hi)| hi))
}

fn is_unit(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// How many operations were in flight: as counted, and by Little's law.
pub(super) fn in_flight(little: &LoadLittle) -> String {
    let LoadLittle { law, gap } = little;
    format!(
        "{} operations in flight on average (Little's law: {}, {} off).",
        quantity(law.in_flight),
        quantity(law.computed),
        percent_change(*gap)
    )
}

/// What became of the schedule.
pub(super) fn schedule(schedule: &LoadSchedule) -> String {
    let LoadSchedule { asked_hz, delivered_hz, queued, longest_lag } = *schedule;
    let queued = match queued {
        0 => "no arrival had to wait for a slot".to_owned(),
        1 => "1 arrival had to wait for a slot".to_owned(),
        _ => format!("{} arrivals had to wait for a slot", grouped(queued)),
    };
    format!(
        "Asked for {}/s, delivered {}/s ({}); {queued}; the latest began {longest_lag} late.",
        quantity(asked_hz),
        quantity(delivered_hz),
        percent_change(delivered_hz / asked_hz - 1.0)
    )
}

/// What it cost.
pub(super) fn cpu(cpu: &LoadCpu) -> Option<String> {
    let lanes = length(cpu.lanes_per_operation_s?);
    let mut parts = vec![format!("{lanes} an operation to drive the load")];
    let process = cpu.process_per_operation_s.map(length);
    parts.extend(process.map(|process| format!("{process} in the whole process")));
    if let (Some(machine), Some(share)) = (cpu.machine_per_operation_s, cpu.machine_busy) {
        let (processors, many) = (cpu.processors, if cpu.processors == 1 { "" } else { "s" });
        parts.push(format!(
            "{} in the whole machine ({processors} processor{many}, {} busy)",
            length(machine),
            about_share(share, true)
        ));
    }
    Some(format!("CPU {}.", parts.join(", ")))
}

/// A number of things: all digits of a small one.
fn some(count: u64) -> String {
    if count < 10_000 { grouped(count) } else { quantity(count as f64) }
}

/// First visits and later ones.
pub(super) fn touched(touched: &LoadTouched) -> String {
    let LoadTouched { places, distinct, visits, first, again } = touched;
    let each = |latency: &LatencySummary| match latency.events {
        0 => "none".to_owned(),
        events => {
            let named = |q: f64| {
                let found = latency.quantile(q)?;
                Some(format!("{} {}", quantile_name(q), value(found)))
            };
            let words: Vec<String> = [0.5, 0.99].into_iter().filter_map(named).collect();
            format!("{} ({})", words.join(", "), some(events))
        }
    };
    format!(
        "Of {} places {} were visited, {} visits in all. Reads of places visited for the first \
         time: {}; again: {}.",
        some(*places),
        some(*distinct),
        some(*visits),
        each(first),
        each(again)
    )
}

/// What others counted.
pub(super) fn observed(observed: &[Observed], operations: u64) -> Option<String> {
    let one = |counted: &Observed| {
        let Observed { name, value, unit } = counted;
        let amount = |value: f64| match unit {
            Unit::Nanos => length(value / 1e9),
            Unit::Bytes => mean_bytes(value),
            Unit::Count => quantity(value),
        };
        let all = if *unit == Unit::Count { some(*value) } else { amount(*value as f64) };
        let each = (operations > 0).then(|| *value as f64 / operations as f64);
        let each = each.map(|each| format!(" ({})", amount(each)));
        format!("{name} {all}{}", each.unwrap_or_default())
    };
    // What did not happen is for programs.
    let happened = observed.iter().filter(|counted| counted.value > 0);
    let parts: Vec<String> = happened.map(one).collect();
    (!parts.is_empty())
        .then(|| format!("Counted elsewhere (and for each operation): {}.", parts.join(", ")))
}

/// Whether throughput was steady.
pub(super) fn steady(steady: &Steady) -> String {
    let numbers = format!(
        "drift {} over the whole time, no fifth of it further than {} off",
        percent_change(steady.drift),
        about_share(steady.deviation, true)
    );
    match steady.steady {
        Some(true) => format!("Throughput was steady: {numbers}."),
        Some(false) => format!("Throughput was not steady: {numbers}."),
        None if steady.deviation > 0.0 => {
            format!("Too few operations to tell whether throughput was steady: {numbers}.")
        }
        None => "Too short to tell whether throughput was steady.".to_owned(),
    }
}

/// How it ended and where it is kept.
pub(super) fn ended(run: &Run, summary: &LoadSummary) -> String {
    let time = long(summary.measured_s);
    let why = match &run.outcome.ended {
        Ended::Time => format!("Finished after {time}."),
        Ended::Operations => {
            let operations = grouped(summary.latency.response.events);
            format!("Finished {operations} operations after {time}.")
        }
        Ended::Interrupted => "Interrupted: this is what was measured until then.".to_owned(),
        Ended::Failed(words) => {
            format!("Failed, and this is what was measured until then: {words}")
        }
    };
    let kept = summary.recording.map(|path| format!(" Recorded in {path}."));
    format!("{why}{}", kept.unwrap_or_default())
}

/// What to do next.
pub(super) fn next(recording: Option<&str>) -> String {
    match recording {
        Some(path) => format!("Next: isotherm report {path} · isotherm replay {path}"),
        None => "Next: the same with --record run.heat keeps it for report, replay and compare"
            .to_owned(),
    }
}

/// The mean of a distribution.
pub(super) fn mean_of(latency: &LatencySummary) -> String {
    mean(latency.mean_ns, true)
}
