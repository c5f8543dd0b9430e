//! `/proc/diskstats`: how many requests each block device finished, and how long they took together.

mod line;
mod live;
mod meta;
mod snapshots;

pub(crate) use self::live::LIVE;
pub(crate) use self::snapshots::SOURCE;
