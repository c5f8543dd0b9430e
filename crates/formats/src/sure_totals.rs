//! Running totals of which some lines could not be read.

use std::collections::BTreeSet;

use isotherm_frame::{Histogram, Series};

use crate::prints::Prints;
use crate::stamp::Stamp;
use crate::{Context, Sink};

/// Prints of totals. A series that a tool prints for the first time stood at zero before, unless a line
/// of the print before could not be read: that may have been its own. Then its first total is where
/// counting begins.
pub(crate) struct SureTotals<'c> {
    prints: Prints<'c>,
    known: BTreeSet<Series>,
    /// The series of this print.
    current: BTreeSet<Series>,
    /// Whether a line of this print, and of the one before, could not be read.
    unclear: [bool; 2],
}

impl<'c> SureTotals<'c> {
    pub(crate) fn new(context: &'c Context) -> SureTotals<'c> {
        let prints = Prints::totals(context);
        SureTotals { prints, known: BTreeSet::new(), current: BTreeSet::new(), unclear: [false; 2] }
    }

    /// A time was printed: what follows belongs to a new print.
    pub(crate) fn begin(&mut self, stamp: Stamp, sink: &mut dyn Sink) {
        self.turn();
        self.prints.begin(stamp, sink);
    }

    /// A total was printed. A series printed again begins a new print.
    pub(crate) fn total(&mut self, series: &Series, total: Histogram, sink: &mut dyn Sink) {
        if self.current.contains(series) {
            self.turn();
        }
        self.current.insert(series.clone());
        if self.known.insert(series.clone()) && self.unclear[1] {
            self.prints.damaged(series, sink);
        } else {
            self.prints.histogram(series, total, sink);
        }
    }

    /// A line could not be read.
    pub(crate) fn rejected(&mut self) {
        self.unclear[0] = true;
    }

    /// The input has ended.
    pub(crate) fn finish(self, sink: &mut dyn Sink) {
        self.prints.finish(sink);
    }

    fn turn(&mut self) {
        // Two times one after the other are one print.
        if !self.current.is_empty() || self.unclear[0] {
            self.unclear = [false, self.unclear[0]];
        }
        self.current.clear();
    }
}
