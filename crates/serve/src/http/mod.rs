//! Requests and answers: one to a connection, with limits on everything.

mod head;
mod limits;
mod read;
mod refusal;
mod response;

pub use head::{Head, Method, parse_head};
pub use limits::Limits;
pub use read::{Request, read_request};
pub use refusal::Refusal;
pub use response::{Response, write_all_within};
