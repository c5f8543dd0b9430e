//! What conditions of `--fail-if` come to for runs of load.

use isotherm_analysis::{Observed, Threshold};
use isotherm_experiment::Run;

use crate::thresholds::{Judged, Judgement};

/// Of the response times of each of these runs, which are called so.
pub fn of_runs(conditions: &[Threshold], runs: &[(String, &Run)]) -> Judgement {
    let latencies: Vec<_> =
        runs.iter().map(|(_, run)| run.outcome.response().histogram()).collect();
    Judgement::of(conditions, |condition| {
        let judged = runs.iter().zip(&latencies).map(|((name, run), latencies)| {
            let observed = Observed::of_rate(latencies, Some(run.outcome.per_second()));
            Judged::of(condition, name.clone(), &observed)
        });
        judged.collect()
    })
}

/// What a run of a sweep is called.
pub fn name(run: &Run) -> String {
    format!("{}, repeat {}", run.label, run.repeat + 1)
}
