//! Redis' protocol, RESP2.

pub mod inbox;
mod place;
pub mod replies;
pub mod stream;

pub use place::{Login, Place, RedisAddressError, login, place};
