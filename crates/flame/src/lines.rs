//! Lines of a stream, in bounded memory.

use std::io::{self, Read};

use memchr::memchr;

/// How much is read at once.
const CHUNK: usize = 256 << 10;
/// The longest line. What is longer is cut: no stack has it.
const LONGEST: usize = 1 << 20;

/// Reads lines without their ends.
pub(crate) struct Lines<'i> {
    input: &'i mut dyn Read,
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// Whether nothing more comes.
    ended: bool,
    /// Whether the rest of a line that was cut is still to be skipped.
    cut: bool,
    /// Bytes handed out.
    pub bytes: u64,
}

impl<'i> Lines<'i> {
    pub fn new(input: &'i mut dyn Read) -> Lines<'i> {
        let buffer = vec![0; CHUNK];
        Lines { input, buffer, start: 0, filled: 0, ended: false, cut: false, bytes: 0 }
    }

    /// The beginning of what is to be read, for recognising it: up to a chunk.
    pub fn head(&mut self) -> io::Result<&[u8]> {
        while !self.ended && self.filled < CHUNK {
            self.fill()?;
        }
        Ok(&self.buffer[self.start..self.filled])
    }

    /// The next line; `None` after the last.
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            let held = &self.buffer[self.start..self.filled];
            let (length, used) = match memchr(b'\n', held) {
                Some(at) => (at, at + 1),
                None if held.len() >= LONGEST => (held.len(), held.len()),
                None if self.ended && held.is_empty() => return Ok(None),
                None if self.ended => (held.len(), held.len()),
                None => {
                    self.fill()?;
                    continue;
                }
            };
            let (start, is_rest) = (self.start, self.cut);
            self.cut = length == used && !self.ended;
            self.start += used;
            self.bytes += used as u64;
            if is_rest {
                continue;
            }
            let line = &self.buffer[start..start + length];
            return Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)));
        }
    }

    /// Reads more behind what is held.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(2 * self.filled, 0);
        }
        match self.input.read(&mut self.buffer[self.filled..]) {
            Ok(0) => self.ended = true,
            Ok(read) => self.filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(mut input: &[u8]) -> Vec<usize> {
        let mut lines = Lines::new(&mut input);
        let mut lengths = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            lengths.push(line.len());
        }
        lengths
    }

    #[test]
    fn lines_end_with_line_feeds_or_with_the_input() {
        assert_eq!(lines_of(b"ab\r\n\nc"), [2, 0, 1]);
        assert_eq!(lines_of(b""), [0_usize; 0]);
    }

    #[test]
    fn a_line_without_end_is_cut_and_what_follows_is_read() {
        let mut input = vec![b'x'; 5 * LONGEST];
        input.extend_from_slice(b"\nabc\n");
        let lengths = lines_of(&input);
        assert!(lengths[0] >= LONGEST && lengths[0] < 2 * LONGEST, "{lengths:?}");
        assert_eq!(lengths[1..], [3]);
    }
}
