//! What was read for a flame graph.

use isotherm_flame::{Capture, Counts};
use schemars::JsonSchema;
use serde::Serialize;

/// Where stacks come from, and what was read of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlameInput {
    /// What it is called, without secrets.
    pub name: String,
    /// What it is, such as perf script.
    pub format: String,
    /// The event that was sampled, or the map, where the input says.
    pub event: Option<String>,
    /// What the counts are: samples on a processor, events, nanoseconds, or unknown.
    #[serde(serialize_with = "word")]
    #[schemars(with = "String", extend("enum" = ["samples on CPU", "events", "nanoseconds", "unknown"]))]
    pub counts: Counts,
    /// The sum of all counts.
    pub total: u64,
    /// Samples per second of a busy processor, where the input says.
    pub rate_hz: Option<f64>,
    /// From the first sample to the last, in seconds, where the input says when.
    pub span_s: Option<f64>,
    /// Samples, entries or lines read, of every event.
    pub records: u64,
    /// What could not be read.
    pub rejected: u64,
    /// The first of it: the line, why, and what stands there.
    pub rejections: Vec<String>,
    /// Entries of a map that were printed again, and are added up.
    pub repeated: u64,
    /// Samples that the tool lost.
    pub lost: u64,
    /// Samples outside of the part of time that is shown.
    pub outside: u64,
    /// The count without a stack: shown as its program alone.
    pub without_frames: u64,
    /// The count of stacks that are added up as `(other)`, because there are more different ones than fit into
    /// memory.
    pub beyond_memory: u64,
    /// Other events or maps, which are left out.
    pub other_events: Vec<OtherEvent>,
}

/// An event or a map that is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherEvent {
    /// The event or the map.
    pub event: String,
    /// The sum of its counts.
    pub samples: u64,
    /// What these are.
    #[serde(serialize_with = "word")]
    #[schemars(with = "String", extend("enum" = ["samples on CPU", "events", "nanoseconds", "unknown"]))]
    pub counts: Counts,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn word<S: serde::Serializer>(counts: &Counts, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match counts {
        Counts::OnCpuSamples => "samples on CPU",
        Counts::Events => "events",
        Counts::Nanoseconds => "nanoseconds",
        Counts::Unknown => "unknown",
    })
}

impl FlameInput {
    /// What was read of the input of this name.
    pub fn of(name: &str, capture: &Capture) -> FlameInput {
        let account = &capture.account;
        let others = account.other_events.iter();
        let others = others.map(|other| OtherEvent {
            event: other.name.clone(),
            samples: other.count,
            counts: other.counts,
        });
        FlameInput {
            name: name.to_owned(),
            format: capture.format.name().to_owned(),
            event: capture.event.clone(),
            counts: capture.counts,
            total: capture.stacks.total(),
            rate_hz: capture.rate_hz,
            span_s: capture.times.map(|times| times.length_s()),
            records: account.records,
            rejected: account.rejected,
            rejections: account.rejections.iter().map(ToString::to_string).collect(),
            repeated: account.repeated,
            lost: account.lost,
            outside: account.outside,
            without_frames: account.without_frames,
            beyond_memory: capture.stacks.beyond_memory().count,
            other_events: others.collect(),
        }
    }

    /// Whether counts are times.
    pub fn is_time(&self) -> bool {
        self.counts == Counts::Nanoseconds
    }
}
