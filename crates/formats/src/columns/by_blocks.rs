//! Plain lines read by several threads. What a plain line says depends on no other line; all others
//! are read one after the other where they stand.

use std::io::{Cursor, Read as _};
use std::sync::atomic::{AtomicI64, Ordering};

use isotherm_frame::Place;

use super::line::{Events, Reached};
use super::quick::{Plain, Quick};
use crate::blocks::{Block, Blocks, after_last_line};
use crate::in_order::{SpentBlock, in_order};
use crate::{DecodeError, Line, LineReader, Sink};

/// A block with the events of its plain lines.
struct Read {
    block: Block,
    events: Vec<Plain>,
    odd: Vec<Odd>,
}

/// A line that is not plain.
struct Odd {
    /// How many plain lines of the block are before it.
    after: usize,
    /// Where in the block it is, with its line end.
    start: usize,
    end: usize,
}

/// Reads all lines that follow.
pub(super) fn read(
    events: &mut Events<'_>,
    lines: &mut LineReader<'_>,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let read = match events.read_lines(lines, sink) {
        Ok(Reached::PlainLines) => read_blocks(events, lines, sink),
        other => other.map(drop),
    };
    events.finish(sink);
    read
}

/// Reads the lines that follow by several threads.
fn read_blocks(
    events: &mut Events<'_>,
    lines: &mut LineReader<'_>,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let Some(quick) = events.quick else { return Ok(()) };
    let threads = events.context.readers();
    let mut place = lines.place();
    let length = events.context.block_length();
    let blocks = Blocks::new(lines.input(), place.byte, length, after_last_line);
    // Lines that are not plain may show that later ones are.
    let before = AtomicI64::new(quick.before);
    let work = |block| plain(quick.up_to(before.load(Ordering::Relaxed)), block);
    let blocks = in_order(threads, blocks, &work, &mut |read| {
        tell(events, &read, &mut place, sink);
        before.store(events.quick.map_or(quick.before, |quick| quick.before), Ordering::Relaxed);
        SpentBlock { bytes: read.block.bytes, more: true }
    });
    let (rest, input) = blocks.into_rest();
    let mut input = Cursor::new(rest).chain(input);
    events.read_lines(&mut LineReader::at(&mut input, place), sink).map(drop)
}

/// Reads the plain lines of a block.
fn plain(quick: Quick, block: Block) -> Read {
    let (mut events, mut odd, mut start) = (Vec::new(), Vec::new(), 0);
    loop {
        start += quick.read(block.bytes.get(start..).unwrap_or_default(), usize::MAX, &mut events);
        let rest = block.bytes.get(start..).unwrap_or_default();
        if rest.is_empty() {
            return Read { block, events, odd };
        }
        let end = memchr::memchr(b'\n', rest).map_or(block.bytes.len(), |end| start + end + 1);
        odd.push(Odd { after: events.len(), start, end });
        start = end;
    }
}

/// Tells what was read of a block that begins at `place`, and moves that to its end.
fn tell(events: &mut Events<'_>, read: &Read, place: &mut Place, sink: &mut dyn Sink) {
    let plain = |range| read.events.get(range).unwrap_or_default();
    let mut sent = 0;
    for odd in &read.odd {
        events.plain_lines(plain(sent..odd.after), *place, sink);
        place.line += (odd.after - sent) as u64;
        place.byte = read.block.at + odd.start as u64;
        let bytes = read.block.bytes.get(odd.start..odd.end).unwrap_or_default();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        events.line(Line { place: *place, bytes, cut: false, ended: true }, sink);
        place.line += 1;
        sent = odd.after;
    }
    events.plain_lines(plain(sent..read.events.len()), *place, sink);
    place.line += (read.events.len() - sent) as u64;
    place.byte = read.block.at + read.block.bytes.len() as u64;
}
