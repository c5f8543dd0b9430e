//! Oracle databases, asked live or about their history, through the thin driver or SQL*Plus.
//!
//! Every query gives lines of text in one format, that of the `oraclepoll` source, so that what
//! is asked live, what a script spools and what a test keeps as a fixture is decoded by the same
//! code.

mod address;
mod history;
mod options;
mod pattern;
mod poll;
mod session;
mod sqlplus;

pub(crate) use address::SCHEMES as ORACLE_SCHEMES;
pub use address::{OracleAddress, OracleAddressError, Route};
pub use history::NoMoment;
pub use options::{OracleOptions, Role};
pub(crate) use poll::Query;
pub(crate) use session::{Connect, Session, SessionError};
pub(crate) use sqlplus::error_code;
pub use sqlplus::{ScriptAsks, ScriptError, ScriptRepeats, ScriptSleep, SqlPlusScript};
