//! Single findings for programs.

use isotherm_analysis::{
    Average, Burst, Gaps, LoadResponse, Mode, Outlier, Owner, Period, ResponseKind, SlowBand,
    TailShare, Unplaced,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::json::RangeJson;

/// Where latencies gather.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Mode")]
pub(super) struct ModeJson {
    /// Where most of them are: an estimate.
    at_ns: u64,
    #[serde(flatten)]
    range: RangeJson,
    /// Where its events lie, but for the half per cent at either end.
    bulk: RangeJson,
    /// The share of its events that may lie within a factor of 1.5 of `at_ns`: less than 0.75 of a
    /// broad mode, which `at_ns` does not describe.
    near_share: f64,
    /// Of events.
    share: f64,
    /// Of the time waited: an estimate.
    time_share: f64,
    /// Between which bounds that lies, by the buckets and, where it is exact, the total.
    time_share_within: ShareJson,
}

/// What the mean stands for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Average")]
pub(super) struct AverageJson {
    /// The mean.
    mean_ns: f64,
    /// Whether it is exact.
    exact: bool,
    /// The share of events shorter than the mean.
    share_below: ShareJson,
    /// The share of events within a factor of the square root of two of the mean.
    share_near: ShareJson,
    /// (mean - median) / standard deviation.
    skew: f64,
}

/// A share as nearly as buckets tell.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Share")]
struct ShareJson {
    /// The least it can be.
    least: f64,
    /// The most it can be.
    most: f64,
}

/// What the slowest hundredth of the events own, as nearly as whole buckets tell.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Tail")]
pub(super) struct TailJson {
    /// Where it begins.
    from_ns: u64,
    /// Of events.
    share: f64,
    /// Of the time waited: an estimate.
    time_share: f64,
    /// Between which bounds that lies, by the buckets and, where it is exact, the total.
    time_share_within: ShareJson,
}

/// Events far beyond all others.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Outlier")]
pub(super) struct OutlierJson {
    /// The interval begins.
    start_ns: i64,
    /// The interval ends.
    end_ns: i64,
    #[serde(flatten)]
    range: RangeJson,
    /// Events.
    events: u64,
    /// How many doublings beyond the other latencies.
    octaves: f64,
}

/// A short stretch into which much of the waiting falls.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Burst")]
pub(super) struct BurstJson {
    /// Its beginning.
    start_ns: i64,
    /// Its end.
    end_ns: i64,
    /// Events.
    events: u64,
    /// Mean latency.
    mean_ns: f64,
    /// Of all time waited.
    time_share: f64,
}

/// What comes again and again.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Period")]
pub(super) struct PeriodJson {
    /// From one cycle to the next.
    every_s: f64,
    /// The middle of the busy part of the first cycle.
    first_ns: i64,
    /// Bursts seen.
    cycles: usize,
    /// The busy part of a cycle.
    busy: f64,
    /// The share of the time waited in the busy part.
    time_share: f64,
}

/// The time of which nothing is known.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Gaps")]
pub(super) struct GapsJson {
    /// Stretches.
    stretches: usize,
    /// Times that counters were reset.
    resets: usize,
    /// All of it.
    missing_s: f64,
    /// The longest.
    longest_s: f64,
    /// Where the longest begins; null where all are shorter than a column.
    longest_start_ns: Option<i64>,
}

/// How latency responds to load.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Response")]
pub(super) struct ResponseJson {
    /// How.
    #[schemars(extend("enum" = ["follows", "varies without load", "closed", "unrelated"]))]
    kind: &'static str,
    /// The rate from which on latency rises more steeply; null without one.
    knee_per_s: Option<f64>,
    /// Rank correlation of latency and rate.
    correlation: f64,
    /// A low rate.
    low_rate_per_s: f64,
    /// A high rate.
    high_rate_per_s: f64,
    /// The mean latency at the low rate.
    mean_at_low_ns: f64,
    /// The mean latency at the high rate.
    mean_at_high_ns: f64,
    /// Events waiting on average.
    sessions_waiting: f64,
}

/// The series, or the value of an attribute, that owns the most of all time waited.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Owner")]
pub(super) struct OwnerJson {
    /// The key of the attribute; series for the name.
    facet: String,
    /// The value.
    value: String,
    /// Its time waited.
    waited_s: f64,
    /// Whether that is measured.
    exact: bool,
    /// Of all time waited.
    time_share: f64,
    /// Of all events.
    event_share: f64,
    /// How many values there are.
    values: usize,
}

/// A few slow events apart from all others that own much of the time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SlowBand")]
pub(super) struct SlowBandJson {
    #[serde(flatten)]
    range: RangeJson,
    /// Events.
    events: u64,
    /// Of events.
    share: f64,
    /// Of the time waited.
    time_share: f64,
    /// Between which bounds that lies, by the buckets and, where it is exact, the total.
    time_share_within: ShareJson,
}

/// Time of events longer than an interval, from a source that says only when they ended: it is
/// counted in the interval in which they ended, and an unknown part of it was waited before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Unplaced")]
pub(super) struct UnplacedJson {
    /// The length of an interval.
    longer_than_ns: u64,
    /// Their time waited.
    waited_s: f64,
    /// Of all time waited.
    time_share: f64,
}

impl From<&Mode> for ModeJson {
    fn from(mode: &Mode) -> ModeJson {
        ModeJson {
            at_ns: mode.at.as_nanos(),
            range: mode.edges.into(),
            bulk: (mode.bulk.lo, mode.bulk.hi).into(),
            near_share: mode.near,
            share: mode.share,
            time_share: mode.time_share,
            time_share_within: (mode.part.least, mode.part.most).into(),
        }
    }
}

impl From<(f64, f64)> for ShareJson {
    fn from((least, most): (f64, f64)) -> ShareJson {
        ShareJson { least, most }
    }
}

impl From<&Average> for AverageJson {
    fn from(average: &Average) -> AverageJson {
        AverageJson {
            mean_ns: average.mean_ns,
            exact: average.exact,
            share_below: average.rank.into(),
            share_near: average.near.into(),
            skew: average.skew,
        }
    }
}

impl From<&TailShare> for TailJson {
    fn from(tail: &TailShare) -> TailJson {
        TailJson {
            from_ns: tail.from.as_nanos(),
            share: tail.events,
            time_share: tail.time,
            time_share_within: (tail.part.least, tail.part.most).into(),
        }
    }
}

impl From<&Outlier> for OutlierJson {
    fn from(outlier: &Outlier) -> OutlierJson {
        OutlierJson {
            start_ns: outlier.start.as_nanos(),
            end_ns: outlier.end.as_nanos(),
            range: outlier.bucket.into(),
            events: outlier.events,
            octaves: outlier.octaves,
        }
    }
}

impl From<&Burst> for BurstJson {
    fn from(burst: &Burst) -> BurstJson {
        BurstJson {
            start_ns: burst.start.as_nanos(),
            end_ns: burst.end.as_nanos(),
            events: burst.events,
            mean_ns: burst.mean_ns,
            time_share: burst.time_share,
        }
    }
}

impl From<&Period> for PeriodJson {
    fn from(period: &Period) -> PeriodJson {
        PeriodJson {
            every_s: period.every.as_secs_f64(),
            first_ns: period.first.as_nanos(),
            cycles: period.cycles,
            busy: period.busy,
            time_share: period.time_share,
        }
    }
}

impl From<&Gaps> for GapsJson {
    fn from(gaps: &Gaps) -> GapsJson {
        GapsJson {
            stretches: gaps.stretches,
            resets: gaps.resets,
            missing_s: gaps.missing_s,
            longest_s: gaps.longest_s(),
            longest_start_ns: gaps.longest.map(|(start, _)| start.as_nanos()),
        }
    }
}

impl From<&LoadResponse> for ResponseJson {
    fn from(response: &LoadResponse) -> ResponseJson {
        let (kind, knee_per_s) = match response.kind {
            ResponseKind::Follows(knee) => ("follows", knee),
            ResponseKind::VariesWithoutLoad => ("varies without load", None),
            ResponseKind::Closed => ("closed", None),
            ResponseKind::Unrelated => ("unrelated", None),
        };
        ResponseJson {
            kind,
            knee_per_s,
            correlation: response.correlation,
            low_rate_per_s: response.rates.0,
            high_rate_per_s: response.rates.1,
            mean_at_low_ns: response.means_ns.0,
            mean_at_high_ns: response.means_ns.1,
            sessions_waiting: response.waiting,
        }
    }
}

impl From<&Owner> for OwnerJson {
    fn from(owner: &Owner) -> OwnerJson {
        OwnerJson {
            facet: owner.facet.key().to_owned(),
            value: owner.value.clone(),
            waited_s: owner.waited.seconds,
            exact: owner.waited.exact,
            time_share: owner.time_share,
            event_share: owner.event_share,
            values: owner.of,
        }
    }
}

impl From<&SlowBand> for SlowBandJson {
    fn from(band: &SlowBand) -> SlowBandJson {
        SlowBandJson {
            range: band.edges.into(),
            events: band.events,
            share: band.share,
            time_share: band.time_share,
            time_share_within: (band.part.least, band.part.most).into(),
        }
    }
}

impl From<&Unplaced> for UnplacedJson {
    fn from(unplaced: &Unplaced) -> UnplacedJson {
        UnplacedJson {
            longer_than_ns: unplaced.column.as_nanos(),
            waited_s: unplaced.seconds,
            time_share: unplaced.time_share,
        }
    }
}
