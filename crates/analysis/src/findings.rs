//! Everything there is to find in the latencies of one series, or of several together.

use isotherm_frame::{Bucket, Frame, Histogram, QuantileInterval, TimeWaited, Timestamp};

use crate::bursts::incident;
use crate::cache_warning::may_be_cache;
use crate::circumstances::is_wait;
use crate::part_of_time::{AllTime, Limits};
use crate::plateaus::plateaus;
use crate::resample::{counted_s, grid};
use crate::share_of_all::{part_of_time, share_of_all};
use crate::silence::silences;
use crate::slowdowns::slowdowns;
use crate::{
    Average, Beginning, Burst, CacheWarning, Change, ChangeKind, Circumstances, Column, Gaps,
    Incident, Level, LoadResponse, Mode, Operation, Outlier, Owner, Period, ResponseKind,
    SampledTime, SlowBand, TailShare, Timeline, Unplaced, UnseenStart, average, bursts, busiest,
    cache_warnings, changes, gaps, is_unstable, modes, outliers, owner, period, response,
    slow_band, slowest,
};

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Events counted.
    pub events: u64,
    /// The time about which the source said something, in seconds.
    pub covered_s: f64,
    /// The part of it in which ends were counted, in seconds: what rates of events are divided by.
    pub counted_s: f64,
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
    pub cache_warnings: Vec<CacheWarning>,
    /// What is usual: what there is outside of silences, stalls, bursts and changes that passed;
    /// `None` where nothing is left.
    pub usual: Option<Level>,
    /// Whether nothing but waits and slow statements was measured: where there are fewer, all is well.
    pub waits_only: bool,
    /// The stretch of time that owns the most of all time waited.
    pub busiest: Option<Incident>,
    /// The series, or the value of an attribute, that owns the most of all time waited; only known
    /// of frames.
    pub owner: Option<Owner>,
    /// A few slow events apart from all others.
    pub slow_band: Option<SlowBand>,
    /// The time that is counted where it ended, not where it was waited.
    pub unplaced: Option<Unplaced>,
    /// What samples saw, of time without events.
    pub sampled: Option<SampledTime>,
    /// What the operations do.
    pub operation: Operation,
    /// Of each band that is reported with its share: where it appears, and the seconds that its events
    /// took from then on.
    pub(crate) of_bands: Vec<(Timestamp, f64)>,
    /// The end of what is known.
    pub known_until: Option<Timestamp>,
}

/// The quantiles looked at; 1 is the maximum.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];
/// The share of events whose time is looked at.
const SLOWEST: f64 = 0.01;
/// A band with less of the events was not there.
const BARELY: f64 = 0.03;

impl Findings {
    /// The findings of latencies over time. They are made from one set of interval lengths, see
    /// `resample`, so that surfaces that draw other columns say the same.
    pub fn of(timeline: &Timeline, circumstances: &Circumstances) -> Findings {
        let whole = Findings {
            covered_s: timeline.covered_s(),
            ..Findings::of_total(&timeline.total, counted_s(&timeline.columns), circumstances)
        };
        if timeline.total.is_averages() {
            return whole.of_averages(timeline);
        }
        let timeline = timeline.for_findings();
        let course = timeline.since_first_end().of_covered().with_waits_spread();
        let period = period(&course);
        let silences = silences(&course, &timeline, period.as_ref());
        let course = course.without(|column| silences.iter().any(|silence| silence.covers(column)));
        let mut stalls = slowdowns(&course);
        share_of_all(&mut stalls, &course, &timeline);
        let course = course.without(|column| stalls.iter().any(|stall| stall.covers(column)));
        let mut bursts = if period.is_some() { Vec::new() } else { stretches(&course) };
        share_of_all(&mut bursts, &course, &timeline);
        let quiet = course.without(|column| bursts.iter().any(|burst| burst.covers(column)));
        let response = response(&quiet);
        let mut changes = changes(&quiet, period.as_ref());
        if changes.is_empty() && bursts.is_empty() && period.is_none() {
            bursts.extend(incident(&quiet));
            share_of_all(&mut bursts, &quiet, &timeline);
        }
        bursts.extend(stalls);
        bursts.sort_by_key(|burst| burst.start);
        // What changed when is more than that it varies; what load explains is no change of its own.
        let has_incident = !changes.is_empty() || !bursts.is_empty() || period.is_some();
        let response =
            response.filter(|found| !has_incident || found.kind != ResponseKind::VariesWithoutLoad);
        if response.is_some_and(|found| matches!(found.kind, ResponseKind::Follows(_))) {
            changes = not_by_load(changes);
        }
        let changes = with_silences(changes, silences);
        let busiest = busiest(&course).map(|incident| Incident {
            time_share: incident.time_share * part_of_time(&course, &timeline),
            ..incident
        });
        Findings {
            of_bands: of_bands(&changes, &timeline),
            usual: usual(&course, &bursts, &changes, busiest),
            waited: timeline.waited(),
            outliers: outliers(&timeline),
            changes,
            bursts,
            period,
            gaps: gaps(&timeline),
            busiest,
            unplaced: Unplaced::of(&timeline.columns),
            known_until: timeline.known().last().map(Column::known_end),
            response,
            ..whole
        }
    }

