//! Everything there is to find in the latencies of one series, or of several together.

use isotherm_frame::{Frame, Histogram, QuantileInterval, TimeWaited};

use crate::bursts::incident;
use crate::resample::grid;
use crate::silence::silences;
use crate::{
    Average, Burst, Change, ChangeKind, Circumstances, Doubt, Gaps, LoadResponse, Mode, Outlier,
    Period, ResponseKind, TailShare, Timeline, average, bursts, changes, doubts, gaps, is_unstable,
    modes, outliers, period, response, slowest,
};

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Events counted.
    pub events: u64,
    /// The time about which the source said something, in seconds.
    pub covered_s: f64,
    /// The time waited.
    pub waited: TimeWaited,
    /// The mean latency in nanoseconds; `None` without events.
    pub mean_ns: Option<f64>,
    /// p50, p90, p99, p99.9 and the maximum, each with whether it is unstable: whether it lies
    /// where a few events more or less move it from one mode to the next.
    pub quantiles: Vec<(QuantileInterval, bool)>,
    /// Where latencies gather, shortest first.
    pub modes: Vec<Mode>,
    /// What the mean stands for; `None` without events.
    pub average: Option<Average>,
    /// What the slowest hundredth of the events own; `None` without events.
    pub tail: Option<TailShare>,
    /// Events far beyond all others, in the order of time.
    pub outliers: Vec<Outlier>,
    /// A few columns into which much of the waiting falls; where bursts come again and again, they
    /// are a period.
    pub bursts: Vec<Burst>,
    /// When latencies change, bursts left aside.
    pub changes: Vec<Change>,
    /// What comes again and again.
    pub period: Option<Period>,
    /// The time of which nothing is known.
    pub gaps: Option<Gaps>,
    /// How latency responds to load.
    pub response: Option<LoadResponse>,
    /// Reasons to doubt that latencies are those of a device.
    pub doubts: Vec<Doubt>,
}

/// The quantiles looked at; 1 is the maximum.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];
/// The share of events whose time is looked at.
const SLOWEST: f64 = 0.01;

impl Findings {
    /// The findings of latencies over time. They are made from one set of interval lengths, see
    /// `resample`, so that surfaces that draw other columns say the same.
    pub fn of(timeline: &Timeline, circumstances: &Circumstances) -> Findings {
        let whole = Findings::of_total(&timeline.total, timeline.covered_s(), circumstances);
        let timeline = timeline.for_findings();
        let course = timeline.of_covered().with_waits_spread();
        let period = period(&course);
        let silences = silences(&course, period.as_ref());
        let course = course.without(|column| silences.iter().any(|silence| silence.covers(column)));
        let mut bursts = if period.is_some() { Vec::new() } else { bursts(&course) };
        let quiet = course.without(|column| bursts.iter().any(|burst| burst.covers(column)));
        let response = response(&quiet);
        let mut changes = changes(&quiet, period.as_ref());
        if changes.is_empty() && bursts.is_empty() && period.is_none() {
            bursts.extend(incident(&quiet));
        }
        // What changed when is more than that it varies; what load explains is no change of its own.
        let told = !changes.is_empty() || !bursts.is_empty() || period.is_some();
        let response =
            response.filter(|found| !told || found.kind != ResponseKind::VariesWithoutLoad);
        if response.is_some_and(|found| matches!(found.kind, ResponseKind::Follows(_))) {
            changes = not_by_load(changes);
        }
        changes.extend(silences);
        changes.sort_by_key(|change| change.start);
        Findings {
            waited: timeline.waited(),
            outliers: outliers(&timeline),
            changes,
            bursts,
            period,
            gaps: gaps(&timeline),
            response,
            ..whole
        }
    }

    /// The findings of these frames taken together; `None` without frames.
    pub fn of_frames(frames: &[Frame], circumstances: &Circumstances) -> Option<Findings> {
        let grid = grid(frames)?;
        Some(Findings::of(&Timeline::place(frames, grid), circumstances))
    }

    /// The findings of latencies of which only the total is known, counted over `covered_s`
    /// seconds.
    pub fn of_total(total: &Histogram, covered_s: f64, circumstances: &Circumstances) -> Findings {
        let modes = modes(total);
        let quantile = |&q: &f64| Some((total.quantile(q).ok()?, is_unstable(total, &modes, q)));
        Findings {
            events: total.events(),
            covered_s,
            waited: total.time_waited(),
            mean_ns: total.mean_ns(),
            quantiles: QUANTILES.iter().filter_map(quantile).collect(),
            average: average(total),
            tail: slowest(total, SLOWEST),
            outliers: Vec::new(),
            bursts: Vec::new(),
            changes: Vec::new(),
            period: None,
            gaps: None,
            response: None,
            doubts: doubts(total, &modes, circumstances),
            modes,
        }
    }
}

/// Without changes of all latencies that go the way of a drift of load: what the load explains.
fn not_by_load(mut changes: Vec<Change>) -> Vec<Change> {
    let rises = |change: &Change| match change.kind {
        ChangeKind::RateDrifts => change.after.rate > change.before.rate,
        _ => change.after.mean_ns > change.before.mean_ns,
    };
    let loads: Vec<Change> =
        changes.iter().filter(|change| change.kind == ChangeKind::RateDrifts).cloned().collect();
    let goes_with = |change: &Change, load: &Change| {
        let overlap = load.end.is_none_or(|end| change.start < end)
            && change.end.is_none_or(|end| load.start < end);
        overlap && rises(change) == rises(load)
    };
    let of_all = |change: &Change| {
        use ChangeKind::{Drifts, Grows, Moves, Scales};
        matches!(change.kind, Drifts | Moves | Scales(_) | Grows(_))
    };
    changes.retain(|change| !of_all(change) || !loads.iter().any(|load| goes_with(change, load)));
    changes
}
