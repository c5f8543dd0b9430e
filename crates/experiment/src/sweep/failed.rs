//! A run that came to nothing, as a line of the run table.

use isotherm_load::clock::{Calendar, now_ns};
use isotherm_load::{Cpu, Ended, Job, Little, LoadError, Offered, Outcome};

use crate::{Run, Steady, Verdict};

/// The run of a job that could not be done. Point, repeat, label and recording are left for the
/// caller.
pub(super) fn failed(job: &Job, error: &LoadError) -> Run {
    let words = error.to_string();
    let verdict = Verdict { code: "failed".to_owned(), serious: true, words: words.clone() };
    Run {
        format: Run::FORMAT,
        point: 0,
        repeat: 0,
        label: String::new(),
        job: job.clone(),
        facts: Vec::new(),
        outcome: nothing(Ended::Failed(words)),
        steady: Steady::default(),
        verdicts: vec![verdict],
        recording: None,
    }
}

fn nothing(ended: Ended) -> Outcome {
    Outcome {
        began_ns: Calendar::read().at(now_ns()).as_nanos(),
        warmup_s: 0.0,
        measured_s: 0.0,
        offered: Offered::default(),
        kinds: Vec::new(),
        intervals: Vec::new(),
        little: Little::default(),
        cpu: Cpu::default(),
        touched: None,
        observed: Vec::new(),
        faults: Vec::new(),
        ended,
    }
}
