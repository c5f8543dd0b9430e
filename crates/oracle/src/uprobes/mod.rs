//! bpftrace programs that look inside Oracle: how long its waits and logical reads take, told
//! apart by wait event or object, and with the system calls made meanwhile.
//!
//! [`Request::program`] is a pure function from what is asked for to the text of a program. What
//! the program prints tells the reader of its output which series its maps hold, with lines that
//! begin with `isotherm-`:
//!
//! * `isotherm-totals`: all counts are totals since this moment
//! * `isotherm-series @MAP UNIT NAME`: what a histogram map holds, `UNIT` being `ns`, `us`, or a
//!   number of nanoseconds such as `1024ns`, and `NAME` having `{KIND}` in place of each part of
//!   the map's key
//! * `isotherm-name KIND KEY NAME`: what a key of that kind stands for

mod boundary;
mod names;
mod notes;
mod program;
mod program_text;
mod request;
mod session_place;
mod symbols;
mod template;
mod version;

pub use boundary::{Boundary, boundary};
pub use names::{NamesError, NamesRead, NumberedName, names};
pub use program_text::{comment, is_path, literal};
pub use request::{Clock, Filter, Grouping, Kind, Request, RequestError, Target};
pub use session_place::{SessionPlace, SessionPlaceError};
pub use symbols::{Symbol, SymbolsError, find_symbols};
pub use version::{OracleVersion, VersionError};
