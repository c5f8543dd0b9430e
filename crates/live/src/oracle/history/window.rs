//! Which part of the history is wanted.

use isotherm_frame::{Nanos, Timestamp};
use jiff::tz::TimeZone;
use thiserror::Error;

use super::query::UTC_NOW;

/// A moment as the user gives it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum WindowEnd {
    /// So long before now.
    Ago(Nanos),
    /// Exactly then.
    At(Timestamp),
}

/// Where the history begins and ends.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// Snapshots that end earlier are left out.
    pub(crate) since: Option<WindowEnd>,
    /// Snapshots that end later are left out.
    pub(crate) until: Option<WindowEnd>,
}

/// Why a text is no moment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' is not a moment: write how long ago (7d, 36h), or a date and time \
     (2026-11-21T05:00:00Z, 2026-11-21 05:00, 2026-11-21)"
)]
pub struct NoMoment(String);

impl WindowEnd {
    /// Reads `7d`, `2026-11-21T05:00:00Z`, or a date with or without a time in `zone`.
    pub(crate) fn read(text: &str, zone: &TimeZone) -> Result<WindowEnd, NoMoment> {
        let text = text.trim();
        if let Ok(ago) = text.parse::<Nanos>() {
            return Ok(WindowEnd::Ago(ago));
        }
        absolute(text, zone).map(WindowEnd::At).ok_or_else(|| NoMoment(text.into()))
    }

    /// When that is, if it is `now`.
    pub(crate) fn on_clock(self, now: Timestamp) -> Timestamp {
        match self {
            WindowEnd::Ago(ago) => now.minus(ago),
            WindowEnd::At(at) => at,
        }
    }

    /// The moment in UTC as SQL, reckoned by the server's clock when the statement runs.
    pub(crate) fn sql(self) -> String {
        match self {
            WindowEnd::Ago(ago) => {
                let seconds = ago.as_nanos().div_ceil(1_000_000_000);
                format!("{UTC_NOW} - numtodsinterval({seconds}, 'SECOND')")
            }
            WindowEnd::At(at) => {
                let moment = jiff::Timestamp::from_nanosecond(i128::from(at.as_nanos()));
                let civil = moment.map(|moment| moment.to_zoned(TimeZone::UTC).datetime());
                let text = civil.unwrap_or_default().strftime("%Y-%m-%d %H:%M:%S").to_string();
                format!("timestamp '{text}'")
            }
        }
    }
}

/// Reads a date, with or without a time and a zone; in `zone` if it has none of its own.
pub(crate) fn absolute(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let moment = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        zone.to_timestamp(civil).ok()
    });
    i64::try_from(moment?.as_nanosecond()).ok().map(Timestamp::new)
}

impl Window {
    /// Reads both ends.
    pub(crate) fn read(
        since: Option<&str>,
        until: Option<&str>,
        zone: &TimeZone,
    ) -> Result<Window, NoMoment> {
        let read = |text: Option<&str>| text.map(|text| WindowEnd::read(text, zone)).transpose();
        Ok(Window { since: read(since)?, until: read(until)? })
    }

    /// Whether a snapshot that ended `at` is in it.
    pub(crate) fn holds(&self, at: Timestamp, now: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since.on_clock(now))
            && self.until.is_none_or(|until| at <= until.on_clock(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let read = |text: &str| WindowEnd::read(text, &zone);
        // 2026-11-21 is day 20,778 after 1970-01-01.
        let at =
            |hour: i64| Ok(WindowEnd::At(Timestamp::new((20_778 * 24 + hour) * 3_600_000_000_000)));
        assert_eq!(read("7d"), Ok(WindowEnd::Ago(Nanos::new(604_800_000_000_000))));
        assert_eq!(read("2026-11-21T05:00:00Z"), at(5));
        assert_eq!(read("2026-11-21 05:00"), at(3));
        assert_eq!(read("2026-11-21"), at(-2));
        assert!(read("last week").unwrap_err().to_string().contains("'last week'"));
    }

    #[test]
    fn both_ends_are_inside() {
        let window = Window::read(Some("2h"), Some("1h"), &TimeZone::UTC).unwrap();
        let now = Timestamp::new(100 * 3_600_000_000_000);
        let hour = |hour: i64| Timestamp::new(hour * 3_600_000_000_000);
        assert!(window.holds(hour(98), now) && window.holds(hour(99), now));
        assert!(!window.holds(hour(97), now) && !window.holds(hour(100), now));
        assert!(Window::default().holds(hour(0), now));
    }

    #[test]
    fn the_server_reckons_what_is_relative() {
        let sql = |text: &str| WindowEnd::read(text, &TimeZone::UTC).unwrap().sql();
        assert_eq!(sql("7d"), format!("{UTC_NOW} - numtodsinterval(604800, 'SECOND')"));
        assert_eq!(sql("2026-11-21T05:00:00Z"), "timestamp '2026-11-21 05:00:00'");
    }
}
