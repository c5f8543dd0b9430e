//! Logging on to a database: who, how, and what became of it.
//!
//! Oracle's own thin driver blocks where it should give up (a peer that accepts and never answers)
//! and panics where it should refuse (a server that requires native encryption). So it is kept at
//! arm's length: what it does is done in a [`shelter`], and its errors become [`ClientError`]s that
//! say what to do. Whoever calls it does so in a thread that can be left behind.

mod codes;
#[cfg(feature = "client")]
mod connect;
#[cfg(feature = "client")]
mod error;
#[cfg(feature = "client")]
mod explain;
mod logon;
mod secret;
mod shelter;

pub use codes::ends_session;
#[cfg(feature = "client")]
pub use connect::{Limits, connect};
#[cfg(feature = "client")]
pub use error::{ClientError, ErrorKind};
#[cfg(feature = "client")]
pub use explain::{no_answer, panicked};
pub use logon::{Logon, Role};
#[cfg(feature = "client")]
pub use oracledb;
pub use secret::Secret;
pub use shelter::{is_sheltered, shelter};
