//! Which series are told apart where a tool prints more than anybody can look at.

use std::collections::BTreeSet;

use isotherm_frame::{Place, Series};

use super::Prints;
use crate::sink::reject;
use crate::{Note, Sink, Temporality};

/// The most series of a print: as many as a recording holds.
const MOST: usize = 1 << 16;

impl Prints<'_> {
    /// Whether a series is one of those that are told apart: all, until there are too many. From then on those
    /// that were there before: a total that is in one print and not in the next would say something wrong.
    pub(super) fn admits(&mut self, series: &Series) -> bool {
        if let Some(admitted) = &self.admitted {
            return admitted.contains(series);
        }
        let open = self.open.as_ref().map_or(0, |print| print.histograms.len());
        if open.max(self.known.len()) < MOST {
            return true;
        }
        let printed = self.open.iter().flat_map(|print| print.histograms.keys());
        let held = self.held.iter().flat_map(|held| held.histograms.keys());
        let admitted: BTreeSet<Series> =
            printed.chain(held).chain(self.known.keys()).cloned().collect();
        self.admitted.insert(admitted).contains(series)
    }

    /// Leaves out the histogram of a series that is not told apart. Its events are lost where they are those of an
    /// interval: a total has them again in the next print.
    pub(super) fn leave_out(&self, events: u64, sink: &mut dyn Sink) {
        let reason = "more than 65536 series: the others are left out";
        if self.temporality == Temporality::Cumulative {
            return sink.note(Note::Said(reason.into()));
        }
        reject(sink, Place { line: 1, byte: 0 }, reason, events);
    }
}
