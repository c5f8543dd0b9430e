//! The bytes of a part of a file.

use std::io::{self, BufReader, Read};
use std::ops::Range;

use isotherm_frame::Place;
use isotherm_oracle::trace::ReadAt;
use memchr::memchr_iter;

use crate::{ByteRange, DecodeError};

/// A file and a range of its bytes, of which the records are wanted that begin in it. Where a record
/// begins is found by one function, so that adjoining ranges hold every record once.
pub struct FilePart<'f> {
    bytes: &'f dyn ReadAt,
    size: u64,
    /// The range that is asked for, within the file.
    pub(crate) asked: Range<u64>,
}

/// Which ends of a file a part of it holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Its first record is the first of the file.
    pub from_beginning: bool,
    /// Its last record is the last of the file.
    pub to_end: bool,
}

impl<'f> FilePart<'f> {
    /// This range of a file.
    pub fn new(bytes: &'f dyn ReadAt, range: ByteRange) -> io::Result<FilePart<'f>> {
        let size = bytes.size()?;
        let to = range.to.unwrap_or(size).min(size);
        Ok(FilePart { bytes, size, asked: range.from.min(to)..to })
    }

    /// The length of the file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Which ends of the file records from `range` hold.
    pub(crate) fn reach(&self, range: &Range<u64>) -> Reach {
        Reach { from_beginning: range.start == 0, to_end: range.end >= self.size }
    }

    /// The bytes of a range, to be read once.
    pub(crate) fn reader(&self, range: Range<u64>) -> BufReader<PartReader<'f>> {
        /// As much as whole files are read by.
        const BUFFER: usize = 128 << 10;
        let reader =
            PartReader { bytes: self.bytes, at: range.start, end: range.end.min(self.size) };
        BufReader::with_capacity(BUFFER, reader)
    }

    /// The bytes of a range, held at once.
    pub(crate) fn held(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader(range).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// From the first line that begins in the range to the first that begins at its end or behind it.
    pub(crate) fn lines(&self) -> io::Result<Range<u64>> {
        Ok(self.line_from(self.asked.start)?..self.line_from(self.asked.end)?)
    }

    /// Where the first line begins that begins at `at` or behind it.
    pub(crate) fn line_from(&self, at: u64) -> io::Result<u64> {
        /// About the length of some hundred lines.
        const WINDOW: u64 = 16 << 10;
        let mut from = at.saturating_sub(1);
        while at > 0 && from < self.size {
            let window = self.held(from..from + WINDOW)?;
            if let Some(end) = memchr::memchr(b'\n', &window) {
                return Ok(from + end as u64 + 1);
            }
            from += WINDOW;
        }
        Ok(if at == 0 { 0 } else { self.size })
    }

    /// How many lines end before `at`. Reads all that stands there.
    pub(super) fn lines_before(&self, at: u64) -> io::Result<u64> {
        let (mut reader, mut buffer, mut lines) = (self.reader(0..at), vec![0; 256 << 10], 0);
        loop {
            let read = reader.read(&mut buffer)?;
            if read == 0 {
                return Ok(lines);
            }
            lines += memchr_iter(b'\n', buffer.get(..read).unwrap_or_default()).count() as u64;
        }
    }
}

/// What could not be read of a part, with the place.
pub(crate) fn unread(byte: u64) -> impl Fn(io::Error) -> DecodeError {
    move |source| DecodeError::Read { place: Place { line: 0, byte }, source }
}

/// Why a part cannot be read by itself, and what to do instead.
pub(crate) fn refusal(why: &str) -> DecodeError {
    DecodeError::Request(format!("a range of it cannot be read by itself: {why}"))
}

/// Bytes from one place of a file to another.
pub(crate) struct PartReader<'f> {
    bytes: &'f dyn ReadAt,
    at: u64,
    end: u64,
}

impl Read for PartReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let read = self.bytes.read_at(buffer.get_mut(..wanted).unwrap_or_default(), self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjoining_ranges_hold_every_line_once() {
        let text: &[u8] = b"one\n\ntwo two\nthree";
        let starts = [0, 4, 5, 13];
        for from in 0..=text.len() as u64 {
            for to in from..=text.len() as u64 + 2 {
                let part = FilePart::new(&text, ByteRange { from, to: Some(to) }).unwrap();
                let lines = part.lines().unwrap();
                let inside = |start: &u64| (from..to).contains(start);
                let held = starts.into_iter().filter(|start| lines.contains(start));
                assert!(held.eq(starts.into_iter().filter(inside)), "{from}..{to}: {lines:?}");
            }
        }
    }
}
