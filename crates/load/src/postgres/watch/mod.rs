//! What the server and its operating system tell about a load.

mod counts;
mod facts;
mod roster;

pub use counts::{Counters, of_processes};
pub use facts::Facts;
pub use roster::Roster;
