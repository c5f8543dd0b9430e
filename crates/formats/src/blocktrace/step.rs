//! What happened to block requests, for readers that need their places.

use isotherm_frame::Nanos;

use super::line::{What, device_number, operation, step};
use crate::lines::first_lines;

/// What happened to a block request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BlockStage {
    /// It was made.
    Queued,
    /// It was issued to the device.
    Issued,
    /// The device has completed it.
    Completed,
    /// Something that neither begins nor ends a latency.
    Other,
}

/// A line of a block trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BlockStep {
    /// When, on the clock of the trace.
    pub at: Nanos,
    /// What happened.
    pub stage: BlockStage,
    /// The device: its major number in the upper 32 bits, its minor number in the lower ones.
    pub device: u64,
    /// Whether the request is a read.
    pub is_read: bool,
    /// The first sector and the number of sectors, of 512 bytes each; none of a flush.
    pub sectors: Option<(u64, u64)>,
}

/// Reads a line as perf script, ftrace and blkparse print it; `None` if it is of no block trace.
pub fn block_step(line: &[u8]) -> Option<BlockStep> {
    let step = step(line)?;
    Some(BlockStep {
        at: step.at,
        stage: match step.what {
            What::Queued => BlockStage::Queued,
            What::Issued => BlockStage::Issued,
            What::Completed => BlockStage::Completed,
            What::Other => BlockStage::Other,
        },
        device: device_number(step.device),
        is_read: operation(step.flags) == b"read",
        sectors: step.sectors.filter(|(_, count)| *count > 0),
    })
}

/// Whether an input that begins like this is a block trace.
pub fn is_block_trace(head: &[u8]) -> bool {
    /// Lines that are looked at: those of another kind are headings.
    const ENOUGH: usize = 200;
    first_lines(head).take(ENOUGH).filter_map(step).any(|step| step.what != What::Other)
}
