//! When latencies change: a band appears, vanishes or moves, or there are more or fewer of them.

use isotherm_frame::{Bucket, Nanos, Timestamp};

use crate::stretch::{Blocks, Stretch};
use crate::{Period, Timeline, segments};

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
    /// A range in which there were latencies has a larger share of them; the band as it is now.
    Grows(Band),
    /// There are more or fewer events per second, of much the same latencies.
    Rate,
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

/// The changes, in the order of time; none on steady data. What comes again and again is no
/// change: where there is a period, whole cycles are compared. For the method see
/// `segments::steps`; a step of which nobody would speak (see `Stretch::differs`) is left out.
pub fn changes(timeline: &Timeline, period: Option<&Period>) -> Vec<Change> {
    let Some(blocks) = Blocks::of(timeline, period) else { return Vec::new() };
    let steps = segments::steps(&blocks.tracks());
    let mut stretches = blocks.stretches(&steps);
    while let Some(alike) =
        stretches.windows(2).position(|pair| pair[0].differs(&pair[1]).is_none())
    {
        let second = stretches.remove(alike + 1);
        stretches[alike].add(&second);
    }
    told(&stretches, blocks.length())
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
        ChangeKind::Moves => of(&|stretch| stretch.level().mean_ns.max(1.0).ln()),
        ChangeKind::Rate => of(&|stretch| stretch.level().rate.max(f64::MIN_POSITIVE).ln()),
    }
}
