//! Reading an input of a known format line by line.

use std::io::BufRead;

use serde_json::Value;

use isotherm_frame::Place;

use super::asked_unit::ask;
use super::choice::choose;
use super::definition::Kind;
use super::envelope::{Envelope, Opened, Piece, Pieces};
use super::events::Events;
use super::format::Format;
use super::open_row::OpenRow;
use super::recognition::around;
use super::row::{Splitter, Taken};
use crate::sink::reject;
use crate::{Context, DecodeError, LineReader, Note, Sink};

const TOO_LONG: &str = "a line longer than 1 MiB";
const DIVIDED: &str = "the input ends within a line that the container runtime divided";
const UNCLOSED: &str = "a quotation mark is not closed";
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
    if format.definition.is_histogram() {
        return read_histogram(format, input, context, sink);
    }
    let head = crate::peek(input).unwrap_or_default();
    let envelope = around(format, &head);
    let chosen = choose(format, context, &head, envelope);
    ask(format, &chosen, context, (&head, envelope))?;
    let (mut events, fields) = Events::new(format, &chosen, context, envelope.is_some(), sink)?;
    let mut splitter = Splitter::new(format, fields);
    if format.definition.kind == Kind::Document {
        return read_document(format, input, &mut events, &mut splitter, sink);
    }
    let mut lines = LineReader::new(input);
    let (mut open, mut pieces, mut divided) = (OpenRow::default(), Pieces::default(), Place { line: 1, byte: 0 });
    while let Some(line) = lines.next_line()? {
        watch(line.place, line.bytes);
        if line.cut {
            reject(sink, line.place, TOO_LONG, 0);
            continue;
        }
        // Where the last column takes the rest of a line, nearly any line can be a row.
        let unclosed = open.unclosed(line.bytes).filter(|_| !format.definition.last_open);
        if let Some(place) = unclosed.filter(|_| matches!(splitter.take(line.bytes, line.ended), Taken::Row)) {
            reject(sink, place, UNCLOSED, 0);
            open.clear();
        }
        let whole = if splitter.has_quoted_lines() {
            open.close(line.place, line.bytes, line.ended)
        } else {
            Some((line.place, line.bytes))
        };
        let Some((place, bytes)) = whole.filter(|(_, bytes)| !bytes.trim_ascii().is_empty()) else { continue };
        if envelope.is_none() && !splitter.is_of_lines() {
            let taken = splitter.take(bytes, line.ended);
            tell(taken, bytes, (line.ended, place), &splitter, &mut events, sink);
            open.clear();
            continue;
        }
        match pieces.open(envelope, bytes) {
            Piece::Whole(whole) => {
                let (whole, taken) = take(whole, bytes, line.ended, &mut splitter);
                events.stamped(whole.time.as_deref());
                tell(taken, &whole.text, (line.ended, place), &splitter, &mut events, sink);
            }
            Piece::Divided => divided = place,
            Piece::TooLong => reject(sink, place, TOO_LONG, 0),
        }
        open.clear();
    }
    reject_unfinished(&pieces, divided, &open, sink);
    events.finish(sink)
}

/// Rejects what the input ends within: a line that was divided, and a row whose quotation mark is open.
fn reject_unfinished(pieces: &Pieces, divided: Place, open: &OpenRow, sink: &mut dyn Sink) {
    if pieces.are_left() {
        reject(sink, divided, DIVIDED, 0);
    }
    if let Some(place) = open.pending() {
        reject(sink, place, UNCLOSED, 0);
    }
}

/// Reads a document that holds a histogram of one interval.
fn read_histogram(
    format: &Format,
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let definition = &format.definition;
    let document = document(&definition.title, input)?;
    for assumed in std::iter::once(definition.read_as()).chain(definition.note.clone()) {
        sink.note(Note::Assumed(assumed.into()));
    }
    if let Some(histogram) = &definition.histogram {
        super::histogram::read(histogram, &document, context, sink);
    }
    match &definition.bars {
        Some(bars) => super::bars::read(bars, &definition.title, &document, sink),
        None => Ok(()),
    }
}

/// Takes a line apart: what is no row as it stands may be one behind what syslog writes before it.
fn take<'l>(whole: Opened<'l>, line: &'l [u8], ended: bool, splitter: &mut Splitter) -> (Opened<'l>, Taken) {
    let taken = splitter.take(&whole.text, ended);
    let may_be_within = matches!(taken, Taken::Other) && splitter.is_of_lines();
    let within = may_be_within.then(|| within_syslog(line, ended, splitter)).flatten();
    within.unwrap_or((whole, taken))
}

/// A row behind what syslog writes before a line, where most lines of the input stand as they are.
fn within_syslog<'l>(line: &'l [u8], ended: bool, splitter: &mut Splitter) -> Option<(Opened<'l>, Taken)> {
    Envelope::of_syslog().into_iter().find_map(|envelope| {
        let opened = envelope.open(line)?;
        let taken = splitter.take(&opened.text, ended);
        matches!(taken, Taken::Row | Taken::Broken(..)).then_some((opened, taken))
    })
}

fn tell(
    taken: Taken,
    bytes: &[u8],
    (ended, place): (bool, Place),
    splitter: &Splitter,
    events: &mut Events<'_>,
    sink: &mut dyn Sink,
) {
    match taken {
        Taken::Row => {
            if !ended {
                sink.note(Note::Said(NOT_ENDED.into()));
            }
            events.row(bytes, splitter, place, sink);
        }
        Taken::Other => sink.note(Note::Ignored),
        Taken::Lost(number) => events.lost(number, sink),
        Taken::Sent(number) => events.sent(number, sink),
        Taken::Run(totals) => {
            sink.note(Note::Ignored);
            events.run(totals, sink);
        }
        Taken::Broken(reason, stands_for) => reject(sink, place, reason, stands_for),
    }
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
    events.finish(sink)
}
