//! Any bytes as input of the source `promquery`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isotherm_fuzz::decode("promquery", bytes));
