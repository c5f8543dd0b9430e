//! When latencies change: a band appears, vanishes or moves, or there are more or fewer of them.

use std::ops::Range;

use isotherm_frame::{Bucket, Histogram, Nanos, Timestamp};

use crate::blocks::Blocks;
use crate::drift::{Drift, drifts};
use crate::segments::{LEAST_BLOCKS, Track, steps};
use crate::stretch::Stretch;
use crate::{Column, Period, Stall, Timeline};

/// A stretch of time that is unlike what was before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where it begins.
    pub start: Timestamp,
    /// How exactly that is known: a column, or more where columns had to be taken together.
    pub exact_to: Nanos,
    /// Where it is over: there is hardly anything left of what was different; `None` when it lasts.
    pub end: Option<Timestamp>,
    /// What is different.
    pub kind: ChangeKind,
    /// What was before.
    pub before: Level,
    /// What is in it.
    pub after: Level,
}

/// What a change is, most telling first.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// Latencies come in a range in which there were hardly any.
    Appears(Band),
    /// A range in which there were latencies is hardly used any more; the band as it was before.
    Vanishes(Band),
    /// Latencies became longer or shorter as a whole.
    Moves,
    /// All latencies became longer by this one factor, or shorter where it is below one.
    Scales(f64),
    /// Latencies become longer or shorter bit by bit, from the start to the end of the change; from
    /// what there was in its first tenth to what there was in its last.
    Drifts,
    /// There are more or fewer events per second bit by bit, as with [`ChangeKind::Drifts`].
    RateDrifts,
    /// Nothing ended for some time, and then what had waited all the while.
    Stalls(Stall),
    /// There are no events for some time, and nothing waited.
    Silent,
    /// There are no events any more, or only stray ones.
    Stops,
    /// A range in which there were latencies has a larger share of them; the band as it is now.
    Grows(Band),
    /// There are more or fewer events per second, of much the same latencies.
    Rate,
}

/// A band with this share of the events is all there is: latencies are others.
const NEARLY_ALL: f64 = 0.8;

impl ChangeKind {
    /// The part of the time waited while a change lasts that it is about.
    pub(crate) fn part_of_time(&self) -> f64 {
        match self {
            ChangeKind::Appears(band) | ChangeKind::Grows(band) => band.time_share,
            _ => 1.0,
        }
    }

    /// Whether it says no more than that latencies, or events, were more or fewer.
    pub(crate) fn is_no_more_than_a_level(&self) -> bool {
        match self {
            ChangeKind::Appears(band) | ChangeKind::Grows(band) => band.share >= NEARLY_ALL,
            ChangeKind::Vanishes(_)
            | ChangeKind::Moves
            | ChangeKind::Rate
            | ChangeKind::Scales(_)
            | ChangeKind::RateDrifts => true,
            ChangeKind::Drifts | ChangeKind::Stalls(_) | ChangeKind::Silent | ChangeKind::Stops => {
                false
            }
        }
    }
}

/// A range of latency.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Band {
    /// The shortest latency, and the first too long; `None` without upper bound.
    pub edges: (Nanos, Option<Nanos>),
    /// Its share of events while it is there, 0 to 1.
    pub share: f64,
    /// Its share of the time waited while it is there, 0 to 1: an estimate.
    pub time_share: f64,
    /// Its share of events in the other stretch of time, 0 to 1.
    pub other_share: f64,
}

/// The numbers of a stretch of time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Level {
    /// Events per second.
    pub rate: f64,
    /// Seconds waited per second: average sessions waiting.
    pub waiting: f64,
    /// The mean latency in nanoseconds; 0 without events.
    pub mean_ns: f64,
    /// The bucket of the median; `None` without events.
    pub median: Option<Bucket>,
}

/// A change is over in a stretch in which less than this part of the difference is left, if that is
/// no more than so many stretches later.
const LEFT: f64 = 0.25;
const MOST_EPISODE: usize = 8;

impl Level {
    /// The numbers of some columns.
    pub(crate) fn of(columns: &[Column]) -> Level {
        let latencies = Histogram::merged(columns.iter().filter_map(|c| c.latencies.as_ref()));
        let sum = |of: fn(&Column) -> f64| columns.iter().map(of).sum::<f64>();
        Level::of_sums(latencies.as_ref(), sum(|c| c.waited.seconds), sum(|c| c.covered_s))
    }

    /// The numbers of these latencies, of which so much was waited, in seconds, in so many seconds.
    pub(crate) fn of_sums(latencies: Option<&Histogram>, waited_s: f64, covered_s: f64) -> Level {
        let per_second = |amount: f64| amount / covered_s.max(f64::MIN_POSITIVE);
        Level {
            rate: per_second(latencies.map_or(0.0, |latencies| latencies.events() as f64)),
            waiting: per_second(waited_s),
            // Latencies of what ended in it: time waited may belong to what ended later.
            mean_ns: latencies.and_then(Histogram::mean_ns).unwrap_or_default(),
            median: latencies.and_then(|all| Some(all.quantile(0.5).ok()?.bucket)),
        }
    }
}

