//! Which series are shown.

use isotherm_frame::Series;

/// Which series are shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SeriesChoice {
    /// The one with the most time waited, until the user chooses; of a cluster the sum of all
    /// instances.
    Foremost(Option<Series>),
    Chosen(Series),
    /// All of one kind, together: those of a name, averages and latencies apart.
    Named(Series),
    /// All, together.
    Merged,
}
