//! One print.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Histogram, Place, Series, Timestamp};

use crate::stamp::Stamp;

/// Everything a tool printed at one moment.
#[derive(Debug, Default)]
pub(super) struct Print {
    pub(super) stamp: Option<Stamp>,
    pub(super) arrived: Option<Timestamp>,
    pub(super) histograms: BTreeMap<Series, Histogram>,
    /// Series whose histogram in this print could not be read.
    pub(super) damaged: BTreeSet<Series>,
    /// Whether it says that nothing was counted yet.
    pub(super) is_zero: bool,
    /// The series whose histogram stands at the end of the input and may lack its last buckets, and where.
    pub(super) unended: Option<(Series, Place)>,
}

impl Print {
    /// Whether what comes next is of another print, although no time says so.
    pub(super) fn is_over(&self) -> bool {
        self.is_zero && self.stamp.is_none()
    }

    /// Whether nothing was printed.
    pub(super) fn is_empty(&self) -> bool {
        self.histograms.is_empty() && self.damaged.is_empty()
    }

    /// Whether the series is in it, readable or not.
    pub(super) fn holds(&self, series: &Series) -> bool {
        self.histograms.contains_key(series) || self.damaged.contains(series)
    }
}

/// A print that waits until it is decided what its counts mean.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) at: Timestamp,
    /// Whether its time is known rather than assumed.
    pub(super) sure: bool,
    /// Whether it has no time although others have.
    pub(super) is_untimed: bool,
    /// Whether nothing follows it in the input.
    pub(super) is_last: bool,
    pub(super) histograms: BTreeMap<Series, Histogram>,
    pub(super) damaged: BTreeSet<Series>,
}

impl Held {
    /// Whether all its totals are these: nothing was counted since.
    pub(super) fn adds_nothing_to(&self, known: &BTreeMap<Series, Histogram>) -> bool {
        let mut totals = self.histograms.iter();
        self.damaged.is_empty() && totals.all(|(series, total)| known.get(series) == Some(total))
    }
}
