//! Any text as samples of the sessions of `PostgreSQL`.
#![no_main]

use isotherm_formats::{Message, Sink};

struct Ended(u64);

impl Sink for Ended {
    fn take(&mut self, message: Message) {
        self.0 += u64::from(matches!(message, Message::Reading(_)));
    }
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut ended = Ended(0);
    let seen = isotherm_live::postgres_samples(text, &mut ended);
    assert!(ended.0 <= seen, "more waits than were seen to end");
});
