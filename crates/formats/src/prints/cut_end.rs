//! The last print of an input may be cut: between two lines nothing shows it but the prints before.

use isotherm_frame::{Histogram, Place, Rejection, Series};

use super::print::Print;
use super::{Prints, notes};
use crate::{Note, Sink, Temporality};

impl Prints<'_> {
    /// A histogram was printed that the input may have cut behind its bucket at `place`.
    pub(crate) fn unended(
        &mut self,
        series: &Series,
        counts: Histogram,
        place: Place,
        sink: &mut dyn Sink,
    ) {
        self.histogram(series, counts, sink);
        if let Some(print) = &mut self.open {
            print.unended = Some((series.clone(), place));
        }
    }

    /// A print that others follow has all its series.
    pub(super) fn keep_constant(&mut self, print: &Print) {
        let printed = || print.histograms.keys().chain(&print.damaged);
        match &mut self.constant {
            Some(constant) => constant.retain(|series| print.holds(series)),
            None => self.constant = Some(printed().cloned().collect()),
        }
    }

    /// What is to be said of series that all prints have but the last one. Totals do not vanish: they are cut off.
    /// Where prints are intervals, nothing was counted of them.
    pub(super) fn look_for_cut_off(&mut self, print: &Print) {
        // A time alone may stand behind its print, or before one in which nothing was counted. Tables leave out
        // rows that are not among the greatest.
        let is_print = !print.is_empty() && !self.has_totals_only();
        let is_said = self.filled > 0 && is_print && !self.is_live();
        let Some(constant) = self.constant.as_ref().filter(|_| is_said) else { return };
        let missing: Vec<_> = constant.iter().filter(|series| !print.holds(series)).collect();
        self.cut_off = missing.first().map(|first| notes::cut_off(first, missing.len()));
    }

    /// Where nothing but a series that is gone from the last print shows that prints are intervals: they may be
    /// totals, and the last one cut.
    pub(super) fn say_what_is_gone(&self, print: &Print, sink: &mut dyn Sink) {
        let before = self.held.last().map_or(&self.known, |print| &print.histograms);
        let has_fallen = |(series, earlier): (&Series, &Histogram)| {
            print.histograms.get(series).is_some_and(|later| later.since(earlier).is_err())
        };
        let gone =
            before.iter().find(|(series, earlier)| !earlier.is_empty() && !print.holds(series));
        if let Some((series, _)) = gone.filter(|_| !before.iter().any(has_fallen)) {
            sink.note(Note::Assumed(notes::gone(series).into()));
        }
    }

    /// A total that lacks only its last buckets was cut: it is none.
    pub(super) fn reject_cut_total(&self, print: &mut Print, sink: &mut dyn Sink) {
        let Some((series, place)) = print.unended.take() else { return };
        let held = self.held.iter().rev().find_map(|print| print.histograms.get(&series));
        let Some(earlier) = held.or(self.known.get(&series)) else { return };
        let may_be_totals = match self.temporality {
            Temporality::Cumulative => true,
            // Two prints and more that did not fall.
            Temporality::Auto => !self.are_intervals && self.held.len() >= Prints::FEW,
            Temporality::Delta => false,
        };
        let Some(later) = print.histograms.remove(&series) else { return };
        let lacks_its_end =
            later.since(earlier).is_err() && later.since(&up_to_end_of(&later, earlier)).is_ok();
        print.damaged.insert(series.clone());
        // Where another series fell, they are intervals.
        let are_intervals = self.temporality == Temporality::Auto && self.fell(print, true);
        if may_be_totals && lacks_its_end && !are_intervals {
            let events = later.events();
            sink.reject(Rejection { place, reason: notes::CUT_TOTAL.into(), events });
        } else {
            print.damaged.remove(&series);
            print.histograms.insert(series, later);
        }
    }
}

/// The counts of `earlier` in the buckets up to the last one of `later`.
fn up_to_end_of(later: &Histogram, earlier: &Histogram) -> Histogram {
    let end = later.non_zero().next_back().map(|(bucket, _)| bucket.lo);
    let mut counts = earlier.counts();
    for (index, _) in earlier.counted() {
        if Some(earlier.scheme().bucket(index).lo) > end {
            counts[index] = 0;
        }
    }
    let empty = earlier.cleared();
    Histogram::new(earlier.scheme().clone(), counts, None).unwrap_or(empty)
}
