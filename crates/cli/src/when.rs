//! Moments as people write them.

use isotherm_frame::Timestamp;
use isotherm_frame::typed::{self, TypedError};
use isotherm_pipeline::timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use crate::failure::Failure;
use crate::screen;

/// When something begins, and when it ends if that is known: what a moment is counted from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: Timestamp,
    pub end: Option<Timestamp>,
    /// What a time of day comes after, where that is known.
    pub after: Option<Timestamp>,
    /// Whether the moment ends a part: then it comes after the start.
    pub is_end: bool,
}

impl Span {
    /// The same for a moment that ends a part which begins at `from`, or at the start.
    pub fn ending(self, from: Option<Timestamp>) -> Span {
        Span { after: from, is_end: true, ..self }
    }
}

impl From<(Timestamp, Timestamp)> for Span {
    fn from((start, end): (Timestamp, Timestamp)) -> Span {
        Span { start, end: Some(end), ..Span::default() }
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
/// with or without zone (`2026-11-21T05:00:00Z`, `2026-11-21 05:00 UTC`), or a time of day (`5:00`) on
/// the first day that has it: on standard error stands which, where several have.
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
        let why = format!("{bare}: add a unit, such as {bare}m, or write a time such as 05:00:00");
        return Err(Failure::usage(why));
    }
    let (zone, bare, suffix) = match bare.strip_suffix(" UTC") {
        Some(bare) => (&TimeZone::UTC, bare, " UTC"),
        None => (zone, bare, ""),
    };
    let moment = calendar((zone, suffix), &padded(bare), span);
    moment.ok_or_else(|| {
        let examples = "10m from the start, 05:00:00 or '2026-11-21 05:00:00'";
        Failure::usage(format!("'{text}' is not a moment; write for example {examples}"))
    })
}

/// The text with two digits for an hour that is written with one.
fn padded(text: &str) -> String {
    let (date, time) = text.rsplit_once(' ').map_or(("", text), |(date, time)| (date, time));
    let hour = time.split_once(':').map_or("", |(hour, _)| hour);
    let zero = if hour.len() == 1 { "0" } else { "" };
    format!("{date}{}{zero}{time}", if date.is_empty() { "" } else { " " })
}

fn refuse(text: &str, why: &str) -> Failure {
    const EXAMPLES: [&str; 2] = ["10m from the start", "05:00:00"];
    Failure::usage(TypedError::new(text, "a moment", why, EXAMPLES).to_string())
}

/// A moment of a calendar or a clock in a zone, which was written so.
fn calendar((zone, suffix): (&TimeZone, &str), text: &str, span: Span) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(timestamp(moment));
    }
    if let Ok(civil) = text.parse::<DateTime>() {
        return moment_of(zone, civil);
    }
    let day = TimeOfDay { zone, time: text.parse().ok()?, span };
    let found = day.found()?;
    if let Some((taken, next)) = found.other.filter(|_| span.after.is_none()) {
        screen::warn(&format!(
            "{text} occurs on several days: {taken} is used; for {next} write '{next} {text}{suffix}'"
        ));
    }
    Some(found.moment)
}

fn moment_of(zone: &TimeZone, civil: DateTime) -> Option<Timestamp> {
    civil.to_zoned(zone.clone()).ok().map(|zoned| timestamp(zoned.timestamp()))
}

/// A time of day and what it lies in.
struct TimeOfDay<'a> {
    zone: &'a TimeZone,
    time: Time,
    span: Span,
}

/// Days that a part may last before its end is given as a time of day.
const MOST_DAYS: usize = 4_000;

/// The moment of a time of day.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct OfDay {
    moment: Timestamp,
    /// Its day and the next that has this time, where there is one.
    other: Option<(Date, Date)>,
}

