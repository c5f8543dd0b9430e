//! Everything there is to find in the latencies of one series, or of several together.

use std::borrow::Cow;

use isotherm_frame::{Frame, Histogram, QuantileInterval, TimeWaited};

use crate::{
    Average, Burst, Change, Circumstances, Doubt, Gaps, Grid, LoadResponse, Mode, Outlier, Period,
    TailShare, Timeline, average, bursts, changes, doubts, gaps, is_unstable, modes, outliers,
    period, response, slowest,
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
    /// The most columns of the timelines that findings are made from, so that every surface has
    /// the same.
    pub const COLUMNS: usize = 4_096;

    /// The findings of latencies over time.
    pub fn of(timeline: &Timeline, circumstances: &Circumstances) -> Findings {
        let whole = Findings::of_total(&timeline.total, timeline.covered_s(), circumstances);
        let period = period(timeline);
        let bursts = if period.is_some() { Vec::new() } else { bursts(timeline) };
        let quiet = match bursts[..] {
            [] => Cow::Borrowed(timeline),
            _ => Cow::Owned(timeline.without(&bursts)),
        };
        Findings {
            waited: timeline.waited(),
            outliers: outliers(timeline),
            changes: changes(&quiet, period.as_ref()),
            bursts,
            period,
            gaps: gaps(timeline),
            response: response(&quiet),
            ..whole
        }
    }

    /// The findings of these frames taken together; `None` without frames.
    pub fn of_frames(frames: &[Frame], circumstances: &Circumstances) -> Option<Findings> {
        let grid = Grid::covering(frames, Findings::COLUMNS)?;
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
