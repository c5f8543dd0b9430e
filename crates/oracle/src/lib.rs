#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod awr;
pub mod client;
mod identifier;
pub mod idle;
pub mod trace;
pub mod uprobes;
pub mod wait_histogram;

pub use identifier::identifier;
