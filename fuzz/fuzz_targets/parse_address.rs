//! Any text as an address: it reads back, or it is an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(address) = text.parse::<isotherm_live::Address>() {
        assert!(matches!(address.to_string().parse(), Ok(again) if address == again));
    }
});
