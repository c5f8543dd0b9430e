//! Loads a file and prints facts and outcome as JSON, for benchmarks of the engine alone:
//! `drive_file TARGET IN_FLIGHT SECONDS METHOD [UPDATE_PCT] [BLOCK] [SIZE] [i-mean-it]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for developers")]
use std::sync::atomic::AtomicBool;

use isotherm_frame::Nanos;
use isotherm_load::{Address, Arrival, FileMethod, Hooks, Job, Limit, Warmup};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| args.get(index).and_then(|text| text.parse::<f64>().ok());
    let mut job = Job {
        target: args[0].clone(),
        arrival: Arrival::Closed { in_flight: args[1].parse().unwrap(), think: None },
        limit: Limit {
            time: Nanos::from_millis(args[2].parse::<u64>().unwrap() * 1_000),
            operations: None,
        },
        warmup: Warmup::Time(Nanos::from_millis(500)),
        ..Job::default()
    };
    job.file.method = match args[3].as_str() {
        "sync" => FileMethod::Sync,
        "uring" => FileMethod::Uring,
        _ => FileMethod::Auto,
    };
    job.work.update_pct = number(4).unwrap_or(0.0);
    job.file.block = args.get(5).and_then(|text| text.parse().ok()).unwrap_or(8_192);
    job.file.size = args.get(6).and_then(|text| text.parse().ok());
    job.file.i_mean_it = args.get(7).is_some_and(|word| word == "i-mean-it");
    let stop = AtomicBool::new(false);
    let mut hooks = Hooks { progress: &mut |_| {}, stop: &stop };
    let system = isotherm_load::open(&Address::parse(&args[0]).unwrap(), &job, &mut hooks).unwrap();
    let outcome = isotherm_load::run(system.as_ref(), &job, &stop, &mut |_| {}).unwrap();
    let run = serde_json::json!({
        "job": job,
        "facts": system.facts(),
        "outcome": outcome,
        "verify": system.verify(),
    });
    println!("{}", serde_json::json!({ "run": run }));
}
