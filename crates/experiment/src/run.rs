//! One run of an experiment, as a line of a run table.

use isotherm_load::{Job, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One run: its job, its results and warnings about them. A run table is a file of these, one JSON
/// object a line (`runs.jsonl`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// The version of this layout: [`Run::FORMAT`].
    pub format: u32,
    /// The number of its point in a sweep, from 0; 0 for a single run.
    pub point: u32,
    /// The number of the repeat of that point, from 0.
    pub repeat: u32,
    /// The point in words: `in-flight 8`, `rate 16000`, and what else is varied.
    pub label: String,
    /// What was done.
    pub job: Job,
    /// What is known of the system and the machine, for people.
    pub facts: Vec<(String, String)>,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether throughput was steady while it was measured.
    pub steady: Steady,
    /// Warnings, serious ones first.
    pub verdicts: Vec<Verdict>,
    /// The recording beside the run table, if there is one: a file name without a directory.
    pub recording: Option<String>,
}

impl Verdict {
    /// After these a p99 is not that of the system under load: it grows with the length of the run,
    /// lacks waiting that was not seen, or lacks what failed.
    const WITHHOLD: [(&str, &str); 3] = [
        ("rate-not-met", "the rate asked for was not met"),
        ("little", "Little's law does not hold"),
        ("faults", "too many operations failed"),
    ];

    /// Why no p99 may be named after this, in words; `None` when one may.
    pub fn withholds_tail(&self) -> Option<&'static str> {
        let found = Verdict::WITHHOLD.iter().find(|(code, _)| self.serious && self.code == *code);
        found.map(|(_, why)| *why)
    }
}

impl Run {
    /// The version of this layout.
    pub const FORMAT: u32 = 1;
}

/// Whether throughput was steady: by slope *and* by deviation, since a slope alone lets noise pass.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steady {
    /// Whether it was; null with too few intervals, or too few operations, to tell.
    pub steady: Option<bool>,
    /// The drift over the whole measured time as a share of the mean throughput.
    pub drift: f64,
    /// The largest deviation of a fifth of the time from the mean throughput, as a share of it.
    pub deviation: f64,
}

/// A warning about a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// A short name that stays the same: `page-cache`, `faster-than-device`, `little`,
    /// `rate-not-met`, `not-steady`, `sparse`, `os-cache`, `in-flight-below-devices`...
    pub code: String,
    /// Whether the headline numbers must not be used without it.
    pub serious: bool,
    /// The words for people: what, how much, what to do next.
    pub words: String,
}
