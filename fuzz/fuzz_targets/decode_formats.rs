//! Any bytes as input of the source `formats`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isotherm_fuzz::decode("formats", bytes));
