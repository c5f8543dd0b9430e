//! Moments as reports print them: in the local time of the database's host, with the month in the
//! language of the session that made the report.

use jiff::civil::{Date, DateTime, Time};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A moment in the local time of the database's host, whose zone a report does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moment {
    /// As printed: `15-Oct-18 18:30:16`.
    pub text: String,
    /// What it means; `None` when the month's language is not known here.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub local: Option<DateTime>,
}

#[expect(clippy::ref_option, reason = "the form that serde calls")]
fn as_text<S: Serializer>(local: &Option<DateTime>, serializer: S) -> Result<S::Ok, S::Error> {
    match local {
        Some(local) => serializer.collect_str(local),
        None => serializer.serialize_none(),
    }
}

/// How the names of the months begin, lower case, in English, German, French, Spanish, Portuguese,
/// Italian, Dutch, the Scandinavian languages, Russian, Polish, Czech and Turkish. What means
/// different months in different languages (`lis` is October in Croatian and November in Polish)
/// is left out: a wrong time is worse than none.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "янв", "sty", "led", "oca"],
    &["feb", "fev", "fév", "фев", "lut", "úno", "şub"],
    &["mar", "mär", "mrz", "mrt", "maa", "мар", "bře"],
    &["apr", "abr", "avr", "апр", "kwi", "dub", "nis"],
    &["may", "mai", "mag", "maj", "mei", "май", "мая", "kvě"],
    &["jun", "juin", "giu", "июн", "cze", "čer", "haz"],
    &["jul", "juil", "lug", "июл", "čec", "čvc", "tem"],
    &["aug", "ago", "aoû", "aou", "авг", "sie", "srp", "ağu"],
    &["sep", "set", "сен", "wrz", "zář", "eyl"],
    &["oct", "okt", "out", "ott", "окт", "paź", "říj", "eki"],
    &["nov", "ноя", "kas"],
    &["dec", "dez", "dic", "déc", "дек", "gru", "pro", "ara"],
];

impl Moment {
    /// Reads `dd-mon-yy hh:mi[:ss]`; the text is kept whatever it says.
    pub(super) fn read(text: &str) -> Moment {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let local = civil(&text);
        Moment { text, local }
    }
}

fn civil(text: &str) -> Option<DateTime> {
    let (date, time) = text.rsplit_once(' ').unwrap_or((text, "00:00:00"));
    let mut parts = date.split('-').map(str::trim);
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let date = Date::new(year_of(year)?, month_of(month)?, day.parse().ok()?).ok()?;
    Some(DateTime::from_parts(date, time_of(time)?))
}

/// Two digits mean this century up to 69, four digits themselves.
fn year_of(text: &str) -> Option<i16> {
    let year: i16 = text.parse().ok()?;
    Some(match (text.len(), year) {
        (2, 0..70) => 2_000 + year,
        (2, _) => 1_900 + year,
        _ => year,
    })
}

fn month_of(text: &str) -> Option<i8> {
    // Chinese, Japanese and Korean number the months: `2月`, `2월`.
    let digits = text.trim_end_matches(['月', '월', '.', ' ']);
    if let Ok(number) = digits.parse::<i8>() {
        return (1..=12).contains(&number).then_some(number);
    }
    let lower = text.to_lowercase();
    let fits = |names: &[&str]| names.iter().any(|name| lower.starts_with(name));
    let index = MONTHS.iter().position(|names| fits(names))?;
    i8::try_from(index + 1).ok()
}

fn time_of(text: &str) -> Option<Time> {
    let mut parts = text.split(':');
    let (hour, minute) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let second = parts.next().map_or(Some(0), |second| second.parse().ok())?;
    if parts.next().is_some() {
        return None;
    }
    Time::new(hour, minute, second, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn read(text: &str) -> Option<DateTime> {
        Moment::read(text).local
    }

    #[test]
    fn months_are_read_in_many_languages() {
        let expected = Some(date(2017, 12, 10).at(13, 30, 55, 0));
        for text in [
            "10-Dec-17 13:30:55",
            "10-Дек-17 13:30:55",
            "10-DEZ-17 13:30:55",
            "10-DÉC.-17 13:30:55",
            "10-Pro-17 13:30:55",
            "10-12月-17 13:30:55",
            "10-12월-17 13:30:55",
            " 10-Dic-17   13:30:55 ",
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(read("16-2月 -13 05:00:50"), Some(date(2013, 2, 16).at(5, 0, 50, 0)));
        for (text, month) in [("JUIN", 6), ("JUIL.", 7), ("MRZ", 3), ("MAI", 5), ("Май", 5)] {
            let read = read(&format!("01-{text}-20 00:00:00"));
            assert_eq!(read.map(DateTime::month), Some(month), "{text}");
        }
        assert_eq!(read("11-Sep-20 09:09"), Some(date(2020, 9, 11).at(9, 9, 0, 0)));
    }

    #[test]
    fn what_cannot_be_read_is_kept_as_text() {
        for text in ["10-Lis-17 13:30:55", "31-Feb-20 00:00:00", "10-Dec-17 25:00:00", "later", ""]
        {
            let moment = Moment::read(text);
            assert_eq!(moment.local, None, "{text}");
            assert_eq!(moment.text, text);
        }
    }
}
