//! What was found, for programs: the `findings` of `isotherm stats --format json` and of reports.

mod cache_warnings;
mod changes;
mod parts;

use isotherm_analysis::Findings;
use schemars::JsonSchema;
use serde::Serialize;

use cache_warnings::CacheWarningJson;
use changes::{ChangeJson, IncidentJson};
use parts::{
    AverageJson, BurstJson, GapsJson, ModeJson, OutlierJson, OwnerJson, PeriodJson, ResponseJson,
    SlowBandJson, TailJson, UnplacedJson,
};

/// What was found in latencies, and the sentences that say what is worth saying of it. Times are in
/// nanoseconds of the clock (`_ns`) or seconds (`_s`), shares from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Findings")]
pub struct FindingsJson {
    /// One to five sentences in plain words, most important first.
    sentences: Vec<String>,
    /// Where latencies gather, shortest first.
    modes: Vec<ModeJson>,
    /// What the mean stands for; null without events.
    average: Option<AverageJson>,
    /// What the slowest hundredth of the events own; null without events.
    tail: Option<TailJson>,
    /// Events far beyond all others, in the order of time.
    outliers: Vec<OutlierJson>,
    /// Quantiles that are not repeatable: too few events, or between two modes.
    unstable: Vec<f64>,
    /// Short stretches into which much of the waiting falls, in the order of time; none where they
    /// are a period.
    bursts: Vec<BurstJson>,
    /// When latencies change, in the order of time.
    changes: Vec<ChangeJson>,
    /// What comes again and again; null if nothing does.
    period: Option<PeriodJson>,
    /// The time of which nothing is known; null if there is none.
    gaps: Option<GapsJson>,
    /// How latency responds to load; null where that cannot be said.
    response: Option<ResponseJson>,
    /// Warnings: latencies may not be those of a device.
    doubts: Vec<CacheWarningJson>,
    /// The stretch of time that owns the most of all time waited; null where none stands out.
    busiest: Option<IncidentJson>,
    /// The series, or the value of an attribute, that owns the most of all time waited; null for one
    /// series, and where the time is divided evenly.
    owner: Option<OwnerJson>,
    /// A few slow events apart from all others that own much of the time; null where there are none.
    slow_band: Option<SlowBandJson>,
    /// Time of events longer than an interval; null where there is none.
    unplaced: Option<UnplacedJson>,
}

impl FindingsJson {
    /// The findings with these sentences.
    pub fn new(findings: &Findings, sentences: &[String]) -> FindingsJson {
        let unstable = findings.quantiles.iter().filter(|(_, unstable)| *unstable);
        FindingsJson {
            sentences: sentences.to_vec(),
            modes: findings.modes.iter().map(ModeJson::from).collect(),
            average: findings.average.as_ref().map(AverageJson::from),
            tail: findings.tail.as_ref().map(TailJson::from),
            outliers: findings.outliers.iter().map(OutlierJson::from).collect(),
            unstable: unstable.map(|(quantile, _)| quantile.q).collect(),
            bursts: findings.bursts.iter().map(BurstJson::from).collect(),
            changes: findings.changes.iter().map(ChangeJson::new).collect(),
            period: findings.period.as_ref().map(PeriodJson::from),
            gaps: findings.gaps.as_ref().map(GapsJson::from),
            response: findings.response.as_ref().map(ResponseJson::from),
            doubts: findings.cache_warnings.iter().map(CacheWarningJson::from).collect(),
            busiest: findings.busiest.as_ref().map(IncidentJson::new),
            owner: findings.owner.as_ref().map(OwnerJson::from),
            slow_band: findings.slow_band.as_ref().map(SlowBandJson::from),
            unplaced: findings.unplaced.as_ref().map(UnplacedJson::from),
        }
    }
}
