//! Looks at a cache, one after the other.

use std::collections::HashMap;

use isotherm_formats::{BufferCell, BufferContents};
use isotherm_frame::{Nanos, Timestamp};

/// Looks at buffers at moments that are equally far apart.
#[derive(Clone, Debug)]
pub struct BufferHistory {
    /// The time between two looks that are due.
    pub every: Nanos,
    /// When the first one was.
    pub since: Timestamp,
    /// How many were due.
    pub due: usize,
    /// Those that were made, in order.
    pub samples: Vec<BufferSample>,
    names: Vec<String>,
    places: HashMap<String, u32>,
}

/// One look.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferSample {
    /// Which of those that were due it is, from 0.
    pub slot: usize,
    /// How long it took.
    pub took: Nanos,
    /// Buffers that hold nothing.
    pub free: u64,
    /// The buffers of each level.
    pub levels: Vec<BufferCell>,
    /// Buffers of the largest holders, by the number of their name.
    holders: Vec<(u32, u64)>,
}

/// Holders of a look that are kept one by one.
const MOST_HOLDERS: usize = 300;

impl BufferHistory {
    /// No look yet.
    pub fn new(every: Nanos, since: Timestamp) -> BufferHistory {
        let (names, places) = (Vec::new(), HashMap::new());
        BufferHistory { every, since, due: 0, samples: Vec::new(), names, places }
    }

    /// Adds the look that was due as number `slot`, from 0.
    pub fn push(&mut self, slot: usize, contents: &BufferContents) {
        let mut largest: Vec<(String, u64)> = contents
            .holders
            .iter()
            .map(|one| (holder_name(&one.name, &one.kind), one.sum().buffers))
            .collect();
        largest.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        largest.truncate(MOST_HOLDERS);
        let holders = largest.into_iter().map(|(name, buffers)| (self.number(name), buffers));
        let holders = holders.collect();
        self.due = self.due.max(slot + 1);
        self.samples.push(BufferSample {
            slot,
            took: contents.took,
            free: contents.free,
            levels: contents.by_level(),
            holders,
        });
    }

    /// Looks that were made at these times.
    pub(super) fn of_samples(
        (every, since, due): (Nanos, Timestamp, usize),
        names: Vec<String>,
        samples: Vec<BufferSample>,
    ) -> BufferHistory {
        let places = (0..).zip(&names).map(|(at, name)| (name.clone(), at)).collect();
        BufferHistory { every, since, due, samples, names, places }
    }

    /// What holders are called, by their number.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    fn number(&mut self, name: String) -> u32 {
        if let Some(&at) = self.places.get(&name) {
            return at;
        }
        let at = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.clone());
        self.places.insert(name, at);
        at
    }

    /// The holders with the most buffers in any look, at most this many.
    pub(super) fn largest(&self, most: usize) -> Vec<(u32, &str)> {
        let mut peaks = vec![0; self.names.len()];
        for &(name, buffers) in self.samples.iter().flat_map(|sample| &sample.holders) {
            if let Some(peak) = peaks.get_mut(name as usize) {
                *peak = buffers.max(*peak);
            }
        }
        let mut order: Vec<(u32, &str)> =
            (0..).zip(&self.names).map(|(at, name)| (at, name.as_str())).collect();
        order.sort_by_key(|&(at, name)| (std::cmp::Reverse(peaks[at as usize]), name));
        order.truncate(most);
        order
    }
}

impl BufferSample {
    /// A look at its slot, and how long it took.
    pub(super) fn new(
        (slot, took): (usize, Nanos),
        free: u64,
        levels: Vec<BufferCell>,
        holders: Vec<(u32, u64)>,
    ) -> BufferSample {
        BufferSample { slot, took, free, levels, holders }
    }

    /// The buffers of the largest holders, by the number of their name.
    pub(super) fn holders(&self) -> &[(u32, u64)] {
        &self.holders
    }

    /// The buffers of a holder; 0 if it is none of the largest.
    pub(super) fn holder(&self, name: u32) -> u64 {
        self.holders.iter().find(|(one, _)| *one == name).map_or(0, |&(_, buffers)| buffers)
    }

    /// All buffers that hold something.
    pub fn used(&self) -> u64 {
        self.levels.iter().fold(0, |sum, cell| sum.saturating_add(cell.buffers))
    }
}

/// What a holder is called where its kind has no column of its own.
pub(super) fn holder_name(name: &str, kind: &str) -> String {
    match kind {
        "" | "table" | "index" | "data" | "relation" | "dropped or new" => name.to_owned(),
        kind => format!("{name} ({kind})"),
    }
}
