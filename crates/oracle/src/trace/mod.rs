//! SQL traces (event 10046): the grammar of every version from 8i on, and what follows from it.

pub mod profile;
mod record;

pub use record::{
    Call, CallKind, Cursor, LobCall, Notice, ParseError, Parsing, Stat, Visitor, Wait,
};
