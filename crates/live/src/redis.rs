//! Redis, asked live.

mod address;
mod answer;
mod events;
mod live;
mod session;
mod slow_commands;

pub(crate) use self::answer::read_any;
pub(crate) use self::live::LIVE;
