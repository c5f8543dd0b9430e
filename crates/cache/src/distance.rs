//! Stack distances: how many distinct blocks were referenced since the last reference to a block.

use std::collections::HashMap;

use ahash::RandomState;

use crate::fenwick::Fenwick;

/// The stack distance of each reference to a block (Mattson, Gecsei, Slutz and Traiger 1970): the
/// number of distinct blocks that were referenced since the block's last reference, itself among
/// them. A cache of `size` blocks that replaces the one unused for the longest time has the block
/// exactly if the distance is at most `size`.
///
/// Each reference takes a time that grows with the logarithm of the number of distinct blocks. Each
/// distinct block takes at most 56 bytes, and 16 more while positions are given anew.
#[derive(Clone, Debug)]
pub struct StackDistances {
    /// The position of each block's latest reference.
    latest: HashMap<u64, usize, RandomState>,
    /// The positions that are the latest of a block.
    marks: Fenwick,
    /// The position of the next reference.
    next: usize,
}

/// The fewest positions there are.
const LEAST_POSITIONS: usize = 64;

impl StackDistances {
    /// No block was referenced.
    pub fn new() -> StackDistances {
        StackDistances {
            latest: HashMap::default(),
            marks: Fenwick::with_marks(LEAST_POSITIONS, 0),
            next: 0,
        }
    }

    /// A block is referenced: its distance, which is at least 1; none if it is the first reference.
    pub fn reference(&mut self, block: u64) -> Option<u64> {
        if self.next == self.marks.positions() {
            self.renumber();
        }
        let position = self.next;
        self.next += 1;
        let before = self.latest.insert(block, position);
        let distance = before.map(|before| {
            // A mark for each block: those after `before` belong to blocks referenced since.
            let distance = self.latest.len() - self.marks.up_to(before) + 1;
            self.marks.unmark(before);
            distance as u64
        });
        self.marks.mark(position);
        distance
    }

    /// Forgets a block, as if it had never been referenced; whether it had been.
    pub fn forget(&mut self, block: u64) -> bool {
        let position = self.latest.remove(&block);
        position.inspect(|&position| self.marks.unmark(position)).is_some()
    }

    /// The number of distinct blocks.
    pub fn blocks(&self) -> usize {
        self.latest.len()
    }

    /// The memory that is used now, bytes.
    pub fn memory_bytes(&self) -> u64 {
        // A hash table fills seven of eight slots; each has a byte beside it.
        let slots = (self.latest.capacity() as u64 * 8 / 7).next_power_of_two();
        slots * (size_of::<(u64, usize)>() as u64 + 1) + self.marks.memory_bytes()
    }

    /// Gives the latest references positions without gaps, and room for as many more.
    fn renumber(&mut self) {
        let mut order: Vec<&mut usize> = self.latest.values_mut().collect();
        order.sort_unstable();
        for (position, latest) in order.into_iter().enumerate() {
            *latest = position;
        }
        self.next = self.latest.len();
        let positions = (2 * self.next).max(LEAST_POSITIONS);
        self.marks = Fenwick::with_marks(positions, self.next);
    }
}

impl Default for StackDistances {
    fn default() -> StackDistances {
        StackDistances::new()
    }
}
