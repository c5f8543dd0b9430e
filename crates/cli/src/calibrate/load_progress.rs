//! How far a calibration has come, on standard error or on the live screen.

use std::time::{Duration, Instant};

use isotherm_experiment::calibrate::{Phase, Terms};
use isotherm_experiment::{Progress, Run};
use isotherm_frame::Nanos;
use isotherm_load::RunStatus;
use isotherm_views::{LoadProgress as Line, ProgressBar, ProgressPart, quantity, span};

use crate::run_output::RunOutput;

/// How far it has come.
pub struct LoadProgress<'a> {
    output: RunOutput<'a>,
    budget: Nanos,
    /// The load under way, when it began, and the time of load before it.
    load: Option<(String, Instant, Nanos)>,
    /// How it goes.
    run: Option<RunStatus>,
    unit: &'static str,
    /// What the last one came to.
    last: String,
}

impl<'a> LoadProgress<'a> {
    pub fn new(terms: &Terms, output: RunOutput<'a>) -> LoadProgress<'a> {
        let unit = isotherm_views::rate_unit(&terms.target);
        let (budget, last) = (terms.budget, String::new());
        LoadProgress { output, budget, load: None, run: None, unit, last }
    }

    /// Shows what happens; gives the part of a load that begins.
    pub fn take(&mut self, progress: &Progress) -> Option<Phase> {
        match progress {
            Progress::Preparing(preparation) => self.output.preparing(preparation, self.unit),
            Progress::Started { phase: Some(phase), label, elapsed } => {
                let what = format!("{}: {label}", phase.name());
                self.output.begins(&what);
                self.load = Some((what, Instant::now(), *elapsed));
                self.run = None;
                return Some(*phase);
            }
            Progress::Status(status) => {
                self.run = Some((**status).clone());
                self.show();
            }
            Progress::Finished(run) => {
                self.last =
                    if self.output.ended(run, false) { String::new() } else { came_to(run) };
            }
            Progress::Events(events) => self.output.frames(events),
            Progress::Started { .. } | Progress::Resting => {}
        }
        None
    }

    fn show(&mut self) {
        let Some((what, began, before)) = &self.load else { return };
        let spent = Duration::from_nanos(before.as_nanos()) + began.elapsed();
        let budget = Duration::from_nanos(self.budget.as_nanos());
        let left = budget.saturating_sub(spent);
        let left = span(Nanos::from_millis(left.as_secs() * 1_000));
        let share = spent.as_secs_f64() / budget.as_secs_f64().max(1e-9);
        let progress = Line {
            bar: ProgressBar { share, warmup_share: 0.0 },
            left: format!("at most {left} left"),
            what: ProgressPart { text: format!("{what}{}", self.last), rank: 2 },
            run: self.run.as_ref(),
            unit: self.unit,
        };
        self.output.progress(&progress);
    }

    /// Says something that is to stay.
    pub fn say(&mut self, text: &str) {
        self.output.message(text);
    }
}

/// A rate, and how long it took.
fn came_to(run: &Run) -> String {
    let outcome = &run.outcome;
    let Some(mean) = outcome.mean_ns().and_then(|ns| Nanos::from_secs_f64(ns / 1e9)) else {
        return String::new();
    };
    format!(" (before: {}, {}/s of {mean})", run.label, quantity(outcome.per_second()))
}
