//! What prints that are decided on are handed on as: totals, or intervals.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Gap, Histogram, Nanos, Partial, Quality, Reading, Series, Timestamp};

use super::print::Held;
use super::{Prints, notes};
use crate::{Note, Sink, Temporality};

impl Prints<'_> {
    /// Tells the sink what is held.
    pub(super) fn release(&mut self, sink: &mut dyn Sink) {
        let mut held = std::mem::take(&mut self.held);
        let Some(first) = held.first().map(|print| print.at) else { return };
        let length = held.get(1).map(|second| second.at.since(first));
        let length = self.context.interval.or(length).filter(|length| *length > Nanos::ZERO);
        let assumed = first.minus(length.unwrap_or(self.context.assumed_interval()));
        let mut previous = self.began.unwrap_or(assumed);
        if self.known.is_empty()
            && !self.from_zero
            && first.since(previous) < Nanos::new(first.since(assumed).as_nanos() / 2)
        {
            // Printed at once: it holds what was counted before anybody listened.
            previous = assumed;
            held.iter_mut().take(1).for_each(|print| print.sure = false);
        }
        for mut print in held {
            let is_total = self.temporality == Temporality::Cumulative;
            if print.is_untimed {
                // As programs print everything once more when they end.
                let repeats = is_total && print.adds_nothing_to(&self.known);
                let note = if repeats { notes::ADDS_NOTHING } else { notes::NO_TIME };
                sink.note(Note::Said(note.into()));
                if repeats {
                    continue;
                }
            }
            if is_total {
                self.obscured.append(&mut print.damaged);
                self.tell_totals(print.at, previous, print.histograms, sink);
                previous = previous.max(print.at);
                continue;
            }
            if print.at <= previous {
                sink.note(Note::Said(notes::SAME_TIME.into()));
                print.at = previous.plus(self.usual_length());
                // At the end of representable time there is no later moment.
                previous = previous.min(print.at.minus(Nanos::new(1)));
                print.sure = false;
            }
            let end = print.at;
            self.tell_interval(previous, print, sink);
            previous = end;
        }
        self.began = Some(previous);
    }

    fn tell_totals(
        &mut self,
        at: Timestamp,
        previous: Timestamp,
        histograms: BTreeMap<Series, Histogram>,
        sink: &mut dyn Sink,
    ) {
        if !self.known.is_empty() || self.from_zero {
            // Tools print every key that was counted: one not printed before stood at zero.
            for (series, total) in &histograms {
                if !self.known.contains_key(series) && !self.obscured.contains(series) {
                    let (series, sum) = (series.clone(), total.sum().map(|_| Nanos::ZERO));
                    let total = total.cleared().with_sum(sum);
                    sink.reading(Reading::Cumulative { at: previous, series, total, epoch: None });
                }
            }
        }
        for (series, total) in histograms {
            self.known.insert(series.clone(), total.clone());
            sink.reading(Reading::Cumulative { at, series, total, epoch: None });
        }
    }

    fn tell_interval(&mut self, start: Timestamp, print: Held, sink: &mut dyn Sink) {
        let Held { at: end, sure, is_last, mut histograms, damaged, .. } = print;
        // Not printed means nothing was counted, not that nothing is known: but for the last print, which
        // may be cut.
        let is_known = |series: &Series| !is_last || damaged.contains(series);
        for (series, before) in self.known.iter().filter(|(series, _)| is_known(series)) {
            histograms.entry(series.clone()).or_insert_with(|| before.cleared());
        }
        for (series, counts) in histograms {
            let quality = match (damaged.contains(&series), sure) {
                (true, _) => Quality::Gap(Gap::SourceAway),
                (false, true) => Quality::Complete,
                (false, false) => Quality::Partial(Partial::UnknownWindow),
            };
            self.known.insert(series.clone(), counts.cleared());
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
    }
}
