//! The clock of the records, which they do not name: it counts microseconds since 1970, since
//! midnight, or since some start.

use isotherm_frame::{Clock, Timestamp};

use super::record::Bounds;
use crate::{Note, Sink};

/// Places timestamps on one running axis.
pub(super) struct RecordClock<'c> {
    arrival: Option<&'c (dyn Fn() -> Timestamp + Send + Sync)>,
    kind: Option<Clock>,
    /// Added to every timestamp: whole days after midnights, and for a live input the distance
    /// to the clock of this machine.
    offset: i64,
    /// The last timestamp as it was written.
    last: i64,
}

const DAY: i64 = 86_400_000_000_000;

/// 2000-01-01: no record is older than the tool that wrote it.
const YEAR_2000: i64 = 946_684_800_000_000_000;

impl<'c> RecordClock<'c> {
    pub(super) const TOO_LARGE: &'static str = "the timestamp is too large to be true";
    const OF_DAY: &'static str =
        "the timestamps count from midnight of a day that is not named (UTC)";
    const ARBITRARY: &'static str =
        "the timestamps do not count from 1970: times are relative to an unknown start";

    pub(super) fn new(arrival: Option<&'c (dyn Fn() -> Timestamp + Send + Sync)>) -> Self {
        RecordClock { arrival, kind: None, offset: 0, last: 0 }
    }

    /// The moment of a record; `None` when it lies beyond any clock.
    pub(super) fn place(
        &mut self,
        micros: u64,
        bounds: Bounds,
        sink: &mut dyn Sink,
    ) -> Option<Timestamp> {
        let written = i64::try_from(micros).ok()?.checked_mul(1_000)?;
        let kind = match self.kind {
            Some(kind) => kind,
            None => self.begin(written, bounds, sink),
        };
        let midnight = kind == Clock::TimeOfDay && self.last.saturating_sub(written) > DAY / 2;
        if midnight {
            self.offset = self.offset.saturating_add(DAY);
        }
        self.last = written;
        written.checked_add(self.offset).map(Timestamp::new)
    }

    /// Finds out what the clock is from its first time.
    fn begin(&mut self, written: i64, bounds: Bounds, sink: &mut dyn Sink) -> Clock {
        // Only the Oracle collectors count from midnight; tracers count from the start.
        let kind = match written {
            YEAR_2000.. => Clock::Epoch,
            ..DAY if bounds == Bounds::Upper => Clock::TimeOfDay,
            _ => Clock::Arbitrary,
        };
        self.kind = Some(kind);
        let now = self.arrival.filter(|_| kind != Clock::Epoch).map(|now| now());
        if let Some(now) = now {
            self.offset = now.as_nanos().saturating_sub(written);
        }
        sink.note(Note::Clock(if now.is_some() { Clock::Epoch } else { kind }));
        match kind {
            Clock::TimeOfDay if now.is_none() => sink.note(Note::Said(Self::OF_DAY.into())),
            Clock::Arbitrary if now.is_none() => sink.note(Note::Said(Self::ARBITRARY.into())),
            _ => {}
        }
        kind
    }
}
