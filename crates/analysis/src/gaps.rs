//! The time of which nothing is known.

use isotherm_frame::{Nanos, Timestamp};

use crate::{Column, ColumnState, Timeline};

/// Time between the first and the last column with data of which nothing is known.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Gaps {
    /// Segments of whole columns without data, resets included.
    pub stretches: usize,
    /// Those of them, in which counters were reset.
    pub resets: usize,
    /// Their length in all, and that of gaps shorter than a column, in seconds.
    pub missing_s: f64,
    /// Where the longest stretch begins and ends; the first of several as long. `None` without
    /// stretches of whole columns.
    pub longest: Option<(Timestamp, Timestamp)>,
    /// How exactly its ends are known: the length of a column.
    pub exact_to: Nanos,
}

impl Gaps {
    /// The length of the longest stretch, in seconds; 0 without stretches of whole columns.
    pub fn longest_s(&self) -> f64 {
        length_s(self.longest)
    }
}

fn length_s(span: Option<(Timestamp, Timestamp)>) -> f64 {
    span.map_or(0.0, |(start, end)| end.since(start).as_secs_f64())
}

/// Time without data worth a word: a shorter one is the jitter of clocks.
const LEAST_MISSING: f64 = 1e-3;

/// The gaps of a timeline; `None` if the source said something about all of the time.
pub fn gaps(timeline: &Timeline) -> Option<Gaps> {
    let data = |column: &Column| column.state == ColumnState::Data;
    let first = timeline.columns.iter().position(data)?;
    let last = timeline.columns.iter().rposition(data)?;
    let columns = timeline.columns.get(first..=last)?;
    let length = |column: &Column| column.end.since(column.start).as_secs_f64();
    let exact_to = timeline.column;
    let mut gaps = Gaps { stretches: 0, resets: 0, missing_s: 0.0, longest: None, exact_to };
    for stretch in columns.chunk_by(|one, next| data(one) == data(next)) {
        if stretch.iter().any(data) {
            continue;
        }
        let span = stretch.first().zip(stretch.last()).map(|(one, last)| (one.start, last.end));
        gaps.stretches += 1;
        gaps.resets += usize::from(stretch.iter().any(|c| c.state == ColumnState::Reset));
        if length_s(span) > gaps.longest_s() {
            gaps.longest = span;
        }
    }
    let inner = columns.get(1..columns.len() - 1).unwrap_or_default();
    gaps.missing_s = inner.iter().map(|column| (length(column) - column.covered_s).max(0.0)).sum();
    (gaps.stretches > 0 || gaps.missing_s > LEAST_MISSING).then_some(gaps)
}
