//! What came of a calibration.

use serde::{Deserialize, Serialize};

use super::cache::CacheGuess;
use super::calibrate_io::CalibrateIo;
use super::figure::Figure;
use super::limit::LatencyLimit;
use super::ramp::least_for_maximum;
use super::terms::Phase;
use crate::{Run, Verdict};

/// What a disk or file can do: every rate with the latencies at which it was had, every run behind
/// it, and what is doubtful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The version of this layout: 1.
    pub format: u32,
    /// What was loaded.
    pub target: String,
    /// Bytes of it.
    pub bytes: u64,
    /// Bytes of a small operation.
    pub block: u64,
    /// Bytes of a large one.
    pub large_block: u64,
    /// The latency that is still good enough.
    pub limit: LatencyLimit,
    /// Disks behind it, as declared.
    pub disks: Option<u32>,
    /// The class of device, as declared.
    pub device: Option<String>,
    /// Time of load asked for, seconds.
    pub budget_s: f64,
    /// Time of load spent, seconds.
    pub spent_s: f64,
    /// Why it is not complete, if it is not.
    pub incomplete: Option<String>,
    /// What is known of the system and the machine, for people.
    pub facts: Vec<(String, String)>,
    /// The numbers in short.
    pub figures: Figures,
    /// What the working sets say about caches.
    pub cache: CacheGuess,
    /// The load with the most throughput for its latency: where the curve bends.
    pub knee_in_flight: Option<u32>,
    /// What `CALIBRATE_IO` would have said.
    pub calibrate_io: Option<CalibrateIo>,
    /// What is doubtful, worst first.
    pub verdicts: Vec<Verdict>,
    /// Everything that was run, in order.
    pub steps: Vec<Step>,
}

/// The numbers in short. What was not measured is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// One small random read at a time: the service time.
    pub floor: Option<Figure>,
    /// The most small random reads a second of all that was measured, so that no rate within a limit
    /// is higher.
    pub maximum: Option<Figure>,
    /// Why no more were tried.
    pub ramp_ended: RampEnded,
    /// The most reads a second within the limit, with so many held in flight.
    pub limit_closed: Option<Figure>,
    /// The most arrivals a second within the limit.
    pub limit_open: Option<Figure>,
    /// The fewest arrivals a second beyond it.
    pub limit_open_missed: Option<Figure>,
    /// Large sequential reads one at a time.
    pub single_stream: Option<Figure>,
    /// The most megabytes a second from several streams.
    pub streams: Option<Figure>,
    /// Blocks read again within milliseconds, one at a time.
    pub read_again: Option<Figure>,
    /// Small sequential writes one at a time, each to stable storage: what a commit waits for.
    #[serde(default)]
    pub log_write: Option<Figure>,
    /// Small random writes one at a time.
    pub write_floor: Option<Figure>,
    /// The most small random writes a second.
    pub write_maximum: Option<Figure>,
}

/// Why the ramp of operations in flight ended.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RampEnded {
    /// It was not begun, or broken off.
    #[default]
    Early,
    /// Throughput had stopped growing.
    Saturated,
    /// Latency was ten times the limit.
    TooSlow,
    /// At the most operations in flight allowed, throughput was still growing.
    StillGrowing,
}

/// One run of a calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The part it belongs to.
    pub phase: Phase,
    /// Bytes of the part of the target that was visited.
    pub working_set: u64,
    /// What it came to; none if no operation ended.
    pub figure: Option<Figure>,
    /// All there is to know about it.
    pub run: Run,
}

impl Step {
    /// The figure and the number in flight of a step that held some in flight.
    pub fn held(&self) -> Option<(&Figure, u32)> {
        let figure = self.figure.as_ref()?;
        Some((figure, figure.in_flight?))
    }

    /// The same of a step on the curve of throughput and latency: small random reads from
    /// everything.
    pub fn on_curve(&self) -> Option<(&Figure, u32)> {
        self.held().filter(|_| self.reads_everything())
    }

    /// Whether it made small random reads from everything.
    pub fn reads_everything(&self) -> bool {
        let phases = [Phase::Floor, Phase::Ramp, Phase::Maximum, Phase::Limit];
        phases.contains(&self.phase)
    }
}

impl Calibration {
    /// The steps of a part that came to something.
    pub fn of(&self, phase: Phase) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.phase == phase && step.figure.is_some())
    }

    /// The fewest in flight whose throughput is within 3 % of the most that any number held in flight
    /// gave.
    pub fn enough_in_flight(&self) -> Option<u32> {
        least_for_maximum(&self.steps)
    }

    /// Small random reads from everything with so many held in flight, fewest first: the curve of
    /// throughput and latency.
    pub fn curve(&self) -> Vec<&Step> {
        let mut steps: Vec<&Step> =
            self.steps.iter().filter(|step| step.on_curve().is_some()).collect();
        steps.sort_by_key(|step| step.held().map(|(_, in_flight)| in_flight));
        steps
    }
}
