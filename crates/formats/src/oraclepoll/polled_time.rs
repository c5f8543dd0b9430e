//! Times as a database, or its script, writes them.

use isotherm_frame::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment, with or without the zone it is written in.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum PolledTime {
    /// Where it is on the clock of the world.
    Known(Timestamp),
    /// What a clock showed in a zone that is not named.
    Local(DateTime),
}

impl PolledTime {
    /// Reads `2026-11-21T10:00:00.123456Z`, with any offset, or without one.
    pub(super) fn read(text: &str) -> Option<PolledTime> {
        // A bare date, and more than a time, must not pass for one.
        if text.len() < 19 || text.len() > 40 || !text.is_ascii() {
            return None;
        }
        match text.parse::<jiff::Timestamp>() {
            Ok(moment) => timestamp(moment).map(PolledTime::Known),
            // Only what a clock of ours can show.
            Err(_) => text.parse().ok().filter(|local| utc(*local).is_some()).map(PolledTime::Local),
        }
    }

    /// The moment, if local times are of `zone`.
    pub(super) fn in_zone(self, zone: &TimeZone) -> Timestamp {
        match self {
            PolledTime::Known(at) => at,
            // At the ends of time, where only the zone's offset makes the difference.
            PolledTime::Local(local) => zone
                .to_timestamp(local)
                .ok()
                .and_then(timestamp)
                .or_else(|| utc(local))
                .unwrap_or(Timestamp::new(0)),
        }
    }

    /// The moment, if local times are UTC.
    pub(super) fn as_utc(self) -> Timestamp {
        self.in_zone(&TimeZone::UTC)
    }
}

fn utc(local: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(local).ok().and_then(timestamp)
}

fn timestamp(moment: jiff::Timestamp) -> Option<Timestamp> {
    i64::try_from(moment.as_nanosecond()).ok().map(Timestamp::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_and_without_a_zone_are_read() {
        // 2026-11-21 is day 20,778 after 1970-01-01.
        let ten = (20_778 * 86_400 + 10 * 3_600) * 1_000_000_000;
        let known = |ns| Some(PolledTime::Known(Timestamp::new(ns)));
        assert_eq!(PolledTime::read("2026-11-21T10:00:00Z"), known(ten));
        assert_eq!(PolledTime::read("2026-11-21T10:00:00.123456Z"), known(ten + 123_456_000));
        assert_eq!(PolledTime::read("2026-11-21T11:30:00+01:30"), known(ten));
        assert_eq!(PolledTime::read("2026-11-21T05:00:00.000000-05:00"), known(ten));
        let local = PolledTime::read("2026-11-21T10:00:00").expect("a time");
        assert_eq!(local.as_utc(), Timestamp::new(ten));
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(local.in_zone(&zone), Timestamp::new(ten - 7_200_000_000_000));
    }

    #[test]
    fn what_is_no_time_is_not_read() {
        for text in ["", "2026-11-21", "10:00:00", "2026-13-21T10:00:00Z", "21-NOV-26 10.00.00 AM"]
        {
            assert_eq!(PolledTime::read(text), None, "{text}");
        }
    }
}
