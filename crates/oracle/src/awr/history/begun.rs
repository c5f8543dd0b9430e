//! Intervals of which a file says only when they began.

use std::collections::{BTreeMap, HashSet};

use super::store::Interval;

/// Such intervals, by instance and beginning.
#[derive(Debug, Default)]
pub(super) struct Begun(BTreeMap<usize, BTreeMap<i64, u32>>);

impl Begun {
    pub(super) fn add(&mut self, instance: usize, start_us: i64, interval: u32) {
        self.0.entry(instance).or_default().insert(start_us, interval);
    }

    /// Gives each its end: an interval lasts until the next begins, or as long as is usual where a
    /// snapshot is missing or nothing follows. Gives those whose counts are of a longer time than they:
    /// a snapshot before them is missing, or counters fell.
    pub(super) fn close(&self, intervals: &mut [Interval], fell: &HashSet<u32>) -> HashSet<u32> {
        let mut unknown = HashSet::new();
        for begun in self.0.values() {
            let starts: Vec<(i64, u32)> =
                begun.iter().map(|(start, index)| (*start, *index)).collect();
            let usual = usual_length(&starts);
            for (at, (start, index)) in starts.iter().enumerate() {
                let ahead = starts.get(at + 1).map(|(next, _)| next - start);
                let behind = at.checked_sub(1).map(|before| start - starts[before].0);
                let (Some(usual), Some(interval)) = (usual, intervals.get_mut(*index as usize))
                else {
                    unknown.insert(*index);
                    continue;
                };
                let length = ahead.filter(|length| !is_longer(*length, usual)).unwrap_or(usual);
                interval.end_us = start + length;
                if behind.is_some_and(|length| is_longer(length, usual)) || fell.contains(index) {
                    unknown.insert(*index);
                }
            }
        }
        unknown
    }
}

/// The median of the lengths; `None` where there are not two beginnings.
fn usual_length(starts: &[(i64, u32)]) -> Option<i64> {
    let mut lengths: Vec<i64> = starts.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().filter(|length| *length > 0)
}

/// Whether at least half an interval more lies between two beginnings than usual.
fn is_longer(length: i64, usual: i64) -> bool {
    length > usual + usual / 2
}
