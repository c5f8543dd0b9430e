//! The load: connections that execute prepared statements as fast as they are answered.

mod postgres_lane;
mod reconnect;
mod session;
mod statements;

pub use postgres_lane::{PostgresLane, Workers};
pub use session::Link;
pub use statements::Statements;
