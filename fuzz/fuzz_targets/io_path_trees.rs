//! Any bytes as a capture of I/O paths, put into trees: every step is counted once.
#![no_main]

use isotherm_analysis::{IoPath, PathInput};
use isotherm_frame::{MemoryAccount, Nanos, TimeRange};
use isotherm_formats::PathCapture;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(capture) = PathCapture::read(&mut &*bytes, MemoryAccount::of_bytes(64 << 20)) else { return };
    let steps = capture.steps.len() as u64;
    let input = PathInput { steps: capture.steps, rounding: Nanos::ZERO };
    let path = IoPath::of(vec![input], TimeRange::default());
    assert_eq!(path.steps.len() as u64 + path.unplaced_count(), steps);
});
