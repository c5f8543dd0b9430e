//! Whether ends were counted from the first moment on.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Timestamp};

use crate::stretches::add_to;

/// How a measurement begins. A log begins with an event that ended: how long that took says that
/// somebody waited before, and nothing of what else ended then. A source that was asked from the
/// start, and knew of no wait then, counted what ended from the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beginning {
    /// The start of the earliest frame.
    start: Option<Timestamp>,
    /// The start of the earliest frame in which something ended.
    first_end: Option<Timestamp>,
    /// When somebody waited from the start of a frame to its end and nothing ended: the end of each
    /// stretch by its start. Only what lies before the first end matters.
    waits: BTreeMap<Timestamp, Timestamp>,
}

/// Time at the beginning that is known only because the first event took so long.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UnseenStart {
    start: Timestamp,
    end: Timestamp,
}

impl Beginning {
    /// How these frames begin.
    pub fn of(frames: &[Frame]) -> Beginning {
        let mut beginning = Beginning::default();
        for frame in frames {
            beginning.add(frame);
        }
        beginning
    }

    /// Takes a frame into account; in any order.
    pub fn add(&mut self, frame: &Frame) {
        // What is known of waits only once they have ended is known of a source that was watching.
        if frame.is_gap() || frame.is_amendment() {
            return;
        }
        let earliest = |known: Option<Timestamp>| known.into_iter().chain([frame.start]).min();
        self.start = earliest(self.start);
        if frame.counts.events() > 0 {
            self.first_end = earliest(self.first_end);
        } else if self.first_end.is_none_or(|first| frame.start < first) && is_waited_through(frame)
        {
            add_to(&mut self.waits, (frame.start, frame.end));
        }
    }

    /// Takes in how a later part of the same measurement begins.
    pub(crate) fn append(&mut self, later: &Beginning) {
        let earlier = |one: Option<Timestamp>, two| one.into_iter().chain(two).min();
        self.start = earlier(self.start, later.start);
        self.first_end = earlier(self.first_end, later.first_end);
        for (&start, &end) in &later.waits {
            add_to(&mut self.waits, (start, end));
        }
    }

    /// The time before the first end, if somebody waited in all of it: the event that waits longest
    /// then decides where the time begins.
    pub fn unseen(&self) -> Option<UnseenStart> {
        let (start, end) = self.start.zip(self.first_end)?;
        let (_, until) = self.waits.range(..=start).next_back()?;
        (start < end && *until >= end).then_some(UnseenStart { start, end })
    }
}

impl UnseenStart {
    /// When the first event ended, or the interval in which it did begins.
    pub(crate) fn end(self) -> Timestamp {
        self.end
    }

    /// How much of it lies between two moments, in seconds.
    pub(crate) fn seconds_between(self, from: Timestamp, to: Timestamp) -> f64 {
        self.end.min(to).since(self.start.max(from)).as_secs_f64()
    }
}

/// Whether somebody waited in all of a frame: samples of who waits know when they were taken.
fn is_waited_through(frame: &Frame) -> bool {
    /// Times are divided in whole nanoseconds.
    const ROUNDED: f64 = 1e-6;
    let waited = || frame.counts.time_waited().seconds;
    frame.counts.is_time_placed()
        && !frame.counts.is_averages()
        && waited() >= frame.length().as_secs_f64() * (1.0 - ROUNDED)
}
