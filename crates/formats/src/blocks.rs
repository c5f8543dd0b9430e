//! An input in blocks that end where a record does, so that each can be read by itself.

use std::io::{BufRead, Read as _};

use crate::LineReader;

/// Where in some bytes the last record begins that is not to be in a block with those before it.
pub(crate) type Cut = fn(&[u8]) -> Option<usize>;

/// Cuts an input into blocks. What is left at its end, and everything from where it cannot be cut
/// any more, is for a reader that reads one thing after the other.
pub(crate) struct Blocks<'i> {
    input: &'i mut (dyn BufRead + Send),
    cut: Cut,
    /// The length of a block, about.
    length: usize,
    /// Where the next block begins in the input.
    at: u64,
    rest: Vec<u8>,
    ended: bool,
    spare: Vec<Vec<u8>>,
}

/// Bytes from one cut to the next.
pub(crate) struct Block {
    /// Where they begin in the input.
    pub at: u64,
    pub bytes: Vec<u8>,
}

impl<'i> Blocks<'i> {
    /// As much as the nearest caches hold, with what becomes of it.
    pub(crate) const LENGTH: usize = 512 << 10;

    /// Where so much cannot be cut, one thing after the other is read from there on.
    const LONGEST: usize = LineReader::LONGEST;

    /// The blocks of an input of which `at` bytes have been read.
    pub(crate) fn new(
        input: &'i mut (dyn BufRead + Send),
        at: u64,
        length: usize,
        cut: Cut,
    ) -> Blocks<'i> {
        Blocks { input, cut, length, at, rest: Vec::new(), ended: false, spare: Vec::new() }
    }

    /// The next block; `None` where no more can be cut off.
    pub(crate) fn next(&mut self) -> Option<Block> {
        if self.ended {
            return None;
        }
        let mut bytes = std::mem::take(&mut self.rest);
        let mut cut = None;
        while cut.is_none() && !self.ended && bytes.len() < Blocks::LONGEST {
            let length = bytes.len() / self.length * self.length + self.length;
            self.fill(&mut bytes, length);
            cut = (self.cut)(&bytes).filter(|&at| at > 0 && !self.ended);
        }
        let Some(cut) = cut else {
            (self.rest, self.ended) = (bytes, true);
            return None;
        };
        self.rest = self.spare.pop().unwrap_or_default();
        self.rest.clear();
        self.rest.extend_from_slice(bytes.get(cut..).unwrap_or_default());
        bytes.truncate(cut);
        let at = self.at;
        self.at += cut as u64;
        Some(Block { at, bytes })
    }

    /// Takes back the memory of a block.
    pub(crate) fn recycle(&mut self, bytes: Vec<u8>) {
        self.spare.push(bytes);
    }

    /// What was read and is in no block, and the input that follows it.
    pub(crate) fn into_rest(self) -> (Vec<u8>, &'i mut (dyn BufRead + Send)) {
        (self.rest, self.input)
    }

    /// Reads until there are so many bytes, the input ends or fails: who reads the rest meets that
    /// again.
    fn fill(&mut self, bytes: &mut Vec<u8>, length: usize) {
        let more = length.saturating_sub(bytes.len());
        bytes.reserve_exact(more);
        let read = (&mut *self.input).take(more as u64).read_to_end(bytes);
        self.ended |= bytes.len() < length || read.is_err();
    }
}

/// The end of the last line.
pub(crate) fn after_last_line(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr(b'\n', bytes).map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_the_rest_are_the_input() {
        let text = b"one\ntwo\nthree\n\nfour is long enough\nfive";
        for length in 1..50 {
            let mut input = &text[..];
            let mut blocks = Blocks::new(&mut input, 7, length, after_last_line);
            let mut read = Vec::new();
            while let Some(Block { at, bytes }) = blocks.next() {
                assert_eq!(at, 7 + read.len() as u64);
                assert!(bytes.ends_with(b"\n"));
                read.extend_from_slice(&bytes);
                blocks.recycle(bytes);
            }
            let (rest, input) = blocks.into_rest();
            read.extend_from_slice(&rest);
            input.read_to_end(&mut read).unwrap();
            assert_eq!(read, text, "{length}");
        }
    }
}
