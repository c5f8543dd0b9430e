//! `/proc/diskstats`: how many requests each block device finished, and how long they took together.

mod line;
mod meta;
mod snapshots;

pub use self::line::{DeviceLine, Ticks};
pub use self::meta::LOSES;
pub use self::snapshots::{DiskStats, SOURCE};
