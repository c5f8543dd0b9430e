//! Changes over time for programs.

use isotherm_analysis::{Band, Change, ChangeKind, Incident, Level, Stall};
use isotherm_frame::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::json::RangeJson;

/// When latencies change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub(super) struct ChangeJson {
    /// Its beginning.
    start_ns: i64,
    /// When hardly anything is left of what was different; null when it lasts.
    end_ns: Option<i64>,
    /// appears, vanishes, grows: a band; moves: latencies as a whole; scales: all latencies by one
    /// factor; rate: events per second only; drifts, rate drifts: latencies or events per second go
    /// from before to after bit by bit, from the start to the end; stalls: nothing ended, then what
    /// had waited; silent: no events for some time; stops: no events any more.
    #[schemars(extend("enum" = [
        "appears", "vanishes", "grows", "moves", "scales", "rate", "drifts", "rate drifts", "stalls",
        "silent", "stops",
    ]))]
    kind: &'static str,
    /// The band that appears, vanishes or grows.
    band: Option<BandJson>,
    /// Of scales: how many times as long all latencies are.
    factor: Option<f64>,
    /// Of stalls: what ended after nothing did.
    stall: Option<StallJson>,
    /// Before it.
    before: LevelJson,
    /// After it.
    after: LevelJson,
}

/// What ended after nothing did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Stall")]
struct StallJson {
    /// Where the first of them ended.
    quiet_to_ns: i64,
    /// Events that ended then and took longer than usual.
    events: u64,
    #[serde(flatten)]
    range: RangeJson,
    /// Of all time waited, what these events waited: an estimate.
    time_share: f64,
}

/// A band of latencies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Band")]
struct BandJson {
    #[serde(flatten)]
    range: RangeJson,
    /// Of events, while it is there.
    share: f64,
    /// Of the time waited, while it is there: an estimate.
    time_share: f64,
    /// Of events, in the other stretch of time.
    other_share: f64,
}

/// How it was in a stretch of time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Level")]
pub(super) struct LevelJson {
    /// Events per second.
    rate_per_s: f64,
    /// Events waiting on average.
    sessions_waiting: f64,
    /// Mean latency.
    mean_ns: f64,
    /// The bucket of the median; null without events.
    median: Option<RangeJson>,
}

/// The stretch of time that owns the most of all time waited.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Incident")]
pub(super) struct IncidentJson {
    /// Its beginning.
    start_ns: i64,
    /// Its end, or that of what is known where it lasts.
    end_ns: i64,
    /// Whether it is there at the end of what is known.
    lasts: bool,
    /// Of all time waited.
    time_share: f64,
    /// What is in it.
    inside: LevelJson,
    /// What is in the rest of the time.
    outside: LevelJson,
}

impl ChangeJson {
    pub(super) fn new(change: &Change) -> ChangeJson {
        let (kind, band) = match &change.kind {
            ChangeKind::Appears(band) => ("appears", Some(band)),
            ChangeKind::Vanishes(band) => ("vanishes", Some(band)),
            ChangeKind::Grows(band) => ("grows", Some(band)),
            ChangeKind::Moves => ("moves", None),
            ChangeKind::Rate => ("rate", None),
            ChangeKind::Scales(_) => ("scales", None),
            ChangeKind::Drifts => ("drifts", None),
            ChangeKind::RateDrifts => ("rate drifts", None),
            ChangeKind::Stalls(_) => ("stalls", None),
            ChangeKind::Silent => ("silent", None),
            ChangeKind::Stops => ("stops", None),
        };
        let (factor, stall) = match &change.kind {
            ChangeKind::Scales(factor) => (Some(*factor), None),
            ChangeKind::Stalls(stall) => (None, Some(StallJson::new(stall))),
            _ => (None, None),
        };
        ChangeJson {
            start_ns: change.start.as_nanos(),
            end_ns: change.end.map(Timestamp::as_nanos),
            kind,
            band: band.map(BandJson::new),
            factor,
            stall,
            before: LevelJson::new(&change.before),
            after: LevelJson::new(&change.after),
        }
    }
}

impl StallJson {
    fn new(stall: &Stall) -> StallJson {
        StallJson {
            quiet_to_ns: stall.quiet_to.as_nanos(),
            events: stall.held_up,
            range: stall.longest.into(),
            time_share: stall.time_share,
        }
    }
}

impl BandJson {
    fn new(band: &Band) -> BandJson {
        BandJson {
            range: band.edges.into(),
            share: band.share,
            time_share: band.time_share,
            other_share: band.other_share,
        }
    }
}

impl LevelJson {
    fn new(level: &Level) -> LevelJson {
        LevelJson {
            rate_per_s: level.rate,
            sessions_waiting: level.waiting,
            mean_ns: level.mean_ns,
            median: level.median.map(RangeJson::from),
        }
    }
}

impl IncidentJson {
    pub(super) fn new(incident: &Incident) -> IncidentJson {
        IncidentJson {
            start_ns: incident.start.as_nanos(),
            end_ns: incident.end.as_nanos(),
            lasts: incident.lasts,
            time_share: incident.time_share,
            inside: LevelJson::new(&incident.inside),
            outside: LevelJson::new(&incident.outside),
        }
    }
}
