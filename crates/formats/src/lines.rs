//! Lines of an input, with their places, in bounded memory.

use isotherm_frame::Place;
use std::io::BufRead;

use crate::DecodeError;

/// Reads an input line by line without ever holding more than [`LineReader::LONGEST`] of it.
pub struct LineReader<'a> {
    input: &'a mut (dyn BufRead + Send),
    buffer: Vec<u8>,
    next: Place,
}

/// One line, without its end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where it begins.
    pub place: Place,
    /// Its bytes without `\n` or `\r\n`; of a line that is too long its beginning.
    pub bytes: &'a [u8],
    /// Whether it was longer than [`LineReader::LONGEST`], so that its end is missing.
    pub cut: bool,
    /// Whether a line end followed: `false` only for a last line that may be incomplete.
    pub ended: bool,
}

impl Line<'_> {
    /// The line as text, with anything that is not UTF-8 replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        // Nearly every line is text, which is found out sooner without looking for what is not.
        match std::str::from_utf8(self.bytes) {
            Ok(text) => text.into(),
            Err(_) => String::from_utf8_lossy(self.bytes),
        }
    }
}

/// What of the beginning of an input is whole lines; all of it if no line ends in it.
pub(crate) fn whole_lines(head: &[u8]) -> &[u8] {
    memchr::memrchr(b'\n', head).map_or(head, |end| &head[..end])
}

/// The whole lines of the beginning of an input that are not empty, without blanks around them.
pub(crate) fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = whole_lines(head).split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty())
}

/// How many decimals a text ends with.
pub(crate) fn decimals(text: &[u8]) -> usize {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let point = text.len().checked_sub(digits + 1).and_then(|at| text.get(at));
    if point == Some(&b'.') { digits } else { 0 }
}

/// The number of decimals that all of many texts end with: one with fewer is cut.
pub(crate) fn usual_decimals<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Option<usize> {
    /// Of a few texts zeros at the end may have been left out by chance.
    const ENOUGH: usize = 16;
    let (mut usual, mut seen) = (None, 0);
    for text in texts {
        let found = decimals(text);
        if found == 0 || usual.is_some_and(|usual| usual != found) {
            return None;
        }
        (usual, seen) = (Some(found), seen + 1);
    }
    usual.filter(|_| seen >= ENOUGH)
}

impl<'a> LineReader<'a> {
    /// The longest line kept whole, in bytes.
    pub const LONGEST: usize = 1 << 20;

    /// A reader at the beginning of `input`.
    pub fn new(input: &'a mut (dyn BufRead + Send)) -> LineReader<'a> {
        LineReader::at(input, Place { line: 1, byte: 0 })
    }

    /// A reader of what follows `next` in an input.
    pub(crate) fn at(input: &'a mut (dyn BufRead + Send), next: Place) -> LineReader<'a> {
        LineReader { input, buffer: Vec::new(), next }
    }

    /// Where the next line begins.
    pub(crate) fn place(&self) -> Place {
        self.next
    }

    /// What follows the lines given so far.
    pub(crate) fn input(&mut self) -> &mut (dyn BufRead + Send) {
        self.input
    }

    /// What is buffered beyond the lines given so far, without copying it: for a decoder that can
    /// do without a [`Line`] for most lines. Waits for input only when nothing is buffered; empty
    /// at the end of the input. After an error [`LineReader::next_line`] tries again.
    pub fn ahead(&mut self) -> std::io::Result<&[u8]> {
        self.input.fill_buf()
    }

    /// Passes over the first `bytes` of what is [`ahead`](LineReader::ahead): `lines` whole lines.
    pub fn pass(&mut self, bytes: usize, lines: u64) {
        self.input.consume(bytes);
        self.next.byte += bytes as u64;
        self.next.line += lines;
    }

    /// Takes every line that is left.
    pub fn each(&mut self, mut take: impl FnMut(Line<'_>)) -> Result<(), DecodeError> {
        while let Some(line) = self.next_line()? {
            take(line);
        }
        Ok(())
    }

    /// The next line; `None` at the end of the input.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, DecodeError> {
        self.buffer.clear();
        let place = self.next;
        let (mut cut, mut ended) = (false, false);
        while !ended {
            let available = match self.input.fill_buf() {
                Ok([]) => break,
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(DecodeError::Read { place: self.next, source }),
            };
            let end = memchr::memchr(b'\n', available);
            let used = end.map_or(available.len(), |end| end + 1);
            let text = &available[..end.unwrap_or(used)];
            let room = LineReader::LONGEST - self.buffer.len();
            self.buffer.extend_from_slice(&text[..text.len().min(room)]);
            cut |= text.len() > room;
            ended = end.is_some();
            self.input.consume(used);
            self.next.byte += used as u64;
        }
        if self.next.byte == place.byte {
            return Ok(None);
        }
        self.next.line += 1;
        let bytes = self.buffer.strip_suffix(b"\r").unwrap_or(&self.buffer);
        Ok(Some(Line { place, bytes, cut, ended }))
    }
}
