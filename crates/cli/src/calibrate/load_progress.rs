//! How far a calibration has come, told on standard error.

use std::time::{Duration, Instant};

use isotherm_experiment::calibrate::{Phase, Terms};
use isotherm_experiment::{Progress, Run};
use isotherm_frame::Nanos;
use isotherm_views::{quantity, span};

use crate::progress::ProgressLine;
use crate::screen;

/// How far it has come.
pub struct LoadProgress {
    line: ProgressLine,
    budget: Nanos,
    /// The load under way, when it began, and the time of load before it.
    load: Option<(String, Instant, Nanos)>,
    /// What the last one came to.
    last: String,
}

impl LoadProgress {
    pub fn new(terms: &Terms, wanted: bool) -> LoadProgress {
        let (line, budget) = (ProgressLine::new(wanted), terms.budget);
        LoadProgress { line, budget, load: None, last: String::new() }
    }

    /// Shows what happens; gives the part of a load that begins.
    pub fn take(&mut self, progress: &Progress) -> Option<Phase> {
        match progress {
            Progress::Preparing(preparation) => self.line.progress(preparation),
            Progress::Started { phase: Some(phase), label, elapsed } => {
                let what = format!("{}: {label}", phase.name());
                self.load = Some((what, Instant::now(), *elapsed));
                return Some(*phase);
            }
            Progress::Events(events) if events.iter().any(|event| event.frame().is_some()) => {
                self.show();
            }
            Progress::Finished(run) => self.last = came_to(run),
            Progress::Started { .. } | Progress::Events(_) | Progress::Resting => {}
        }
        None
    }

    fn show(&mut self) {
        let Some((what, began, before)) = &self.load else { return };
        let spent = Duration::from_nanos(before.as_nanos()) + began.elapsed();
        let left = Duration::from_nanos(self.budget.as_nanos()).saturating_sub(spent);
        let left = span(Nanos::from_millis(left.as_secs() * 1_000));
        self.line.show(&format!("{left} left; {what}{}", self.last));
    }

    /// Says something that is to stay.
    pub fn say(&mut self, text: &str) {
        self.line.clear();
        screen::warn(text);
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
