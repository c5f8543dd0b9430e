//! Single events of the user's inputs.

use isotherm_frame::{Frame, Nanos, Series, Timestamp};
use isotherm_lab::Events;
use isotherm_pipeline::{Collector, Keep, KeepEvents};

use crate::describe::BINNING;
use crate::failure::Failure;
use crate::lab_args::LabArgs;
use crate::{input, screen};

/// The most events that are kept: 160 MB of latencies.
const MOST: usize = 20_000_000;

/// Latencies one by one.
#[derive(Default)]
struct Latencies {
    kept: Vec<Nanos>,
    /// Events after the first [`MOST`].
    left_out: u64,
    /// Events that are counted in buckets already.
    counted: u64,
}

impl Keep for Latencies {
    fn keep(&mut self, frame: &Frame) {
        self.counted += frame.counts.events();
    }
}

impl KeepEvents for Latencies {
    fn keep_event(&mut self, series: Option<&Series>, _: Timestamp, latency: Nanos) {
        match series {
            Some(_) if self.kept.len() < MOST => self.kept.push(latency),
            Some(_) => self.left_out += 1,
            None => {}
        }
    }
}

/// Reads the single events of all inputs together.
pub fn read(inputs: &[String], args: &LabArgs) -> Result<Events, Failure> {
    let mut collector = Collector::new(None, Latencies::default());
    let mut message = |text: String| screen::warn(&text);
    let to = (&mut collector, &mut message as &mut dyn FnMut(String));
    input::read_events(inputs, &args.input, BINNING, to)?;
    let Latencies { kept, left_out, counted } = collector.kept;
    let name = input::title(inputs);
    if kept.is_empty() {
        let what = if counted > 0 {
            "has histograms only, and this lab needs single events: give it a trace or a list of them"
        } else {
            "has no events"
        };
        return Err(input::nothing(&args.input, format!("{name} {what}")));
    }
    if left_out > 0 {
        screen::warn(&format!("{name}: events after the first {MOST}, left out: {left_out}"));
    }
    if counted > 0 {
        screen::warn(&format!("{name}: events known in buckets only, left out: {counted}"));
    }
    Ok(Events { name, latencies: kept })
}
