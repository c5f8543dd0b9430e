//! Finding the format of an input by how it begins.

use isotherm_frame::Place;

use super::book::all;
use super::definition::{Definition, Kind};
use super::format::Format;
use super::envelope::Envelope;
use super::head::{has_field, head_of};
use super::open_row::OpenRow;
use super::repair::repaired;
use crate::lines::first_lines;
use crate::logs::Objects;

/// Bytes looked at: what tells a format is near its beginning.
const LOOKED_AT: usize = 16 << 10;

/// The format of an input that begins with `head`, if it is a known one.
pub(super) fn recognise(head: &[u8]) -> Option<&'static Format> {
    let beginning = Beginning::of(head)?;
    let find = |beginning: &Beginning<'_>| all().find(|format| beginning.is_of(format));
    find(&beginning).or_else(|| {
        Envelope::all().find_map(|envelope| find(&Beginning::of(&envelope.inside(beginning.head)?)?))
    })
}

/// What is around the lines of an input of a format; none if they stand there as they are.
pub(super) fn around(format: &Format, head: &[u8]) -> Option<Envelope> {
    let beginning = Beginning::of(head)?;
    let fits = |envelope: &Envelope| {
        let inside = envelope.inside(beginning.head);
        inside.is_some_and(|text| Beginning::of(&text).is_some_and(|inner| inner.is_of(format)))
    };
    // A pattern may fit with what is around the line, too: but a divided line is none.
    let divided = Envelope::all().filter(|envelope| envelope.divides()).find(fits);
    if divided.is_some() || beginning.is_of(format) {
        return divided;
    }
    Envelope::all().find(fits)
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
            let text = String::from_utf8_lossy(line);
            let mut read = |text: &str| reader.fields(text, |name, _| names.push(name.to_owned()));
            if !read(&text)
                && let Some(text) = repaired(&text)
            {
                read(&text);
            }
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
                        && self.has_line_like(format)
                }
            }
    }

    fn has_objects_of(&self, definition: &Definition) -> bool {
        self.objects.iter().any(|object| {
            let is_there = |field: &String| has_field(object, field);
            definition.recognise.fields.iter().all(is_there)
                && !definition.recognise.without.iter().any(is_there)
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
        let is_head = |line: &[u8]| head_of(line, definition).is_some();
        match &definition.head {
            // It may come behind many rows that stand below another one.
            Some(prefix) => memchr::memmem::find_iter(self.head, prefix.as_bytes()).any(|at| {
                let line = self.head.get(at..).unwrap_or_default();
                is_head(line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii())
            }),
            None => self.lines.first().is_some_and(|line| is_head(line)),
        }
    }

    /// Whether nearly all of the first lines look like rows: one of a table that goes on may be cut.
    fn has_rows_of(&self, format: &Format) -> bool {
        const ENOUGH: usize = 20;
        let Some(pattern) = &format.patterns().row else { return false };
        let (mut seen, mut fitting) = (0, 0);
        let mut open = OpenRow::default();
        for line in &self.lines {
            let Some(row) = open.close(Place { line: 1, byte: 0 }, line, true) else { continue };
            (seen, fitting) = (seen + 1, fitting + usize::from(pattern.is_match(row.1)));
            open.clear();
            if seen == ENOUGH {
                break;
            }
        }
        fitting * 10 >= seen * 9 && fitting > 0
    }
}
