//! Finding the decoder of an input by its content.

use std::io::{self, BufRead};

use crate::{SOURCES, Source, Verdict};

/// Whose an input is.
pub enum Recognition {
    /// Exactly one decoder claims it.
    Known(&'static dyn Source),
    /// The input is empty.
    Empty,
    /// No decoder claims it.
    Unknown,
}

/// How much of an input decoders see before they decide, in bytes.
pub const HEAD: usize = 64 << 10;

/// Asks every decoder whether `head` is its own. A `Yes` beats an `Unsure`; among equals the
/// first one listed wins.
pub fn recognise(head: &[u8]) -> Recognition {
    if head.iter().all(u8::is_ascii_whitespace) {
        return Recognition::Empty;
    }
    let head = &head[..head.len().min(HEAD)];
    let verdicts = SOURCES.iter().map(|source| (source.sniff(head), *source));
    let best = verdicts.rev().max_by_key(|(verdict, _)| *verdict);
    match best {
        Some((Verdict::Yes | Verdict::Unsure, source)) => Recognition::Known(source),
        _ => Recognition::Unknown,
    }
}

/// Reads the beginning of an input: until [`HEAD`] bytes are there, the input ends, or, when it
/// is a live one that pauses, what one read gives.
pub fn peek(input: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    input.fill_buf().map(|available| available[..available.len().min(HEAD)].to_vec())
}
