//! A sweep as it is declared: a job, what is varied, how often, in which order.
//!
//! A plan is read from and written to TOML without loss: it is the reproducible form of a sweep.

mod amount;
mod check;
mod device;
mod difference;
mod error;
mod order;
mod point;
mod stop_rule;
mod values;
mod variable;
mod written;

use std::path::Path;
use std::str::FromStr;

use isotherm_analysis::DeviceClass;
use isotherm_frame::Nanos;
use isotherm_load::{Job, span};
use serde::{Deserialize, Serialize};

pub use amount::{Amount, Kind};
pub use error::PlanError;
pub use order::{Order, Turn};
pub use point::{MOST_POINTS, Point};
pub use stop_rule::StopRule;
pub use variable::{Variable, What};

/// The layout of plans that is read and written.
const FORMAT: u32 = 1;
/// The most repeats of a point.
pub const MOST_REPEATS: u32 = 1_000;

/// A sweep as it is declared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The version of this layout: 1.
    pub format: u32,
    /// What is varied; several are crossed, the last of them fastest.
    pub vary: Vec<Variable>,
    /// How often each point is run.
    pub repeats: u32,
    /// The order of runs.
    pub order: Order,
    /// What shuffles a random order.
    pub seed: u64,
    /// Rest before each run but the first.
    #[serde(with = "span")]
    pub cool_down: Nanos,
    /// No run begins that could end later than this after the sweep began.
    #[serde(with = "span::optional", skip_serializing_if = "Option::is_none")]
    pub most_time: Option<Nanos>,
    /// When the load is not raised any further; the first that holds counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_when: Vec<StopRule>,
    /// The class of device, as its owner declares it.
    #[serde(with = "device", skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceClass>,
    /// What every point has in common.
    pub job: Job,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            format: FORMAT,
            vary: Vec::new(),
            repeats: 1,
            order: Order::default(),
            seed: 1,
            cool_down: Nanos::ZERO,
            most_time: None,
            stop_when: Vec::new(),
            device: None,
            job: Job::default(),
        }
    }
}

impl Plan {
    /// Reads a plan file and checks it.
    pub fn read(path: &Path) -> Result<Plan, PlanError> {
        let text = std::fs::read_to_string(path).map_err(|error| PlanError::File {
            path: path.display().to_string(),
            why: error.to_string(),
        })?;
        text.parse()
    }

    /// The most time that a run of the point takes: warming up and measuring. Making ready what is
    /// loaded is not in it.
    pub fn run_time(job: &Job) -> Nanos {
        let warmup = match job.warmup {
            isotherm_load::Warmup::Time(time) | isotherm_load::Warmup::UntilSteady(time) => time,
        };
        Nanos::new(warmup.as_nanos().saturating_add(job.limit.time.as_nanos()))
    }

    /// The most time that so many runs take, with a rest before each but the first.
    pub fn time_of(&self, runs: u64) -> Nanos {
        let run = Plan::run_time(&self.job).as_nanos();
        let rests = self.cool_down.as_nanos().saturating_mul(runs.saturating_sub(1));
        Nanos::new(run.saturating_mul(runs).saturating_add(rests))
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    /// Reads the TOML of a plan and checks it.
    fn from_str(text: &str) -> Result<Plan, PlanError> {
        let plan: Plan = toml::from_str(text)
            .map_err(|error| PlanError::Toml(error.to_string().trim_end().to_owned()))?;
        plan.check()?;
        Ok(plan)
    }
}

#[cfg(test)]
mod tests;
