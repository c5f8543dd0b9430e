//! The line that names the columns of a table.

use super::definition::{Blank, Definition};
use crate::columns::{Fields, Separator};

/// Whether one of the names of a field is there.
pub(super) fn has_field(names: &[String], field: &str) -> bool {
    field.split('|').any(|name| names.iter().any(|known| known == name))
}

/// The separator and the names of a table that a line names, if all that recognise it are there.
pub(super) fn head_of(line: &[u8], definition: &Definition) -> Option<(Separator, Vec<String>)> {
    let separators: &[Separator] = match definition.separator {
        Some(Blank::Comma) => &[Separator::Comma],
        Some(Blank::Tab) => &[Separator::Tab],
        Some(Blank::Semicolon) => &[Separator::Semicolon],
        Some(Blank::Blanks) => &[Separator::Blanks],
        Some(Blank::Words) => &[Separator::Words],
        None => &[Separator::Comma, Separator::Tab, Separator::Semicolon, Separator::Pipe],
    };
    separators.iter().find_map(|separator| {
        let names = names_in(line, definition, *separator)?;
        let fields = &definition.recognise.fields;
        let is_head = !fields.is_empty() && fields.iter().all(|field| has_field(&names, field));
        is_head.then_some((*separator, names))
    })
}

/// The fields that recognise a table and are not among the names in a line, as a person reads them.
pub(super) fn lacking(line: &[u8], definition: &Definition) -> String {
    let names = names_in(line, definition, Separator::Words).unwrap_or_default();
    let fields = definition.recognise.fields.iter().filter(|field| !has_field(&names, field));
    fields.map(|field| field.replace('|', " or ")).collect::<Vec<String>>().join(" and ")
}

/// The names in a line, behind the word that begins it.
fn names_in(line: &[u8], definition: &Definition, separator: Separator) -> Option<Vec<String>> {
    let (line, between) = match &definition.head {
        // Behind a word such as #Fields: blanks stand between names, whatever is between values.
        Some(prefix) => (line.strip_prefix(prefix.as_bytes())?, Separator::Words),
        None => (line, separator),
    };
    let cells = Fields::of(line, between);
    let name = |index| String::from_utf8_lossy(&cells.text(line, index)).into_owned();
    Some((0..cells.len()).map(name).collect())
}
