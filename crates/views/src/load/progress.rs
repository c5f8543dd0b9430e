//! How a load goes while it is made: how far it has come, and its numbers now.

use isotherm_analysis::{is_unstable, modes};
use isotherm_frame::{Bucket, Histogram, Nanos};
use isotherm_load::{Arrival, LatestInterval, RunStatus};

use super::QuantileSummary;
use super::words::value;
use crate::numbers::{bytes_per_s, grouped, quantity};
use crate::times::span;

/// A piece of a line. Those of the highest rank give way first where there is no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressPart {
    /// What it says.
    pub text: String,
    /// How soon it gives way.
    pub rank: u8,
}

/// How far something has come.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressBar {
    /// How much is done, from 0 to 1.
    pub share: f64,
    /// How much of all is the warm-up, from 0 to 1.
    pub warmup_share: f64,
}

/// How a load goes.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadProgress<'a> {
    /// How far it has come.
    pub bar: ProgressBar,
    /// The time that is left, such as `18s left`.
    pub left: String,
    /// What is loaded and what is asked of it, or which run this is.
    pub what: ProgressPart,
    /// The run that is under way; none before it begins.
    pub run: Option<&'a RunStatus>,
    /// What an operation per second is called.
    pub unit: &'static str,
}

/// The same on two lines.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressLines {
    /// How far it has come.
    pub bar: ProgressBar,
    /// What stands behind the bar: the time left, what is loaded and what is asked of it.
    pub course: Vec<ProgressPart>,
    /// The numbers of the latest interval: rate, MB/s, percentiles, operations in flight, errors.
    pub now: Vec<ProgressPart>,
}

/// The width from which the bar is long.
const WIDE: usize = 100;
/// The characters of a long and of a short bar.
const BARS: (usize, usize) = (20, 10);

fn part(rank: u8, text: impl Into<String>) -> ProgressPart {
    ProgressPart { text: text.into(), rank }
}

impl<'a> LoadProgress<'a> {
    /// How a single run of this target goes.
    pub fn of_run(target: &str, run: &'a RunStatus) -> LoadProgress<'a> {
        let unit = super::rate_unit(target);
        LoadProgress {
            bar: ProgressBar { share: run.share(), warmup_share: run.warmup_share() },
            left: time_left(run),
            what: part(6, format!("{target}: {}", asked(run, unit))),
            run: Some(run),
            unit,
        }
    }

    /// What stands behind the bar, and the numbers.
    pub fn lines(&self) -> ProgressLines {
        ProgressLines { bar: self.bar.clone(), course: self.course(), now: self.now() }
    }

    fn course(&self) -> Vec<ProgressPart> {
        let warms = self.run.is_some_and(|run| !run.measuring);
        let warm_up = warms.then(|| part(1, "warm-up"));
        warm_up.into_iter().chain([part(0, self.left.clone()), self.what.clone()]).collect()
    }

    fn now(&self) -> Vec<ProgressPart> {
        let Some(run) = self.run else { return Vec::new() };
        let mut parts = run.latest.as_ref().map(|now| self.rates(run, now)).unwrap_or_default();
        parts.push(part(4, format!("{} in flight", quantity(run.in_flight))));
        let (errors, rank) = (grouped(run.failed), if run.failed > 0 { 0 } else { 5 });
        parts.push(part(rank, format!("{errors} error{}", if run.failed == 1 { "" } else { "s" })));
        parts
    }

    fn rates(&self, run: &RunStatus, now: &LatestInterval) -> Vec<ProgressPart> {
        let asked = match run.arrival {
            Arrival::Open { rate_hz, .. } => format!(" of {}", quantity(rate_hz)),
            Arrival::Closed { .. } => String::new(),
        };
        let mut parts = vec![part(0, format!("{}{asked} {}", quantity(now.per_s()), self.unit))];
        let bytes = (now.bytes > 0).then(|| bytes_per_s(now.bytes_per_s()));
        parts.extend(bytes.map(|bytes| part(3, bytes)));
        let counts = now.response.histogram();
        for (q, name, rank) in [(0.5, "p50", 2), (0.99, "p99", 1)] {
            parts.extend(percentile(&counts, q).map(|text| part(rank, format!("{name} {text}"))));
        }
        parts
    }

    /// All of it on one line of this width.
    pub fn line(&self, width: usize, is_ascii: bool) -> String {
        let length = if width < WIDE { BARS.1 } else { BARS.0 };
        let bar = part(0, self.bar.text(length, is_ascii));
        let parts = [vec![bar], self.course(), self.now()].concat();
        let text = fitted(parts, width);
        if is_ascii { ascii(&text) } else { text }
    }
}

impl ProgressBar {
    /// The bar in so many characters, its ends among them: the warm-up, what was measured, and what is
    /// left.
    pub fn text(&self, length: usize, is_ascii: bool) -> String {
        let [warm, done, left, first, last] =
            if is_ascii { ['-', '#', '.', '[', ']'] } else { ['▒', '█', '░', '▕', '▏'] };
        let cells = length.saturating_sub(2);
        let of = |share: f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1")]
            let cells = (share.clamp(0.0, 1.0) * cells as f64).floor() as usize;
            cells
        };
        let (warmup, filled) = (of(self.warmup_share), of(self.share));
        let cell = |cell: usize| match cell {
            _ if cell >= filled => left,
            _ if cell < warmup => warm,
            _ => done,
        };
        std::iter::once(first).chain((0..cells).map(cell)).chain([last]).collect()
    }
}

/// What is asked of the system: `8 in flight`, `5.00k IOPS`.
fn asked(run: &RunStatus, unit: &str) -> String {
    match run.arrival {
        Arrival::Closed { in_flight, .. } => format!("{in_flight} in flight"),
        Arrival::Open { rate_hz, .. } => format!("{} {unit}", quantity(rate_hz)),
    }
}

fn time_left(run: &RunStatus) -> String {
    let (left_s, sooner) = run.left_s();
    let left = span(Nanos::from_secs_f64(left_s.ceil()).unwrap_or_default());
    if sooner { format!("at most {left} left") } else { format!("{left} left") }
}

/// The bucket of a percentile, marked where it is not repeatable.
fn percentile(counts: &Histogram, q: f64) -> Option<String> {
    let at = counts.quantile(q).ok()?;
    let (Bucket { lo, hi }, estimate) = (at.bucket, at.estimate);
    let unstable = is_unstable(counts, &modes(counts), q);
    Some(value(&QuantileSummary { q, lo, hi, estimate, unstable }))
}

/// The parts that fit, with dots between them.
fn fitted(mut parts: Vec<ProgressPart>, width: usize) -> String {
    const GAP: &str = " · ";
    let length = |parts: &[ProgressPart]| {
        let gaps = parts.len().saturating_sub(1) * GAP.chars().count();
        parts.iter().map(|part| part.text.chars().count()).sum::<usize>() + gaps
    };
    while parts.len() > 1 && length(&parts) > width {
        let least = parts.iter().map(|part| part.rank).max().unwrap_or(0);
        let Some(index) = parts.iter().rposition(|part| part.rank == least) else { break };
        parts.remove(index);
    }
    let texts: Vec<String> = parts.into_iter().map(|part| part.text).collect();
    texts.join(GAP).chars().take(width).collect()
}

fn ascii(text: &str) -> String {
    text.chars().map(crate::ansi::ascii).collect()
}
