//! SQL traces (event 10046): the grammar of every version from 8i on, and what follows from it.
//!
//! [`scan`] reads a trace and tells a [`Visitor`] its records; [`Account`] says what was read and
//! what could not be.

mod bind;
mod call;
mod digits;
mod head;
mod keyword;
mod names;
mod parts;
pub mod profile;
mod record;
mod scan;
mod stars;
mod statement;
mod wait;
mod waits;

pub use names::Names;
pub use parts::{ReadAt, scan as scan_parts};
pub use record::{
    Call, CallKind, Cursor, Damage, LobCall, Notice, ParseError, Parsing, Stat, Visitor, Wait,
    Wants,
};
pub use scan::{Account, scan, scan_into, scan_slice};
pub use waits::{Histograms, Waits, histograms};
