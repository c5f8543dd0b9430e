//! Moments as people write them.

use isotherm_frame::{Nanos, Timestamp};
use isotherm_pipeline::timestamp;
use jiff::tz::TimeZone;

use crate::failure::Failure;

/// Reads a moment as [`parse_in`] does; one without a zone is in UTC, as those that are printed.
pub fn parse(text: &str, start: Timestamp) -> Result<Timestamp, Failure> {
    parse_in(&TimeZone::UTC, text, start)
}

/// The zone of moments that are written without one: UTC with `--utc`, else this machine's.
pub fn zone(utc: bool) -> TimeZone {
    if utc { TimeZone::UTC } else { TimeZone::system() }
}

/// Reads a length of time from the start (`10m`), a date and time with or without zone
/// (`2026-11-21T05:00:00Z`, `2026-11-21 05:00`), or a time of day (`05:00`) on the day of `start`.
pub fn parse_in(zone: &TimeZone, text: &str, start: Timestamp) -> Result<Timestamp, Failure> {
    if let Ok(length) = text.parse::<Nanos>() {
        return Ok(start.plus(length));
    }
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Ok(timestamp(moment));
    }
    if let Ok(civil) = text.parse::<jiff::civil::DateTime>()
        && let Ok(zoned) = civil.to_zoned(zone.clone())
    {
        return Ok(timestamp(zoned.timestamp()));
    }
    let day = jiff::Timestamp::from_nanosecond(i128::from(start.as_nanos()))
        .map(|moment| moment.to_zoned(zone.clone()).date());
    if let (Ok(time), Ok(day)) = (text.parse::<jiff::civil::Time>(), day)
        && let Ok(zoned) = day.to_datetime(time).to_zoned(zone.clone())
    {
        return Ok(timestamp(zoned.timestamp()));
    }
    Err(Failure::usage(format!(
        "'{text}' is no moment: write a length of time from the start (10m), a time of day \
         (05:00:00) or a date and time (2026-11-21T05:00:00Z)"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        let start = parse("2026-11-21T05:00:00Z", Timestamp::new(0)).unwrap();
        assert_eq!(start.as_nanos(), 1_795_237_200_000_000_000);
        assert_eq!(parse("10m", start).unwrap(), start.plus(Nanos::new(600_000_000_000)));
        let same_day = parse("23:59:59", start).unwrap();
        assert!(same_day.as_nanos().abs_diff(start.as_nanos()) < 2 * 86_400_000_000_000);
        assert!(parse("yesterday", start).is_err());
    }

    #[test]
    fn what_is_printed_in_utc_can_be_typed_as_it_is_printed() {
        let start = parse("2026-11-21T05:00:00Z", Timestamp::new(0)).unwrap();
        let later = start.plus(Nanos::new(671_000_000_000));
        assert_eq!(parse("05:11:11", start).unwrap(), later);
        assert_eq!(parse("2026-11-21 05:11:11", start).unwrap(), later);
        let winter = TimeZone::fixed(jiff::tz::offset(1));
        assert_eq!(parse_in(&winter, "06:11:11", start).unwrap(), later);
        assert_eq!(parse_in(&winter, "05:11:11Z", start).ok(), None, "a time of day has no zone");
        assert_eq!(parse_in(&winter, "2026-11-21T05:11:11Z", start).unwrap(), later);
    }
}
