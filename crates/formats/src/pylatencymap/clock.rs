//! The clock of the records, which they do not name: it counts microseconds since 1970, since
//! midnight, or since some start. Beside it a date may stand, written for people.

use isotherm_frame::{Clock, Timestamp};

use super::record::Bounds;
use crate::calendar::{Written, WrittenZone};
use crate::zone::LocalClock;
use crate::{Context, Note, Sink};

/// Places timestamps on one running axis.
pub(super) struct RecordClock<'c> {
    arrival: Option<&'c (dyn Fn() -> Timestamp + Send + Sync)>,
    local: LocalClock,
    kind: Option<Clock>,
    /// Whether the dates of the records place their timestamps.
    dated: bool,
    /// Added to every timestamp: whole days after midnights, the distance from a start to 1970,
    /// and for a live input the distance to the clock of this machine.
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

    pub(super) fn new(context: &'c Context) -> RecordClock<'c> {
        RecordClock {
            arrival: context.arrival.as_deref(),
            local: LocalClock::new(context.zone.as_ref()),
            kind: None,
            dated: false,
            offset: 0,
            last: 0,
        }
    }

    /// The moment of a record; `None` when it lies beyond any clock.
    pub(super) fn place(
        &mut self,
        (micros, date): (u64, Option<&Written>),
        bounds: Bounds,
        sink: &mut dyn Sink,
    ) -> Option<Timestamp> {
        let written = i64::try_from(micros).ok()?.checked_mul(1_000)?;
        let first = self.kind.is_none();
        let kind = match self.kind {
            Some(kind) => kind,
            None => self.begin((written, date), bounds, sink),
        };
        let known = date.filter(|_| self.dated && kind == Clock::TimeOfDay);
        if let Some(at) = known.and_then(|date| self.local.place_date(date, sink)) {
            self.offset = day_of(written, at);
        } else if kind == Clock::TimeOfDay
            && !first
            && self.last.saturating_sub(written) > DAY / 2
        {
            self.offset = self.offset.saturating_add(DAY);
        }
        self.last = written;
        written.checked_add(self.offset).map(Timestamp::new)
    }

    /// Finds out what the clock is from its first time.
    fn begin(
        &mut self,
        (written, date): (i64, Option<&Written>),
        bounds: Bounds,
        sink: &mut dyn Sink,
    ) -> Clock {
        // Only the Oracle collectors count from midnight; tracers count from the start.
        let kind = match written {
            YEAR_2000.. => Clock::Epoch,
            ..DAY if bounds == Bounds::Upper => Clock::TimeOfDay,
            _ => Clock::Arbitrary,
        };
        self.kind = Some(kind);
        if kind == Clock::Epoch {
            sink.note(Note::Clock(kind));
            return kind;
        }
        // This machine's clock is better than a date without its zone.
        let date = date.filter(|date| {
            self.arrival.is_none() || matches!(date.zone, WrittenZone::Offset(_))
        });
        let at = date.and_then(|date| self.local.place_date(date, sink));
        self.dated = at.is_some();
        let at = at.or_else(|| self.arrival.map(|now| now().as_nanos()));
        sink.note(Note::Clock(if at.is_some() { Clock::Epoch } else { kind }));
        match (at, kind) {
            (Some(at), _) => self.offset = at.saturating_sub(written),
            (None, Clock::TimeOfDay) => sink.note(Note::Said(Self::OF_DAY.into())),
            (None, _) => sink.note(Note::Said(Self::ARBITRARY.into())),
        }
        kind
    }
}

/// The start of the day whose time of day `written` is, where the same moment is `at` by a date
/// that may be off by its zone: the day with which the two are closest.
fn day_of(written: i64, at: i64) -> i64 {
    let distance = at.saturating_sub(written);
    distance.saturating_add(DAY / 2).div_euclid(DAY).saturating_mul(DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_is_the_one_that_the_date_names() {
        const HOUR: i64 = DAY / 24;
        let day = 20_778 * DAY;
        // 23:30 UTC is 00:30 of the next day in Zurich, and 18:30 of the same day in New York.
        assert_eq!(day_of(23 * HOUR + HOUR / 2, day + DAY + HOUR / 2), day);
        assert_eq!(day_of(23 * HOUR + HOUR / 2, day + 18 * HOUR + HOUR / 2), day);
        assert_eq!(day_of(23 * HOUR + HOUR / 2, day + 23 * HOUR + HOUR / 2), day);
        // 00:30 UTC is 19:30 of the day before in New York.
        assert_eq!(day_of(HOUR / 2, day - 4 * HOUR - HOUR / 2), day);
    }
}
