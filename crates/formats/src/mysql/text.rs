//! Tables as clients print them: in boxes, with tabs (`mysql -B`), or a column a line (`\G`).

use isotherm_frame::Place;

use super::table::Table;
use crate::lines::first_lines;
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{Context, Line, Note, Sink};

/// More columns than the tables have.
const MOST_COLUMNS: usize = 64;

/// A row that is printed a column a line.
#[derive(Default)]
struct Upright {
    place: Place,
    columns: Vec<String>,
    cells: Vec<String>,
}

/// What was read of the tables.
pub(super) struct Tables<'c> {
    prints: Prints<'c>,
    stamps: StampReader,
    table: Option<(Place, Table)>,
    /// The columns of the table, where they stand once and above it.
    columns: Vec<String>,
    upright: Option<Upright>,
}

/// Whether there is a table of ours in the beginning of an input.
pub(super) fn is_ours(head: &[u8]) -> bool {
    let lines: Vec<&[u8]> = first_lines(head).collect();
    let is_heading = |line: &&[u8]| Table::of(&cells(&String::from_utf8_lossy(line))).is_some();
    let names = |name: &[u8]| lines.iter().any(|line| line.starts_with(name));
    let is_upright = names(b"***")
        && (names(b"BUCKET_TIMER_LOW: ") || names(b"TIME: ") && names(b"TOTAL: "));
    is_upright || lines.iter().any(is_heading)
}

/// The values of a line.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim_end_matches(['\r', '\n']);
    let boxed = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    let (line, between) = boxed.map_or((line, '\t'), |boxed| (boxed, '|'));
    line.split(between).map(str::trim).take(MOST_COLUMNS).collect()
}

/// A value as it is meant: SQL's null is printed as a word.
fn value(cell: &str) -> Option<&str> {
    Some(cell).filter(|cell| *cell != "NULL")
}

impl<'c> Tables<'c> {
    pub(super) fn new(context: &'c Context) -> Tables<'c> {
        let stamps = StampReader::new(context);
        let prints = Prints::totals(context);
        Tables { prints, stamps, table: None, columns: Vec::new(), upright: None }
    }

    pub(super) fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.starts_with("+--") {
            return;
        }
        if trimmed.starts_with("***") && trimmed.ends_with("***") {
            self.end_upright(sink);
            self.upright = Some(Upright { place: line.place, ..Upright::default() });
            return;
        }
        if self.upright.is_some() && self.upright_line(trimmed, line.ended) {
            return;
        }
        self.end_upright(sink);
        let cells = cells(&text);
        if let Some(table) = Table::of(&cells) {
            self.give(sink);
            self.table = Some((line.place, table));
            self.columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
        } else if self.table.is_some() && cells.len() == self.columns.len() {
            self.row(line, &cells, sink);
        } else if self.table.is_some() && cells.len() > 1 {
            let why = format!("{} columns where there are {}", cells.len(), self.columns.len());
            reject(sink, line.place, why, 0);
        } else if !self.time(&cells, sink) {
            sink.note(Note::Ignored);
        }
    }

    pub(super) fn finish(mut self, sink: &mut dyn Sink) {
        self.end_upright(sink);
        self.give(sink);
        self.prints.finish(sink);
    }

    /// Takes `NAME: value` of a row that is printed a column a line; `false` if it is something else.
    fn upright_line(&mut self, line: &str, ended: bool) -> bool {
        let (Some(row), Some((name, value))) = (&mut self.upright, line.split_once(':')) else {
            return false;
        };
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !is_name || name.is_empty() || row.columns.len() >= MOST_COLUMNS {
            return false;
        }
        // The last number of a text that is cut short may lack digits.
        if ended {
            row.columns.push(name.to_owned());
            row.cells.push(value.trim().to_owned());
        }
        true
    }

    /// A row that is printed a column a line is complete.
    fn end_upright(&mut self, sink: &mut dyn Sink) {
        let Some(row) = self.upright.take() else { return };
        let columns: Vec<&str> = row.columns.iter().map(String::as_str).collect();
        if row.columns != self.columns || self.table.is_none() {
            self.give(sink);
            let Some(table) = Table::of(&columns) else {
                if self.columns.starts_with(&row.columns) {
                    reject(sink, row.place, "the row is cut short", 0);
                } else {
                    sink.note(Note::Ignored);
                }
                return;
            };
            self.table = Some((row.place, table));
            self.columns.clone_from(&row.columns);
        }
        let cells: Vec<&str> = row.cells.iter().map(String::as_str).collect();
        self.take(row.place, &cells, sink);
    }

    fn row(&mut self, line: Line<'_>, cells: &[&str], sink: &mut dyn Sink) {
        let whole = line.ended || cells.last() == Some(&"TOO LONG") || line.bytes.ends_with(b"|");
        if !whole {
            return reject(sink, line.place, "the last row has no end: it may be cut short", 0);
        }
        self.take(line.place, cells, sink);
    }

    fn take(&mut self, place: Place, cells: &[&str], sink: &mut dyn Sink) {
        let values: Vec<Option<&str>> = cells.iter().map(|cell| value(cell)).collect();
        let Some((_, table)) = &mut self.table else { return };
        let mut taken = table.row(&values);
        if taken == Ok(false) {
            // A client that prints the same table twice prints its columns once.
            self.give(sink);
            let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
            let Some(mut table) = Table::of(&columns) else { return };
            taken = table.row(&values);
            self.table = Some((place, table));
        }
        if let Err(why) = taken {
            reject(sink, place, why, 0);
        }
        if self.table.as_ref().is_some_and(|(_, table)| table.is_complete()) {
            self.give(sink);
        }
    }

    /// A line that says when what follows was printed.
    fn time(&mut self, cells: &[&str], sink: &mut dyn Sink) -> bool {
        let [text] = cells else { return false };
        let text = text.strip_prefix("#t").or(text.strip_prefix('#')).unwrap_or(text);
        let Some(stamp) = self.stamps.read(text, sink) else { return false };
        self.give(sink);
        self.prints.begin(stamp, sink);
        true
    }

    /// Tells what the table said.
    fn give(&mut self, sink: &mut dyn Sink) {
        let Some((place, table)) = self.table.take() else { return };
        for found in table.found() {
            match found.total {
                Ok(total) => self.prints.histogram(&found.series, total, sink),
                Err(why) => {
                    reject(sink, place, why, found.events);
                    self.prints.damaged(&found.series, sink);
                }
            }
        }
    }
}
