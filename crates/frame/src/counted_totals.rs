//! What of a series of running totals was counted as events.

use crate::{Series, Timestamp};

/// A series of running totals in an input, and what of it was counted as events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedTotals {
    /// The series.
    pub series: Series,
    /// What of it was counted.
    pub counted: Counted,
}

/// What of running totals was counted as events.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A total as it is: everything since an unknown start.
    Everything,
    /// Everything from a known start to the last total.
    From {
        /// When counting began.
        start: Timestamp,
        /// When the last total was read.
        end: Timestamp,
    },
    /// Only the differences between one total and the next.
    Differences,
}

impl Counted {
    /// Whether two inputs that were counted so, of one series, hold some of the same events.
    pub fn overlaps(self, other: Counted) -> bool {
        match (self, other) {
            (Counted::Everything, _) | (_, Counted::Everything) => true,
            (Counted::From { start, end }, Counted::From { start: from, end: to }) => {
                start < to && from < end
            }
            (Counted::Differences, _) | (_, Counted::Differences) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_overlap_where_both_hold_the_same_time() {
        let from =
            |start, end| Counted::From { start: Timestamp::new(start), end: Timestamp::new(end) };
        assert!(Counted::Everything.overlaps(Counted::Differences));
        assert!(from(1, 3).overlaps(from(1, 5)));
        // A program that began anew after the last total of the first input.
        assert!(!from(1, 3).overlaps(from(3, 5)));
        assert!(!Counted::Differences.overlaps(Counted::Differences));
    }
}
