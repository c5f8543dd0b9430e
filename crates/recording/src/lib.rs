#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

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
mod limits;
mod lock;
mod meta;
mod place;
mod reader;
mod rotation;
pub mod rows;
mod schema;
mod secrets;
mod silence;
mod upgrade;
mod writer;

pub use about::{About, RecordedMark};
pub use batch::Refused;
pub use error::RecordingError;
pub use frames::Frames;
pub use layout::{is_database, is_recording};
pub use place::Lost;
pub use reader::Reader;
pub use rotation::LetGo;
pub use secrets::{secrets_in, without_secrets};
pub use silence::Silence;
pub use writer::{Durability, Writer, discard, mark, put_in_place};
