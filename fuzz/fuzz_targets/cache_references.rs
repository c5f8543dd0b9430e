//! Any bytes as a trace or CSV of block references: every reference that is given is counted.
#![no_main]

use isotherm_cache::{ReferenceOptions, read_references};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut taken = 0;
    let options = ReferenceOptions { block_bytes: 8_192, unit: None };
    let read = read_references(bytes, &options, &mut |_| taken += 1);
    if let Ok(totals) = read {
        assert_eq!(totals.blocks, taken);
        assert!(totals.reads <= totals.blocks && totals.timed_blocks <= totals.blocks);
    }
});
