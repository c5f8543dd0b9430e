//! What is said while a sweep runs.

use std::io::{Write, stderr};
use std::path::Path;
use std::time::Duration;

use isotherm_experiment::{Position, Progress, Run, Sweep};
use isotherm_frame::numbers::counted;
use isotherm_frame::{Event, Nanos, visible};
use isotherm_load::RunStatus;
use isotherm_views::{
    FinishedRun, LoadProgress, ProgressBar, ProgressPart, RunFigures, quantity, span,
};

use crate::run_output::RunOutput;

/// A line for each run that ended, and one that tells how far it has come; or the live screen.
pub struct Report<'a> {
    is_quiet: bool,
    /// What an operation per second of the target is called.
    unit: &'static str,
    output: RunOutput<'a>,
    /// How the run that is under way goes.
    run: Option<RunStatus>,
}

impl<'a> Report<'a> {
    pub fn new(output: RunOutput<'a>, is_quiet: bool, sweep: &Sweep) -> Report<'a> {
        let unit = isotherm_views::rate_unit(&sweep.plan().job.target);
        Report { is_quiet, unit, output, run: None }
    }

    /// A message for the user.
    pub fn message(&mut self, text: &str) {
        if !self.is_quiet {
            self.output.message(text);
        }
    }

    /// What is about to be done, and how long it takes at most.
    pub fn begins(&mut self, sweep: &Sweep, directory: &Path) {
        let (left, done) = (sweep.left().len(), sweep.table().usable().len());
        let before = if done > 0 { format!(" ({done} done before)") } else { String::new() };
        let time = span(sweep.time_left());
        let words = match left {
            0 => format!("nothing left to do{before}"),
            runs => {
                let into = directory.display();
                let runs = counted(runs as u64, "run");
                format!("{runs}{before}, at most {time} of load and rests, into {into}")
            }
        };
        self.message(&words);
    }

    /// Shows how a sweep goes on.
    pub fn take(&mut self, position: &Position, progress: Progress) {
        match progress {
            Progress::Resting => self.show(position, "resting"),
            Progress::Started { label, .. } => {
                self.run = None;
                self.output.begins(&format!("{label}, repeat {}", position.repeat + 1));
                self.show(position, "running");
            }
            Progress::Status(status) => {
                self.run = Some(*status);
                self.show(position, "");
            }
            Progress::Preparing(preparation) => self.output.preparing(&preparation, self.unit),
            Progress::Events(events) => self.events(events),
            Progress::Finished(run) => self.ended(position, run),
        }
    }

    fn events(&mut self, events: Vec<Event>) {
        self.output.frames(&events);
        for event in events {
            match event {
                Event::Message(text) => self.message(&text),
                Event::Frame(_) | Event::Mark(_) | Event::Anomaly(_) => {}
            }
        }
    }

    fn show(&mut self, position: &Position, doing: &str) {
        let progress = of_sweep(position, doing, (self.run.as_ref(), self.unit));
        self.output.progress(&progress);
    }

    fn ended(&mut self, position: &Position, run: &Run) {
        self.run = None;
        if self.output.ended(run, true) || self.is_quiet {
            return;
        }
        let width = position.of.to_string().len();
        let (done, of) = (position.done, position.of);
        let text = format!("[{done:>width$}/{of}] {}\n", in_a_line(run));
        // Somebody who does not listen does not stop a sweep.
        let _ = stderr().write_all(visible(&text).as_bytes());
    }

    /// The end of it.
    pub fn ends(&mut self) {
        self.output.clear();
    }
}

/// A bar over all runs, and `about 7m20s left`, `[3/27] in-flight 8, repeat 2`, what goes on.
fn of_sweep<'a>(
    position: &Position,
    doing: &str,
    (run, unit): (Option<&'a RunStatus>, &'static str),
) -> LoadProgress<'a> {
    let Position { done, of, label, repeat, left } = position;
    let half = Duration::from_millis(500);
    let left = Nanos::SECOND.as_nanos().saturating_mul(left.saturating_add(half).as_secs());
    let left = format!("about {} left", span(Nanos::new(left)));
    let doing = if doing.is_empty() { String::new() } else { format!(": {doing}") };
    let text = format!("[{}/{of}] {label}, repeat {}{doing}", done + 1, repeat + 1);
    let share = (*done as f64 + run.map_or(0.0, RunStatus::share)) / (*of).max(1) as f64;
    let bar = ProgressBar { share, warmup_share: 0.0 };
    LoadProgress { bar, left, what: ProgressPart { text, rank: 2 }, run, unit }
}

/// A run and what came of it: throughput with its latencies, and what is doubtful.
fn in_a_line(run: &Run) -> String {
    let FinishedRun { label, result } = FinishedRun::of(run, true);
    let RunFigures { per_s, p50, p99, warnings, .. } = match result {
        Ok(figures) => figures,
        Err(why) => return format!("{label}: {why}"),
    };
    let mut text = format!("{label}: {}/s, p50 {p50}, p99 {p99}", quantity(per_s));
    for (code, serious) in &warnings {
        let sign = if *serious { "⚠" } else { "·" };
        text.extend([" ", sign, " ", code]);
    }
    text
}
