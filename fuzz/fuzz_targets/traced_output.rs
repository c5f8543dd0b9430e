//! Any bytes as what our tracing programs print.
#![no_main]

use isotherm_formats::{Message, Sink};

struct Nothing;

impl Sink for Nothing {
    fn take(&mut self, _: Message) {}
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = isotherm_live::traced_output(bytes, &mut Nothing);
});
