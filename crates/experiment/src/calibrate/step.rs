//! The steps of a calibration, each a run at one load, and their numbers in short.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::terms::Phase;
use crate::Run;

/// The numbers in short; null where nothing was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// One small random read at a time: the service time.
    pub floor: Option<Figure>,
    /// The most small random reads a second of all that was measured.
    pub maximum: Option<Figure>,
    /// Why no more were tried.
    pub ramp_ended: RampEnded,
    /// The most reads a second within the limit, in a closed loop.
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
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The part it belongs to.
    pub phase: Phase,
    /// Bytes of the part of the target that was visited.
    pub working_set: u64,
    /// What it came to; null if no operation ended.
    pub figure: Option<Figure>,
    /// The run.
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
