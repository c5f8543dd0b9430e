//! Frames kept on disk: one `.heat` file, an SQLite database that anything can query.
//!
//! A recording is appended to while it runs, readable while it is written, and whole after a
//! `kill -9`: every batch of frames is one transaction. See `docs/format.md` for the schema.

mod about;
mod batch;
mod beginning;
mod bounds;
mod checksum;
mod codec;
mod connect;
mod earlier;
mod error;
pub mod export;
mod frames;
pub mod import;
mod layout;
mod lock;
mod meta;
mod place;
mod reader;
mod rotation;
mod schema;
mod secrets;
mod silence;
mod upgrade;
mod writer;

pub use about::{About, Mark, Tally};
pub use batch::Refused;
pub use error::RecordingError;
pub use frames::Frames;
pub use layout::{is_database, is_recording};
pub use place::Lost;
pub use reader::Reader;
pub use rotation::LetGo;
pub use secrets::{secrets_in, without_secrets};
pub use silence::Silence;
pub use writer::{Durability, Writer, mark};
