//! What came of a calibration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cache::CacheGuess;
use super::calibrate_io::CalibrateIo;
use super::figure::Figure;
use super::limit::LatencyLimit;
use super::ramp::least_for_maximum;
use super::step::{Figures, Step};
use super::terms::Phase;
use crate::Verdict;
use crate::verdict::CACHED_AFTER_FIRST_VISIT;

/// What a disk or file can do: every rate with its latencies, every run behind it, and warnings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The latency that is still good enough: p99<5ms.
    #[schemars(with = "String")]
    pub limit: LatencyLimit,
    /// Disks behind it, as declared.
    pub disks: Option<u32>,
    /// The class of device, as declared.
    pub device: Option<String>,
    /// Time of load asked for, seconds.
    pub budget_s: f64,
    /// Time of load spent, seconds.
    pub spent_s: f64,
    /// Why it is not complete; null if it is.
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
    /// Warnings, serious ones first.
    pub verdicts: Vec<Verdict>,
    /// Everything that was run, in order.
    pub steps: Vec<Step>,
}

impl Calibration {
    /// The steps of a part that came to something.
    pub fn of(&self, phase: Phase) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.phase == phase && step.figure.is_some())
    }

    /// Whether places read before were answered sooner than new ones in some step: a cache holds what
    /// was read, although small parts may be no faster than all of it.
    pub fn holds_what_was_read(&self) -> bool {
        let mut verdicts = self.steps.iter().flat_map(|step| &step.run.verdicts);
        verdicts.any(|verdict| verdict.code == CACHED_AFTER_FIRST_VISIT)
    }

    /// Small random reads that arrived independently, fewest first.
    pub fn arrivals(&self) -> Vec<&Step> {
        let mut steps: Vec<(f64, &Step)> = self.of(Phase::Limit).filter_map(offered).collect();
        steps.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        steps.into_iter().map(|(_, step)| step).collect()
    }

    /// Small random reads from parts, smallest first.
    pub fn parts(&self) -> Vec<&Step> {
        self.others_of(Phase::WorkingSet, self.figures.read_again.as_ref())
    }

    /// Small random writes, fewest in flight first.
    pub fn writes(&self) -> Vec<&Step> {
        self.others_of(Phase::Writes, self.figures.log_write.as_ref())
    }

    /// The steps of a part but for one.
    fn others_of(&self, phase: Phase, one: Option<&Figure>) -> Vec<&Step> {
        let number = |figure: &Figure| figure.step;
        let one = one.map(number);
        self.of(phase).filter(|step| step.figure.as_ref().map(number) != one).collect()
    }

    /// Whether rates within the limit were looked for.
    pub fn tried_limit(&self) -> bool {
        self.steps.iter().any(|step| step.phase >= Phase::Limit)
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

/// Arrivals asked for per second and the step, of one whose operations arrived.
fn offered(step: &Step) -> Option<(f64, &Step)> {
    let figure = step.figure.as_ref().filter(|figure| figure.in_flight.is_none())?;
    Some((figure.offered_per_second.unwrap_or(figure.per_second), step))
}
