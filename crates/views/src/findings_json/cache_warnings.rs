//! Warnings about latencies for programs.

use isotherm_analysis::CacheWarning;
use schemars::JsonSchema;
use serde::Serialize;

/// A warning: latencies may not be those of a device.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind")]
#[schemars(rename = "Warning")]
pub(super) enum CacheWarningJson {
    /// Reads that no such device can do.
    #[serde(rename = "faster than the device")]
    FasterThanDevice(FloorJson),
    /// A share of reads that no such device can do.
    #[serde(rename = "cache hits")]
    CacheHits(FloorJson),
    /// Two speeds, as of a cache and what is behind it.
    #[serde(rename = "two speeds")]
    TwoSpeeds {
        /// The fast one.
        fast_ns: u64,
        /// The slow one.
        slow_ns: u64,
        /// Of events: the fast ones.
        share: f64,
    },
    /// All may be answered by a cache.
    #[serde(rename = "may be a cache")]
    MayBeCache {
        /// All but one read in a thousand took less.
        below_ns: u64,
        /// Of events.
        share: f64,
        /// Events per second.
        rate_per_s: f64,
    },
}

/// Events below what a device can do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Floor")]
pub(super) struct FloorJson {
    /// hdd, ssd, nvme, san, or the time of its fastest reads as measured.
    device: String,
    /// No event of the device takes less.
    floor_ns: u64,
    /// Of events.
    share: f64,
    /// Whether the series says that it counts reads.
    reads: bool,
}

impl From<&CacheWarning> for CacheWarningJson {
    fn from(warning: &CacheWarning) -> CacheWarningJson {
        match *warning {
            CacheWarning::FasterThanDevice { class, floor, share, reads } => {
                let (device, floor_ns) = (class.to_string(), floor.as_nanos());
                CacheWarningJson::FasterThanDevice(FloorJson { device, floor_ns, share, reads })
            }
            CacheWarning::CacheHits { class, floor, share, reads } => {
                let (device, floor_ns) = (class.to_string(), floor.as_nanos());
                CacheWarningJson::CacheHits(FloorJson { device, floor_ns, share, reads })
            }
            CacheWarning::TwoSpeeds { fast, slow, share } => CacheWarningJson::TwoSpeeds {
                fast_ns: fast.as_nanos(),
                slow_ns: slow.as_nanos(),
                share,
            },
            CacheWarning::MayBeCache { below, rate } => CacheWarningJson::MayBeCache {
                below_ns: below.as_nanos(),
                share: 1.0,
                rate_per_s: rate,
            },
        }
    }
}
