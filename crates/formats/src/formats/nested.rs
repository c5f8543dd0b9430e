//! Events that lie within another one, which is written below them: a full collection in the pause of a young one.

use isotherm_frame::{Nanos, Series, Timestamp};

use crate::{Note, Sink};

/// An event, and its number.
#[derive(Debug)]
pub(super) struct Pause {
    pub(super) number: u64,
    pub(super) at: Timestamp,
    pub(super) latency: Nanos,
    pub(super) series: Series,
}

impl Pause {
    pub(super) fn tell(&self, sink: &mut dyn Sink) {
        sink.record();
        sink.event(self.at, &self.series, self.latency);
    }

    /// Whether this one was over while the other one, which began before it, went on.
    fn is_within(&self, outer: &Pause) -> bool {
        // Times are those of the lines, which are written a little later.
        let overlap = self.at.as_nanos().saturating_sub(outer.at.minus(outer.latency).as_nanos());
        let most = i64::try_from(self.latency.as_nanos() / 2).unwrap_or(i64::MAX);
        outer.number.checked_add(1) == Some(self.number) && outer.latency >= self.latency && overlap >= most
    }
}

/// Which events lie within the next one.
#[derive(Debug, Default)]
pub(super) struct Nested {
    /// The greatest number so far.
    greatest: Option<u64>,
    /// An event that may lie within the next one.
    held: Option<Pause>,
    left_out: u64,
}

impl Nested {
    /// Tells an event; one before whose number another is missing is held until the next one has come.
    pub(super) fn take(&mut self, pause: Pause, sink: &mut dyn Sink) {
        if let Some(held) = self.held.take() {
            if held.is_within(&pause) {
                self.left_out += 1;
            } else {
                held.tell(sink);
            }
        }
        let may_be_within = match self.greatest {
            Some(greatest) => pause.number > greatest.saturating_add(1),
            None => pause.number > 0,
        };
        self.greatest = self.greatest.max(Some(pause.number));
        if may_be_within {
            self.held = Some(pause);
        } else {
            pause.tell(sink);
        }
    }

    /// Says how many there were.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) {
        if let Some(held) = self.held.take() {
            held.tell(sink);
        }
        if self.left_out > 0 {
            let pauses = if self.left_out == 1 { "pause lies" } else { "pauses lie" };
            let said = format!("{} {pauses} within another one: that one is counted", self.left_out);
            sink.note(Note::Said(said.into()));
        }
    }
}
