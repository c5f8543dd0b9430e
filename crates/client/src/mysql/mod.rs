//! `MySQL` and `MariaDB`: logging on, and the text protocol.

mod auth;
mod error;
mod fields;
mod greeting;
mod packets;
mod rows;
mod session;

pub use error::{MySqlError, ServerFault};
pub use rows::{Row, Rows, answer};
pub use session::{Login, Session};
