//! What the server and its operating system tell about a load.

mod backends;
mod counts;
mod facts;

pub use backends::Backends;
pub use counts::{Counters, of_processes};
pub use facts::Facts;
