//! Runs made by hand.

use isotherm_experiment::{Run, Steady, Verdict};
use isotherm_load::{Cpu, Ended, Job, Little, Offered, Outcome};

/// A run of which nothing is said.
pub fn run() -> Run {
    Run {
        format: Run::FORMAT,
        point: 0,
        repeat: 0,
        label: "in-flight 1".to_owned(),
        job: Job::default(),
        facts: Vec::new(),
        outcome: Outcome {
            began_ns: 1_700_000_000_000_000_000,
            warmup_s: 1.0,
            measured_s: 30.0,
            offered: Offered { in_flight: 1, threads: 1, ..Offered::default() },
            kinds: Vec::new(),
            intervals: Vec::new(),
            little: Little::default(),
            cpu: Cpu::default(),
            touched: None,
            observed: Vec::new(),
            faults: Vec::new(),
            ended: Ended::Time,
        },
        steady: Steady::default(),
        verdicts: Vec::new(),
        recording: None,
    }
}

pub fn verdict(code: &str, serious: bool, words: &str) -> Verdict {
    Verdict { code: code.to_owned(), serious, words: words.to_owned() }
}
