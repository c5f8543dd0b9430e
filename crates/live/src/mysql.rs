//! `MySQL` and `MariaDB`, asked live.

mod address;
mod live;
mod meta;
mod polled;
mod server;

pub(crate) static LIVE: live::Servers = live::Servers;

pub(crate) use self::polled::read_any;
