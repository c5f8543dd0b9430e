//! The time axes of both sides' maps: which moment of B stands below which of A.

use isotherm_frame::{Nanos, Timestamp};

use crate::{Grid, Span};

/// Axes of columns of one length and of one number, so that columns of one index belong together.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// That of A.
    pub a: Grid,
    /// That of B.
    pub b: Grid,
}

/// The intervals of a side and the moment of it that belongs with that of the other side.
#[derive(Copy, Clone, Debug)]
pub struct Anchored<'a> {
    /// The intervals.
    pub spans: &'a [Span],
    /// The moment.
    pub at: Timestamp,
}

impl Axes {
    /// Axes of at most `most` columns that cover all intervals of both sides and have a column begin
    /// at each side's moment. A column is a whole number of the longer of both usual intervals.
    /// `None` if a side has none.
    pub fn covering(a: Anchored<'_>, b: Anchored<'_>, most: usize) -> Option<Axes> {
        let mut before = 0;
        let mut after = 0;
        let mut usual = Nanos::new(1);
        for side in [a, b] {
            let start = side.spans.iter().map(|span| span.start).min()?;
            let end = side.spans.iter().map(|span| span.end).max()?;
            before = before.max(side.at.since(start).as_nanos());
            after = after.max(end.since(side.at).as_nanos());
            usual = usual.max(Grid::covering_spans(side.spans, usize::MAX)?.column);
        }
        let (usual, most) = (usual.as_nanos(), most.max(2) as u64);
        let needed = |column: u64| before.div_ceil(column) + after.div_ceil(column);
        let mut column = usual.saturating_mul(needed(usual).div_ceil(most).max(1));
        while needed(column) > most {
            column = column.saturating_add(usual);
        }
        let columns = usize::try_from(needed(column)).ok()?.max(1);
        let after = Nanos::new(column.saturating_mul(after.div_ceil(column)));
        let grid =
            |at: Timestamp| Grid { end: at.plus(after), column: Nanos::new(column), columns };
        Some(Axes { a: grid(a.at), b: grid(b.at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(from: i64, to: i64) -> Vec<Span> {
        let span = |second: i64| Span {
            start: at(second),
            end: at(second + 1),
            filled: true,
            amends: false,
        };
        (from..to).map(span).collect()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::new(second * 1_000_000_000)
    }

    #[test]
    fn the_moments_of_both_sides_begin_columns_of_one_index() {
        let (a, b) = (seconds(100, 130), seconds(500, 540));
        let (at_a, at_b) = (at(110), at(525));
        let side = |spans, at| Anchored { spans, at };
        for most in [100, 45, 20, 7, 2] {
            let axes = Axes::covering(side(&a, at_a), side(&b, at_b), most).unwrap();
            assert!(axes.a.columns <= most && axes.a.columns == axes.b.columns, "{axes:?}");
            assert!(axes.a.start() <= at(100) && axes.a.end >= at(130), "{axes:?}");
            assert!(axes.b.start() <= at(500) && axes.b.end >= at(540), "{axes:?}");
            let into = |grid: Grid, at: Timestamp| at.since(grid.start()).as_nanos();
            assert_eq!(into(axes.a, at_a), into(axes.b, at_b));
            assert_eq!(into(axes.a, at_a) % axes.a.column.as_nanos(), 0);
        }
        assert_eq!(Axes::covering(side(&[], at_a), side(&b, at_b), 9), None);
    }
}
