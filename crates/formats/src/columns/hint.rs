//! What to say of a text that nobody knows, and of columns that are not as they are named.

use std::collections::BTreeSet;

use isotherm_frame::Unit;

use super::fields::{Fields, Separator};
use super::layout::Layout;
use super::names::{TimeRole, Role, settled};
use super::time::{Form, form_of};
use crate::Context;
use crate::foreign::Foreign;
use crate::number::{self, shown};

/// Columns shown at most.
const SHOWN: usize = 6;

/// How to name the columns of a text that begins with `head`. What the columns hold is not guessed:
/// a wrong guess would be read without an error.
pub(crate) fn name_columns(head: &[u8]) -> String {
    const FORMATS: &str = "isotherm sources lists the formats, --as NAME chooses one, --columns \
        names the columns of a table";
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    if head.trim_ascii_start().starts_with(b"{") || head.trim_ascii_start().starts_with(b"[") {
        return format!("{FORMATS}; jq can make a table of JSON");
    }
    // The first line may be a header.
    let table = lines.next().into_iter().chain(lines.next()).filter_map(in_columns).next_back();
    match table.as_deref() {
        None => FORMATS.to_owned(),
        Some([only]) => format!(
            "if its numbers, such as {only}, are latencies, say so and their unit: \
             --columns latency --unit UNIT"
        ),
        Some(columns) => format!(
            "if it has a time and a latency on each line, name all of its {} columns in order with \
             --columns (time, latency, - to skip) and the unit with --unit; one line is {}",
            columns.len(),
            numbered(columns.iter().map(String::as_str).enumerate())
        ),
    }
}

/// The columns of a line with numbers or times among them: at least two, or one alone.
fn in_columns(line: &[u8]) -> Option<Vec<String>> {
    let is_number = |text: &[u8]| {
        number::nanos(text, Unit::Nanos).is_ok() || matches!(form_of(text, None), Some(Ok(_)))
    };
    Separator::ALL.into_iter().find_map(|separator| {
        let fields = Fields::of(line, separator);
        let texts: Vec<&[u8]> = (0..fields.len()).map(|index| fields.get(line, index)).collect();
        let numbers = texts.iter().filter(|text| is_number(text)).count();
        let table = numbers >= 2 || numbers == texts.len();
        (table && numbers > 0).then(|| texts.into_iter().map(shown).collect())
    })
}

/// `1st '0.5', 2nd '17' and 3 more`.
fn numbered<'t>(columns: impl Iterator<Item = (usize, &'t str)>) -> String {
    let all: Vec<String> =
        columns.map(|(index, text)| format!("{} '{text}'", ordinal(index + 1))).collect();
    let more = all.len().saturating_sub(SHOWN);
    let shown = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// What to say of the columns of a first line that no name was given to.
pub(super) fn left_over(roles: &[Role], fields: &Fields, line: &[u8]) -> Option<String> {
    let (named, all) = (roles.len(), fields.len());
    let rest: Vec<(usize, String)> =
        (named..all).map(|index| (index, shown(fields.get(line, index)))).collect();
    (!rest.is_empty()).then(|| {
        format!(
            "{} of {all} columns are not read: {} (name them in --columns, or - to skip)",
            rest.len(),
            numbered(rest.iter().map(|(index, text)| (*index, text.as_str())))
        )
    })
}

/// What to say where the unit of the user is another than the name of the column tells.
pub(super) fn two_units(given: Option<Unit>, named: Option<Unit>) -> Option<String> {
    let (given, named) = given.zip(named).filter(|(given, named)| given != named)?;
    Some(format!("--unit {given} overrides the unit in the name of the latency column, {named}"))
}

/// Why `--by` is refused: every attribute of a text of columns tells its series apart, so that it can
/// ask for no others, and for no fewer.
pub(super) fn refused_by(roles: &[Role], context: &Context) -> Option<String> {
    let names = roles.iter().filter_map(|role| match role {
        Role::Attribute(name) => Some(name.to_lowercase()),
        _ => None,
    });
    let names: BTreeSet<String> = names.collect();
    let asked: BTreeSet<String> =
        context.by.iter().map(|name| name.trim().to_lowercase()).collect();
    if asked.is_empty() || context.keeps_attributes || asked == names {
        return None;
    }
    let names = names.into_iter().collect::<Vec<String>>().join(", ");
    let names = if names.is_empty() { "there is none".to_owned() } else { names };
    Some(format!(
        "--by has no effect on columns: every attribute separates series ({names}). Call a column \
         - in --columns to leave it out"
    ))
}

/// What to say where a known format is read otherwise than it is written.
pub(super) fn contradiction(known: &Foreign, layout: &Layout) -> Option<String> {
    let (name, advice) = (known.name, known.advice());
    let Some(names) = known.columns() else {
        return Some(format!("this looks like {name}, not like plain columns: {advice}"));
    };
    let roles = names.split(',').map(Role::named).collect();
    let (roles, moment) = settled(roles);
    let latency = |roles: &[Role]| roles.iter().position(|role| matches!(role, Role::Latency(_)));
    let times = roles.iter().enumerate().filter_map(|(index, role)| match role {
        Role::Time(unit) => Some((index, Form::Number(unit.unwrap_or(Unit::Seconds)))),
        _ => None,
    });
    let unit = roles.iter().find_map(|role| match role {
        Role::Latency(unit) => *unit,
        _ => None,
    });
    let starts = |moment: TimeRole| moment == TimeRole::Start;
    let wrong = [
        (latency(&roles) != latency(&layout.roles), "the latency is another column"),
        (unit.is_some_and(|unit| unit != layout.latency_unit), "the latencies are in another unit"),
        (
            !layout.times.is_empty() && layout.times != times.collect::<Vec<_>>(),
            "the time is another column or in another unit",
        ),
        (starts(moment) != starts(layout.moment), "the time is the other end of the event"),
    ];
    let wrong: Vec<&str> = wrong.into_iter().filter(|(is, _)| *is).map(|(_, why)| why).collect();
    (!wrong.is_empty())
        .then(|| format!("this looks like {name}, in which {}: {advice}", wrong.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_people_do() {
        let said: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).into();
        let expected =
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"];
        assert_eq!(said, expected);
    }

    #[test]
    fn no_hint_guesses_which_column_is_which() {
        let table = name_columns(b"code,size,when\n7,4096,1700000000\n");
        assert!(table.contains("all of its 3 columns") && table.contains("2nd '4096'"), "{table}");
        assert!(!table.contains("--columns time,latency"), "{table}");
        let one = name_columns(b"328\n3028\n");
        assert!(one.contains("--columns latency --unit UNIT"), "{one}");
        for text in [&b"hello world\n"[..], b"{\"a\": 1}\n", b""] {
            assert!(name_columns(text).starts_with("isotherm sources"), "{text:?}");
        }
    }
}
