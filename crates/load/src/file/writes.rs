//! What lanes write, and what is remembered of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::stamp::{Stamp, UNIT_BYTES};
use super::write_sample::WriteSample;
use crate::clock::now_ns;

/// What the lanes of one system share about their writes.
#[derive(Debug)]
pub(super) struct Written {
    /// The number of the file, in every unit of it.
    pub(super) file: u64,
    /// Bytes of a place.
    block: u64,
    /// The epoch of the next write: grows from run to run.
    epoch: AtomicU64,
    sample: Mutex<WriteSample>,
}

/// The writes of one lane.
#[derive(Debug)]
pub(super) struct Writes {
    written: Arc<Written>,
    sample: WriteSample,
}

impl Written {
    /// Nothing written yet. Epochs count from `first_epoch`, which must be above all used before.
    pub(super) fn new(file: u64, block: u64, first_epoch: u64) -> Written {
        let epoch = AtomicU64::new(first_epoch);
        Written { file, block, epoch, sample: Mutex::default() }
    }

    /// Takes what the lanes remembered. They have ended.
    pub(super) fn take(&self) -> WriteSample {
        std::mem::take(&mut *self.sample.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Writes {
    pub(super) fn of(written: &Arc<Written>) -> Writes {
        Writes { written: Arc::clone(written), sample: WriteSample::default() }
    }

    /// Fills the block of a write that is about to begin; gives its epoch.
    pub(super) fn begin(&mut self, place: u64, block: &mut [u8]) -> u64 {
        let epoch = self.written.epoch.fetch_add(1, Ordering::Relaxed);
        let unit = place.wrapping_mul(self.written.block / UNIT_BYTES);
        Stamp { file: self.written.file, unit, epoch }.fill(block);
        if self.sample.remembers(place) {
            self.sample.begun(place, epoch, now_ns());
        }
        epoch
    }

    /// A write has ended.
    pub(super) fn end(&mut self, place: u64, epoch: u64, succeeded: bool, at_ns: u64) {
        if self.sample.remembers(place) {
            self.sample.ended(place, epoch, succeeded, at_ns);
        }
    }
}

impl Drop for Writes {
    fn drop(&mut self) {
        let mine = std::mem::take(&mut self.sample);
        self.written.sample.lock().unwrap_or_else(PoisonError::into_inner).merge(mine);
    }
}
