//! Buffers from rows that were saved: CSV of `V$BH`, `X$BH` or `pg_buffercache`, one row a buffer, or
//! with a column `buffers` one row for several that are alike.

use std::io::BufRead;

use isotherm_frame::Nanos;
use thiserror::Error;

use super::contents::{BufferCell, BufferContents, BufferTally, LevelKind};
use super::{oracle, touches};
use crate::error::DecodeError;
use crate::input::printable;
use crate::lines::LineReader;

/// What a file came to.
#[derive(Clone, Debug, Default)]
pub struct BufferList {
    /// The buffers.
    pub contents: BufferContents,
    /// Rows that could not be read.
    pub rejected: u64,
    /// The first of them: the line, and why.
    pub rejections: Vec<String>,
}

/// Why no buffers could be read.
#[derive(Debug, Error)]
pub enum BufferListError {
    /// The first line is no heading of such rows.
    #[error(
        "no buffers: expected CSV with a heading and one row a buffer: objd and status (V$BH), obj and \
         tch (X$BH), or relfilenode and usagecount (pg_buffercache)"
    )]
    Unrecognised,
    /// There was a heading and no row that could be used.
    #[error("no buffer was read: {0}")]
    Nothing(String),
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] DecodeError),
}

/// Rejections that are kept.
const MOST_KEPT: usize = 5;

/// Which column has what.
#[derive(Clone, Debug, Default)]
struct Columns {
    count: usize,
    object: usize,
    level: usize,
    kind: LevelKind,
    name: Option<usize>,
    owner: Option<usize>,
    dirty: Option<usize>,
    /// Flags of `X$BH`, of which the lowest is dirty.
    flag: Option<usize>,
    state: Option<usize>,
    pins: Option<usize>,
    class: Option<usize>,
    fork: Option<usize>,
    database: Option<usize>,
    buffers: Option<usize>,
}

/// Reads a file to its end.
pub fn read_buffer_list(input: &mut (dyn BufRead + Send)) -> Result<BufferList, BufferListError> {
    let mut lines = LineReader::new(input);
    let mut reading: Option<(Columns, BufferTally)> = None;
    let mut list = BufferList::default();
    while let Some(line) = lines.next_line()? {
        let text = line.text();
        // SQL*Plus prints an empty line before the heading.
        if text.trim().is_empty() {
            continue;
        }
        let Some((columns, tally)) = &mut reading else {
            let columns = Columns::of(&text).ok_or(BufferListError::Unrecognised)?;
            let tally = columns.nothing();
            reading = Some((columns, tally));
            continue;
        };
        // So ends what SQL*Plus spools.
        let is_count = text.ends_with(" rows selected.") && !text.contains(',');
        let added = if is_count { Ok(()) } else { columns.add(&text, tally) };
        if let Err(why) = added {
            list.rejected += 1;
            if list.rejections.len() < MOST_KEPT {
                list.rejections.push(format!("line {}: {why}", line.place.line));
            }
        }
    }
    let (_, tally) = reading.ok_or(BufferListError::Unrecognised)?;
    list.contents = tally.contents;
    if list.contents.buffers() == 0 {
        let why = list.rejections.first().cloned();
        return Err(BufferListError::Nothing(
            why.unwrap_or_else(|| "there is only the heading".into()),
        ));
    }
    Ok(list)
}

impl Columns {
    /// The columns of a heading; none if it is not one of such rows.
    fn of(heading: &str) -> Option<Columns> {
        let names: Vec<String> = fields(heading.trim_start_matches('\u{feff}'))
            .into_iter()
            .map(|name| name.trim().to_lowercase())
            .collect();
        let at = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
        let level = [
            (LevelKind::UsageCount, at(&["usagecount"])),
            (LevelKind::TouchCount, at(&["tch"])),
            (LevelKind::Status, at(&["status", "state"])),
        ];
        let (kind, level) = level.into_iter().find_map(|(kind, at)| Some((kind, at?)))?;
        Some(Columns {
            count: names.len(),
            object: at(&["objd", "obj", "relfilenode", "object_name", "relname"])?,
            level,
            kind,
            name: at(&["object_name", "relname", "name"]),
            owner: at(&["owner", "nspname"]),
            dirty: at(&["dirty", "isdirty"]),
            flag: at(&["flag"]),
            state: at(&["state"]),
            pins: at(&["pinning_backends"]),
            class: at(&["class#", "class"]),
            fork: at(&["relforknumber"]),
            database: at(&["reldatabase"]),
            buffers: at(&["buffers"]),
        })
    }

    fn nothing(&self) -> BufferTally {
        let mut tally = if self.kind == LevelKind::UsageCount {
            let levels = (0..=5).map(|count| count.to_string()).collect();
            BufferTally::new(BufferContents { levels, ..BufferContents::default() })
        } else {
            oracle::nothing(self.kind == LevelKind::TouchCount)
        };
        tally.contents.kind = self.kind;
        let view = match self.kind {
            LevelKind::UsageCount => "pg_buffercache",
            LevelKind::TouchCount => "X$BH",
            LevelKind::Status => "V$BH",
        };
        tally.contents.server = format!("Rows of {view}");
        tally.contents.knows_dirty = self.dirty.or(self.flag).is_some();
        tally.contents.knows_pins = self.pins.is_some();
        tally.contents.took = Nanos::ZERO;
        tally
    }

