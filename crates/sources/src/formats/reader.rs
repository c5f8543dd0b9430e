//! Reading an input of a known format line by line.

use std::io::BufRead;

use serde_json::Value;

use isotherm_frame::Place;

use super::events::Events;
use super::definition::Kind;
use super::format::Format;
use super::row::{Splitter, Taken};
use crate::sink::reject;
use crate::{Context, DecodeError, LineReader, Note, Sink};

const NOT_ENDED: &str = "the last line has no line end: the line and its latency may be truncated";

/// Reads the whole input.
pub(super) fn read(
    format: &Format,
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    read_watched(format, input, context, sink, &mut |_, _| {})
}

/// The same; `watch` is given each line before it is read.
pub(super) fn read_watched(
    format: &Format,
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
    watch: &mut dyn FnMut(Place, &[u8]),
) -> Result<(), DecodeError> {
    if let Some(histogram) = &format.definition.histogram {
        let document = document(&format.definition.title, input)?;
        sink.note(Note::Assumed(format.definition.read_as().into()));
        super::histogram::read(histogram, &document, context, sink);
        return Ok(());
    }
    let (mut events, fields) = Events::new(format, context, sink)?;
    let mut splitter = Splitter::new(format, fields);
    if format.definition.kind == Kind::Document {
        return read_document(format, input, &mut events, &mut splitter, sink);
    }
    let mut lines = LineReader::new(input);
    let mut open = OpenRow::default();
    while let Some(line) = lines.next_line()? {
        watch(line.place, line.bytes);
        if line.cut {
            reject(sink, line.place, "a line longer than 1 MiB", 0);
            continue;
        }
        let (place, bytes) = if splitter.has_quoted_lines() {
            match open.close(line.place, line.bytes, line.ended) {
                Some(whole) => whole,
                None => continue,
            }
        } else {
            (line.place, line.bytes)
        };
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match splitter.take(bytes, line.ended) {
            Taken::Row => {
                if !line.ended {
                    sink.note(Note::Said(NOT_ENDED.into()));
                }
                events.row(bytes, &splitter, place, sink);
            }
            Taken::Other => sink.note(Note::Ignored),
            Taken::Lost(number) => events.lost(number, sink),
            Taken::Broken(reason, stands_for) => reject(sink, place, reason, stands_for),
        }
        open.clear();
    }
    events.finish(sink);
    Ok(())
}

fn document(title: &str, input: &mut (dyn BufRead + Send)) -> Result<Value, DecodeError> {
    serde_json::from_reader(input).map_err(|error| DecodeError::Malformed {
        place: Place { line: error.line().max(1) as u64, byte: 0 },
        found: format!("{title} that is no whole document of JSON: {error}"),
        expected: "all of the file".into(),
    })
}

/// Reads the list of records of a document.
fn read_document(
    format: &Format,
    input: &mut (dyn BufRead + Send),
    events: &mut Events<'_>,
    splitter: &mut Splitter,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let begin = Place { line: 1, byte: 0 };
    let title = &format.definition.title;
    let mut document = document(title, input)?;
    let path = format.definition.records.as_deref().unwrap_or_default();
    let records = document.pointer_mut(&format!("/{}", path.replace('.', "/"))).map(Value::take);
    let Some(Value::Array(records)) = records else {
        return Err(DecodeError::Nothing(format!("this is {title}, and it has no list '{path}'")));
    };
    for record in records {
        splitter.take_object(record);
        events.row(b"", splitter, begin, sink);
    }
    events.finish(sink);
    Ok(())
}

/// A row of which a cell in quotation marks holds the end of a line, as `JMeter` writes the text of an error.
#[derive(Default)]
struct OpenRow {
    place: Option<Place>,
    bytes: Vec<u8>,
    lines: u32,
}

impl OpenRow {
    /// Lines of a cell: more show that a quotation mark is missing.
    const MOST: u32 = 200;

    /// The row that a line ends, which is most often the line itself.
    fn close<'l>(&'l mut self, place: Place, line: &'l [u8], ended: bool) -> Option<(Place, &'l [u8])> {
        let is_odd = memchr::memchr_iter(b'"', line).count() % 2 == 1;
        if self.place.is_none() && !is_odd {
            return Some((place, line));
        }
        let first = *self.place.get_or_insert(place);
        if !self.bytes.is_empty() {
            self.bytes.push(b' ');
        }
        self.bytes.extend_from_slice(line);
        self.lines += 1;
        let is_closed = self.lines > 1 && is_odd;
        let is_given_up = self.lines >= OpenRow::MOST || !ended;
        (is_closed || is_given_up).then_some((first, self.bytes.as_slice()))
    }

    fn clear(&mut self) {
        self.place = None;
        self.bytes.clear();
        self.lines = 0;
    }
}
