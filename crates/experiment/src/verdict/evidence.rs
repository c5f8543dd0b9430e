//! What a run is judged by, and how a judgement is put.

use isotherm_analysis::DeviceClass;
use isotherm_load::{Job, KnownCounter, Outcome};

use crate::{Steady, Verdict};

/// What is known when a run is judged.
#[derive(Copy, Clone, Debug)]
pub struct Evidence<'a> {
    /// What was done.
    pub job: &'a Job,
    /// What is known of the system beforehand.
    pub facts: &'a [(String, String)],
    /// What came of it.
    pub outcome: &'a Outcome,
    /// Whether throughput was steady.
    pub steady: &'a Steady,
    /// The class of device, if it was declared.
    pub device: Option<DeviceClass>,
    /// What was found wrong with what was written.
    pub damage: &'a [String],
}

pub(super) fn serious(code: &str, words: String) -> Verdict {
    Verdict { code: code.to_owned(), serious: true, words }
}

pub(super) fn remark(code: &str, words: String) -> Verdict {
    Verdict { code: code.to_owned(), serious: false, words }
}

pub(super) fn observed(evidence: &Evidence, counter: KnownCounter) -> Option<f64> {
    counter.observed(&evidence.outcome.observed).map(|one| one.value as f64)
}
