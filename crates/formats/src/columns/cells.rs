//! What may stand in a cell of a table, and which lines are one.

use isotherm_frame::Unit;

use super::fields::{Fields, Separator};
use super::names::{Role, are_a_header, settled};
use super::time::form_of;
use crate::lines::first_lines;
use crate::number::{self, Wrong, with_point};

/// What two columns are without a name.
pub(super) const GUESS: [Role; 2] = [Role::Time(None), Role::Latency(None)];

/// The columns a header names, if one is a time and one a latency.
pub(super) fn roles_of_header(line: &[u8]) -> Option<Vec<Role>> {
    Separator::ALL.into_iter().find_map(|separator| {
        let fields = Fields::of(line, separator);
        let name = |index| String::from_utf8_lossy(&fields.text(line, index)).into_owned();
        let names: Vec<String> = (0..fields.len()).map(name).collect();
        let roles: Vec<_> = names.iter().map(|name| Role::named(name)).collect();
        if are_a_header(&roles) {
            return Some(roles);
        }
        // A sentence has blanks, too.
        separator.byte()?;
        Role::all_named_as_in_logs(&names).filter(|roles| are_a_header(roles))
    })
}

/// The separator with which the columns hold a time and a latency, or what `passes` for one.
pub(super) fn separator_of(
    line: &[u8],
    roles: &[Role],
    exact: bool,
    passes: fn(&[u8]) -> bool,
) -> Option<Separator> {
    Separator::ALL.into_iter().find(|separator| {
        let fields = Fields::of(line, *separator);
        let enough = if exact { fields.len() == roles.len() } else { fields.len() >= roles.len() };
        let fits = |(index, role): (usize, &Role)| match role {
            Role::Time(_) => {
                let text = fields.get(line, index);
                form_of(text, None).is_some() || passes(text)
            }
            Role::Latency(_) => passes(fields.get(line, index)),
            Role::Attribute(_) | Role::Skip | Role::Bound(..) => true,
        };
        enough && roles.iter().enumerate().all(fits)
    })
}

pub(super) fn is_latency(text: &[u8]) -> bool {
    number::length(text, Unit::Nanos).is_ok()
}

/// The same without a header, where a second time of day is no length, and `512m` may be a size.
pub(super) fn is_plain_latency(text: &[u8]) -> bool {
    is_latency(text) && !text.contains(&b':') && !number::is_in_minutes(text)
}

/// The same where numbers have decimal commas.
pub(super) fn is_latency_with_comma(text: &[u8]) -> bool {
    is_latency(&with_point(text, true))
}

/// The same without a header.
pub(super) fn is_plain_latency_with_comma(text: &[u8]) -> bool {
    is_plain_latency(&with_point(text, true))
}

/// Whether the numbers of a table have decimal commas: its columns are separated by semicolons, and one of its first
/// numbers has a comma that separates no thousands.
pub(super) fn has_decimal_commas(head: &[u8]) -> bool {
    const ENOUGH: usize = 64;
    first_lines(head).take(ENOUGH).filter(|line| line.contains(&b';')).any(|line| {
        let fields = Fields::of(line, Separator::Semicolon);
        (0..fields.len()).any(|index| number::has_decimal_comma(fields.get(line, index)))
    })
}

/// Whether a number is written to a millionth: of a microsecond nobody measures that.
pub(super) fn has_six_decimals(text: &[u8]) -> bool {
    let point = text.iter().position(|&byte| byte == b'.');
    point.is_some_and(|point| {
        text[point + 1..].iter().take_while(|b| b.is_ascii_digit()).count() >= 6
    })
}

/// Whether a text is a number, be it one that cannot be used.
pub(super) fn is_numeric(text: &[u8]) -> bool {
    let word = |word: &&str| text.eq_ignore_ascii_case(word.as_bytes());
    let not_finite = ["nan", "-nan", "inf", "-inf"].iter().any(word);
    not_finite
        || number::nanos(text, Unit::Nanos) != Err(Wrong::NotANumber)
        || !text.contains(&b':') && number::length(text, Unit::Nanos).is_ok()
}

/// The same of a table with a header, in which a cell may be empty or a length on a clock.
fn is_cell(text: &[u8]) -> bool {
    is_nothing(text) || is_numeric(text) || number::written_length(text).is_some()
}

/// Whether a cell says that there is no value.
pub(crate) fn is_nothing(text: &[u8]) -> bool {
    const WORDS: [&str; 11] =
        ["", "-", "--", "n/a", "na", "null", "none", "nil", "nan", "undefined", "\\N"];
    let is_number = text.first().is_some_and(u8::is_ascii_digit);
    !is_number && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// The line that tells Excel what stands between columns: `sep=;`.
pub(super) fn names_separator(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    matches!(line, [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', b',' | b';' | b'\t' | b'|'])
}

/// Whether an input begins like a time and a latency on each line: with a header that says so, or
/// with two plain columns of which the first hardly ever falls.
pub(super) fn looks_like_columns(head: &[u8]) -> bool {
    const ENOUGH: usize = 64;
    if head.contains(&0) {
        return false;
    }
    let lines = first_lines(head).filter(|line| !line.starts_with(b"#") && !names_separator(line));
    let mut lines = lines.take(ENOUGH).peekable();
    let Some(first) = lines.peek().copied() else { return false };
    let header = roles_of_header(first).map(|header| settled(header).0);
    let (roles, exact) = header.as_deref().map_or((&GUESS[..], true), |roles| (roles, false));
    if header.is_some() {
        lines.next();
    }
    let passes = if header.is_some() { is_cell } else { is_numeric };
    let time = roles.iter().position(|role| matches!(role, Role::Time(_))).unwrap_or(0);
    let (mut seen, mut plain, mut falls) = (0, 0, 0);
    let mut before = Vec::new();
    for line in lines {
        seen += 1;
        let Some(separator) = separator_of(line, roles, exact, passes) else { continue };
        plain += 1;
        let now = Fields::of(line, separator).get(line, time).to_vec();
        falls += usize::from(is_less(&now, &before));
        before = now;
    }
    if header.is_some() {
        // Names say more than values: rows that hold neither are rejected one by one.
        return plain * 2 >= seen;
    }
    plain * 10 >= seen * 9 && seen > 0 && falls * 5 <= seen
}

/// Whether a time is before another: as numbers, or as text of dates.
fn is_less(now: &[u8], before: &[u8]) -> bool {
    let number = |text| number::nanos(text, Unit::Seconds);
    match (number(now), number(before)) {
        (Ok(now), Ok(before)) => now < before,
        _ => now < before,
    }
}
