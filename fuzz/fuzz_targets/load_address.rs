//! Any text as the address of a system to load: an address or an error in words.
#![no_main]

use isotherm_load::Address;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(error) = Address::parse(text) {
        assert!(!error.to_string().is_empty());
    }
});
