//! A line on standard error that tells how far something has come, where somebody watches.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use isotherm_frame::{Nanos, percent, visible};
use isotherm_load::Progress;
use isotherm_views::span;

/// What takes no longer shows no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is written anew at most.
const PACE: Duration = Duration::from_millis(100);

/// The line.
#[derive(Debug)]
pub struct ProgressLine {
    wanted: bool,
    begun: Instant,
    shown: Option<Instant>,
    /// What is being done and since when, for the time left.
    task: Option<(String, Instant, u64)>,
}

impl ProgressLine {
    /// A line that is shown on a terminal, if it is wanted.
    pub fn new(wanted: bool) -> ProgressLine {
        let wanted = wanted && stderr().is_terminal();
        ProgressLine { wanted, begun: Instant::now(), shown: None, task: None }
    }

    /// Shows how far something has come, and how long it will still take.
    pub fn progress(&mut self, progress: &Progress) {
        let Progress { what, done, .. } = progress;
        let same = self.task.as_ref().is_some_and(|(task, ..)| task == what);
        if !same {
            self.task = Some((what.clone(), Instant::now(), *done));
        }
        let Some((_, since, from)) = &self.task else { return };
        let text = line(progress, since.elapsed().as_secs_f64(), *from);
        self.show(&text);
    }

    /// Shows words, unless it is too early for that or they were shown just now.
    pub fn show(&mut self, text: &str) {
        self.show_fitting(|_| text.to_owned());
    }

    /// Shows the words that fit a line of the width that is given.
    pub fn show_fitting(&mut self, words: impl FnOnce(usize) -> String) {
        let now = Instant::now();
        let soon = self.shown.is_some_and(|shown| now.duration_since(shown) < PACE);
        if !self.wanted || soon || self.begun.elapsed() < PATIENCE {
            return;
        }
        self.shown = Some(now);
        let width = crossterm::terminal::size().map_or(80, |(width, _)| usize::from(width));
        let width = width.saturating_sub(1);
        let text: String = visible(&words(width)).chars().take(width).collect();
        write(&format!("\r\u{1b}[2K{text}"));
    }

    /// Takes the line away, so that something else can be written.
    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            write("\r\u{1b}[2K");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn write(text: &str) {
    // A terminal that has gone away needs no progress.
    let _ = stderr().write_all(text.as_bytes());
}

/// `writing run.dat: 37 % of 8 GiB`.
pub fn words(progress: &Progress) -> String {
    line(progress, 0.0, 0)
}

/// `writing run.dat: 37 % of 8 GiB, 12s left`.
fn line(progress: &Progress, elapsed_s: f64, from: u64) -> String {
    let Progress { what, done, total, unit } = progress;
    let share = percent(*done as f64 / (*total).max(1) as f64);
    let amount = match *unit {
        "bytes" => isotherm_views::numbers::bytes(*total),
        unit => format!("{} {unit}", isotherm_views::quantity(*total as f64)),
    };
    let speed = done.saturating_sub(from) as f64 / elapsed_s.max(1e-3);
    let left_s = total.saturating_sub(*done) as f64 / speed;
    let left = (elapsed_s > 1.0 && left_s.is_finite()).then(|| {
        format!(", {} left", span(Nanos::from_secs_f64(left_s.ceil()).unwrap_or_default()))
    });
    format!("{what}: {share} of {amount}{}", left.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_speed_so_far() {
        let progress =
            Progress { what: "writing x".to_owned(), done: 3 << 30, total: 8 << 30, unit: "bytes" };
        // One GiB of the three was there already: 1 GiB/s, and five are missing.
        assert_eq!(line(&progress, 2.0, 1 << 30), "writing x: 38 % of 8 GiB, 5s left");
        assert_eq!(line(&progress, 0.5, 0), "writing x: 38 % of 8 GiB");
        let rows = Progress { what: "loading".to_owned(), done: 0, total: 0, unit: "rows" };
        assert_eq!(line(&rows, 9.0, 0), "loading: 0 % of 0 rows");
    }
}
