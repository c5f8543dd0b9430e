//! Any bytes as what our tracing programs print.
#![no_main]

use isotherm_frame::{Reading, Rejection};
use isotherm_formats::{Note, Sink};

struct Nothing;

impl Sink for Nothing {
    fn reading(&mut self, _: Reading) {}

    fn record(&mut self) {}

    fn reject(&mut self, _: Rejection) {}

    fn note(&mut self, _: Note) {}
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = isotherm_live::traced_output(bytes, &mut Nothing);
});
