//! Runs made by hand, for tests.

use isotherm_load::{
    Arrival, Cpu, Distribution, Ended, IntervalOutcome, Job, KindOutcome, Little, Offered, Outcome,
};

use crate::{Run, Steady};

/// A run of one second whose operations took 1 ms each.
pub fn run(point: u32, repeat: u32, operations: u64) -> Run {
    run_of(point, repeat, operations, 1_000_000)
}

/// A run of one second whose operations took `latency_ns` each, which is below 2^42.
pub fn run_of(point: u32, repeat: u32, operations: u64, latency_ns: u64) -> Run {
    let in_flight = point + 1;
    Run {
        format: 1,
        point,
        repeat,
        label: format!("in-flight {in_flight}"),
        job: Job { arrival: Arrival::Closed { in_flight, think: None }, ..Job::default() },
        facts: vec![("servers".to_owned(), "4".to_owned())],
        outcome: outcome(operations, latency_ns),
        steady: Steady { steady: Some(true), drift: 0.0, deviation: 0.0 },
        verdicts: Vec::new(),
        recording: None,
    }
}

fn outcome(operations: u64, latency_ns: u64) -> Outcome {
    let waited_ns = operations * latency_ns;
    let computed = waited_ns as f64 / 1e9;
    Outcome {
        began_ns: 1_700_000_000_000_000_000,
        warmup_s: 1.0,
        measured_s: 1.0,
        offered: Offered { in_flight: 1, threads: 1, ..Offered::default() },
        kinds: vec![KindOutcome {
            name: "read".to_owned(),
            role: None,
            bytes: operations * 8_192,
            failed: 0,
            response: distribution(operations, latency_ns),
            service: None,
        }],
        intervals: vec![IntervalOutcome {
            start_s: 0.0,
            length_s: 1.0,
            operations,
            waited_ns,
            failed: 0,
        }],
        little: Little { computed, in_flight: computed },
        cpu: Cpu { lanes_s: 0.125, process_s: 0.25, machine_s: None, processors: 2 },
        touched: None,
        observed: Vec::new(),
        faults: Vec::new(),
        ended: Ended::Time,
    }
}

fn distribution(events: u64, latency_ns: u64) -> Distribution {
    if events == 0 {
        return Distribution::default();
    }
    let buckets = isotherm_frame::LogLinear::new(Distribution::BITS);
    let index = buckets.index_of(isotherm_frame::Nanos::new(latency_ns));
    Distribution {
        events,
        sum_ns: events * latency_ns,
        min_ns: latency_ns,
        max_ns: latency_ns,
        buckets: vec![(u32::try_from(index).unwrap_or(0), events)],
    }
}
