//! Inputs that are read to their end: files, pipes whose writer has finished, and live sources that end.

use isotherm_formats::{Bytes, Context, Message, Note, Sink, Source, decode_bytes};

use super::LiveOptions;
use super::failure::OpenError;
use crate::Address;
use crate::running::Feed;

/// Decodes a file, standard input or a source that comes to its end, such as a history. The decoder
/// is `as_source` or recognised by content.
pub fn decode_all(
    address: &Address,
    context: &Context,
    as_source: Option<&'static dyn Source>,
    sink: &mut dyn Sink,
) -> Result<(), OpenError> {
    if let Address::Live(live) = address
        && live.target().has_end()
    {
        return drain(address, context, sink);
    }
    Ok(decode_bytes(open_bytes(address)?, context, as_source, sink)?)
}

/// Opens the bytes of a file or of standard input; an error for what is neither.
pub fn open_bytes(address: &Address) -> Result<Bytes, OpenError> {
    match address {
        Address::Stdin => Ok(Bytes::stdin()?),
        Address::File(path) => Ok(Bytes::file(path)?),
        Address::Live(live) => Err(OpenError::Endless(live.to_string())),
    }
}

/// The bytes of a file or of standard input, without their compression, for a reader that needs
/// them all at once; and what to tell the user if the compression was damaged. An input of more
/// than `most` bytes is an error.
pub fn read_whole(address: &Address, most: u64) -> Result<(Vec<u8>, Option<String>), OpenError> {
    Ok(open_bytes(address)?.whole(most)?)
}

/// Reads a live source that comes to its end, as its feed gives it.
fn drain(address: &Address, context: &Context, sink: &mut dyn Sink) -> Result<(), OpenError> {
    let options = LiveOptions { context: context.clone(), ..LiveOptions::default() };
    let feed = Feed::open(address, &options)?;
    for batch in feed.receiver() {
        for message in batch.messages {
            match message {
                Message::Warning(text) => sink.note(Note::Said(text.into())),
                // Of an input that is whole the events themselves say what was measured.
                Message::Alive(_) | Message::Waiting(_) => {}
                other => sink.take(other),
            }
        }
        if let Some(error) = batch.ending.and_then(|ending| ending.error) {
            return Err(error.into());
        }
    }
    Ok(())
}
