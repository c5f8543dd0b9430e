//! SQL traces (event 10046): the grammar of every version from 8i on, and what follows from it.
//!
//! [`scan`] reads a trace and tells a [`Visitor`] its records; [`Account`] says what was read and
//! what could not be.

mod attribute;
mod bind;
mod bind_line;
mod boundary;
mod call;
mod chosen;
mod digits;
mod dispatch;
mod head;
mod keyword;
mod length;
mod lines;
mod names;
mod parameters;
mod parts;
mod pieces;
pub mod profile;
mod record;
mod scan;
mod session;
mod stamp;
mod stars;
mod statement;
mod steps;
mod timeline;
mod unit;
mod user_calls;
mod wait;
mod waits;
mod whole;
mod writer;

pub use attribute::{Attribute, COMMON_ATTRIBUTES};
pub use bind_line::BindLine;
pub use boundary::{first_record, first_record_line, last_stamp};
pub use chosen::{CutCalls, TraceSpan, WithinRange};
pub use keyword::begins_trace;
pub use names::Names;
pub use parameters::Parameters;
pub use parts::{ReadAt, scan as scan_parts};
pub use pieces::{LineBefore, last_record, scan_piece, scan_rest};
pub use record::{
    Call, CallKind, Cursor, Damage, LobCall, Notice, ParseError, Parsing, Stat, Visitor, Wait,
    Wants,
};
pub use scan::{Account, NO_SQL_TRACE, scan, scan_into, scan_slice};
pub use session::Session;
pub use stamp::Stamp;
pub use steps::{TraceSteps, TracedSteps};
pub use timeline::{Remark, Timeline};
pub use unit::TraceUnit;
pub use user_calls::{CallCounts, UserCalls, UserStatement};
pub use waits::{Histograms, Waits, histograms};
pub use whole::ReadTrace;
