//! Dates in log lines, in the forms that programs give them.

use jiff::civil;

use crate::calendar::month_of;

/// A date as it is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Date {
    Whole(civil::Date),
    /// Without its year.
    OfYear { month: i8, day: i8 },
    /// Two numbers of which one is the day and the other the month.
    Either { first: i8, second: i8, year: i16 },
}

/// The date that a text begins with if a time of day may follow, and where that begins.
pub(super) fn at_start(text: &str) -> Option<(Date, usize)> {
    let (date, length) = match text.as_bytes().first()? {
        b'0'..=b'9' => of_digits(text)?,
        _ => month_first(text).or_else(|| of_klog(text))?,
    };
    Some((date, length + before_clock(text.get(length..)?)?))
}

/// The length of what stands between a date and a time of day.
fn before_clock(text: &str) -> Option<usize> {
    let comma = usize::from(text.starts_with(','));
    let rest = &text.as_bytes()[comma..];
    match rest {
        [b'T' | b't' | b':', ..] => Some(comma + 1),
        [b' ', b'-', b' ', ..] => Some(comma + 3),
        [b' ', ..] => Some(comma + rest.iter().take_while(|byte| **byte == b' ').count()),
        _ => None,
    }
}

fn of_digits(text: &str) -> Option<(Date, usize)> {
    let (first, length) = digits(text)?;
    let rest = &text[length..];
    let sign = rest.chars().next()?;
    match length {
        8 => {
            let day = i8::try_from(first % 100).ok()?;
            let month = i8::try_from(first / 100 % 100).ok()?;
            Some((whole(first / 10_000, month, day)?, length))
        }
        4 if matches!(sign, '-' | '/' | '.') => {
            let (month, m) = short(&rest[1..])?;
            let after = rest.get(1 + m..)?.strip_prefix(sign)?;
            let (day, d) = short(after)?;
            Some((whole(first, month, day)?, length + 2 + m + d))
        }
        1 | 2 if matches!(sign, '-' | '/' | '.' | ' ') => {
            let first = i8::try_from(first).ok()?;
            let (date, more) = day_first(first, rest.get(1..)?, sign)?;
            Some((date, length + 1 + more))
        }
        _ => None,
    }
}

/// What follows the day: a month by its name or number, and the year.
fn day_first(first: i8, text: &str, sign: char) -> Option<(Date, usize)> {
    let (named, m) = match month(text) {
        Some((month, m)) => (Some(month), m),
        None => (None, 0),
    };
    let (second, m) = match named {
        Some(month) => (month, m),
        None => short(text).filter(|_| sign != ' ')?,
    };
    let after = text.get(m..)?.strip_prefix(sign)?;
    let (year, y) = digits(after).filter(|(_, length)| *length == 4)?;
    let date = match named {
        Some(month) => whole(year, month, first)?,
        None => Date::Either { first, second, year: i16::try_from(year).ok()? },
    };
    Some((date, m + 1 + y))
}

/// `Mar 13`, `Mar  3`, `Mar 13 2026` or `March 13, 2026`.
fn month_first(text: &str) -> Option<(Date, usize)> {
    let (month, m) = month(text)?;
    let blanks = text[m..].bytes().take_while(|byte| *byte == b' ').count();
    let day_at = m + blanks;
    let (day, d) = text.get(day_at..).filter(|_| (1..=2).contains(&blanks)).and_then(short)?;
    let end = day_at + d;
    let year_at = end + text[end..].bytes().take_while(|byte| matches!(byte, b',' | b' ')).count();
    let year = text.get(year_at..).and_then(digits);
    let year = year.filter(|(_, length)| *length == 4 && before_clock(&text[year_at + 4..]).is_some());
    if let Some((year, y)) = year {
        return Some((whole(year, month, day)?, year_at + y));
    }
    // Of a leap year, as the year is not known.
    civil::Date::new(2000, month, day).ok()?;
    Some((Date::OfYear { month, day }, end))
}

