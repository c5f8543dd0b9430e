//! Whether the counts of prints are totals or those of an interval.

use super::print::Print;
use super::{Prints, notes};
use crate::{Note, Sink, Temporality};

impl Prints<'_> {
    /// Whether counts went down since the print before, or a series that had any is no longer
    /// printed: tools print every key that was counted until it is cleared.
    pub(super) fn fell(&self, now: &Print, last: bool) -> bool {
        // The end of a print may be missing at the end of an input: not if it says when it was
        // printed and is whole, unless earlier prints already speak for totals.
        let whole = now.stamp.is_some() && now.damaged.is_empty();
        let doubtful = last && !(whole && self.held.len() <= Prints::FEW);
        let before = self.held.last().map_or(&self.known, |print| &print.histograms);
        before.iter().any(|(series, earlier)| match now.histograms.get(series) {
            Some(later) => later.since(earlier).is_err(),
            None if self.comes_after_totals() => false,
            None => !doubtful && !earlier.is_empty() && !now.damaged.contains(series),
        })
    }

    /// Passes on what is held as soon as it is decided what its counts mean.
    pub(super) fn pass_on(&mut self, fell: bool, sink: &mut dyn Sink) {
        let live = self.is_live();
        let enough = if live { Prints::HELD_LIVE } else { Prints::HELD };
        match self.temporality {
            Temporality::Auto if fell || self.are_intervals => {
                self.decide(Temporality::Delta, sink);
            }
            Temporality::Auto if self.comes_after_totals() && self.are_comparable() => {
                self.decide(Temporality::Cumulative, sink);
            }
            Temporality::Auto if self.held.len() < enough => return,
            Temporality::Auto => self.decide(Temporality::Cumulative, sink),
            // The first interval's length is that of the second: wait for it, unless live.
            _ if !live && self.waits_for_second() => return,
            Temporality::Cumulative => self.recheck_totals(fell, sink),
            Temporality::Delta => {}
        }
        self.release(sink);
    }

    /// Whether the first print has to wait for the second.
    pub(super) fn waits_for_second(&self) -> bool {
        let lone = self.has_totals_only() && !self.from_zero;
        let waits = lone || self.temporality == Temporality::Delta;
        waits && self.known.is_empty() && self.held.len() < 2
    }

    pub(super) fn decide(&mut self, temporality: Temporality, sink: &mut dyn Sink) {
        self.temporality = temporality;
        match temporality {
            Temporality::Cumulative if self.comes_after_totals() => {
                sink.note(Note::Assumed(notes::DID_NOT_FALL.into()));
            }
            Temporality::Cumulative => sink.note(Note::Said(notes::NEVER_FELL.into())),
            Temporality::Auto | Temporality::Delta => {}
        }
    }

    /// Counts that fall print after print were not totals.
    fn recheck_totals(&mut self, fell: bool, sink: &mut dyn Sink) {
        let may_be_intervals =
            self.context.temporality == Temporality::Auto && !self.has_totals_only();
        self.falls_in_a_row = if fell && may_be_intervals { self.falls_in_a_row + 1 } else { 0 };
        if self.falls_in_a_row == 2 {
            self.temporality = Temporality::Delta;
            sink.note(Note::Said(notes::KEEP_FALLING.into()));
        }
    }

    /// Whether two prints that are held, one after the other, have a series in common.
    pub(super) fn are_comparable(&self) -> bool {
        self.held.windows(2).any(|pair| {
            pair[0].histograms.keys().any(|series| pair[1].histograms.contains_key(series))
        })
    }
}
