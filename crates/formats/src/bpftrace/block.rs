//! One histogram as bpftrace prints it.

use std::borrow::Cow;

use isotherm_frame::Place;

use crate::printed::{self, Bars, Row};

/// A bucket as printed, `[lo, hi)`; `None` where the print has no bound.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) lo: Option<i128>,
    pub(super) hi: Option<i128>,
    pub(super) count: u64,
}

/// One printed histogram.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Block {
    /// The map's name with its `@`.
    pub(super) name: String,
    /// Its key, parts separated by commas.
    pub(super) key: Option<String>,
    /// Where it begins.
    pub(super) place: Place,
    /// The buckets of values from zero.
    pub(super) rows: Vec<Row>,
    /// How many values were below zero.
    pub(super) negatives: u64,
    /// Where the last of those was printed.
    pub(super) negatives_at: Place,
    /// Why and where it cannot be read as a whole: then none of it is.
    pub(super) damage: Option<(Place, Cow<'static, str>)>,
    /// Another line behind its last row.
    pub(super) interrupted: Option<Place>,
    /// What is drawn beside its buckets.
    pub(super) bars: Bars,
    /// Where the input ends, if it ends before the empty line that follows every map.
    pub(super) unended: Option<Place>,
}

impl Block {
    /// More rows than any histogram of bpftrace has: `hist(n, 5)` prints at most 2,048.
    const MOST_ROWS: usize = 4_096;

    /// Adds a bucket printed at `place`.
    pub(super) fn push(&mut self, found: Printed, place: Place) {
        let bound = |value: i128| u64::try_from(value).ok();
        match (found.lo, found.hi) {
            (Some(..0), _) | (None, Some(..=0) | None) => {
                self.negatives = self.negatives.saturating_add(found.count);
                self.negatives_at = place;
            }
            (lo, hi) => match bound(lo.unwrap_or(0)) {
                Some(lo) if self.rows.len() < Block::MOST_ROWS => {
                    let row = Row { lo, hi: hi.and_then(bound), count: found.count };
                    let interrupted = self.interrupted.take();
                    if let Some(at) = interrupted.filter(|_| printed::leaves_a_hole(&self.rows, &row)) {
                        self.damage(at, printed::BUCKET_MISSING);
                    }
                    self.rows.push(row);
                }
                _ => self.damage(place, "a bucket beyond what bpftrace can print"),
            },
        }
    }

    /// Notes why it cannot be read as a whole; the first reason stands.
    pub(super) fn damage(&mut self, place: Place, reason: impl Into<Cow<'static, str>>) {
        self.damage.get_or_insert_with(|| (place, reason.into()));
    }

    /// The number of events in it.
    pub(super) fn events(&self) -> u64 {
        printed::events(&self.rows).saturating_add(self.negatives)
    }

    /// Whether its top bucket may hold anything longer because of the 32 bits of old versions.
    pub(super) fn may_be_truncated(&self) -> bool {
        let top = |row: &Row| row.lo == 1 << 31 && row.hi == Some(1 << 32) && row.count > 0;
        self.rows.iter().any(top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negatives_are_counted_apart() {
        let mut block = Block::default();
        for (lo, hi, count) in [
            (None, Some(0), 1),
            (Some(-10), Some(0), 2),
            (Some(-5), Some(5), 4),
            (None, Some(10), 8),
            (Some(1 << 63), Some(1 << 64), 16),
        ] {
            block.push(Printed { lo, hi, count }, Place::default());
        }
        assert_eq!(block.negatives, 7);
        let rows = [Row { lo: 0, hi: Some(10), count: 8 }, Row { lo: 1 << 63, hi: None, count: 16 }];
        assert_eq!(block.rows, rows);
        assert_eq!(block.events(), 31);
    }
}
