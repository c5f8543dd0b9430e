//! `MySQL` and `MariaDB`, asked live.

mod address;
mod live;
mod meta;
mod polled;
mod server;

pub(crate) use self::live::LIVE;
pub(crate) use self::polled::read_any;
