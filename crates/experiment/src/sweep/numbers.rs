//! Numbers of points that stay, and jobs that must be the same.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_load::Job;

use crate::{Plan, PlanError, Point, RunTable};

/// The number of each point: the one it has in the run table, else its place in the plan, else,
/// where points were added before it, the first that is free.
pub(super) fn numbers(points: &[Point], table: &RunTable) -> Vec<u32> {
    let known: BTreeMap<&str, u32> =
        table.runs.iter().map(|run| (run.label.as_str(), run.point)).collect();
    let mut taken: BTreeSet<u32> = known.values().copied().collect();
    let mut number = |(place, point): (u32, &Point)| {
        if let Some(number) = known.get(point.label.as_str()) {
            return *number;
        }
        let free = (place..=u32::MAX).find(|number| !taken.contains(number)).unwrap_or(u32::MAX);
        taken.insert(free);
        free
    };
    (0_u32..).zip(points).map(&mut number).collect()
}

/// In which key two jobs differ, if they do, after both went through a run table: that is where
/// numbers may lose their last bit.
pub(super) fn difference(planned: &Job, done: &Job) -> Result<Option<String>, PlanError> {
    let kept = serde_json::to_string(planned).and_then(|text| serde_json::from_str::<Job>(&text));
    let kept = kept.unwrap_or_else(|_| planned.clone());
    if kept == *done {
        return Ok(None);
    }
    let plan = |job: &Job| Plan { job: job.clone(), ..Plan::default() };
    Ok(plan(done).differences(&plan(&kept))?.into_iter().next())
}
