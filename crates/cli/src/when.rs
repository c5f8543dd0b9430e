//! Moments as people write them.

use isotherm_frame::Timestamp;
use isotherm_frame::typed::{self, TypedError};
use isotherm_pipeline::timestamp;
use jiff::tz::TimeZone;

use crate::failure::Failure;

/// When something begins, and when it ends if that is known: what a moment is counted from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: Timestamp,
    pub end: Option<Timestamp>,
}

impl From<(Timestamp, Timestamp)> for Span {
    fn from((start, end): (Timestamp, Timestamp)) -> Span {
        Span { start, end: Some(end) }
    }
}

/// Reads a moment as [`parse_in`] does; one without a zone is in UTC, as those that are printed.
pub fn parse(text: &str, span: Span) -> Result<Timestamp, Failure> {
    parse_in(&TimeZone::UTC, text, span)
}

/// The zone of moments that are written without one: UTC with `--utc`, else this machine's.
pub fn zone(utc: bool) -> TimeZone {
    if utc { TimeZone::UTC } else { TimeZone::system() }
}

/// Reads a length of time from the start (`10m`, `+10m`) or before the end (`-10m`), a date and time
/// with or without zone (`2026-11-21T05:00:00Z`, `2026-11-21 05:00`), or a time of day (`05:00`) on
/// the day of the start.
pub fn parse_in(zone: &TimeZone, text: &str, span: Span) -> Result<Timestamp, Failure> {
    let bare = text.trim();
    if let Some(length) = bare.strip_prefix(['-', '−'])
        && let Ok(length) = typed::duration(length)
    {
        let end = span.end.ok_or_else(|| refuse(text, "it is not known here when it ends"))?;
        return Ok(end.minus(length));
    }
    if let Ok(length) = typed::duration(bare.strip_prefix('+').unwrap_or(bare)) {
        return Ok(span.start.plus(length));
    }
    // A bare number could be an hour, or minutes from the start.
    if bare.len() < 8 && !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(refuse(text, "it has no unit"));
    }
    let moment = calendar(zone, bare, span.start);
    moment.ok_or_else(|| refuse(text, "it is no length of time, no time of day, no date and time"))
}

fn refuse(text: &str, why: &str) -> Failure {
    const EXAMPLES: [&str; 2] = ["10m from the start", "05:00:00"];
    Failure::usage(TypedError::new(text, "a moment", why, EXAMPLES).to_string())
}

/// A moment of a calendar or a clock.
fn calendar(zone: &TimeZone, text: &str, start: Timestamp) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(timestamp(moment));
    }
    let civil = text.parse::<jiff::civil::DateTime>().ok().or_else(|| {
        let start = jiff::Timestamp::from_nanosecond(i128::from(start.as_nanos())).ok()?;
        let time: jiff::civil::Time = text.parse().ok()?;
        Some(start.to_zoned(zone.clone()).date().to_datetime(time))
    })?;
    civil.to_zoned(zone.clone()).ok().map(|zoned| timestamp(zoned.timestamp()))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Nanos;

    use super::*;

    const MINUTE: u64 = 60_000_000_000;

    /// An hour from 05:00 on.
    fn hour() -> Span {
        let start = parse("2026-11-21T05:00:00Z", (Timestamp::new(0), Timestamp::new(0)).into());
        let start = start.unwrap();
        Span { start, end: Some(start.plus(Nanos::new(60 * MINUTE))) }
    }

    fn after(minutes: u64) -> Timestamp {
        hour().start.plus(Nanos::new(minutes * MINUTE))
    }

    #[test]
    fn moments_are_read_as_people_write_them() {
        assert_eq!(hour().start.as_nanos(), 1_795_237_200_000_000_000);
        for text in [
            "10m",
            "+10m",
            "-50m",
            "600s",
            "9m60s",
            "05:10",
            "05:10:00",
            "2026-11-21 05:10",
            "2026-11-21T05:10:00Z",
            "2026-11-21T06:10:00+01:00",
            "+0h10m",
        ] {
            assert_eq!(parse(text, hour()).unwrap(), after(10), "{text}");
        }
        for text in ["yesterday", "", "25:00", "10", "--10m", "2026-13-01"] {
            let said = parse(text, hour()).unwrap_err().message;
            assert!(said.contains(&format!("'{text}' is not a moment")), "{said}");
        }
        let endless = Span { end: None, ..hour() };
        assert!(
            parse("-10m", endless).unwrap_err().message.contains("not known here when it ends")
        );
    }

    #[test]
    fn what_is_printed_in_utc_can_be_typed_as_it_is_printed() {
        let later = hour().start.plus(Nanos::new(671_000_000_000));
        assert_eq!(parse("05:11:11", hour()).unwrap(), later);
        assert_eq!(parse("2026-11-21 05:11:11", hour()).unwrap(), later);
        let winter = TimeZone::fixed(jiff::tz::offset(1));
        assert_eq!(parse_in(&winter, "06:11:11", hour()).unwrap(), later);
        assert_eq!(parse_in(&winter, "05:11:11Z", hour()).ok(), None, "a time of day has no zone");
        assert_eq!(parse_in(&winter, "2026-11-21T05:11:11Z", hour()).unwrap(), later);
    }
}
