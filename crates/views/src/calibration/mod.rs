//! What a calibration found: rates with their latencies, curves, the cache, the doubts.

mod charts;
mod figures;
mod json;
mod sections;
mod sentences;
mod text;

use isotherm_frame::Nanos;

use crate::load::{LoadSpread, LoadVerdict};

pub use json::{CALIBRATION_SCHEMA_VERSION, json};
pub use sections::sections;
pub use sentences::sentences;
pub use text::CalibrationText;

/// Everything that is shown of a calibration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationSheet {
    /// What was loaded, and how.
    pub what: CalibrationWhat,
    /// The numbers in short, in the order they are shown.
    pub figures: Vec<CalibrationFigure>,
    /// Small random reads from everything, fewest in flight first.
    pub curve: Vec<CalibrationRate>,
    /// Small random reads that arrive by chance, fewest first.
    pub arrivals: Vec<CalibrationRate>,
    /// Large sequential reads, fewest streams first.
    pub streams: Vec<CalibrationRate>,
    /// Small random reads from parts, smallest first, with the bytes of the part.
    pub parts: Vec<(u64, CalibrationRate)>,
    /// Small random writes, fewest in flight first.
    pub writes: Vec<CalibrationRate>,
    /// The number in flight at which the curve bends.
    pub knee: Option<u32>,
    /// The fewest in flight whose throughput is within 3 % of the highest.
    pub enough: Option<u32>,
    /// Whether throughput was still growing at the end of the curve.
    pub growing: bool,
    /// What the parts say about caches.
    pub cache: CalibrationCache,
    /// What `CALIBRATE_IO` would have said.
    pub oracle: Option<CalibrationOracle>,
    /// What is doubtful, worst first.
    pub verdicts: Vec<LoadVerdict>,
}

/// What was loaded, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationWhat {
    /// The file or device.
    pub target: String,
    /// Bytes of it.
    pub bytes: u64,
    /// Bytes of a small operation.
    pub block: u64,
    /// Bytes of a large one.
    pub large_block: u64,
    /// What is known of it.
    pub facts: Vec<(String, String)>,
    /// The latency that is still good enough: `p99<5ms`.
    pub limit: String,
    /// The length of time in it.
    pub bound: Option<Nanos>,
    /// Time of load, seconds.
    pub spent_s: f64,
    /// Loads that were made.
    pub steps: usize,
    /// Why it is not complete, if it is not.
    pub incomplete: Option<String>,
}

/// One of the numbers in short.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationFigure {
    /// Which.
    pub name: FigureName,
    /// The number; none where nothing was found, such as no rate within the limit.
    pub rate: Option<CalibrationRate>,
}

/// Which number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FigureName {
    /// One small random read at a time.
    Floor,
    /// The most small random reads.
    Maximum,
    /// The most within the limit, held in flight.
    LimitClosed,
    /// The most arrivals within the limit.
    LimitOpen,
    /// Large reads, one stream.
    SingleStream,
    /// Large reads, several streams.
    Streams,
    /// Blocks read again at once.
    ReadAgain,
    /// Small sequential writes, each to stable storage.
    LogWrite,
    /// One small random write at a time.
    WriteFloor,
    /// The most small random writes.
    WriteMaximum,
}

/// A rate with its latencies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationRate {
    /// The load it comes from, counted from 0.
    pub step: u32,
    /// Operations held in flight; none where they arrived by chance.
    pub in_flight: Option<u32>,
    /// Arrivals asked for per second; none where operations were held in flight.
    pub offered_per_s: Option<f64>,
    /// Operations per second.
    pub per_s: f64,
    /// By how much of itself that could be off; none where that is not known.
    pub uncertainty: Option<f64>,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Operations in flight on average: throughput times mean response time.
    pub busy: f64,
    /// Response times.
    pub spread: LoadSpread,
    /// Whether they are within the limit.
    pub within_limit: bool,
    /// Reads the device counted for each operation; none where it is not known.
    pub device_reads: Option<f64>,
}

/// What the parts say about caches.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct CalibrationCache {
    /// Whether small parts are read faster; none if that was not measured.
    pub step: Option<bool>,
    /// Reads a second from the best part over those from everything.
    pub speedup: Option<f64>,
    /// A cache holds at least so many bytes,
    pub at_least_bytes: Option<u64>,
    /// and less than this.
    pub below_bytes: Option<u64>,
    /// An estimate between both.
    pub estimate_bytes: Option<u64>,
    /// The median of reads from everything over that of blocks read again at once.
    pub read_again_speedup: Option<f64>,
    /// The median of first visits over that of later ones.
    pub first_touch_ratio: Option<f64>,
    /// Visits of each place of the smallest part.
    pub visits_of_smallest: Option<f64>,
}

/// What `CALIBRATE_IO` would have said.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CalibrationOracle {
    /// The mean latency it allows, milliseconds.
    pub max_latency_ms: u64,
    /// Reads a second.
    pub max_iops: u64,
    /// Megabytes a second.
    pub max_mbps: u64,
    /// Milliseconds.
    pub latency_ms: u64,
}

impl CalibrationSheet {
    /// One of the numbers in short.
    pub fn figure(&self, name: FigureName) -> Option<&CalibrationRate> {
        self.figures.iter().find(|figure| figure.name == name)?.rate.as_ref()
    }
}
