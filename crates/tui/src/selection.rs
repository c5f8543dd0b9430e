//! What the user points at and has selected, and what there is to say about it.

use std::ops::RangeInclusive;

use isotherm_analysis::{Contrast, Region};
use isotherm_frame::{Nanos, Timestamp};

pub(super) type Range = RangeInclusive<usize>;

/// What the user points at; moments and latencies, so that it stays with the data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cursor {
    pub(super) at: Option<Timestamp>,
    pub(super) latency: Option<Nanos>,
    /// The other corner of the selection.
    pub(super) anchor: Option<(Timestamp, Nanos)>,
    /// Whether the selection is of all latencies.
    pub(super) columns: bool,
}

/// The cell under the pointer, which no key and no button chose.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) at: Timestamp,
    pub(super) latency: Nanos,
}

/// A stretch of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct SelectedTime {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
}

/// What there is to say about a selection.
#[derive(Clone, Debug)]
pub(super) struct Explained {
    pub(super) rows: Range,
    pub(super) columns: Range,
    pub(super) region: Region,
    /// The same latencies over the time before, as long as the selection; `None` where nothing
    /// is known of it.
    pub(super) before: Option<Region>,
    /// What tells its events from all others in the window.
    pub(super) differs: Vec<Contrast>,
    /// How many series were told apart.
    pub(super) series: usize,
}

impl SelectedTime {
    pub(super) fn length(self) -> Nanos {
        self.end.since(self.start)
    }

    /// The stretch of the same length just before.
    pub(super) fn before(self) -> SelectedTime {
        SelectedTime { start: self.start.minus(self.length()), end: self.start }
    }
}