    /// What averages tell over time: who, gaps, and how the mean goes with load.
    fn of_averages(self, timeline: &Timeline) -> Findings {
        let response = response(&timeline.for_findings().since_first_end().of_covered());
        Findings {
            waited: timeline.waited(),
            gaps: gaps(timeline),
            unplaced: Unplaced::of(&timeline.columns),
            known_until: timeline.known().last().map(Column::known_end),
            response: response.filter(|found| found.kind != ResponseKind::VariesWithoutLoad),
            sampled: SampledTime::of(timeline),
            ..self
        }
    }

    /// The findings of these frames taken together; `None` without frames.
    pub fn of_frames(frames: &[Frame], circumstances: &Circumstances) -> Option<Findings> {
        let beginning = Beginning::of(frames);
        Findings::of_part(frames, beginning.unseen(), circumstances)
    }

    /// The same of a part of what was measured, at the beginning of which no ends were counted.
    pub(crate) fn of_part(
        frames: &[Frame],
        unseen: Option<UnseenStart>,
        circumstances: &Circumstances,
    ) -> Option<Findings> {
        let timeline = Timeline::place(frames, grid(frames)?).with_unseen_start(unseen);
        let of_time = Findings::of(&timeline, circumstances);
        let waits_only = frames.iter().all(|frame| is_wait(&frame.series));
        Some(Findings { owner: owner(frames), waits_only, ..of_time })
    }

    /// The findings of latencies of which only the total is known, counted over `counted_s`
    /// seconds.
    pub fn of_total(total: &Histogram, counted_s: f64, circumstances: &Circumstances) -> Findings {
        let modes = modes(total);
        let mut cache_warnings = cache_warnings(total, &modes, circumstances);
        cache_warnings.extend(may_be_cache(total, counted_s, circumstances));
        let quantile = |&q: &f64| Some((total.quantile(q).ok()?, is_unstable(total, &modes, q)));
        Findings {
            events: total.events(),
            covered_s: counted_s,
            counted_s,
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
            cache_warnings,
            busiest: None,
            usual: None,
            waits_only: false,
            owner: None,
            unplaced: None,
            sampled: None,
            slow_band: slow_band(total, &modes),
            operation: circumstances.operation,
            of_bands: Vec::new(),
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

/// Bursts, or else stretches in which latencies are clearly longer.
fn stretches(course: &Timeline) -> Vec<Burst> {
    let found = bursts(course);
    if !found.is_empty() {
        return found;
    }
    let found = plateaus(course);
    // What load explains is said of the load.
    let load = if found.is_empty() { None } else { response(course) };
    let explains = load.is_some_and(|load| matches!(load.kind, ResponseKind::Follows(_)));
    if explains { Vec::new() } else { found }
}

/// Changes and silences in the order of time.
fn with_silences(mut changes: Vec<Change>, silences: Vec<Change>) -> Vec<Change> {
    // Most of such a change is what is said of the silence.
    changes.retain(|change| !silences.iter().any(|silence| silence.is_most_of(change)));
    changes.extend(silences);
    changes.sort_by_key(|change| change.start);
    changes
}

/// Of the bands that appear where they do, and the seconds that their events took.
fn of_bands(changes: &[Change], timeline: &Timeline) -> Vec<(Timestamp, f64)> {
    changes.iter().filter_map(|change| seconds_of_band(change, timeline)).collect()
}

/// Where a band appears of which there was hardly anything before, and how many seconds its events took
/// in all. Those of the interval in which it begins belong to it, too.
fn seconds_of_band(change: &Change, timeline: &Timeline) -> Option<(Timestamp, f64)> {
    let ChangeKind::Appears(band) = change.kind else { return None };
    let from = change.start.minus(timeline.column);
    let is_in =
        |column: &&Column| column.start >= from && change.end.is_none_or(|end| column.start < end);
    let inside = timeline.columns.iter().filter(is_in).filter_map(|c| c.latencies.as_ref());
    let inside = Histogram::merged(inside)?;
    let (lo, hi) = band.edges;
    let mut own = Limits::default();
    let of_band = |bucket: Bucket| bucket.lo >= lo && hi.is_none_or(|hi| bucket.lo < hi);
    let counted = inside.non_zero().filter(|(bucket, _)| of_band(*bucket));
    counted.for_each(|(bucket, count)| own.add(bucket, count));
    let seconds = AllTime::of(&inside).part(own).share * inside.latency_total().seconds;
    (band.other_share < BARELY).then_some((change.start, seconds))
}

/// What there is outside of bursts, of changes that passed and of the busiest stretch.
fn usual(
    course: &Timeline,
    bursts: &[Burst],
    changes: &[Change],
    busiest: Option<Incident>,
) -> Option<Level> {
    let is_special = |column: &Column| {
        let within = |one: Incident| one.start < column.end && column.start < one.end;
        bursts.iter().any(|burst| burst.covers(column))
            || changes.iter().any(|change| change.end.is_some() && change.covers(column))
            || busiest.is_some_and(within)
    };
    let rest = course.without(is_special);
    (rest.total.events() > 0).then(|| Level::of(&rest.columns))
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
