//! What is known of the counters of a server from poll to poll.

use std::collections::BTreeMap;

use isotherm_formats::{Note, Sink, reject};
use isotherm_frame::{Clock, Histogram, Nanos, Place, Reading, Series, Timestamp};

use super::server::Totals;

const PLACE: Place = Place { line: 1, byte: 0 };

/// What is known of the counters from poll to poll.
#[derive(Debug, Default)]
pub(super) struct Counters {
    known: BTreeMap<Series, Histogram>,
    run: String,
    last: Option<Timestamp>,
    /// When the counters were first seen after they began anew.
    epoch: Option<Timestamp>,
}

impl Counters {
    /// Takes what one poll found.
    ///
    /// All series share one beginning: a reset and a new start of the server forget them all. One that
    /// is missing or fell shows that it happened, also for those that have counted beyond their last
    /// total since.
    pub(super) fn take(&mut self, at: Timestamp, found: Totals, sink: &mut dyn Sink) {
        let reset = self.last.is_some() && self.began_anew(&found);
        if reset || self.epoch.is_none() {
            self.epoch = Some(at);
        }
        for note in &found.notes {
            sink.note(Note::Said(note.clone()));
        }
        sink.note(Note::Clock(Clock::Epoch));
        if let Some(last) = self.last.filter(|_| !reset) {
            self.stood_at_zero(last, &found, sink);
        }
        for (series, total) in found.series {
            match total {
                Ok(total) => self.tell(at, series, total, sink),
                Err((why, events)) => reject(sink, PLACE, format!("{series}: {why}"), events),
            }
        }
        for event in found.events {
            // It ended between two polls, by whatever clock.
            let ended = event.ended.max(self.last.unwrap_or(at)).min(at);
            sink.record();
            sink.reading(Reading::Event {
                at: ended,
                series: event.series,
                latency: event.latency,
            });
        }
        if found.lost > 0 {
            let why = "left the server's log before they could be read";
            reject(sink, PLACE, why.to_owned(), found.lost);
        }
        (self.run, self.last) = (found.run, Some(at));
    }

    fn began_anew(&mut self, found: &Totals) -> bool {
        let fell = |(series, before): (&Series, &Histogram)| match found.series.get(series) {
            Some(Ok(now)) => now.since(before).is_err(),
            Some(Err(_)) => false,
            None => true,
        };
        let anew = found.run != self.run || self.known.iter().any(fell);
        if anew {
            // Those that are gone appear again as new ones.
            self.known.retain(|series, _| found.series.contains_key(series));
        }
        anew
    }

    /// Every series that ever counted is there: those that are new stood at zero at the `last` poll.
    /// That is reported before anything of this poll, or the others would be missing at the moment between.
    fn stood_at_zero(&self, last: Timestamp, found: &Totals, sink: &mut dyn Sink) {
        for (series, total) in &found.series {
            let Some(total) = total.as_ref().ok().filter(|_| !self.known.contains_key(series))
            else {
                continue;
            };
            let (series, epoch) = (series.clone(), self.epoch);
            let total = total.cleared().with_sum(total.sum().map(|_| Nanos::ZERO));
            sink.reading(Reading::Cumulative { at: last, series, total, epoch });
        }
    }

    fn tell(&mut self, at: Timestamp, series: Series, total: Histogram, sink: &mut dyn Sink) {
        sink.record();
        self.known.insert(series.clone(), total.clone());
        sink.reading(Reading::Cumulative { at, series, total, epoch: self.epoch });
    }
}
