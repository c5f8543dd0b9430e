//! Active sessions over time by how long each has waited: a heat map made of samples.

use isotherm_frame::{Nanos, Timestamp};

use super::dimension::ActivityFilter;
use super::samples::Activity;
use super::strip::{Columns, mean};
use super::waits::Seen;

/// Columns of equal length, with active sessions by the length of their waits. In every column the rows add
/// up to the average active sessions. A wait counts in one row in all columns: that of its length when
/// a sample last found it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActivityLengths {
    /// The rows, shortest first, without those beyond the shortest and the longest wait.
    pub rows: Vec<LengthRow>,
    /// The average active sessions of every row, oldest column first; `None` where there is no sample.
    pub columns: Vec<Option<Vec<f64>>>,
    /// The start of the first column.
    pub start: Timestamp,
    /// The length of each.
    pub column: Nanos,
    /// Whether the server says how long any of the waits lasted.
    pub has_known: bool,
    /// Whether the length of any is only known from the samples that found it.
    pub has_sampled: bool,
}

/// A range of lengths.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LengthRow {
    /// The shortest.
    pub lo: Nanos,
    /// The shortest that is too long.
    pub hi: Nanos,
}

/// Powers of two of microseconds that are told apart: beyond is more than a hundred years.
const OCTAVES: usize = 52;

impl ActivityLengths {
    /// The most active sessions of any cell.
    pub fn most(&self) -> f64 {
        self.columns.iter().flatten().flatten().copied().fold(0.0, f64::max)
    }

    /// The same with at most so many rows: neighbours are added up.
    #[must_use]
    pub fn in_rows(mut self, most: usize) -> ActivityLengths {
        while self.rows.len() > most.max(1) {
            let pair = |rows: &[LengthRow]| LengthRow {
                lo: rows.first().map_or(Nanos::ZERO, |row| row.lo),
                hi: rows.last().map_or(Nanos::ZERO, |row| row.hi),
            };
            self.rows = self.rows.chunks(2).map(pair).collect();
            for column in self.columns.iter_mut().flatten() {
                *column = column.chunks(2).map(|cells| cells.iter().sum()).collect();
            }
        }
        self
    }
}

impl Activity {
    /// The last `columns` columns of this length, of the sessions that `filter` takes, by the lengths of
    /// their waits.
    pub fn lengths(
        &self,
        end: Timestamp,
        (column, columns): (Nanos, usize),
        filter: &ActivityFilter,
    ) -> ActivityLengths {
        let taken = self.keys.taken(filter);
        let length =
            |seen: Seen| self.waits.length(seen, self.period).filter(|_| taken.takes(seen.key));
        let row = |seen: Seen| length(seen).map(|(length, _)| octave(length));
        let place = Columns::ending(end, column, columns);
        let sums = self.sums(&place, (&row, OCTAVES));
        let used = |octave: &usize| {
            sums.iter().any(|(_, counts)| counts.get(*octave).is_some_and(|count| *count > 0))
        };
        let first = (0..OCTAVES).find(used).unwrap_or(0);
        let after = (0..OCTAVES).rfind(used).map_or(first, |last| last + 1);
        let cells = |counts: &[u64], samples| {
            (first..after).map(|octave| mean(counts, octave, samples)).collect()
        };
        let start = place.start();
        let found = self.between((start, end)).flat_map(|sample| &sample.sessions);
        let mut known = found.filter_map(|seen| length(*seen)).map(|(_, is_known)| is_known);
        let first_is_known = known.next();
        let has_other = known.any(|is_known| Some(is_known) != first_is_known);
        ActivityLengths {
            rows: (first..after).map(row_of).collect(),
            columns: sums
                .iter()
                .map(|(samples, counts)| (*samples > 0).then(|| cells(counts, *samples)))
                .collect(),
            start,
            column,
            has_known: first_is_known == Some(true) || has_other,
            has_sampled: first_is_known == Some(false) || has_other,
        }
    }
}

/// The octave of a length: 0 below 2 microseconds.
fn octave(length: Nanos) -> usize {
    let micros = (length.as_nanos() / 1_000).max(1);
    usize::try_from(micros.ilog2()).unwrap_or(0).min(OCTAVES - 1)
}

fn row_of(octave: usize) -> LengthRow {
    let edge = |octave: usize| Nanos::new(1_000_u64.saturating_mul(1 << octave.min(OCTAVES)));
    let lo = if octave == 0 { Nanos::ZERO } else { edge(octave) };
    LengthRow { lo, hi: edge(octave + 1) }
}
