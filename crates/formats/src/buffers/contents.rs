//! What the buffers of a database's cache hold at a moment.

use std::collections::HashMap;

use isotherm_frame::Nanos;

use crate::input::printable;

/// Buffers by what they hold and how often that was used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BufferContents {
    /// What the server is, with its version.
    pub server: String,
    /// Bytes of a buffer, where all have the same size and it is known.
    pub block_bytes: Option<u64>,
    /// What buffers are told apart by beside what they hold.
    pub kind: LevelKind,
    /// The names of the levels.
    pub levels: Vec<String>,
    /// What is in the buffers. No two have the same name and kind.
    pub holders: Vec<BufferHolder>,
    /// Buffers that hold nothing.
    pub free: u64,
    /// Whether it is known which buffers are dirty.
    pub knows_dirty: bool,
    /// Whether it is known which buffers are pinned.
    pub knows_pins: bool,
    /// How long the server took to answer; zero of a file.
    pub took: Nanos,
}

/// What the levels of buffers are.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LevelKind {
    /// How often a buffer was used of late, 0 to 5: `PostgreSQL`.
    #[default]
    UsageCount,
    /// How often a buffer was touched: Oracle's `X$BH`.
    TouchCount,
    /// The state of a buffer: Oracle's `V$BH`.
    Status,
}

/// Something with blocks that buffers hold: a table, an index, a map of free space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BufferHolder {
    /// Its name.
    pub name: String,
    /// What it is, in a word or two.
    pub kind: String,
    /// Its buffers, one cell for each level.
    pub cells: Vec<BufferCell>,
    /// Its blocks, as the server estimates them; none if it does not.
    pub blocks: Option<u64>,
    /// Blocks that were asked for since the counters began; none if they are not counted.
    pub fetched: Option<u64>,
    /// Those of them that were in a buffer.
    pub hits: Option<u64>,
}

/// Buffers of one level.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferCell {
    /// All of them.
    pub buffers: u64,
    /// Those that were changed and not yet written.
    pub dirty: u64,
    /// Those that a process uses at the moment.
    pub pinned: u64,
}

impl BufferCell {
    /// Adds the buffers of another cell.
    pub fn add(&mut self, other: BufferCell) {
        self.buffers = self.buffers.saturating_add(other.buffers);
        self.dirty = self.dirty.saturating_add(other.dirty);
        self.pinned = self.pinned.saturating_add(other.pinned);
    }
}

impl BufferHolder {
    /// The buffers of all levels.
    pub fn sum(&self) -> BufferCell {
        summed(self.cells.iter().copied())
    }
}

impl BufferContents {
    /// The buffers of each level, whatever they hold; without free ones.
    pub fn by_level(&self) -> Vec<BufferCell> {
        let of = |level: usize| self.holders.iter().filter_map(move |one| one.cells.get(level));
        (0..self.levels.len()).map(|level| summed(of(level).copied())).collect()
    }

    /// All buffers that hold something.
    pub fn used(&self) -> BufferCell {
        summed(self.holders.iter().map(BufferHolder::sum))
    }

    /// All buffers.
    pub fn buffers(&self) -> u64 {
        self.used().buffers.saturating_add(self.free)
    }
}

fn summed(cells: impl Iterator<Item = BufferCell>) -> BufferCell {
    cells.fold(BufferCell::default(), |mut sum, cell| {
        sum.add(cell);
        sum
    })
}

/// Buffers that are being counted.
#[derive(Debug, Default)]
pub struct BufferTally {
    /// What was counted so far.
    pub contents: BufferContents,
    /// Where each holder is, by its kind and name.
    places: HashMap<&'static str, HashMap<String, usize>>,
}

impl BufferTally {
    /// Begins with these levels, and what holders there are already.
    pub fn new(contents: BufferContents) -> BufferTally {
        BufferTally { contents, places: HashMap::new() }
    }

    /// The holder of this name and kind; a new one if there is none yet.
    pub fn holder(&mut self, name: &str, kind: &'static str) -> &mut BufferHolder {
        let places = self.places.entry(kind).or_default();
        let found = places.get(name).copied();
        let at = found.unwrap_or_else(|| {
            let cells = vec![BufferCell::default(); self.contents.levels.len()];
            let (name, kind) = (name.to_owned(), kind.to_owned());
            places.insert(name.clone(), self.contents.holders.len());
            let holder = BufferHolder { name, kind, cells, ..BufferHolder::default() };
            self.contents.holders.push(holder);
            self.contents.holders.len() - 1
        });
        &mut self.contents.holders[at]
    }

    /// The level of this name; one that was not met before is a new level.
    pub fn level(&mut self, name: &str) -> usize {
        let found = self.contents.levels.iter().position(|level| level == name);
        found.unwrap_or_else(|| {
            self.contents.levels.push(printable(name.as_bytes(), 20));
            for holder in &mut self.contents.holders {
                holder.cells.push(BufferCell::default());
            }
            self.contents.levels.len() - 1
        })
    }
}
