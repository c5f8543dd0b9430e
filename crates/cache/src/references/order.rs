//! References of several inputs in one order.

use thiserror::Error;

use super::reference::Reference;

/// References that are kept until those of every input are known.
#[derive(Clone, Debug, Default)]
pub struct OrderedReferences {
    /// When, and which block.
    references: Vec<(u64, u64)>,
    /// Whether the time of any is not known.
    is_untimed: bool,
    is_full: bool,
}

/// There are more references than are kept.
#[derive(Copy, Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "several inputs with more than {} references cannot be put in the order of time: give one input",
    OrderedReferences::MOST
)]
pub struct TooManyReferences;

impl OrderedReferences {
    /// The most references that are kept: one gibibyte of them.
    pub const MOST: usize = 1 << 26;

    /// Keeps a reference.
    pub fn take(&mut self, reference: Reference) {
        if self.references.len() >= OrderedReferences::MOST {
            self.is_full = true;
            return;
        }
        self.is_untimed |= reference.at_ns.is_none();
        self.references.push((reference.at_ns.unwrap_or(0), reference.block));
    }

    /// Whether the time of every reference is known, so that they can be put in its order.
    pub fn is_timed(&self) -> bool {
        !self.is_untimed
    }

    /// The blocks in the order of time, those of one moment as they came; without times one input
    /// after the other.
    pub fn blocks(mut self) -> Result<impl Iterator<Item = u64>, TooManyReferences> {
        if self.is_full {
            return Err(TooManyReferences);
        }
        if self.is_timed() {
            self.references.sort_by_key(|&(at, _)| at);
        }
        Ok(self.references.into_iter().map(|(_, block)| block))
    }
}
