//! Any bytes as input of the source `sysbench`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isotherm_fuzz::decode("sysbench", bytes));
