//! Any bytes as input of the source `systemtap`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isotherm_fuzz::decode("systemtap", bytes));
