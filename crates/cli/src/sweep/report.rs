//! What is said while a sweep runs.

use std::io::{Write, stderr};
use std::path::Path;
use std::time::Duration;

use isotherm_experiment::{PointSummary, PointVerdict, Position, Progress, Run, Spread, Sweep};
use isotherm_frame::{Event, Nanos, visible};
use isotherm_views::{quantity, span};

use super::sheet;
use crate::progress::ProgressLine;
use crate::screen;
use crate::stress_args::QuietArgs;

/// A line for each run that ended, and one that tells how far it has come.
pub struct Report {
    quiet: bool,
    line: ProgressLine,
}

impl Report {
    pub fn new(args: &QuietArgs) -> Report {
        Report { quiet: args.quiet, line: ProgressLine::new(!args.quiet && !args.no_progress) }
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
        let (left, done) = (sweep.left().len(), sweep.table().usable().len());
        let before = if done > 0 { format!(" ({done} done before)") } else { String::new() };
        let time = span(sweep.time_left());
        let words = match left {
            0 => format!("nothing is left to be done{before}"),
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
            Progress::Resting => self.line.show(&words(position, "resting")),
            Progress::Started { .. } => self.line.show(&words(position, "running")),
            Progress::Preparing(preparation) => self.line.progress(&preparation),
            Progress::Events(events) => self.events(position, events),
            Progress::Finished(run) => self.ended(position, run),
        }
    }

    fn events(&mut self, position: &Position, events: Vec<Event>) {
        for event in events {
            match event {
                Event::Message(text) => self.message(&text),
                Event::Frame(_) => self.line.show(&words(position, "running")),
                Event::Mark(_) | Event::Anomaly(_) => {}
            }
        }
    }

    fn ended(&mut self, position: &Position, run: &Run) {
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

/// `[3/27] in-flight 8, repeat 2: running, about 7m20s left`.
fn words(position: &Position, doing: &str) -> String {
    let Position { done, of, label, repeat, left } = position;
    let half = Duration::from_millis(500);
    let left = Nanos::SECOND.as_nanos().saturating_mul(left.saturating_add(half).as_secs());
    let left = span(Nanos::new(left));
    format!("[{}/{of}] {label}, repeat {}: {doing}, about {left} left", done + 1, repeat + 1)
}

/// A run and what came of it: throughput with its latencies, and what is doubtful.
fn in_a_line(run: &Run) -> String {
    let Run { label, repeat, .. } = run;
    let head = format!("{label}, repeat {}", repeat + 1);
    if !run.is_usable() {
        return format!("{head}: {}", sheet::why_not(run));
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
