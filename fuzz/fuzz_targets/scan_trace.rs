//! Any bytes as a SQL trace: what is counted must not depend on how the bytes arrive.
#![no_main]

use std::io::{BufReader, Read};

use isotherm_oracle::trace::{Histograms, Visitor, scan, scan_slice};

/// Wants everything and uses nothing.
struct Everything;

impl Visitor for Everything {}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = scan_slice(bytes, &mut Everything);
    assert_eq!(whole.bytes, bytes.len() as u64);
    let (head, tail) = bytes.split_at(bytes.len() / 3);
    let mut pieces = BufReader::with_capacity(1, head).chain(tail);
    let arrived = scan(&mut pieces, &mut Everything).expect("memory can be read");
    assert_eq!(arrived, whole);
    let mut histograms = Histograms::default();
    let account = scan_slice(bytes, &mut histograms);
    let counted: u64 = histograms.events().iter().map(|(_, waits)| waits.count()).sum();
    assert_eq!(counted, account.waits);
});
