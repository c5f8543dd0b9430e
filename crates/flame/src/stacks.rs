//! Stacks, each kept once with its count.

use std::collections::HashMap;

use ahash::RandomState;

use crate::names::{NameId, Names};

/// The number of a stack.
pub type StackId = u32;

/// The most frames of a stack that are kept, the outermost first. perf takes 127, up to a thousand if
/// asked; more is a program that calls itself without end, or no stack.
const MOST_FRAMES: usize = 1_024;

/// Stacks with their counts: how often each was sampled, or how much time was spent in it.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    names: Names,
    index: HashMap<Box<[NameId]>, StackId, RandomState>,
    list: Vec<Box<[NameId]>>,
    counts: Vec<u64>,
    /// Whether the count of a stack is beyond 64 bits.
    is_saturated: bool,
}

impl Stacks {
    /// The number of a name, which is made if it is new.
    pub fn name_id(&mut self, name: &[u8]) -> NameId {
        self.names.number(name)
    }

    /// The name with this number.
    pub fn name(&self, id: NameId) -> &str {
        self.names.name(id)
    }

    /// All names by number.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter()
    }

    /// Adds to the count of a stack, the outermost frame first. Frames beyond `MOST_FRAMES` are left
    /// out.
    pub fn add(&mut self, frames: &[NameId], count: u64) -> StackId {
        let frames = &frames[..frames.len().min(MOST_FRAMES)];
        let id = match self.index.get(frames) {
            Some(&id) => id,
            None => self.insert(frames),
        };
        if let Some(sum) = self.counts.get_mut(id as usize) {
            self.is_saturated |= sum.checked_add(count).is_none();
            *sum = sum.saturating_add(count);
        }
        id
    }

    /// The same with names.
    pub fn add_named<N: AsRef<str>>(&mut self, frames: &[N], count: u64) -> StackId {
        let frames: Vec<NameId> =
            frames.iter().map(|name| self.name_id(name.as_ref().as_bytes())).collect();
        self.add(&frames, count)
    }

    fn insert(&mut self, frames: &[NameId]) -> StackId {
        #[expect(clippy::cast_possible_truncation, reason = "four billion stacks fit in no memory")]
        let id = self.list.len() as StackId;
        self.list.push(frames.into());
        self.counts.push(0);
        self.index.insert(frames.into(), id);
        id
    }

    /// Every stack with its number and count, in the order in which they were first met.
    pub fn iter(&self) -> impl Iterator<Item = (StackId, &[NameId], u64)> {
        let stacks = (0..).zip(&self.list).zip(&self.counts);
        stacks.map(|((id, frames), &count)| (id, &**frames, count))
    }

    /// The frames of a stack, the outermost first.
    pub fn frames(&self, id: StackId) -> &[NameId] {
        self.list.get(id as usize).map_or(&[], |frames| frames)
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Whether a count, or the sum of all, is beyond 64 bits and so no longer exact.
    pub fn is_too_large(&self) -> bool {
        let sum: u128 = self.counts.iter().map(|&count| u128::from(count)).sum();
        self.is_saturated || sum > u128::from(u64::MAX)
    }

    /// How many stacks are distinguished.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The stacks made anew of each of these, with the new number of each old one; counts stay.
    pub fn mapped(
        &self,
        mut change: impl FnMut(&[NameId], &mut Stacks) -> Vec<NameId>,
    ) -> (Stacks, Vec<StackId>) {
        let mut made = Stacks::default();
        let numbers = self.iter().map(|(_, frames, count)| {
            let frames = change(frames, &mut made);
            made.add(&frames, count)
        });
        let numbers = numbers.collect();
        (made, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_kept_once_and_counts_add_up() {
        let mut stacks = Stacks::default();
        stacks.add_named(&["main", "read"], 2);
        stacks.add_named(&["main"], 5);
        stacks.add_named(&["main", "read"], 1);
        let counted: Vec<(usize, u64)> =
            stacks.iter().map(|(_, frames, count)| (frames.len(), count)).collect();
        assert_eq!(counted, [(2, 3), (1, 5)]);
        assert_eq!((stacks.total(), stacks.names().len()), (8, 2));
    }
}
