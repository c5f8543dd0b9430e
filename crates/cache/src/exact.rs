//! The miss-ratio curve of every reference.

use thiserror::Error;

use crate::{MissRatioCurve, StackDistances};

/// Counts the stack distances of all references. Beside [`StackDistances`] it takes 8 bytes for each
/// distinct block, and up to 16 while the table of counts grows: 88 bytes a block altogether at most.
#[derive(Clone, Debug)]
pub struct ExactCurve {
    distances: StackDistances,
    /// How many references had each distance from 1 on.
    counts: Vec<u64>,
    references: u64,
    most_blocks: u32,
}

/// There are more distinct blocks than an exact curve may remember.
#[derive(Copy, Clone, Debug, Error, PartialEq, Eq)]
#[error("more than {most_blocks} distinct blocks")]
pub struct TooManyBlocks {
    /// The most that may be remembered.
    pub most_blocks: u32,
}

impl ExactCurve {
    /// The most bytes of memory for each distinct block.
    pub const BYTES_PER_BLOCK: u64 = 88;

    /// No reference yet, and room for this many distinct blocks.
    pub fn new(most_blocks: u32) -> ExactCurve {
        let distances = StackDistances::new();
        ExactCurve { distances, counts: Vec::new(), references: 0, most_blocks }
    }

    /// A block is referenced. After an error the curve must not be used.
    pub fn reference(&mut self, block: u64) -> Result<(), TooManyBlocks> {
        self.references += 1;
        match self.distances.reference(block).and_then(|distance| usize::try_from(distance).ok()) {
            Some(distance) => self.count(distance - 1),
            None if self.distances.blocks() > self.most_blocks as usize => {
                return Err(TooManyBlocks { most_blocks: self.most_blocks });
            }
            None => {}
        }
        Ok(())
    }

    fn count(&mut self, index: usize) {
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
    }

    /// The curve.
    pub fn finish(&self) -> MissRatioCurve {
        let counted = (1_u64..).zip(&self.counts).filter(|(_, count)| **count > 0);
        let distances = counted.map(|(distance, &count)| (distance, count as f64));
        MissRatioCurve::of(self.references, self.distances.blocks() as f64, distances)
    }

    /// The memory that is used now, bytes.
    pub fn memory_bytes(&self) -> u64 {
        let counts = (self.counts.capacity() * size_of::<u64>()) as u64;
        self.distances.memory_bytes() + counts
    }
}
