//! What of a file a part of it tells.

use std::cell::Cell;

use isotherm_frame::{Nanos, Reading, Series, Timestamp};

use super::bytes::FilePart;
use crate::{Message, Note, Sink};

/// The end of the latest event that was told.
#[derive(Debug, Default)]
pub(crate) struct Latest(Cell<Option<Timestamp>>);

impl Latest {
    pub(crate) fn get(&self) -> Option<Timestamp> {
        self.0.get()
    }

    fn reach(&self, at: Timestamp) {
        self.0.set(self.0.get().max(Some(at)));
    }
}

/// Hands on what a part of a file says. Lines are counted from the beginning of the file.
pub(crate) struct InRange<'s> {
    sink: &'s mut dyn Sink,
    part: &'s FilePart<'s>,
    latest: &'s Latest,
    /// Where the lines begin that a decoder counts.
    start: u64,
    /// How many lines are before that, once somebody asks.
    before: Option<u64>,
}

impl<'s> InRange<'s> {
    /// For a decoder that takes the line at `start` for the first one.
    pub(crate) fn new(
        sink: &'s mut dyn Sink,
        part: &'s FilePart<'s>,
        (start, latest): (u64, &'s Latest),
    ) -> InRange<'s> {
        InRange { sink, part, latest, start, before: None }
    }

    /// The end of the latest event so far.
    pub(crate) fn latest(&self) -> Option<Timestamp> {
        self.latest.get()
    }
}

impl Sink for InRange<'_> {
    fn take(&mut self, mut message: Message) {
        match &mut message {
            Message::Reading(
                Reading::Event { at, .. }
                | Reading::Sampled { at, .. }
                | Reading::Unselected { at, .. },
            ) => self.latest.reach(*at),
            Message::Rejected(rejection) => {
                let (part, start) = (self.part, self.start);
                let lines = || part.lines_before(start).unwrap_or(0);
                // A place without a line is better than none.
                let before = *self.before.get_or_insert_with(lines);
                if rejection.place.line > 0 {
                    rejection.place.line += before;
                }
            }
            _ => {}
        }
        self.sink.take(message);
    }

    fn event(&mut self, at: Timestamp, series: &Series, latency: Nanos) {
        self.latest.reach(at);
        self.sink.event(at, series, latency);
    }

    fn events(&mut self, series: &Series, events: &[(Timestamp, Nanos)]) {
        events.iter().map(|(at, _)| *at).max().into_iter().for_each(|at| self.latest.reach(at));
        self.sink.events(series, events);
    }
}

/// Hands on what the lines before a part say of the whole file, and nothing that is counted: that belongs
/// to other parts.
pub(crate) struct Foreword<'s>(pub(crate) &'s mut dyn Sink);

impl Sink for Foreword<'_> {
    fn take(&mut self, message: Message) {
        if let Message::Note(Note::Clock(_) | Note::Said(_) | Note::Assumed(_)) = message {
            self.0.take(message);
        }
    }

    fn event(&mut self, _: Timestamp, _: &Series, _: Nanos) {}

    fn events(&mut self, _: &Series, _: &[(Timestamp, Nanos)]) {}
}
