//! Any text as the name of a file with a range behind it: what is read back is the same range.
#![no_main]

use isotherm_formats::ByteRange;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Some((file, Ok(range))) = ByteRange::behind(text) {
        let again = format!("{file}@{range}");
        assert_eq!(ByteRange::behind(&again), Some((file, Ok(range))));
    }
});
