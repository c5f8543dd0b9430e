//! The server as its clients see it: over real connections.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

mod client;
mod documents;
mod hostile;
mod refusals;
mod streams;
