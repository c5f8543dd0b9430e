//! A part of a trace. What its waits need of the lines before it is found by reading these backwards: what
//! sets the clock at the beginning, the last stamp, and the times since.

use std::io;
use std::ops::Range;

use isotherm_oracle::trace::{
    Account, Attribute, LineBefore, first_record, first_record_line, last_stamp, scan_piece,
    scan_rest,
};

use super::by_blocks;
use super::reader::{Reader, Stretch};
use crate::file_part::{FilePart, InRange, Latest, Reach, refusal, unread};
use crate::{Context, DecodeError, Sink};

/// Reads the waits of the records that begin in a part.
pub(super) fn read(
    part: &FilePart<'_>,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<Reach, DecodeError> {
    check(context)?;
    let trace = Trace { part, chunk: context.block_length() as u64 };
    let (from, to) = (part.asked.start, part.asked.end);
    let range = trace.record_from(from).map_err(unread(from))?
        ..trace.record_from(to).map_err(unread(to))?;
    let latest = Latest::default();
    let mut sink = InRange::new(sink, part, (range.start, &latest));
    let mut reader = Reader::new(context, &mut sink);
    let mut account = Account { bytes: range.start, ..Account::default() };
    let mut before = LineBefore::default();
    if !range.is_empty() {
        reader.enter(Stretch::Before);
        before = trace.lead_up(&mut reader, range.start).map_err(unread(range.start))?;
    }
    reader.enter(Stretch::Within);
    let mut inside = part.reader(range.clone());
    let read = if context.readers() > 1 && reader.is_plain() {
        by_blocks::read(&mut inside, context, &mut reader, (&mut account, before))
    } else {
        scan_rest(&mut inside, &mut reader, &mut account, before)
    };
    read.map_err(unread(account.bytes))?;
    reader.enter(Stretch::After);
    trace.follow(&mut reader, range.end, &latest).map_err(unread(range.end))?;
    reader.finish_part(&account)?;
    Ok(part.reach(&range))
}

/// Fails where waits are told apart by what was said any time before them.
fn check(context: &Context) -> Result<(), DecodeError> {
    let named = context.by.iter().chain(context.only.iter().map(|only| &only.attribute));
    match named.map(|name| Attribute::named(name.trim())).find(|attribute| !attribute.is_of_wait())
    {
        Some(Attribute { name, .. }) => Err(refusal(&format!(
            "'{name}' of a wait is what any line before it said last. Read the whole file, or use attributes \
             of the wait itself (event, file, object, p1, ...)"
        ))),
        None => Ok(()),
    }
}

/// So often what looked like a stamp may turn out to be a line of a statement.
const TRIES: usize = 4;

/// A trace, of which pieces are read.
struct Trace<'p, 'f> {
    part: &'p FilePart<'f>,
    /// How much is read at once, in bytes.
    chunk: u64,
}

/// Records read one piece after the other.
#[derive(Default)]
struct Pieces {
    /// What was read and is part of no record that has ended.
    open: Vec<u8>,
    /// Where the next piece begins.
    at: u64,
    before: LineBefore,
}

impl Trace<'_, '_> {
    /// So far before a place a record is looked for from which on records are counted off up to it: longer
    /// than statements and values of bind variables are.
    fn lead(&self) -> u64 {
        8 * self.chunk
    }

    /// Where the first record begins that begins at `at` or behind it.
    fn record_from(&self, at: u64) -> io::Result<u64> {
        let size = self.part.size();
        if at == 0 || at >= size {
            return Ok(at.min(size));
        }
        let mut begin = at.saturating_sub(self.lead());
        if begin > 0 {
            let window = self.part.held(begin..at)?;
            let Some(record) = first_record_line(&window) else { return self.part.line_from(at) };
            begin += record as u64;
        }
        let mut end = at.saturating_add(self.chunk);
        loop {
            let window = self.part.held(begin..end)?;
            let wanted = usize::try_from(at - begin).unwrap_or(usize::MAX);
            if let Some(record) = first_record(&window, wanted, end >= size) {
                return Ok(begin + record as u64);
            }
            if end - at > self.lead() {
                return self.part.line_from(at);
            }
            end = end.saturating_add(self.chunk);
        }
    }

