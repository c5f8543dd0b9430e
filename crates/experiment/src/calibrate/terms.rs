//! What a calibration is asked to do.

use isotherm_analysis::DeviceClass;
use isotherm_frame::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limit::LatencyLimit;

/// What a calibration is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// What is loaded, as in [`isotherm_load::Job::target`].
    pub target: String,
    /// Time of load in all, warming up included.
    pub budget: Nanos,
    /// The latency that is still good enough.
    pub limit: LatencyLimit,
    /// Disks behind the target, if the user said so.
    pub disks: Option<u32>,
    /// The class of device, if it was declared.
    pub device: Option<DeviceClass>,
    /// Whether writing is measured, too: what is there is overwritten.
    pub writes: bool,
    /// Bytes of a small operation.
    pub block: u64,
    /// Bytes of a large one.
    pub large_block: u64,
    /// The most operations in flight.
    pub most_in_flight: u32,
    /// Where the places of operations come from.
    pub seed: u64,
}

/// A part of a calibration, in the order they are done.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// One small random read at a time.
    Floor,
    /// More and more small random reads in flight.
    Ramp,
    /// The maximum, measured again.
    Maximum,
    /// The most reads a second within the latency limit.
    Limit,
    /// Large sequential reads.
    Sequential,
    /// Small random reads from a growing part.
    WorkingSet,
    /// Small random writes.
    Writes,
}

impl Phase {
    /// Every part, in order.
    pub const ALL: [Phase; 7] = [
        Phase::Floor,
        Phase::Ramp,
        Phase::Maximum,
        Phase::Limit,
        Phase::Sequential,
        Phase::WorkingSet,
        Phase::Writes,
    ];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Floor => "floor",
            Phase::Ramp => "ramp",
            Phase::Maximum => "maximum",
            Phase::Limit => "limit",
            Phase::Sequential => "sequential",
            Phase::WorkingSet => "working-set",
            Phase::Writes => "writes",
        }
    }

    /// What is done in it, for people.
    pub const fn about(self) -> &'static str {
        match self {
            Phase::Floor => "one random read at a time",
            Phase::Ramp => "more and more random reads in flight",
            Phase::Maximum => "the maximum, measured again",
            Phase::Limit => "the most reads within the latency limit",
            Phase::Sequential => "large sequential reads",
            Phase::WorkingSet => "random reads from a growing part",
            Phase::Writes => "random writes",
        }
    }

    /// Its part of the time, relative to the others.
    const fn weight(self) -> f64 {
        match self {
            Phase::Floor | Phase::Maximum => 7.0,
            Phase::Ramp => 33.0,
            Phase::Limit => 28.0,
            Phase::Sequential => 12.0,
            Phase::WorkingSet => 13.0,
            Phase::Writes => 14.0,
        }
    }
}

impl Terms {
    /// What is done and how long each part takes at most, in order. A part that is done early
    /// leaves its time to those that follow.
    pub fn plan(&self) -> Vec<(Phase, Nanos)> {
        let phases = Phase::ALL.into_iter().filter(|phase| self.writes || *phase != Phase::Writes);
        let all: f64 = phases.clone().map(Phase::weight).sum();
        let budget = self.budget.as_secs_f64();
        let part = |phase: Phase| Nanos::from_secs_f64(budget * phase.weight() / all);
        phases.map(|phase| (phase, part(phase).unwrap_or_default())).collect()
    }
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            target: String::new(),
            budget: Nanos::from_millis(180_000),
            limit: LatencyLimit::default(),
            disks: None,
            device: None,
            writes: false,
            block: 8_192,
            large_block: 1 << 20,
            most_in_flight: 256,
            seed: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_plan_add_up_to_the_budget() {
        for writes in [false, true] {
            let terms = Terms { writes, ..Terms::default() };
            let plan = terms.plan();
            let total: f64 = plan.iter().map(|(_, length)| length.as_secs_f64()).sum();
            assert!((total - 180.0).abs() < 1e-6, "{total}");
            assert_eq!(plan.iter().any(|(phase, _)| *phase == Phase::Writes), writes);
            assert!(plan.iter().all(|(_, length)| length.as_secs_f64() > 8.0));
        }
    }
}
