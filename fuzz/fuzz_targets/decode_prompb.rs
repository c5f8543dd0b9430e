//! Any bytes as input of the source `prompb`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isotherm_fuzz::decode("prompb", bytes));
