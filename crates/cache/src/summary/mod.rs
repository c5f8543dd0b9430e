//! A miss-ratio curve with what it would mean for the input it was made of.

mod chart;
mod csv;
mod json;
mod section;
mod sentences;

use crate::counter::CountedCurve;
use crate::device::{Device, DeviceLoad};
use crate::references::{ReferenceFormat, ReferenceTotals};

pub use json::CurveJson;

/// A curve and the references that it is of.
#[derive(Clone, Debug)]
pub struct CurveSummary {
    /// What the inputs are called, without secrets.
    pub inputs: Vec<String>,
    /// What they are.
    pub formats: Vec<ReferenceFormat>,
    /// What was read of all of them.
    pub totals: ReferenceTotals,
    /// Whether references of several inputs could not be put in the order of time.
    pub is_concatenated: bool,
    /// Bytes in a block.
    pub block_bytes: u64,
    /// The curve.
    pub counted: CountedCurve,
    /// The seed of a sample.
    pub seed: u64,
    /// Sizes that the user asks for, bytes; without any the sizes are chosen.
    pub sizes: Vec<u64>,
    /// The device that answers what misses; none where no sweep of it is known.
    pub device: Option<Device>,
}

/// What a cache of one size would do.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct CurveRow {
    /// Its size in blocks; 0 is no cache.
    pub blocks: u64,
    /// The share of references that miss it.
    pub miss_ratio: f64,
    /// How far that may be off with 90 % confidence; 0 of an exact curve, none where it is not known.
    pub error: Option<f64>,
    /// Estimated blocks that would still be read per second.
    pub block_reads_per_s: Option<f64>,
    /// Estimated average time waited for a reference, seconds.
    pub waited_s: Option<f64>,
    /// Estimated average waiting: how many reads of blocks would go on at a moment.
    pub waiting: Option<f64>,
    /// What the device of a sweep does with these reads.
    pub device: Option<DeviceLoad>,
}

/// The most sizes that are chosen.
const MOST_ROWS: u32 = 16;

impl CurveSummary {
    /// No cache, and caches of the sizes that were asked for; without any those of powers of two, up to
    /// one that holds every block. Sizes that a sample says nothing of are left out.
    pub fn rows(&self) -> Vec<CurveRow> {
        let sizes = if self.sizes.is_empty() { self.chosen() } else { self.asked() };
        std::iter::once(0).chain(sizes).map(|blocks| self.row(blocks)).collect()
    }

    fn asked(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.sizes.iter().map(|bytes| bytes / self.block_bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.retain(|&blocks| blocks >= self.least_size());
        sizes
    }

    fn chosen(&self) -> Vec<u64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of blocks"
        )]
        let all = (self.counted.curve().blocks().ceil() as u64).max(1);
        let largest = all.checked_next_power_of_two().unwrap_or(1 << 63);
        let least = self.least_size().max(largest >> (MOST_ROWS - 1)).next_power_of_two();
        let doubled = std::iter::successors(Some(least), |size| size.checked_mul(2));
        doubled.take_while(|&size| size <= largest.max(least)).collect()
    }

    /// The smallest size with a known miss ratio, blocks.
    pub(crate) fn least_size(&self) -> u64 {
        self.counted.sample().map_or(1, crate::Sample::least_size)
    }

    pub(crate) fn row(&self, blocks: u64) -> CurveRow {
        let miss_ratio = self.counted.curve().miss_ratio(blocks);
        let error = match self.counted.sample() {
            Some(sample) if blocks > 0 => sample.error(blocks),
            _ => Some(0.0),
        };
        let block_reads_per_s = self.totals.blocks_per_s().map(|rate| rate * miss_ratio);
        let latency_s = self.totals.latency_s();
        CurveRow {
            blocks,
            miss_ratio,
            error,
            block_reads_per_s,
            waited_s: latency_s.map(|latency| latency * miss_ratio),
            waiting: block_reads_per_s.zip(latency_s).map(|(rate, latency)| rate * latency),
            device: block_reads_per_s.and_then(|rate| Some(self.device.as_ref()?.at(rate))),
        }
    }

    /// Whether all inputs hold physical reads, which a cache has missed already.
    pub(crate) fn is_physical(&self) -> bool {
        self.formats.iter().all(|&format| format != ReferenceFormat::Csv)
    }
}
