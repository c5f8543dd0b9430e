//! How many operations a lane has in flight, for others to read.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many operations a lane has in flight. On a cache line of its own: its lane writes it with
/// every operation.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct InFlightGauge(AtomicU32);

impl InFlightGauge {
    #[inline]
    pub fn set(&self, in_flight: u32) {
        self.0.store(in_flight, Ordering::Relaxed);
    }

    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}
