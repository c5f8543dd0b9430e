//! The beginning of an input, by which its decoder is found.

use std::io::{self, BufRead};

/// How much of an input decoders see before they decide, in bytes.
pub const HEAD: usize = 64 << 10;

/// Reads the beginning of an input: until [`HEAD`] bytes are there, the input ends, or, when it
/// is a live one that pauses, what one read gives.
pub fn peek(input: &mut (dyn BufRead + Send)) -> io::Result<Vec<u8>> {
    input.fill_buf().map(|available| available[..available.len().min(HEAD)].to_vec())
}
