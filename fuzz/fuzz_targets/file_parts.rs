//! Any bytes, cut at any place into two parts of a file: every event of columns and of logs is in one of
//! them, and no part of anything brings the program down.
#![no_main]

use isotherm_formats::{ByteRange, Context, FilePart, Message, SOURCES, Sink};
use isotherm_frame::Reading;

#[derive(Default)]
struct Count {
    events: u64,
    rejected: u64,
}

impl Sink for Count {
    fn take(&mut self, message: Message) {
        match message {
            Message::Reading(Reading::Event { .. }) => self.events += 1,
            Message::Rejected(_) => self.rejected += 1,
            _ => {}
        }
    }
}

libfuzzer_sys::fuzz_target!(|input: (u16, &[u8])| {
    let (cut, bytes) = input;
    let cut = u64::from(cut);
    let context = Context { block_length: Some(16), ..Context::default() };
    for source in SOURCES {
        let (mut parts, mut refused) = (Count::default(), false);
        for (from, to) in [(0, Some(cut)), (cut, None)] {
            let part = FilePart::new(&bytes, ByteRange { from, to }).expect("bytes are there");
            refused |= source.decode_part(&part, &context, &mut parts).is_err();
        }
        let mut whole = Count::default();
        let read = source.decode(&mut &bytes[..], &context, &mut whole).is_ok();
        if read && !refused && matches!(source.meta().name, "columns" | "logs") {
            assert_eq!((parts.events, parts.rejected), (whole.events, whole.rejected));
        }
    }
});
