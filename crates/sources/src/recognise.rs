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
    match judge(SOURCES, head) {
        Some((_, source)) => Recognition::Known(source),
        None => Recognition::Unknown,
    }
}

/// The most certain claim to `head`, if any of `sources` makes one.
pub(crate) fn judge(
    sources: &[&'static dyn Source],
    head: &[u8],
) -> Option<(Verdict, &'static dyn Source)> {
    let head = &head[..head.len().min(HEAD)];
    let claims = sources.iter().map(|source| (source.sniff(head), *source));
    let best = claims.rev().max_by_key(|(verdict, _)| *verdict);
    best.filter(|(verdict, _)| *verdict != Verdict::No)
}

/// Reads the beginning of an input: until [`HEAD`] bytes are there, the input ends, or, when it
/// is a live one that pauses, what one read gives.
pub fn peek(input: &mut (dyn BufRead + Send)) -> io::Result<Vec<u8>> {
    input.fill_buf().map(|available| available[..available.len().min(HEAD)].to_vec())
}
