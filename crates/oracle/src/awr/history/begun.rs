//! Intervals of which a file says only when they began.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::store::Interval;

/// Beginnings are known to the minute, lengths to the second.
const ROUNDED_US: i64 = 120_000_000;

/// Such intervals, by instance and beginning.
#[derive(Debug, Default)]
pub(super) struct Begun {
    starts: BTreeMap<usize, BTreeMap<i64, u32>>,
    /// How long some of them were: statistics have a column for it.
    lengths: HashMap<u32, i64>,
}

impl Begun {
    pub(super) fn add(&mut self, instance: usize, start_us: i64, interval: u32) {
        self.starts.entry(instance).or_default().insert(start_us, interval);
    }

    pub(super) fn add_length(&mut self, interval: u32, length_us: i64) {
        self.lengths.insert(interval, length_us);
    }

    /// Gives each its end: an interval lasts as long as a file says, or until the next begins, or as long as is
    /// usual where a snapshot is missing or nothing follows. Gives those whose counts are of a longer time than
    /// they: a snapshot before them is missing, or counters fell.
    pub(super) fn close(&self, intervals: &mut [Interval], fell: &HashSet<u32>) -> HashSet<u32> {
        let mut unknown = HashSet::new();
        for begun in self.starts.values() {
            let starts: Vec<(i64, u32)> =
                begun.iter().map(|(start, index)| (*start, *index)).collect();
            let usual = usual_length(&starts);
            let mut ended = None;
            for (at, (start, index)) in starts.iter().enumerate() {
                let ahead = starts.get(at + 1).map(|(next, _)| next - start);
                let length = length(ahead, self.lengths.get(index).copied(), usual);
                let (Some(length), Some(interval)) = (length, intervals.get_mut(*index as usize))
                else {
                    unknown.insert(*index);
                    continue;
                };
                interval.end_us = start + length;
                let least = usual.unwrap_or(length) / 2;
                if ended.is_some_and(|end| start - end > least) || fell.contains(index) {
                    unknown.insert(*index);
                }
                ended = Some(interval.end_us);
            }
        }
        unknown
    }
}

/// How long an interval was: the next begins so much later, a file says that it lasted so long, and so long is usual.
fn length(ahead: Option<i64>, said: Option<i64>, usual: Option<i64>) -> Option<i64> {
    match (ahead, said) {
        // Where no snapshot was taken, the interval goes on until the next.
        (Some(ahead), Some(said)) if said + ROUNDED_US >= ahead => Some(ahead),
        (_, Some(said)) => Some(said),
        (ahead, None) => {
            let usual = usual?;
            Some(ahead.filter(|length| !is_longer(*length, usual)).unwrap_or(usual))
        }
    }
}

/// The median of the lengths; `None` where there are not two beginnings.
fn usual_length(starts: &[(i64, u32)]) -> Option<i64> {
    let mut lengths: Vec<i64> = starts.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().filter(|length| *length > 0)
}

/// Whether it is at least half an interval more than usual.
fn is_longer(length: i64, usual: i64) -> bool {
    length > usual + usual / 2
}
