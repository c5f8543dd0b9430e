//! One page after the other, each fetched at a known moment.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Clock, Mark, Place, Reading, Series, Timestamp, Unit};

use crate::prometheus::{Complete, Metrics, NATIVE, NONE, read_line};
use crate::running_totals::{RunningTotals, is_reset};
use crate::sink::reject;
use crate::stamp::{Stamp, StampReader};
use crate::{Context, LineReader, Note, Sink};

/// The only place in what is read as a whole.
pub(super) const PLACE: Place = Place { line: 1, byte: 0 };

/// Reads pages of metrics.
///
/// A series that was not on the page before stood at zero then, as long as the program was not
/// started anew in between. One that comes back may have begun anew: what was counted meanwhile is
/// a gap. So is the time in which pages are missing, unless the program says when it was started and
/// that is what it said before.
#[derive(Debug)]
pub(super) struct PageReader {
    unit: Option<Unit>,
    known: BTreeMap<Series, RunningTotals>,
    /// The series of the last page, and when it was fetched.
    last: Option<(BTreeSet<Series>, Timestamp)>,
    started: Option<Timestamp>,
    /// Whether pages are missing since the last.
    missed: bool,
    names: bool,
}

/// What is known of a page as a whole.
struct PageFacts {
    at: Timestamp,
    started: Option<Timestamp>,
    /// Whether the counters surely went on from the last page.
    went_on: bool,
}

impl PageReader {
    /// Series that are told apart at most.
    const MOST: usize = 100_000;

    pub(super) fn new(unit: Option<Unit>) -> PageReader {
        let known = BTreeMap::new();
        PageReader { unit, known, last: None, started: None, missed: false, names: false }
    }

    /// A page could not be fetched.
    pub(super) fn miss(&mut self) {
        self.missed = true;
    }

    /// Takes a page that was fetched at a moment. Why there is nothing on it, if so.
    pub(super) fn page(
        &mut self,
        at: Timestamp,
        bytes: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let mut metrics = Metrics::new(self.unit);
        let mut input = bytes;
        let mut lines = LineReader::new(&mut input);
        while let Ok(Some(line)) = lines.next_line() {
            read_line(&mut metrics, line, sink);
        }
        let started = metrics.started;
        let same = started.is_some() && started == self.started;
        let went_on = same || (!self.missed && started.is_none() && self.started.is_none());
        let facts = PageFacts { at, started, went_on };
        let found = self.take(&facts, &mut metrics, sink);
        self.started = started;
        self.missed = false;
        self.tell_names(&metrics, found, sink)
    }

    fn take(&mut self, facts: &PageFacts, metrics: &mut Metrics, sink: &mut dyn Sink) -> bool {
        let (mut present, mut reset, mut found) = (BTreeSet::new(), false, false);
        for complete in metrics.take() {
            if complete.is_native() {
                sink.note(Note::Said(NATIVE.into()));
                continue;
            }
            found = true;
            present.insert(complete.series.clone());
            reset |= self.histogram(facts, complete, sink);
        }
        if reset {
            let text = "counters reset".to_owned();
            sink.note(Note::Mark(Mark { at: facts.at, text }));
        }
        self.last = Some((present, facts.at));
        found
    }

    /// Takes one histogram; whether it began anew.
    fn histogram(&mut self, facts: &PageFacts, complete: Complete, sink: &mut dyn Sink) -> bool {
        let Complete { series, counts, time, .. } = complete;
        let total = match counts {
            Ok(total) => total,
            Err((reason, events)) => {
                reject(sink, PLACE, format!("{series}: {reason}"), events);
                return false;
            }
        };
        if self.known.len() >= PageReader::MOST && !self.known.contains_key(&series) {
            let said = format!("more than {} series: the others are left out", PageReader::MOST);
            sink.note(Note::Said(said.into()));
            return false;
        }
        sink.record();
        let at = time.and_then(|time| moment(&time, sink)).unwrap_or(facts.at);
        let last = self.last.as_ref();
        let was_there = last.is_some_and(|(present, _)| present.contains(&series));
        let before = last.filter(|_| facts.went_on).map(|(_, before)| *before);
        let frame = match (self.known.get_mut(&series), before) {
            // Its program was started anew, or says so of itself.
            (Some(totals), _) if was_there && facts.started.is_some() => {
                totals.take(at, total, facts.started)
            }
            (Some(totals), Some(_)) if was_there => totals.take(at, total, None),
            (Some(totals), _) => totals.take_after_gap(at, total, facts.started),
            (None, before) => {
                let mut totals = RunningTotals::new(series.clone());
                if let Some(before) = before.filter(|before| *before < at) {
                    let sum = total.sum().map(|_| isotherm_frame::Nanos::ZERO);
                    totals.take(before, total.cleared().with_sum(sum), facts.started);
                }
                let frame = totals.take(at, total, facts.started);
                self.known.insert(series, totals);
                frame
            }
        };
        let Some(frame) = frame else { return false };
        let reset = is_reset(&frame);
        sink.note(Note::Clock(Clock::Epoch));
        sink.reading(Reading::Delta(frame));
        reset
    }

    /// Says once which metrics are left out; fails where nothing is left.
    fn tell_names(
        &mut self,
        metrics: &Metrics,
        found: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let names = metrics.without_unit();
        if !found && self.known.is_empty() {
            return Err(match names.is_empty() {
                true => NONE.to_owned(),
                false => format!("no histogram here names a unit of time (--unit): {names}"),
            });
        }
        if !names.is_empty() && !std::mem::replace(&mut self.names, true) {
            let said = format!("left out, as they name no unit of time (--unit): {names}");
            sink.note(Note::Said(said.into()));
        }
        Ok(())
    }
}

/// The moment that a sample names.
fn moment(time: &str, sink: &mut dyn Sink) -> Option<Timestamp> {
    match StampReader::new(&Context::default()).read(time, sink)? {
        Stamp::Running(at, Clock::Epoch) => Some(at),
        _ => None,
    }
}
