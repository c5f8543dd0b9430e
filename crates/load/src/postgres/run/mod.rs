//! The load: connections that execute prepared statements as fast as they are answered.

mod lane;
mod reconnect;
mod session;
mod statements;

pub use lane::{Lane, Workers};
pub use session::Link;
pub use statements::Statements;