impl TimeOfDay<'_> {
    /// The moment on the first day that has it. If none has, it is on the day of the start, or on the
    /// first one on which it comes after the beginning of the part that it ends.
    fn found(&self) -> Option<OfDay> {
        let Span { start, end, after, is_end } = self.span;
        let begin = jiff::Timestamp::from_nanosecond(i128::from(start.as_nanos())).ok()?;
        let first = begin.to_zoned(self.zone.clone()).date();
        let on = |date: Date| Some((moment_of(self.zone, date.to_datetime(self.time))?, date));
        let lies_in = |(moment, _): &(Timestamp, Date)| {
            start <= *moment
                && end.is_some_and(|end| *moment <= end)
                && after.is_none_or(|after| after < *moment)
        };
        // Without an end nothing is known of other days.
        let days = std::iter::successors(Some(first), |day| day.tomorrow().ok());
        let known = days.clone().map_while(on);
        let known =
            known.take_while(|(at, date)| *date == first || end.is_some_and(|end| *at <= end));
        let mut inside = known.filter(lies_in);
        match inside.next() {
            None => {
                let least = after.or(is_end.then_some(start));
                let late =
                    |(moment, _): &(Timestamp, Date)| least.is_none_or(|least| least < *moment);
                let found = days.take(MOST_DAYS).map_while(on).find(late).or_else(|| on(first));
                found.map(|(moment, _)| OfDay { moment, other: None })
            }
            Some((moment, date)) => {
                Some(OfDay { moment, other: inside.next().map(|(_, next)| (date, next)) })
            }
        }
    }
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
        (start, start.plus(Nanos::new(60 * MINUTE))).into()
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
            "5:10",
            "5:10:00",
            "05:10 UTC",
            "2026-11-21 05:10:00 UTC",
            "2026-11-21 5:10 UTC",
        ] {
            assert_eq!(parse(text, hour()).unwrap(), after(10), "{text}");
        }
        for text in ["yesterday", "", "25:00", "--10m", "2026-13-01"] {
            let said = parse(text, hour()).unwrap_err().message;
            assert!(said.contains(&format!("'{text}' is not a moment")), "{said}");
        }
        assert_eq!(
            parse("10", hour()).unwrap_err().message,
            "10: add a unit, such as 10m, or write a time such as 05:00:00"
        );
        let endless = Span { end: None, ..hour() };
        assert!(
            parse("-10m", endless).unwrap_err().message.contains("not known here when it ends")
        );
    }

    /// The moment in hours since the beginning of 2026-11-21, and the dates reported.
    fn hours(text: &str, (start, end): (u64, u64), after: Option<u64>) -> (u64, Option<String>) {
        let midnight = after_minutes_of_day(0);
        let at = |hours: u64| midnight.plus(Nanos::new(hours * 60 * MINUTE));
        let whole = Span { start: at(start), end: Some(at(end)), ..Span::default() };
        let span = after.map_or(whole, |from| whole.ending(Some(at(from))));
        let day = TimeOfDay { zone: &TimeZone::UTC, time: text.parse().unwrap(), span };
        let OfDay { moment, other } = day.found().unwrap();
        let hours = moment.since(midnight).as_nanos() / (60 * MINUTE);
        (hours, other.map(|(taken, next)| format!("{taken} {next}")))
    }

    fn after_minutes_of_day(minutes: u64) -> Timestamp {
        let day: DateTime = "2026-11-21".parse().unwrap();
        moment_of(&TimeZone::UTC, day).unwrap().plus(Nanos::new(minutes * MINUTE))
    }

    #[test]
    fn a_time_of_day_is_of_the_first_day_that_has_it() {
        let two = || Some("2026-11-21 2026-11-22".to_owned());
        // From 23:00 to 03:00.
        assert_eq!(hours("23:00", (23, 27), None), (23, None));
        assert_eq!(hours("01:00", (23, 27), None), (25, None));
        // Over two midnights.
        assert_eq!(hours("12:00", (10, 60), None), (12, two()));
        assert_eq!(hours("13:00", (10, 60), None), (13, two()));
        let next = Some("2026-11-22 2026-11-23".to_owned());
        assert_eq!(hours("09:00", (10, 60), None), (33, next));
        assert_eq!(hours("11:00", (10, 36), Some(20)), (35, None), "--to comes after --from");
        // No day has it: before and after the hours measured.
        assert_eq!(hours("09:00", (10, 12), None), (9, None));
        assert_eq!(hours("13:00", (10, 12), None), (13, None));
        // Nor any, but it is an end.
        assert_eq!(hours("03:00", (22, 26), Some(23)), (27, None));
        assert_eq!(hours("03:00", (22, 26), Some(21)), (27, None));
        assert_eq!(hours("23:30", (22, 26), Some(25)), (47, None));
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
