//! How fast lines of a time and a latency are read: by the decoder alone, and into frames.
//!
//! `cargo run --release -p isotherm-formats --example columns_speed [MILLIONS]`

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::io::{BufReader, Write};
use std::time::Instant;

use isotherm_formats::{Context, Message, SOURCES, Sink};
use isotherm_frame::{Assembler, BinnerLimits, Event, Nanos, Reading};

/// Counts events and adds up their latencies.
#[derive(Default)]
struct Sum {
    events: u64,
    ns: u64,
}

impl Sink for Sum {
    fn take(&mut self, message: Message) {
        if let Message::Reading(Reading::Event { latency, .. }) = message {
            self.events += 1;
            self.ns += latency.as_nanos();
        }
    }
}

/// Makes frames.
struct Frames {
    assembler: Assembler,
    events: u64,
}

impl Sink for Frames {
    fn take(&mut self, message: Message) {
        if let Message::Reading(reading) = message {
            self.assembler.push(reading, &mut |_| {});
        }
    }
}

fn lines(count: u64) -> Vec<u8> {
    let mut text = Vec::new();
    let (mut micros, mut state) = (1_700_000_000_123_456_u64, 1_u64);
    for _ in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        micros += (state >> 33) % 100;
        let latency = 20 + (state >> 40) % (1 << (4 + (state >> 60)));
        let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
        writeln!(text, "{seconds}.{rest:06} {latency}").expect("memory takes everything");
    }
    text
}

fn main() {
    let millions: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10);
    let text = lines(millions * 1_000_000);
    println!("{millions} million lines, {} MB", text.len() / 1_000_000);
    let source = SOURCES.iter().find(|source| source.meta().name == "columns");
    let source = source.expect("the source is listed");
    let context = Context::default();
    for _ in 0..3 {
        let mut sum = Sum::default();
        let begun = Instant::now();
        let mut input = BufReader::with_capacity(256 << 10, &text[..]);
        let read = source.decode(&mut input, &context, &mut sum);
        println!("decoder: {:?} {read:?} {} events, {} ns", begun.elapsed(), sum.events, sum.ns);

        let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        let mut frames = Frames { assembler, events: 0 };
        let begun = Instant::now();
        let mut input = BufReader::with_capacity(256 << 10, &text[..]);
        let read = source.decode(&mut input, &context, &mut frames);
        let Frames { assembler, events } = &mut frames;
        assembler.finish(&mut |output| {
            if let Event::Frame(frame) = output {
                *events += frame.counts.events();
            }
        });
        println!("into frames: {:?} {read:?} {events} events", begun.elapsed());
    }
}