    /// Adds a row.
    fn add(&self, line: &str, tally: &mut BufferTally) -> Result<(), String> {
        let row: Vec<String> = fields(line);
        if row.len() != self.count {
            let more = if row.len() > self.count { "more" } else { "fewer" };
            return Err(format!("{more} cells than the {} of the heading", self.count));
        }
        let text = |at: usize| row.get(at).map_or("", |cell| cell.trim());
        let number = |name: &str, at: usize| {
            let cell = text(at);
            let bad = || format!("{name} '{}' is no whole number", printable(cell.as_bytes(), 40));
            cell.parse::<u64>().map_err(|_| bad())
        };
        let buffers = self.buffers.map_or(Ok(1), |at| number("buffers", at))?;
        let class = match self.class.filter(|&at| !text(at).is_empty()) {
            Some(at) => number("class#", at)?,
            None => 1,
        };
        if self.is_free(&text) {
            tally.contents.free = tally.contents.free.saturating_add(buffers);
            return Ok(());
        }
        let level = match self.kind {
            LevelKind::UsageCount => match number("usagecount", self.level)? {
                count @ 0..=5 => usize::try_from(count).unwrap_or(5),
                count => return Err(format!("usagecount {count} is more than 5")),
            },
            LevelKind::TouchCount => touches::class(number("tch", self.level)?),
            LevelKind::Status => tally.level(&state_word(text(self.level))),
        };
        let dirty = match (self.dirty, self.flag) {
            (Some(at), _) => is_set(text(at))?,
            (None, Some(at)) => number("flag", at)? & 1 == 1,
            (None, None) => false,
        };
        let pins = self.pins.map_or(Ok(0), |at| number("pinning_backends", at))?;
        let cell = BufferCell {
            buffers,
            dirty: if dirty { buffers } else { 0 },
            pinned: if pins > 0 { buffers } else { 0 },
        };
        let (name, kind) = self.holder(&row, class);
        let holder = tally.holder(&printable(name.as_bytes(), 200), kind);
        if let Some(found) = holder.cells.get_mut(level) {
            found.add(cell);
        }
        Ok(())
    }

    /// Whether a buffer holds nothing.
    fn is_free<'a>(&self, text: &impl Fn(usize) -> &'a str) -> bool {
        let is_state = |at: usize| state_word(text(at)) == "free";
        match self.kind {
            LevelKind::UsageCount => text(self.level).is_empty() && text(self.object).is_empty(),
            LevelKind::TouchCount => self.state.is_some_and(is_state),
            LevelKind::Status => is_state(self.level),
        }
    }

    /// The name of what is in a buffer, and what it is.
    fn holder(&self, row: &[String], class: u64) -> (String, &'static str) {
        let text = |at: Option<usize>| at.and_then(|at| row.get(at)).map_or("", |cell| cell.trim());
        let (name, owner) = (text(self.name), text(self.owner));
        let is_owned = !name.is_empty() && !owner.is_empty();
        let name = if is_owned { format!("{owner}.{name}") } else { name.to_owned() };
        if self.kind == LevelKind::UsageCount {
            return self.relation(&name, row);
        }
        let object = text(Some(self.object));
        (oracle::named(class, object, Some(&name)), oracle::class_word(class))
    }

    /// The name of a relation of `PostgreSQL`, and what its fork is.
    fn relation(&self, name: &str, row: &[String]) -> (String, &'static str) {
        let text = |at: Option<usize>| at.and_then(|at| row.get(at)).map_or("", |cell| cell.trim());
        let kind = match text(self.fork) {
            "1" => "free space map",
            "2" => "visibility map",
            "3" => "initial fork",
            _ => "relation",
        };
        if !name.is_empty() {
            return (name.to_owned(), kind);
        }
        let file = text(Some(self.object));
        let name = match text(self.database) {
            "" => format!("file {file}"),
            database => format!("file {file} of database {database}"),
        };
        (name, kind)
    }
}

/// A state by its name: `X$BH` has numbers.
fn state_word(state: &str) -> String {
    let names = ["free", "xcur", "scur", "cr", "read", "mrec", "irec", "write", "pi"];
    let number = state.parse::<usize>().ok();
    let name = number.and_then(|number| names.get(number));
    name.map_or_else(|| state.to_lowercase(), |&name| name.to_owned())
}

/// Reads yes or no as databases write it.
fn is_set(cell: &str) -> Result<bool, String> {
    match cell.to_lowercase().as_str() {
        "y" | "t" | "true" | "1" => Ok(true),
        "n" | "f" | "false" | "0" | "" => Ok(false),
        other => Err(format!("dirty '{}' is neither Y nor N", printable(other.as_bytes(), 40))),
    }
}

/// The cells of a line of CSV: quotes around a cell are taken off, doubled ones in it are one.
fn fields(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
