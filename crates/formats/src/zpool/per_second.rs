//! Prints that turn out to be intervals: zpool divides their counts by the length of the interval.

use std::mem;

use isotherm_frame::{Frame, Histogram, Partial, Quality, Reading};

use crate::prints::notes;
use crate::{Message, Context, Note, Sink, Temporality};

/// What is said of prints with counts per second.
const RATES: &str = "zpool iostat with an interval prints counts per second, cut to whole numbers: \
    events are estimated as these rates times the interval, and rates below one a second are lost. \
    For exact totals run zpool iostat -wpH in a loop, without an interval";

/// What is said of the first of them.
const FIRST: &str = "the first print is left out: it has all counts since the pool was imported, unless -y \
    was used (--temporality delta keeps it)";

/// Between what finds intervals and who is told of them: makes events of counts per second.
#[derive(Debug, Default)]
pub(super) struct PerSecond {
    /// The first print, as long as there is no other.
    first: Vec<Frame>,
    /// Whether there was another, or the first is an interval like any other.
    passed: bool,
}

/// The same with who is told.
pub(super) struct On<'s> {
    state: &'s mut PerSecond,
    sink: &'s mut dyn Sink,
}

impl PerSecond {
    pub(super) fn new(context: &Context) -> PerSecond {
        PerSecond { passed: context.temporality == Temporality::Delta, ..PerSecond::default() }
    }

    pub(super) fn on<'s>(&'s mut self, sink: &'s mut dyn Sink) -> On<'s> {
        On { state: self, sink }
    }

    fn interval(&mut self, frame: Frame, sink: &mut dyn Sink) {
        if !self.passed && self.first.first().is_none_or(|first| first.end == frame.end) {
            self.first.push(frame);
            return;
        }
        if !mem::replace(&mut self.passed, true) {
            self.first.clear();
            sink.note(Note::Said(FIRST.into()));
        }
        sink.note(Note::Said(RATES.into()));
        sink.reading(Reading::Delta(events(frame)));
    }

    /// The only print holds totals.
    pub(super) fn finish(self, sink: &mut dyn Sink) {
        if self.first.is_empty() {
            return;
        }
        sink.note(Note::Said(notes::ONE_TOTAL.into()));
        let quality = Quality::Partial(Partial::UnknownWindow);
        for frame in self.first {
            sink.reading(Reading::Delta(Frame { quality, ..frame }));
        }
    }
}

/// An interval with its counts per second as events.
fn events(frame: Frame) -> Frame {
    if matches!(frame.quality, Quality::Gap(_)) {
        return frame;
    }
    let seconds = frame.end.since(frame.start).as_secs_f64();
    let counts = frame.counts.counts().into_iter().map(|rate| times(rate, seconds)).collect();
    let scheme = frame.counts.scheme().clone();
    let counts = Histogram::new(scheme, counts, None).unwrap_or_else(|_| frame.counts.cleared());
    Frame { counts, quality: Quality::Partial(Partial::FromRates), ..frame }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn times(rate: u64, seconds: f64) -> u64 {
    (rate as f64 * seconds).round() as u64
}

impl Sink for On<'_> {
    fn take(&mut self, message: Message) {
    match message {
        Message::Reading(Reading::Delta(frame)) => self.state.interval(frame, self.sink),
        Message::Reading(other) => {
            // What follows counts that were taken as totals is no first print.
            self.state.passed = true;
            self.sink.reading(other);
        }
        other => self.sink.take(other),
    }
    }
}
