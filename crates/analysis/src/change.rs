//! A change of latencies or of their number, and the numbers before and after it.

use isotherm_frame::{Bucket, Histogram, Nanos, Timestamp};

use crate::Column;

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

    /// The band that there is in it, and was not, or had fewer of the events.
    pub(crate) fn band_mut(&mut self) -> Option<&mut Band> {
        match self {
            ChangeKind::Appears(band) | ChangeKind::Grows(band) => Some(band),
            _ => None,
        }
    }

    /// Whether it is told by levels before and in it, so that a block that holds events of both sides
    /// belongs to neither.
    pub(crate) fn has_two_sides(&self) -> bool {
        match self {
            ChangeKind::Appears(_)
            | ChangeKind::Grows(_)
            | ChangeKind::Moves
            | ChangeKind::Scales(_)
            | ChangeKind::Rate => true,
            ChangeKind::Vanishes(_)
            | ChangeKind::Drifts
            | ChangeKind::RateDrifts
            | ChangeKind::Stalls(_)
            | ChangeKind::Silent
            | ChangeKind::Stops => false,
        }
    }

    /// Whether it says that latencies became longer or shorter, and nothing of how many there are.
    pub(crate) fn is_of_latency(&self) -> bool {
        match self {
            ChangeKind::Vanishes(_)
            | ChangeKind::Moves
            | ChangeKind::Scales(_)
            | ChangeKind::Drifts => true,
            ChangeKind::Appears(_)
            | ChangeKind::Grows(_)
            | ChangeKind::Rate
            | ChangeKind::RateDrifts
            | ChangeKind::Stalls(_)
            | ChangeKind::Silent
            | ChangeKind::Stops => false,
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
    /// The bucket of the 99th percentile; `None` without events, and where it is not looked at.
    pub high: Option<Bucket>,
}

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
            high: latencies.and_then(|all| Some(all.quantile(0.99).ok()?.bucket)),
        }
    }
}

/// Events that were held up together and ended together.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Stall {
    /// Where the first event ended again.
    pub quiet_to: Timestamp,
    /// Events that ended right after the time in which nothing ended, and took longer than usual.
    pub held_up: u64,
    /// The bucket of the longest of them.
    pub longest: Bucket,
    /// The share of all time waited that these events own, 0 to 1: an estimate.
    pub time_share: f64,
}
