//! Any bytes as an export of a recording.
#![no_main]

use isotherm_recording::import::{read_csv, read_jsonl};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for imported in [read_csv(&mut &bytes[..]), read_jsonl(&mut &bytes[..])].into_iter().flatten() {
        for frame in &imported.frames {
            assert_eq!(frame.counts.counts().len(), frame.counts.scheme().buckets());
        }
    }
});
