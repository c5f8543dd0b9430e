//! Wall clock times as traces write them.

use isotherm_frame::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

/// A wall clock time and, since 12.2, how far it is from UTC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    local: DateTime,
    offset: Option<Offset>,
}

impl Stamp {
    /// Reads `2004-01-31 12:00:00.123` or `2024-03-26T15:34:21.557766-07:00 (PDB1(3))`.
    pub fn read(text: &[u8]) -> Option<Stamp> {
        let (time, _) = super::stars::split_time(text)?;
        let time = std::str::from_utf8(time).ok()?;
        let (local, zone) = match time.get(19..)?.find(['+', '-', 'Z']) {
            Some(at) => time.split_at_checked(at + 19)?,
            None => (time, ""),
        };
        let offset = if zone.is_empty() { None } else { Some(offset(zone)?) };
        Some(Stamp { local: local.replacen(' ', "T", 1).parse().ok()?, offset })
    }

    /// The container that a stamp since 12.2 names, and its number: `PDB1` and `3` of
    /// `(PDB1(3))`.
    pub fn container(text: &[u8]) -> Option<(&[u8], &[u8])> {
        let (_, rest) = super::stars::split_time(text)?;
        let both = rest.trim_ascii().strip_prefix(b"(")?.strip_suffix(b"))")?;
        let open = memchr::memrchr(b'(', both)?;
        let (name, number) = (both.get(..open)?, both.get(open + 1..)?);
        let numbered = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
        (numbered && !name.is_empty()).then_some((name, number))
    }

    /// Whether the stamp says how far it is from UTC.
    pub fn has_zone(self) -> bool {
        self.offset.is_some()
    }

    /// The moment, in `zone` if the stamp does not say how far it is from UTC.
    pub fn moment(self, zone: &TimeZone) -> Option<Timestamp> {
        let timestamp = match self.offset {
            Some(offset) => offset.to_timestamp(self.local).ok()?,
            None => zone.to_timestamp(self.local).ok()?,
        };
        i64::try_from(timestamp.as_nanosecond()).ok().map(Timestamp::new)
    }
}

/// `Z`, `+01:00` or `-07:30`.
fn offset(text: &str) -> Option<Offset> {
    if text == "Z" {
        return Some(Offset::UTC);
    }
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let seconds = i32::from(hours) * 3_600 + i32::from(minutes) * 60;
    Offset::from_seconds(if text.starts_with('-') { -seconds } else { seconds }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(text: &str, zone: &str) -> Option<i64> {
        let zone = TimeZone::get(zone).unwrap();
        Stamp::read(text.as_bytes())?.moment(&zone).map(Timestamp::as_nanos)
    }

    #[test]
    fn stamps_of_all_versions_are_moments() {
        assert_eq!(nanos("2026-11-21T01:00:00.1+99999999:00", "UTC"), None);
        // 2026-11-21 00:00 UTC is day 20,778 after 1970-01-01.
        let midnight = 20_778 * 86_400_000_000_000_i64;
        let hour = 3_600_000_000_000_i64;
        let old = "2026-11-21 01:00:00.123";
        assert_eq!(nanos(old, "UTC"), Some(midnight + hour + 123_000_000));
        assert_eq!(nanos(old, "Europe/Zurich"), Some(midnight + 123_000_000));
        let new = "2026-11-21T01:00:00.123456-07:00 (SALES(4))";
        assert_eq!(nanos(new, "Europe/Zurich"), Some(midnight + 8 * hour + 123_456_000));
        assert_eq!(
            nanos("2026-11-21T01:00:00.5+05:30", "UTC"),
            Some(midnight - 16_199_500_000_000)
        );
        assert_eq!(nanos("2026-11-21T01:00:00Z", "Asia/Tokyo"), Some(midnight + hour));
        for bad in ["2026-13-21 01:00:00.123", "2026-11-21", "2026-11-21 01:00:00.1x", "x"] {
            assert_eq!(nanos(bad, "UTC"), None, "{bad}");
        }
    }

    #[test]
    fn the_container_is_what_stands_before_its_number() {
        let stamp = b"2026-11-21T01:00:00.123456-07:00 (SALES(4))".as_slice();
        assert_eq!(Stamp::container(stamp), Some((b"SALES".as_slice(), b"4".as_slice())));
        assert_eq!(Stamp::container(b"2026-11-21 01:00:00.123"), None);
        assert_eq!(Stamp::container(b"2026-11-21 01:00:00.123 (SALES)"), None);
    }
}
