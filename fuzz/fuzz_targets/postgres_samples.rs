//! Any text as samples of the sessions of `PostgreSQL`.
#![no_main]

use isotherm_frame::{Reading, Rejection};
use isotherm_formats::{Note, Sink};

struct Ended(u64);

impl Sink for Ended {
    fn reading(&mut self, _: Reading) {
        self.0 += 1;
    }

    fn record(&mut self) {}

    fn reject(&mut self, _: Rejection) {}

    fn note(&mut self, _: Note) {}
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut ended = Ended(0);
    let seen = isotherm_live::postgres_samples(text, &mut ended);
    assert!(ended.0 <= seen, "more waits than were seen to end");
});
