//! What was found, for programs: the `findings` of `isotherm stats --format json` and of reports.

use isotherm_analysis::{
    Average, Band, Burst, Change, ChangeKind, Doubt, Findings, Gaps, Incident, Level, LoadResponse,
    Outlier, Owner, Period, ResponseKind, SlowBand, Stall, Unplaced,
};
use isotherm_frame::Nanos;
use serde_json::{Value, json};

/// The findings, and the sentences that say what is worth saying of them. Times are in nanoseconds
/// of the clock (`_ns`) or seconds (`_s`), shares from 0 to 1, `hi_ns` exclusive and null where
/// there is no upper bound.
pub fn value(findings: &Findings, sentences: &[String]) -> Value {
    let unstable = findings.quantiles.iter().filter(|(_, unstable)| *unstable);
    json!({
        "sentences": sentences,
        "modes": findings.modes.iter().map(|mode| json!({
            "at_ns": mode.at.as_nanos(),
            "lo_ns": mode.edges.0.as_nanos(),
            "hi_ns": mode.edges.1.map(Nanos::as_nanos),
            "share": mode.share,
            "time_share": mode.time_share,
        })).collect::<Vec<Value>>(),
        "average": findings.average.as_ref().map(average),
        "tail": findings.tail.map(|tail| json!({
            "from_ns": tail.from.as_nanos(),
            "share": tail.events,
            "time_share": tail.time,
        })),
        "outliers": findings.outliers.iter().map(outlier).collect::<Vec<Value>>(),
        "unstable": unstable.map(|(quantile, _)| quantile.q).collect::<Vec<f64>>(),
        "bursts": findings.bursts.iter().map(burst).collect::<Vec<Value>>(),
        "changes": findings.changes.iter().map(change).collect::<Vec<Value>>(),
        "period": findings.period.as_ref().map(period),
        "gaps": findings.gaps.as_ref().map(gaps),
        "response": findings.response.as_ref().map(response),
        "doubts": findings.doubts.iter().map(doubt).collect::<Vec<Value>>(),
        "busiest": findings.busiest.as_ref().map(incident),
        "owner": findings.owner.as_ref().map(owner),
        "slow_band": findings.slow_band.as_ref().map(slow_band),
        "unplaced": findings.unplaced.as_ref().map(unplaced),
    })
}

fn incident(incident: &Incident) -> Value {
    json!({
        "start_ns": incident.start.as_nanos(),
        "end_ns": incident.end.as_nanos(),
        "time_share": incident.time_share,
        "inside": level(&incident.inside),
        "outside": level(&incident.outside),
    })
}

fn owner(owner: &Owner) -> Value {
    json!({
        "facet": owner.facet.key(),
        "value": owner.value,
        "waited_s": owner.waited.seconds,
        "exact": owner.waited.exact,
        "time_share": owner.time_share,
        "event_share": owner.event_share,
        "values": owner.of,
    })
}

fn slow_band(band: &SlowBand) -> Value {
    json!({
        "lo_ns": band.edges.0.as_nanos(),
        "hi_ns": band.edges.1.map(Nanos::as_nanos),
        "events": band.events,
        "share": band.share,
        "time_share": band.time_share,
    })
}

fn unplaced(unplaced: &Unplaced) -> Value {
    json!({
        "longer_than_ns": unplaced.column.as_nanos(),
        "waited_s": unplaced.seconds,
        "time_share": unplaced.time_share,
    })
}

fn average(average: &Average) -> Value {
    json!({
        "mean_ns": average.mean_ns,
        "exact": average.exact,
        "share_below": { "least": average.rank.0, "most": average.rank.1 },
        "share_near": { "least": average.near.0, "most": average.near.1 },
        "skew": average.skew,
    })
}

fn outlier(outlier: &Outlier) -> Value {
    json!({
        "start_ns": outlier.start.as_nanos(),
        "end_ns": outlier.end.as_nanos(),
        "lo_ns": outlier.bucket.lo.as_nanos(),
        "hi_ns": outlier.bucket.hi.map(Nanos::as_nanos),
        "events": outlier.events,
        "octaves": outlier.octaves,
    })
}

