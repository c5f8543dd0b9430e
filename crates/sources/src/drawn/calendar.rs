//! Dates as DTrace's `%Y` and C's `ctime()` print them.

use isotherm_frame::{Clock, Timestamp};

use crate::stamp::Stamp;

/// The moment of a line such as `2026 Nov 21 05:30:20`, `Sat Nov 21 05:30:20 2026` or either of
/// them after `Date:`. The zone is not told: it is read as if it were UTC.
pub(super) fn date(line: &str) -> Option<Stamp> {
    let line = line.trim();
    if line.len() > 64 {
        return None;
    }
    let line = line.split_once(": ").map_or(line, |(_, date)| date);
    let words: Vec<&str> = line.split_whitespace().collect();
    let ([year, month, day, clock]
    | [_, month, day, clock, year]
    | [_, month, day, clock, _, year]) = words[..]
    else {
        return None;
    };
    let date = jiff::civil::Date::new(year.parse().ok()?, month_of(month)?, day.parse().ok()?);
    let time = clock.contains(':').then(|| clock.parse::<jiff::civil::Time>().ok())??;
    let moment = date.ok()?.to_datetime(time).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    let ns = i64::try_from(moment.timestamp().as_nanosecond()).ok()?;
    Some(Stamp::Running(Timestamp::new(ns), Clock::Epoch))
}

fn month_of(name: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let index = MONTHS.iter().position(|month| name.eq_ignore_ascii_case(month))?;
    i8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_both_tools_are_read() {
        // 2026-11-21 is day 20,778 after 1970-01-01.
        let seconds = 20_778_i64 * 86_400 + 5 * 3_600 + 30 * 60 + 20;
        let expected = Stamp::Running(Timestamp::new(seconds * 1_000_000_000), Clock::Epoch);
        for line in [
            "2026 Nov 21 05:30:20",
            "Sat Nov 21 05:30:20 2026",
            "Date: Sat Nov 21 05:30:20 2026",
            "Sat Nov 21 05:30:20 UTC 2026",
        ] {
            assert_eq!(date(line), Some(expected), "{line}");
        }
        for line in ["", "2026 Nov 31 05:30:20", "read vda 4 KiB", "a Nov b 05:30 c", "x: y"] {
            assert_eq!(date(line), None, "{line}");
        }
    }
}
