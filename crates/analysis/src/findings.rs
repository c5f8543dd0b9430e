//! Everything there is to find in the latencies of one series, or of several together.

use std::borrow::Cow;

use isotherm_frame::{Frame, Histogram, QuantileInterval, TimeWaited, Timestamp};

use crate::doubt::may_be_cache;
use crate::{
    Average, Burst, Change, Circumstances, Doubt, Gaps, Grid, Incident, LoadResponse, Mode,
    Operation, Outlier, Owner, Period, SlowBand, TailShare, Timeline, average, bursts, busiest,
    changes, doubts, gaps, is_unstable, modes, outliers, owner, period, response, slow_band,
    slowest,
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
    /// The stretch of time that owns the most of all time waited.
    pub busiest: Option<Incident>,
    /// The series, or the value of an attribute, that owns the most of all time waited; only known
    /// of frames.
    pub owner: Option<Owner>,
    /// A few slow events apart from all others.
    pub slow_band: Option<SlowBand>,
    /// What the operations do.
    pub operation: Operation,
    /// The end of the last column with data.
    pub known_until: Option<Timestamp>,
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
            busiest: busiest(timeline),
            known_until: timeline.known().last().map(|column| column.end),
            response: response(&quiet),
            ..whole
        }
    }

    /// The findings of these frames taken together; `None` without frames.
    pub fn of_frames(frames: &[Frame], circumstances: &Circumstances) -> Option<Findings> {
        let grid = Grid::covering(frames, Findings::COLUMNS)?;
        let of_time = Findings::of(&Timeline::place(frames, grid), circumstances);
        Some(Findings { owner: owner(frames), ..of_time })
    }

    /// The findings of latencies of which only the total is known, counted over `covered_s`
    /// seconds.
    pub fn of_total(total: &Histogram, covered_s: f64, circumstances: &Circumstances) -> Findings {
        let modes = modes(total);
        let mut doubts = doubts(total, &modes, circumstances);
        doubts.extend(may_be_cache(total, covered_s, circumstances));
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
            doubts,
            busiest: None,
            owner: None,
            slow_band: slow_band(total, &modes),
            operation: circumstances.operation,
            known_until: None,
            modes,
        }
    }

    /// Whether a quantile is unstable because one mode ends and the next begins near its rank.
    pub(crate) fn on_edge(&self, q: f64) -> bool {
        let near = 2.0 * (q * (1.0 - q) / (self.events as f64).max(1.0)).sqrt();
        let mut below = 0.0;
        self.modes.iter().take(self.modes.len().saturating_sub(1)).any(|mode| {
            below += mode.share;
            f64::abs(below - q) <= near
        })
    }
}