fn burst(burst: &Burst) -> Value {
    json!({
        "start_ns": burst.start.as_nanos(),
        "end_ns": burst.end.as_nanos(),
        "events": burst.events,
        "mean_ns": burst.mean_ns,
        "time_share": burst.time_share,
    })
}

fn change(change: &Change) -> Value {
    let (kind, about) = match &change.kind {
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
    let factor = match change.kind {
        ChangeKind::Scales(factor) => Some(factor),
        _ => None,
    };
    let held_up = match &change.kind {
        ChangeKind::Stalls(stall) => Some(stalled(stall)),
        _ => None,
    };
    json!({
        "start_ns": change.start.as_nanos(),
        "end_ns": change.end.map(isotherm_frame::Timestamp::as_nanos),
        "kind": kind,
        "band": about.map(band),
        "factor": factor,
        "stall": held_up,
        "before": level(&change.before),
        "after": level(&change.after),
    })
}

fn stalled(stall: &Stall) -> Value {
    json!({
        "quiet_to_ns": stall.quiet_to.as_nanos(),
        "events": stall.held_up,
        "lo_ns": stall.longest.lo.as_nanos(),
        "hi_ns": stall.longest.hi.map(Nanos::as_nanos),
        "time_share": stall.time_share,
    })
}

fn band(band: &Band) -> Value {
    json!({
        "lo_ns": band.edges.0.as_nanos(),
        "hi_ns": band.edges.1.map(Nanos::as_nanos),
        "share": band.share,
        "time_share": band.time_share,
        "other_share": band.other_share,
    })
}

fn level(level: &Level) -> Value {
    json!({
        "rate_per_s": level.rate,
        "sessions_waiting": level.waiting,
        "mean_ns": level.mean_ns,
        "median": level.median.map(|bucket| json!({
            "lo_ns": bucket.lo.as_nanos(),
            "hi_ns": bucket.hi.map(Nanos::as_nanos),
        })),
    })
}

fn period(period: &Period) -> Value {
    json!({
        "every_s": period.every.as_secs_f64(),
        "first_ns": period.first.as_nanos(),
        "cycles": period.cycles,
        "busy": period.busy,
        "time_share": period.time_share,
    })
}

fn gaps(gaps: &Gaps) -> Value {
    json!({
        "stretches": gaps.stretches,
        "resets": gaps.resets,
        "missing_s": gaps.missing_s,
        "longest_s": gaps.longest_s(),
        "longest_start_ns": gaps.longest.map(|(start, _)| start.as_nanos()),
    })
}

fn response(response: &LoadResponse) -> Value {
    let (kind, knee) = match response.kind {
        ResponseKind::Follows(knee) => ("follows", knee),
        ResponseKind::VariesWithoutLoad => ("varies without load", None),
        ResponseKind::Closed => ("closed", None),
        ResponseKind::Unrelated => ("unrelated", None),
    };
    json!({
        "kind": kind,
        "knee_per_s": knee,
        "correlation": response.correlation,
        "low_rate_per_s": response.rates.0,
        "high_rate_per_s": response.rates.1,
        "mean_at_low_ns": response.means_ns.0,
        "mean_at_high_ns": response.means_ns.1,
        "sessions_waiting": response.waiting,
    })
}

fn doubt(doubt: &Doubt) -> Value {
    match *doubt {
        Doubt::FasterThanDevice { class, floor, share, reads } => json!({
            "kind": "faster than the device",
            "device": class.to_string(),
            "floor_ns": floor.as_nanos(),
            "share": share,
            "reads": reads,
        }),
        Doubt::CacheHits { class, floor, share, reads } => json!({
            "kind": "cache hits",
            "device": class.to_string(),
            "floor_ns": floor.as_nanos(),
            "share": share,
            "reads": reads,
        }),
        Doubt::TwoSpeeds { fast, slow, share } => json!({
            "kind": "two speeds",
            "fast_ns": fast.as_nanos(),
            "slow_ns": slow.as_nanos(),
            "share": share,
        }),
        Doubt::MayBeCache { below, rate } => json!({
            "kind": "may be a cache",
            "below_ns": below.as_nanos(),
            "share": 1.0,
            "rate_per_s": rate,
        }),
    }
}