/// The changes, in the order of time; none on steady data. What comes again and again is no
/// change: where there is a period, whole cycles are compared. What goes one way bit by bit is a
/// drift, see `drift::drifts`; apart from drifts, steps are looked for, see `segments::steps`. A
/// step of which nobody would speak (see `Stretch::differs`) is left out.
pub fn changes(timeline: &Timeline, period: Option<&Period>) -> Vec<Change> {
    let Some(blocks) = Blocks::of(timeline, period) else { return Vec::new() };
    let tracks = blocks.tracks();
    let of_track = |track: usize| tracks.get(track).map(drifts).unwrap_or_default();
    let (of_rate, of_latency) = (of_track(0), of_track(1));
    let mut found: Vec<Change> = Vec::new();
    for part in between(&of_latency, blocks.count()) {
        let drifting = of_rate.iter().any(|drift| drift.from < part.end && part.start < drift.to);
        let steps = stepped(&blocks, &tracks[usize::from(drifting)..], part);
        found.extend(steps.into_iter().filter(|c| !drifting || c.kind != ChangeKind::Rate));
    }
    found.extend(of_latency.iter().map(|drift| blocks.drifted(drift, ChangeKind::Drifts)));
    found.extend(of_rate.iter().map(|drift| blocks.drifted(drift, ChangeKind::RateDrifts)));
    found.sort_by_key(|change| change.start);
    found
}

/// What lies before, between and after drifts, of so many blocks.
fn between(drifts: &[Drift], blocks: usize) -> Vec<Range<usize>> {
    let mut from = 0;
    let mut parts = Vec::new();
    for drift in drifts {
        parts.push(from..drift.from);
        from = drift.to;
    }
    parts.push(from..blocks);
    parts.retain(|part| part.len() >= LEAST_BLOCKS);
    parts
}

/// The steps of these tracks in some blocks.
fn stepped(blocks: &Blocks, tracks: &[Track], part: Range<usize>) -> Vec<Change> {
    let of = |track: &Track| Track {
        values: track.values.get(part.clone()).unwrap_or_default().to_vec(),
        least_variance: track.least_variance,
        among: track.among,
    };
    let tracks: Vec<Track> = tracks.iter().map(of).collect();
    let steps: Vec<usize> = steps(&tracks).into_iter().map(|step| part.start + step).collect();
    let mut stretches = blocks.stretches(part, &steps);
    while let Some(alike) =
        stretches.windows(2).position(|pair| pair[0].differs(&pair[1]).is_none())
    {
        let second = stretches.remove(alike + 1);
        stretches[alike].add(&second);
    }
    told(&stretches, blocks.length())
}

/// The ends of a drift are this share of it.
const ENDS: usize = 10;

impl Blocks<'_> {
    fn drifted(&self, drift: &Drift, kind: ChangeKind) -> Change {
        let end = ((drift.to - drift.from) / ENDS).max(1);
        let columns = |blocks: Range<usize>| self.columns(blocks);
        let (first, last) = (drift.from..drift.from + end, drift.to - end..drift.to);
        let whole = columns(drift.from..drift.to);
        let lasts = drift.to >= self.count();
        Change {
            start: whole.first().map(|column| column.start).unwrap_or_default(),
            exact_to: self.length(),
            end: whole.last().filter(|_| !lasts).map(|column| column.end),
            kind,
            before: Level::of(columns(first)),
            after: Level::of(columns(last)),
        }
    }
}

/// The stretches as changes: each compared with what was before it, until that is over.
fn told(stretches: &[Stretch], exact_to: Nanos) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut index = 1;
    while let Some(first) = stretches.get(index) {
        let before = &stretches[index - 1];
        let kind = before.differs(first);
        let over = |later: &usize| {
            let later = &stretches[*later];
            let like_before = before.differs(later).is_none();
            like_before || kind.as_ref().is_some_and(|kind| left(kind, before, first, later) < LEFT)
        };
        let back = (index + 1..stretches.len().min(index + 1 + MOST_EPISODE)).find(over);
        let mut inside = first.clone();
        stretches[index + 1..back.unwrap_or(index + 1)].iter().for_each(|more| inside.add(more));
        if let Some(kind) = before.differs(&inside) {
            let end = back.map(|back| stretches[back].start);
            let (start, before, after) = (inside.start, before.level(), inside.level());
            changes.push(Change { start, exact_to, end, kind, before, after });
        }
        index = back.unwrap_or(index) + 1;
    }
    changes
}

/// How much of what became different from `before` to `first` is there `later`: 1 is all of it. Of
/// a band, by its share or by its rate, whichever has less left.
fn left(kind: &ChangeKind, before: &Stretch, first: &Stretch, later: &Stretch) -> f64 {
    let of = |amount: &dyn Fn(&Stretch) -> f64| {
        let left = (amount(later) - amount(before)) / (amount(first) - amount(before));
        if left.is_finite() { left } else { 1.0 }
    };
    match kind {
        ChangeKind::Appears(band) | ChangeKind::Vanishes(band) | ChangeKind::Grows(band) => {
            let share = |stretch: &Stretch| stretch.share_in(band.edges);
            of(&share).min(of(&|stretch| share(stretch) * stretch.level().rate))
        }
        ChangeKind::Rate
        | ChangeKind::RateDrifts
        | ChangeKind::Stalls(_)
        | ChangeKind::Silent
        | ChangeKind::Stops => of(&|stretch| stretch.level().rate.max(f64::MIN_POSITIVE).ln()),
        ChangeKind::Moves | ChangeKind::Scales(_) | ChangeKind::Drifts => {
            of(&|stretch| stretch.level().mean_ns.max(1.0).ln())
        }
    }
}
