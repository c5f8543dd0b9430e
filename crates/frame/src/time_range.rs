//! A part of the time that something was measured.

use crate::{Event, Frame, Nanos, Quality, Timestamp};

/// A part of time: from a moment on, until before another one; without ends all of it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The first moment of it.
    pub from: Option<Timestamp>,
    /// The first moment after it.
    pub to: Option<Timestamp>,
}

impl TimeRange {
    /// What of an interval lies here. An interval belongs where its middle lies, so that neighbouring
    /// ranges share none; of silence, which may be long, the part that lies here.
    pub fn place(
        &self,
        (start, end): (Timestamp, Timestamp),
        is_silent: bool,
    ) -> Option<(Timestamp, Timestamp)> {
        if *self == TimeRange::default() {
            return Some((start, end));
        }
        let (start, end) = if is_silent {
            let start = self.from.map_or(start, |from| start.max(from));
            (start, self.to.map_or(end, |to| end.min(to)))
        } else {
            (start, end)
        };
        let middle = start.plus(Nanos::new(end.since(start).as_nanos() / 2));
        (start < end && self.holds(middle)).then_some((start, end))
    }

    /// What of a frame lies here.
    pub fn keep(&self, frame: Frame) -> Option<Frame> {
        let is_silent = frame.counts.is_blank() && frame.quality == Quality::Complete;
        let (start, end) = self.place((frame.start, frame.end), is_silent)?;
        Some(Frame { start, end, ..frame })
    }

    /// What happened, if it happened here. What has no moment is of everywhere.
    pub fn event(&self, event: Event) -> Option<Event> {
        match event {
            Event::Frame(frame) => self.keep(frame).map(Event::Frame),
            Event::Mark(mark) => self.holds(mark.at).then_some(Event::Mark(mark)),
            other => Some(other),
        }
    }

    /// Whether a moment lies here.
    pub fn holds(&self, moment: Timestamp) -> bool {
        self.from.is_none_or(|from| moment >= from) && self.to.is_none_or(|to| moment < to)
    }
}
