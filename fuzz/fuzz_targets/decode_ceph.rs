//! Any bytes as input of the source `ceph`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isotherm_fuzz::decode("ceph", bytes));
