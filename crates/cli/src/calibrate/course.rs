//! How far a calibration has come, told on standard error.

use std::time::{Duration, Instant};

use isotherm_experiment::Run;
use isotherm_experiment::calibrate::{Heard, Phase, Terms};
use isotherm_frame::Nanos;
use isotherm_load::Told;
use isotherm_views::{quantity, span};

use crate::progress::ProgressLine;
use crate::screen;

/// How far it has come.
pub struct Course {
    line: ProgressLine,
    budget: Nanos,
    /// The load under way, when it began, and the time of load before it.
    load: Option<(String, Instant, Nanos)>,
    /// What the last one came to.
    last: String,
}

impl Course {
    pub fn new(terms: &Terms, wanted: bool) -> Course {
        let (line, budget) = (ProgressLine::new(wanted), terms.budget);
        Course { line, budget, load: None, last: String::new() }
    }

    /// Hears what happens; gives the part of a load that begins.
    pub fn hear(&mut self, heard: &Heard) -> Option<Phase> {
        match heard {
            Heard::Ready(progress) => self.line.progress(progress),
            Heard::Begins { order, spent } => {
                let what = format!("{}: {}", order.phase.name(), order.label);
                self.load = Some((what, Instant::now(), *spent));
                return Some(order.phase);
            }
            Heard::Told(Told::Said(_) | Told::Mark { .. }) => {}
            Heard::Told(Told::Frames(_)) => self.show(),
            Heard::Ended(run) => self.last = came_to(run),
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
