//! Any bytes as an export of a recording, or as rows.
#![no_main]

use isotherm_frame::Frame;
use isotherm_recording::import::{read_csv, read_jsonl};
use isotherm_recording::rows::read_rows;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut whole = |frame: Frame| {
        assert_eq!(frame.counts.counts().len(), frame.counts.scheme().buckets());
    };
    let _ = read_csv((&mut &bytes[..], &mut &bytes[..]), &mut whole);
    let _ = read_rows(&mut &bytes[..], 1 << 16, &mut whole);
    let _ = read_jsonl(&mut &bytes[..], &mut whole);
});