    /// Tells a reader what it must know of the records before `start`.
    fn lead_up(&self, reader: &mut Reader<'_>, start: u64) -> io::Result<LineBefore> {
        let mut head = Pieces::default();
        while !reader.is_settled() && head.at < start {
            self.piece(&mut head, reader, start)?;
        }
        let settled = head.at - head.open.len() as u64;
        // Without times of their own, waits are placed by all before them.
        if head.at >= start || reader.is_walked() {
            return self.pieces(head, reader, start);
        }
        let mut newest = start;
        for _ in 0..TRIES {
            let stamp = self.stamp_before(settled..newest)?;
            let from = self.record_from(stamp.unwrap_or(start).saturating_sub(self.lead()))?;
            if from <= settled {
                return self.pieces(head, reader, start);
            }
            let stamps = reader.stamps();
            let before = self.pieces(Pieces { at: from, ..Pieces::default() }, reader, start)?;
            match stamp {
                // A line of a statement looked like a stamp.
                Some(stamp) if reader.stamps() == stamps => newest = stamp,
                _ => return Ok(before),
            }
        }
        // Statements full of such lines: all that comes before is read once.
        self.pieces(head, reader, start)
    }

    /// Where the last stamp within a range stands.
    fn stamp_before(&self, range: Range<u64>) -> io::Result<Option<u64>> {
        /// A line with a stamp is no longer.
        const LINE: u64 = 4 << 10;
        let mut end = range.end;
        while end > range.start {
            let begin = end.saturating_sub(self.chunk).max(range.start);
            let window = self.part.held(begin..(end + LINE).min(range.end))?;
            if let Some(stamp) = last_stamp(&window) {
                return Ok(Some(begin + stamp as u64));
            }
            end = begin;
        }
        Ok(None)
    }

    /// Tells a reader the records up to `end`.
    fn pieces(
        &self,
        mut pieces: Pieces,
        reader: &mut Reader<'_>,
        end: u64,
    ) -> io::Result<LineBefore> {
        while pieces.at < end {
            self.piece(&mut pieces, reader, end)?;
        }
        Ok(pieces.before)
    }

    /// Tells a reader one more piece of what ends at `end`. What is longer than a record can be is passed over.
    fn piece(&self, pieces: &mut Pieces, reader: &mut Reader<'_>, end: u64) -> io::Result<()> {
        let to = pieces.at.saturating_add(self.chunk).min(end);
        pieces.open.extend(self.part.held(pieces.at..to)?);
        pieces.at = to;
        let mut account = Account::default();
        let used = scan_piece(&pieces.open, reader, &mut account, &mut pieces.before);
        pieces.open.drain(..used);
        if pieces.at == end && !pieces.open.is_empty() {
            let before = std::mem::take(&mut pieces.before);
            scan_rest(&mut pieces.open.as_slice(), reader, &mut account, before)?;
            pieces.open.clear();
        }
        if pieces.open.len() as u64 > self.lead() {
            pieces.open.clear();
        }
        Ok(())
    }

    /// Reads on behind a part until the moment of each of its waits is known and something ended later.
    fn follow(&self, reader: &mut Reader<'_>, end: u64, latest: &Latest) -> io::Result<()> {
        /// Pieces in which the next event is looked for.
        const MOST: u64 = 32;
        let (size, last) = (self.part.size(), latest.get());
        let mut pieces = Pieces { at: end, ..Pieces::default() };
        loop {
            let has_next = latest.get().is_none() || latest.get() > last;
            let is_far = pieces.at - end > MOST * self.chunk;
            if pieces.at >= size || !reader.holds_any() && (has_next || is_far) {
                return Ok(());
            }
            self.piece(&mut pieces, reader, size)?;
        }
    }
}
