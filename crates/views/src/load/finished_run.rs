//! What a run came to, in a line: for those who watch a sweep or a calibration.

use isotherm_experiment::{PointSummary, PointVerdict, Run, Spread};
use isotherm_frame::{Nanos, visible};
use isotherm_load::Ended;

use crate::numbers::bytes_per_s;

/// A run that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRun {
    /// The point and its repeat: `in-flight 8, repeat 2`.
    pub label: String,
    /// What was measured, or why there is nothing to use.
    pub result: Result<RunFigures, String>,
}

/// What was measured in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFigures {
    /// Operations per second.
    pub per_s: f64,
    /// `3.1 MB/s`; none where no bytes were moved.
    pub bytes: Option<String>,
    /// The response time that half of the operations kept within.
    pub p50: String,
    /// That 99 % of them kept within; `-` where there are too few operations for it.
    pub p99: String,
    /// Warnings by importance: their code, and whether they are serious.
    pub warnings: Vec<(String, bool)>,
}

impl FinishedRun {
    /// A run of a sweep or, where `repeat` is not to be said, of a calibration.
    pub fn of(run: &Run, repeat: bool) -> FinishedRun {
        let label = if repeat {
            format!("{}, repeat {}", run.label, run.repeat + 1)
        } else {
            run.label.clone()
        };
        let result = if run.is_usable() {
            Ok(figures(run))
        } else {
            Err(visible(&why_not(run)).into_owned())
        };
        FinishedRun { label, result }
    }
}

fn figures(run: &Run) -> RunFigures {
    let point = PointSummary::of(run.point, vec![run]);
    let time = |spread: Option<Spread>| {
        spread.and_then(|spread| Nanos::from_secs_f64(spread.median)).unwrap_or_default()
    };
    let p99 = if point.p99_withheld() { "-".to_owned() } else { time(point.p99_s).to_string() };
    let megabytes = point.megabytes.map(|spread| spread.median).filter(|rate| *rate > 0.0);
    RunFigures {
        per_s: run.outcome.per_second(),
        bytes: megabytes.map(|rate| bytes_per_s(rate * 1e6)),
        p50: time(point.p50_s).to_string(),
        p99,
        warnings: point
            .verdicts()
            .iter()
            .map(|PointVerdict { code, serious }| ((*code).to_owned(), *serious))
            .collect(),
    }
}

/// Why a run has no numbers that can be used.
fn why_not(run: &Run) -> String {
    match &run.outcome.ended {
        Ended::Interrupted => "interrupted; it is repeated when the sweep continues".to_owned(),
        Ended::Failed(words) => format!("failed: {words}"),
        Ended::Time | Ended::Operations => {
            let fault = run.outcome.faults.first().map(|(words, _)| words.as_str());
            format!("no operation succeeded: {}", fault.unwrap_or("none ended"))
        }
    }
}
