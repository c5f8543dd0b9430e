//! Parts of files.

use std::io::Cursor;
use std::path::Path;

use super::compressed::compression_of;
use super::error::ReadError;
use super::opening::{choose, open_file};
use super::plain_text::PlainText;
use crate::file_part::{FilePart, Reach};
use crate::unread_options::check;
use crate::{ByteRange, Context, DecodeError, HEAD, SOURCES, Sink, Source};

/// Decodes the records that begin in a range of a file. The decoder is `as_source` or recognised by how
/// the file begins. Says which ends of the file the range holds.
pub fn decode_part(
    (path, range): (&Path, ByteRange),
    context: &Context,
    as_source: Option<&'static dyn Source>,
    sink: &mut dyn Sink,
) -> Result<Reach, ReadError> {
    let unreadable = |error| ReadError::unreadable(path, error);
    let file = open_file(path)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(refused("a range needs a file: a pipe or a device is read whole"));
    }
    let part = FilePart::new(&file, range).map_err(unreadable)?;
    let head = part.held(0..HEAD as u64).map_err(unreadable)?;
    if let Some(name) = compression_of(&head) {
        let why = format!(
            "the file is compressed ({name}), and a range of it cannot be found: decompress it first, or \
             read it whole"
        );
        return Err(refused(&why));
    }
    let plain = PlainText::new(Box::new(Cursor::new(head.clone())));
    let plain = plain.and_then(|text| text.fit(as_source, context)).map_err(unreadable)?;
    if !plain.changes.is_empty() {
        return Err(refused(
            "something that is no part of the text has to be taken away (a byte order mark, a margin, a \
             foreword), and a range of what is left cannot be found: read the whole file",
        ));
    }
    let source = choose(path, &head, as_source, SOURCES)?;
    check(source, context, sink)?;
    Ok(source.decode_part(&part, context, sink)?)
}

fn refused(why: &str) -> ReadError {
    DecodeError::Request(why.to_owned()).into()
}
