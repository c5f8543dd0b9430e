//! `PostgreSQL`'s protocol, version 3, spoken by hand: what an operation needs is one message out
//! and one answer in, and a client that needs more CPU than its server measures itself.

pub mod address;
pub mod control;
pub mod error;
mod logon;
mod raw;
mod server_message;
pub mod stream;
pub mod talk;
#[cfg(feature = "tls")]
mod tls;
pub mod wire;
#[cfg(not(feature = "tls"))]
mod without_tls;

pub use server_message::ServerMessage;
