//! Any bytes as a recording: what is read of it runs forward and has a count for each bucket, and
//! what is damaged is an error.
#![no_main]

use std::cell::RefCell;
use std::io::Write;

use isotherm_recording::Reader;

thread_local! {
    static FILE: RefCell<tempfile::NamedTempFile> = RefCell::new(
        tempfile::Builder::new().tempfile_in("/dev/shm").expect("a file in memory"),
    );
}

/// Frames and marks read at most of one input.
const MOST: usize = 1_000;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| FILE.with_borrow_mut(|file| {
    let path = file.path().to_owned();
    std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes)).expect("written");
    let Ok(reader) = Reader::open(&path) else { return };
    let _ = (reader.about(), reader.account(), reader.let_go(), reader.span(), reader.series());
    let _ = reader.marks();
    let Ok(frames) = reader.frames(None, None) else { return };
    for frame in frames.take(MOST).flatten() {
        assert!(frame.start < frame.end, "an interval that does not run forward");
        assert_eq!(frame.counts.counts().len(), frame.counts.scheme().buckets());
    }
}));
