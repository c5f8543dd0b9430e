//! Finding the format of an input by how it begins.

use super::book::all;
use super::definition::{Blank, Definition, Kind};
use super::format::Format;
use crate::columns::{Fields, Separator};
use crate::lines::first_lines;
use crate::logs::Objects;

/// Bytes looked at: what tells a format is near its beginning.
const LOOKED_AT: usize = 16 << 10;

/// The format of an input that begins with `head`, if it is a known one.
pub(super) fn recognise(head: &[u8]) -> Option<&'static Format> {
    let beginning = Beginning::of(head)?;
    all().find(|format| beginning.is_of(format))
}

/// How an input begins.
pub(super) struct Beginning<'h> {
    head: &'h [u8],
    lines: Vec<&'h [u8]>,
    /// The fields of the first objects of JSON.
    objects: Vec<Vec<String>>,
}

impl<'h> Beginning<'h> {
    /// Lines looked at.
    const LINES: usize = 64;

    pub(super) fn of(head: &'h [u8]) -> Option<Beginning<'h>> {
        let head = &head[..head.len().min(LOOKED_AT)];
        if head.contains(&0) {
            return None;
        }
        let lines: Vec<&[u8]> = first_lines(head).take(Beginning::LINES).collect();
        let mut reader = Objects::default();
        let mut objects = Vec::new();
        for line in lines.iter().filter(|line| line.starts_with(b"{")) {
            let mut names = Vec::new();
            reader.fields(&String::from_utf8_lossy(line), |name, _| names.push(name.to_owned()));
            objects.push(names);
        }
        Some(Beginning { head, lines, objects })
    }

    pub(super) fn is_of(&self, format: &Format) -> bool {
        let definition = &format.definition;
        let has = |text: &String| memchr::memmem::find(self.head, text.as_bytes()).is_some();
        definition.recognise.contains.iter().all(has)
            && match definition.kind {
                Kind::Json => self.has_objects_of(definition) && self.has_line_like(format),
                Kind::Document => self.head.trim_ascii_start().starts_with(b"{"),
                Kind::Table => self.has_head_of(definition) || self.has_rows_of(format),
                Kind::Text => {
                    let patterns = &format.patterns().lines;
                    self.lines.iter().any(|line| patterns.iter().any(|of| of.is_match(line)))
                }
            }
    }

    fn has_objects_of(&self, definition: &Definition) -> bool {
        self.objects.iter().any(|object| {
            let is_there = |field: &String| has_field(object, field);
            definition.recognise.fields.iter().all(is_there)
        })
    }

    /// Whether one of the first lines matches the pattern, if there is one.
    fn has_line_like(&self, format: &Format) -> bool {
        let Some(pattern) = &format.patterns().row else { return true };
        self.lines.iter().any(|line| pattern.is_match(line))
    }

    fn has_head_of(&self, definition: &Definition) -> bool {
        if definition.recognise.fields.is_empty() {
            return false;
        }
        let mut lines = self.lines.iter();
        match &definition.head {
            Some(_) => lines.any(|line| head_of(line, definition).is_some()),
            None => lines.next().is_some_and(|line| head_of(line, definition).is_some()),
        }
    }

    /// Whether nearly all of the first lines look like rows: one of a table that goes on may be cut.
    fn has_rows_of(&self, format: &Format) -> bool {
        const ENOUGH: usize = 20;
        let Some(pattern) = &format.patterns().row else { return false };
        let seen = self.lines.len().min(ENOUGH);
        let fitting = self.lines[..seen].iter().filter(|line| pattern.is_match(line)).count();
        fitting * 10 >= seen * 9 && fitting > 0
    }
}

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
