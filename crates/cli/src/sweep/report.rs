//! What is said while a sweep runs.

use std::io::{Write, stderr};
use std::path::Path;
use std::time::Duration;

use isotherm_experiment::{PointSummary, PointVerdict, Position, Progress, Run, Spread, Sweep};
use isotherm_frame::{Event, Nanos, visible};
use isotherm_load::RunStatus;
use isotherm_views::{LoadProgress, ProgressBar, ProgressPart, quantity, span};

use super::summary;
use crate::progress::ProgressLine;
use crate::screen;
use crate::stress_args::QuietArgs;

/// A line for each run that ended, and one that tells how far it has come.
pub struct Report {
    quiet: bool,
    is_ascii: bool,
    /// What an operation per second of the target is called.
    unit: &'static str,
    line: ProgressLine,
    /// How the run that is under way goes.
    run: Option<RunStatus>,
}

impl Report {
    pub fn new(args: &QuietArgs, is_ascii: bool) -> Report {
        let line = ProgressLine::new(!args.quiet && !args.no_progress);
        Report { quiet: args.quiet, is_ascii, unit: "operations/s", line, run: None }
    }

    /// A message for the user.
    pub fn message(&mut self, text: &str) {
        if !self.quiet {
            self.line.clear();
            screen::warn(text);
        }
    }

    /// What is about to be done, and how long it takes at most.
    pub fn begins(&mut self, sweep: &Sweep, directory: &Path) {
        self.unit = isotherm_views::rate_unit(&sweep.plan().job.target);
        let (left, done) = (sweep.left().len(), sweep.table().usable().len());
        let before = if done > 0 { format!(" ({done} done before)") } else { String::new() };
        let time = span(sweep.time_left());
        let words = match left {
            0 => format!("nothing left to do{before}"),
            runs => {
                let into = directory.display();
                format!("{runs} run(s){before}, at most {time} of load and rests, into {into}")
            }
        };
        self.message(&words);
    }

    /// Shows how a sweep goes on.
    pub fn take(&mut self, position: &Position, progress: Progress) {
        match progress {
            Progress::Resting => self.show(position, "resting"),
            Progress::Started { .. } => {
                self.run = None;
                self.show(position, "running");
            }
            Progress::Status(status) => {
                self.run = Some(*status);
                self.show(position, "");
            }
            Progress::Preparing(preparation) => self.line.progress(&preparation),
            Progress::Events(events) => self.events(events),
            Progress::Finished(run) => self.ended(position, run),
        }
    }

    fn events(&mut self, events: Vec<Event>) {
        for event in events {
            match event {
                Event::Message(text) => self.message(&text),
                Event::Frame(_) | Event::Mark(_) | Event::Anomaly(_) => {}
            }
        }
    }

    fn show(&mut self, position: &Position, doing: &str) {
        let progress = of_sweep(position, doing, (self.run.as_ref(), self.unit));
        self.line.show_fitting(|width| progress.line(width, self.is_ascii));
    }

    fn ended(&mut self, position: &Position, run: &Run) {
        self.run = None;
        if self.quiet {
            return;
        }
        self.line.clear();
        let width = position.of.to_string().len();
        let (done, of) = (position.done, position.of);
        let text = format!("[{done:>width$}/{of}] {}\n", in_a_line(run));
        // Somebody who does not listen does not stop a sweep.
        let _ = stderr().write_all(visible(&text).as_bytes());
    }

    /// The end of it.
    pub fn ends(&mut self) {
        self.line.clear();
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
    let Run { label, repeat, .. } = run;
    let head = format!("{label}, repeat {}", repeat + 1);
    if !run.is_usable() {
        return format!("{head}: {}", summary::why_not(run));
    }
    let point = PointSummary::of(run.point, vec![run]);
    let time = |spread: Option<Spread>| {
        spread.and_then(|spread| Nanos::from_secs_f64(spread.median)).unwrap_or_default()
    };
    let p99 = if point.p99_withheld() { "-".to_owned() } else { time(point.p99_s).to_string() };
    let per_s = quantity(run.outcome.per_second());
    let mut text = format!("{head}: {per_s}/s, p50 {}, p99 {p99}", time(point.p50_s));
    for PointVerdict { code, serious } in point.verdicts() {
        let sign = if serious { "⚠" } else { "·" };
        text.extend([" ", sign, " ", code]);
    }
    text
}
