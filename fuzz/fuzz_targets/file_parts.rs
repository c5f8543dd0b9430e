//! Any bytes, cut at any place into two parts of a file: every event of columns and of logs is in one of
//! them, and no part of anything brings the program down.
#![no_main]

use isotherm_frame::{Reading, Rejection};
use isotherm_formats::{ByteRange, Context, FilePart, Note, Sink, SOURCES};

#[derive(Default)]
struct Count {
    events: u64,
    rejected: u64,
}

impl Sink for Count {
    fn reading(&mut self, reading: Reading) {
        self.events += u64::from(matches!(reading, Reading::Event { .. }));
    }

    fn record(&mut self) {}

    fn reject(&mut self, _: Rejection) {
        self.rejected += 1;
    }

    fn note(&mut self, _: Note) {}
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
