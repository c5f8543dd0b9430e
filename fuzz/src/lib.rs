//! What every fuzz target does: decode, assemble, and check that no event is lost on the way.

use isotherm_formats::{Context, Message, SOURCES, Sink};
use isotherm_frame::{Assembler, BinnerLimits, Event, Nanos, Reading};

struct Counting {
    assembler: Assembler,
    events: u64,
    framed: u64,
}

impl Sink for Counting {
    fn take(&mut self, message: Message) {
        let reading = match message {
            Message::Reading(reading) => reading,
            Message::Rejected(rejection) => {
                return assert!(rejection.place.line > 0, "a rejection without a place");
            }
            _ => return,
        };
        self.events += u64::from(matches!(reading, Reading::Event { .. }));
        let framed = &mut self.framed;
        if let Reading::Event { .. } = reading {
            self.assembler.push(reading, &mut |event| {
                if let Event::Frame(frame) = event {
                    *framed += frame.counts.events();
                }
            });
        } else {
            self.assembler.push(reading, &mut |event| {
                if let Event::Frame(frame) = event {
                    assert!(frame.start < frame.end, "an interval that does not run forward");
                }
            });
        }
    }
}

/// Decodes the bytes with one source, in the default context.
pub fn decode(name: &str, bytes: &[u8]) {
    let source = SOURCES.iter().find(|source| source.meta().name == name).expect("a source");
    let limits = BinnerLimits { max_cells: 64, ..BinnerLimits::default() };
    let assembler = Assembler::new(Nanos::SECOND, limits);
    let mut sink = Counting { assembler, events: 0, framed: 0 };
    let _ = source.decode(&mut &bytes[..], &Context::default(), &mut sink);
    let framed = &mut sink.framed;
    sink.assembler.finish(&mut |event| {
        if let Event::Frame(frame) = event {
            *framed += frame.counts.events();
        }
    });
    assert_eq!(sink.framed, sink.events, "an event was lost");
}
