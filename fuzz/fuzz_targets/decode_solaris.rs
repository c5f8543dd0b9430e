//! Any bytes as input of the source `solaris`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isotherm_fuzz::decode("solaris", bytes));
