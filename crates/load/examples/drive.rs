//! Drives a target for some seconds and prints the outcome as JSON: `drive TARGET IN_FLIGHT [RATE]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for developers")]
use isotherm_frame::Nanos;
use isotherm_load::{Address, Arrival, Hooks, Job, Limit, Spacing, Warmup};
use std::sync::atomic::AtomicBool;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let in_flight: u32 = args[1].parse().unwrap();
    let arrival = match args.get(2) {
        Some(rate) => Arrival::Open {
            rate_hz: rate.parse().unwrap(),
            spacing: Spacing::Poisson,
            slots: in_flight,
        },
        None => Arrival::Closed { in_flight, think: None },
    };
    let job = Job {
        target: args[0].clone(),
        arrival,
        limit: Limit { time: Nanos::from_millis(5_000), operations: None },
        warmup: Warmup::Time(Nanos::from_millis(500)),
        ..Job::default()
    };
    let stop = AtomicBool::new(false);
    let mut hooks = Hooks { progress: &mut |_| {}, stop: &stop };
    let system = isotherm_load::open(&Address::parse(&args[0]).unwrap(), &job, &mut hooks).unwrap();
    let mut outcome = isotherm_load::run(system.as_ref(), &job, &stop, &mut |_| {}).unwrap();
    println!(
        "X {:.1}/s R {:.4} ms little {:?} gap {:.4} cpu/op {:.2} us queued {} lag {} ended {:?} faults {:?}",
        outcome.per_second(),
        outcome.mean_ns().unwrap_or(0.0) / 1e6,
        outcome.little,
        outcome.little.gap(),
        outcome.cpu_per_operation_ns().unwrap_or(0.0) / 1e3,
        outcome.offered.queued,
        outcome.offered.longest_lag_ns,
        outcome.ended,
        outcome.faults
    );
    outcome.intervals.clear();
}
