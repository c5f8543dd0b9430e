//! A sweep as it is done: a directory with the plan, a table of runs and their recordings.
//!
//! What was done is in the run table as soon as it is done, so that a sweep that was cut short,
//! however it was, goes on where it was.

mod ceiling;
mod directory;
mod error;
mod failed;
mod keep;
mod numbers;
mod pace;
mod running;
mod summary;

use std::path::Path;

use isotherm_frame::Nanos;

use crate::{Plan, Point, Run, RunTable, Turn};

use ceiling::Ceiling;
use directory::Directory;

pub use directory::PLAN;
pub use error::SweepError;
pub use running::{Ending, Execute, Position, Stage};
pub use summary::{StoppedPoint, SweepSummary, VerdictSummary};

/// A sweep in its directory, which is locked as long as this is held.
#[derive(Debug)]
pub struct Sweep {
    directory: Directory,
    plan: Plan,
    points: Vec<Point>,
    /// The number of each point: it stays when points are added.
    numbers: Vec<u32>,
    table: RunTable,
    ceiling: Ceiling,
    notes: Vec<String>,
}

impl Sweep {
    /// Begins a sweep in a directory of its own, or goes on with the one that is there if its plan
    /// is the same. With `extend` the plan may have more points and repeats than the one that is
    /// there, which it then replaces.
    pub fn begin(path: &Path, plan: Plan, extend: bool) -> Result<Sweep, SweepError> {
        plan.check()?;
        let directory = Directory::take(path)?;
        match directory.plan()? {
            None => directory.write_plan(&plan)?,
            Some(before) => {
                let differences = before.differences(&plan)?;
                if !differences.is_empty() && !extend {
                    return Err(SweepError::Changed { path: path.to_owned(), differences });
                }
                before.is_extended_by(&plan)?.map_err(SweepError::NotExtended)?;
                if !differences.is_empty() {
                    directory.write_plan(&plan)?;
                }
            }
        }
        Sweep::open(directory, plan)
    }

    /// Goes on with the sweep of a directory.
    pub fn resume(path: &Path) -> Result<Sweep, SweepError> {
        if !path.join(PLAN).is_file() {
            return Err(SweepError::Nothing(path.to_owned()));
        }
        let directory = Directory::take(path)?;
        let plan = directory.plan()?.ok_or_else(|| SweepError::Nothing(path.to_owned()))?;
        Sweep::open(directory, plan)
    }

    fn open(mut directory: Directory, plan: Plan) -> Result<Sweep, SweepError> {
        let (table, note) = directory.read_runs()?;
        let mut notes: Vec<String> = note.into_iter().collect();
        if !table.torn || table.rejected > 1 {
            notes.extend(table.account());
        }
        let points = plan.points()?;
        let numbers = numbers::numbers(&points, &table);
        let ceiling = Ceiling::default();
        let mut sweep = Sweep { directory, plan, points, numbers, table, ceiling, notes };
        sweep.check_runs()?;
        for turn in sweep.plan.turns(&sweep.points) {
            sweep.look(turn);
        }
        Ok(sweep)
    }

    /// Whether the runs of the table are runs of the plan.
    fn check_runs(&self) -> Result<(), SweepError> {
        for run in &self.table.runs {
            let Some(point) = self.points.iter().find(|point| point.label == run.label) else {
                continue;
            };
            let planned = point.job_of(run.point, run.repeat);
            if let Some(difference) = numbers::difference(&planned, &run.job)? {
                return Err(SweepError::Foreign { label: run.label.clone(), difference });
            }
        }
        Ok(())
    }

    /// Applies the stop rules to the run of a turn, if there is one.
    fn look(&mut self, turn: Turn) {
        if self.plan.stop_when.is_empty() {
            return;
        }
        let Sweep { ceiling, plan, points, table, numbers, .. } = self;
        let run_of = |index: usize| {
            let number = numbers.get(index)?;
            let of = |run: &&Run| run.point == *number && run.repeat == turn.repeat;
            table.runs.iter().rev().filter(of).find(|run| run.is_usable())
        };
        if run_of(turn.point).is_some() {
            ceiling.look(&plan.stop_when, points, turn.point, &run_of);
        }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What was done.
    pub fn table(&self) -> &RunTable {
        &self.table
    }

    /// What there is to know about what was found in the directory.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The runs that are still to be done, in their order.
    pub fn left(&self) -> Vec<Turn> {
        let turns = self.plan.turns(&self.points);
        let done = self.done();
        turns.into_iter().filter(|turn| self.is_left(*turn, &done)).collect()
    }

    /// The most time that the runs take that are still to be done.
    pub fn time_left(&self) -> Nanos {
        self.plan.time_of(self.left().len() as u64)
    }

    /// What came of it so far.
    pub fn summary(&self) -> SweepSummary<'_> {
        SweepSummary {
            target: &self.plan.job.target,
            points: self.table.points(),
            verdicts: self.table.verdicts(),
            stopped: self.stopped(),
            runs_left: self.left().len(),
        }
    }

    /// Points that are not run because a stop rule held at a smaller load.
    pub fn stopped(&self) -> Vec<StoppedPoint<'_>> {
        let stopped = |point| Some((point, self.ceiling.stops(point)?));
        let points = self.points.iter().filter_map(stopped);
        points.map(|(point, why)| StoppedPoint { label: &point.label, why }).collect()
    }

    fn is_left(&self, turn: Turn, done: &std::collections::BTreeSet<(u32, u32)>) -> bool {
        let number = self.numbers.get(turn.point);
        let stops = self.points.get(turn.point).and_then(|point| self.ceiling.stops(point));
        number.is_some_and(|number| !done.contains(&(*number, turn.repeat))) && stops.is_none()
    }

    /// Point and repeat of every run that came to its end.
    fn done(&self) -> std::collections::BTreeSet<(u32, u32)> {
        let whole = self.table.runs.iter().filter(|run| run.is_whole());
        whole.map(|run| (run.point, run.repeat)).collect()
    }
}

#[cfg(test)]
mod tests;
