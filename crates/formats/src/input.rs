//! Bytes on their way to a decoder: opened, without their compression and what stands around a text, with
//! the decoder that reads them, and a look at whether what came of it can be.

mod bytes;
mod compressed;
mod endless;
mod error;
mod gate;
pub mod opening;
mod part;
mod plain_text;
mod plausible_sink;
mod unrecognised;

pub use bytes::{Bytes, decode_bytes};
pub use compressed::Damage;
pub use error::ReadError;
pub use part::decode_part;
pub use plain_text::{LastLine, PlainText, Said, live_text};
pub use plausible_sink::{CountedInput, LastLineRead, PlausibleSink};
pub use unrecognised::{Unrecognised, printable};
