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
    /// Where it ends: all is again as before, or the next change begins; `None` when it lasts to
    /// the end of what is known.
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

/// A stretch that is like the one before a change ends it, if no more than so many steps later.
const MOST_EPISODE: usize = 4;

/// The changes, in the order of time; none on steady data. What comes again and again is no
/// change: where there is a period, whole cycles are compared. For the method see
/// [`segments::steps`]; a step of which nobody would speak (see [`Stretch::differs`]) is left out.
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

/// The stretches as changes: each compared with what was before it, until all is as before.
fn told(stretches: &[Stretch], exact_to: Nanos) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut index = 1;
    while let Some(first) = stretches.get(index) {
        let before = &stretches[index - 1];
        let back = (index + 1..stretches.len().min(index + 1 + MOST_EPISODE))
            .find(|&later| before.differs(&stretches[later]).is_none());
        let mut inside = first.clone();
        stretches[index + 1..back.unwrap_or(index + 1)].iter().for_each(|more| inside.add(more));
        if let Some(kind) = before.differs(&inside) {
            let end = stretches.get(back.unwrap_or(index + 1)).map(|next| next.start);
            let (start, before, after) = (inside.start, before.level(), inside.level());
            changes.push(Change { start, exact_to, end, kind, before, after });
        }
        index = back.unwrap_or(index) + 1;
    }
    changes
}
