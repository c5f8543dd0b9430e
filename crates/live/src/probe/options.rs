//! How a probe probes.

use isotherm_load::file::ScratchOptions;

use super::error::ProbeError;

/// How a probe probes.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeOptions {
    /// Operations per second: more than 0, at most 10,000.
    pub rate_hz: f64,
    /// Bytes of one operation: a multiple of 512, at most 16 MiB.
    pub block: u64,
    /// Bytes of the scratch file: at least one block.
    pub size: u64,
    /// Whether to write and `fdatasync` instead of reading.
    pub write: bool,
}

impl Default for ProbeOptions {
    /// 64 reads of 8 KiB per second in 64 MiB.
    fn default() -> ProbeOptions {
        ProbeOptions { rate_hz: 64.0, block: 8 << 10, size: 64 << 20, write: false }
    }
}

impl ProbeOptions {
    /// The scratch file that it takes.
    pub(super) fn scratch(&self) -> ScratchOptions {
        ScratchOptions { block: self.block, size: self.size, write: self.write }
    }

    /// Whether a disk can be probed so; an error that says what is wrong.
    pub fn check(&self) -> Result<(), ProbeError> {
        let wrong = if !(self.rate_hz > 0.0 && self.rate_hz <= 10_000.0) {
            "the rate must be more than 0 and at most 10,000 per second"
        } else if self.block == 0 || self.block > 16 << 20 || !self.block.is_multiple_of(512) {
            "the block must be a multiple of 512 bytes, at most 16 MiB"
        } else if self.size < self.block {
            "the scratch file must hold at least one block"
        } else {
            return Ok(());
        };
        Err(ProbeError::Options(wrong))
    }
}
