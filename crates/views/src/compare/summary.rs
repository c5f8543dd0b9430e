//! What is shown of a comparison.

use isotherm_analysis::{
    Comparison, Difference, Failures, Maps, Measure, Shift, SideNumbers, Verdict,
};
use isotherm_frame::{Clock, Timestamp};
use serde_json::Value;

use crate::times::TimeFormat;

/// Everything that is shown of a comparison.
#[derive(Clone, Debug)]
pub struct CompareSummary<'a> {
    /// The kind of event compared.
    pub label: String,
    /// A and B.
    pub sides: [SideLabel; 2],
    /// How moments of A and B belong together, in words.
    pub alignment: Alignment,
    /// What differs.
    pub comparison: &'a Comparison,
    /// The maps; `None` where a side has no events or only numbers are wanted.
    pub maps: Option<&'a Maps>,
    /// The same in few rows, for the profile of shares.
    pub profile: Option<&'a Maps>,
    /// Every kind of event, largest change of time waited first.
    pub pairs: &'a [PairLine],
    /// How many operations failed; `None` where nothing tells, or none did.
    pub failures: Option<Failures>,
    /// Conditions, as they were written, and whether they hold.
    pub conditions: Vec<(String, Verdict)>,
}

/// Where a side comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct SideLabel {
    /// The input.
    pub source: String,
    /// The clock of its moments.
    pub clock: Clock,
    /// The earliest start and the latest end of what is compared.
    pub span: (Timestamp, Timestamp),
    /// The moment that belongs with that of the other side.
    pub anchor: Timestamp,
}

/// A comparison as the report shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The object of `compare --format json`.
    pub value: Value,
    /// The kind of event and the verdict.
    pub title: String,
    /// A and B: the input and the stretch of time.
    pub sides: [String; 2],
    /// What there is to say.
    pub sentences: Vec<String>,
    /// A table for those without scripts: its headings, then its rows.
    pub table: Vec<Vec<String>>,
    /// The same for every kind of event, where there are several.
    pub pairs: Vec<Vec<String>>,
}

/// How the moments of both sides belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// The starts.
    Start,
    /// The times of the clock.
    Clock,
    /// The marks of this text.
    Mark(String),
}

/// Which sides have a kind of event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Both.
    Both,
    /// A alone.
    OnlyA,
    /// B alone.
    OnlyB,
}

/// A kind of event and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PairLine {
    /// What it is called.
    pub label: String,
    /// Which sides have it.
    pub presence: Presence,
    /// A in numbers; all zero where it does not have it.
    pub a: SideNumbers,
    /// B in numbers.
    pub b: SideNumbers,
    /// What to make of it; `None` where a side does not have it.
    pub verdict: Option<Difference>,
    /// The measures that both sides have.
    pub shifts: Vec<Shift>,
}

impl PairLine {
    /// Seconds waited per second of both sides.
    pub fn waiting(&self) -> [f64; 2] {
        [&self.a, &self.b].map(SideNumbers::waiting)
    }

    /// Events per second of both sides.
    pub fn rates(&self) -> [f64; 2] {
        [&self.a, &self.b].map(SideNumbers::rate)
    }

    /// By how many seconds per second the time waited has changed.
    pub fn change(&self) -> f64 {
        let [a, b] = self.waiting();
        b - a
    }

    pub(crate) fn shift(&self, measure: Measure) -> Option<&Shift> {
        self.shifts.iter().find(|shift| shift.measure == measure)
    }
}

impl SideLabel {
    pub(crate) fn stretch(&self) -> String {
        TimeFormat::new(self.clock, self.span.0).between(self.span.0, self.span.1)
    }
}
