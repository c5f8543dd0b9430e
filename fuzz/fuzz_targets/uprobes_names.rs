//! Any bytes as a list of numbers and names: read or refused, and no number twice.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = isotherm_oracle::uprobes::names(bytes) {
        assert!(!read.names.is_empty());
        assert!(read.names.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
});