/// `I0313`: the severity, the month and the day.
fn of_klog(text: &str) -> Option<(Date, usize)> {
    let &[b'I' | b'W' | b'E' | b'F', b'0'..=b'9', _, _, _, b' ', ..] = text.as_bytes() else { return None };
    let month_day = digits(&text[1..]).filter(|(_, length)| *length == 4)?.0;
    let (month, day) = (i8::try_from(month_day / 100).ok()?, i8::try_from(month_day % 100).ok()?);
    civil::Date::new(2000, month, day).ok()?;
    Some((Date::OfYear { month, day }, 5))
}

/// The year behind a time of day, as `ctime` has it, and its length.
pub(super) fn year_behind(text: &str) -> Option<(i16, usize)> {
    let rest = text.strip_prefix(' ')?;
    let (year, _) = digits(rest).filter(|(year, length)| *length == 4 && (1970..2100).contains(year))?;
    let goes_on = rest[4..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '.' | '-' | '/'));
    Some((i16::try_from(year).ok()?, 5)).filter(|_| !goes_on)
}

fn whole(year: u32, month: i8, day: i8) -> Option<Date> {
    let year = i16::try_from(year).ok().filter(|year| (1970..2100).contains(year))?;
    civil::Date::new(year, month, day).ok().map(Date::Whole)
}

/// The digits a text begins with, as a number, and how many they are.
fn digits(text: &str) -> Option<(u32, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..length].parse().ok().filter(|_| length <= 8)?;
    Some((number, length))
}

/// One or two digits.
fn short(text: &str) -> Option<(i8, usize)> {
    let (number, length) = digits(text).filter(|(_, length)| *length <= 2)?;
    Some((i8::try_from(number).ok()?, length))
}

/// The name of a month that a text begins with, and its length.
fn month(text: &str) -> Option<(i8, usize)> {
    const LONG: [&str; 12] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ];
    // Most words are none, which their first letter and their length tell.
    let likely = |byte: &u8| matches!(byte | 0x20, b'j' | b'f' | b'm' | b'a' | b's' | b'o' | b'n' | b'd');
    text.as_bytes().first().filter(|byte| likely(byte))?;
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = text.get(..length).filter(|_| (3..=9).contains(&length))?;
    let long = || LONG.iter().position(|name| name.eq_ignore_ascii_case(word));
    let long = || long().and_then(|at| i8::try_from(at + 1).ok());
    Some((month_of(word).or_else(long)?, length))
}

/// Whether the words around a time of day look like a date, in whichever form.
pub(super) fn looks_dated(before: &str, after: &str) -> bool {
    const NEAR: usize = 3;
    let is_between = |c: char| c.is_whitespace() || matches!(c, '=' | '[' | ']' | '"' | ',' | '(' | ')');
    let mut before = before.rsplit(is_between).filter(|word| !word.is_empty()).take(NEAR).peekable();
    let after = after.split(is_between).find(|word| !word.is_empty());
    let year = |word: &str| word.len() == 4 && digits(word).is_some_and(|(year, length)| length == 4 && (1970..2100).contains(&year));
    before.peek().is_some_and(|word| year(word) || month(word).is_some() || compact(word))
        || after.is_some_and(year)
        || before.chain(after).any(|word| is_weekday(word) || in_parts(word))
}

fn is_weekday(word: &str) -> bool {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    DAYS.iter().any(|day| day.eq_ignore_ascii_case(word))
}

/// Three parts with signs between them, such as `26-03-13` or `13.03.26`.
fn in_parts(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && ['-', '/', '.'].iter().any(|sign| {
        let parts: Vec<&str> = word.split(*sign).collect();
        let [first, second, third] = parts[..] else { return false };
        let number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let two = |part: &str| part.len() == 2 || part.len() == 4;
        let dotted = *sign != '.' || two(first) && two(second) && two(third);
        number(first) && number(third) && dotted && (number(second) || month(second).is_some())
    })
}

/// `260313`: the last two digits of the year, the month and the day.
fn compact(word: &str) -> bool {
    let number = digits(word).filter(|(_, length)| *length == 6 && word.len() == 6);
    number.is_some_and(|(number, _)| (1..=12).contains(&(number / 100 % 100)) && (1..=31).contains(&(number % 100)))
}
