//! Where it is said how a sweep or a calibration goes on: on a line of standard error, or on the live
//! screen.

use isotherm_experiment::Run;
use isotherm_frame::Event;
use isotherm_load::Progress as Preparation;
use isotherm_views::{FinishedRun, LoadProgress, ProgressBar, ProgressPart};

use crate::progress::{self, ProgressLine};
use crate::run_board::RunReporter;
use crate::screen;
use crate::stress_args::QuietArgs;

/// Where it is said.
pub enum RunOutput<'a> {
    /// A line that is written anew.
    Line { line: ProgressLine, is_ascii: bool },
    /// The live screen.
    Screen(RunReporter<'a>),
}

impl RunOutput<'_> {
    /// A line on standard error, if one is wanted.
    pub fn line(args: &QuietArgs, is_ascii: bool) -> RunOutput<'static> {
        let line = ProgressLine::new(!args.quiet && !args.no_progress);
        RunOutput::Line { line, is_ascii }
    }

    /// Something is made ready.
    pub fn preparing(&mut self, preparation: &Preparation, unit: &'static str) {
        match self {
            RunOutput::Line { line, .. } => line.progress(preparation),
            RunOutput::Screen(reporter) => {
                let share = preparation.done as f64 / (preparation.total as f64).max(1.0);
                let bar = ProgressBar { share, warmup_share: 0.0 };
                let what = ProgressPart { text: progress::words(preparation), rank: 2 };
                let left = "making ready".to_owned();
                reporter.progress(LoadProgress { bar, left, what, run: None, unit }.lines());
            }
        }
    }

    /// A run begins.
    pub fn begins(&mut self, label: &str) {
        if let RunOutput::Screen(reporter) = self {
            reporter.begins(label);
        }
    }

    /// How far all has come.
    pub fn progress(&mut self, progress: &LoadProgress) {
        match self {
            RunOutput::Line { line, is_ascii } => {
                line.show_fitting(|width| progress.line(width, *is_ascii));
            }
            RunOutput::Screen(reporter) => reporter.progress(progress.lines()),
        }
    }

    /// What happened in a run: its messages are left to `message`.
    pub fn frames(&mut self, events: &[Event]) {
        if let RunOutput::Screen(reporter) = self {
            let frames = events.iter().filter(|event| event.frame().is_some());
            reporter.events(frames.cloned().collect());
        }
    }

    /// A message for the user.
    pub fn message(&mut self, text: &str) {
        match self {
            RunOutput::Line { line, .. } => {
                line.clear();
                screen::warn(text);
            }
            RunOutput::Screen(reporter) => reporter.events(vec![Event::Message(text.to_owned())]),
        }
    }

    /// A run has ended; gives whether it is shown.
    pub fn ended(&mut self, run: &Run, repeat: bool) -> bool {
        match self {
            RunOutput::Line { line, .. } => {
                line.clear();
                false
            }
            RunOutput::Screen(reporter) => {
                reporter.ended(FinishedRun::of(run, repeat));
                true
            }
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if let RunOutput::Line { line, .. } = self {
            line.clear();
        }
    }
}
