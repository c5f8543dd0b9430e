//! Blocks that were read of devices, from block traces.

use std::collections::HashMap;

use ahash::RandomState;
use isotherm_formats::{BlockStage, BlockStep, DecodeError, Line, LineReader, block_step};
use isotherm_frame::Nanos;

use super::reference::{Lines, Reference, ReferenceError, ReferenceOptions};
use super::totals::ReferenceTotals;

/// Bytes in a sector.
const SECTOR: u64 = 512;
/// The most bytes that one request reads.
const LONGEST_READ: u64 = 256 << 20;
/// Requests in flight that are remembered.
const MOST_IN_FLIGHT: usize = 1 << 18;
/// Bits of the number of a block; those above are the number of its device.
const BLOCK_BITS: u32 = 48;

struct Requests<'a> {
    block_bytes: u64,
    /// The devices, in the order in which they were met.
    devices: HashMap<u64, u64, RandomState>,
    /// When reads were issued that are in flight, and of how many blocks, by device and sector.
    issued: HashMap<(u64, u64), (Nanos, u64), RandomState>,
    totals: ReferenceTotals,
    take: &'a mut dyn FnMut(Reference),
}

pub(super) fn read(
    input: Lines<'_>,
    options: &ReferenceOptions,
    take: &mut dyn FnMut(Reference),
) -> Result<ReferenceTotals, ReferenceError> {
    let mut requests = Requests {
        block_bytes: options.block_bytes.max(1),
        devices: HashMap::default(),
        issued: HashMap::default(),
        totals: ReferenceTotals::default(),
        take,
    };
    each_line(input, &mut |line| requests.line(line))?;
    Ok(requests.totals)
}

/// Takes every line of an input.
pub(super) fn each_line(
    input: Lines<'_>,
    take: &mut dyn FnMut(&Line<'_>),
) -> Result<(), DecodeError> {
    let mut lines = LineReader::new(input);
    while let Some(line) = lines.next_line()? {
        take(&line);
    }
    Ok(())
}

impl Requests<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let Some(step) = block_step(line.bytes) else {
            if !line.bytes.trim_ascii().is_empty() {
                self.totals.leave_out("lines that are of no request");
            }
            return;
        };
        // Flushes have no sectors.
        let Some((sector, sectors)) = step.sectors else { return };
        match (step.stage, step.is_read) {
            (BlockStage::Issued, true) => self.issue(line.place.line, &step, sector, sectors),
            (BlockStage::Issued, false) => self.totals.leave_out("requests that are no reads"),
            (BlockStage::Completed, true) => self.complete(&step, sector),
            _ => {}
        }
    }

    fn issue(&mut self, line: u64, step: &BlockStep, sector: u64, sectors: u64) {
        let Some(blocks) = self.blocks(sector, sectors) else {
            return self.totals.reject(line, "a read of sectors that no device has");
        };
        let count = blocks.end - blocks.start;
        let key = (step.device, sector);
        if let Some(known) = self.issued.get_mut(&key) {
            *known = (step.at, count);
            return self.totals.leave_out("reads that were issued again");
        }
        let Some(device) = self.device(step.device) else {
            return self.totals.reject(line, "a read of one device too many");
        };
        let at_ns = Some(step.at.as_nanos());
        self.totals.read(count, at_ns);
        for block in blocks {
            (self.take)(Reference { block: device << BLOCK_BITS | block, at_ns });
        }
        if self.issued.len() < MOST_IN_FLIGHT {
            self.issued.insert(key, (step.at, count));
        }
    }

    /// The number of a device, in the order in which they are met; none of one too many.
    fn device(&mut self, device: u64) -> Option<u64> {
        let next = self.devices.len() as u64;
        if next >= 1 << (u64::BITS - BLOCK_BITS) {
            return self.devices.get(&device).copied();
        }
        Some(*self.devices.entry(device).or_insert(next))
    }

    /// The blocks that hold these sectors.
    fn blocks(&self, sector: u64, sectors: u64) -> Option<std::ops::Range<u64>> {
        let (from, length) = (sector.checked_mul(SECTOR)?, sectors.checked_mul(SECTOR)?);
        let end = from.checked_add(length).filter(|_| length <= LONGEST_READ)?;
        let end = end.div_ceil(self.block_bytes);
        (end < 1 << BLOCK_BITS).then_some(from / self.block_bytes..end)
    }

    fn complete(&mut self, step: &BlockStep, sector: u64) {
        let issued = self.issued.remove(&(step.device, sector));
        let latency = issued.and_then(|(at, count)| Some((step.at.checked_sub(at)?, count)));
        if let Some((latency, count)) = latency {
            self.totals.timed(count, latency.as_nanos());
        }
    }
}
