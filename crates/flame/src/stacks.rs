//! Stacks, each kept once with its count.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use isotherm_frame::MemoryAccount;

use crate::names::{NameId, Names};

/// The number of a stack.
pub type StackId = u32;

/// The most frames of a stack that are kept, the outermost first. perf takes 127, up to a thousand if
/// asked; more is a program that calls itself without end, or no stack.
const MOST_FRAMES: usize = 1_024;

/// The name of what there is no memory for.
const OTHER: &[u8] = b"(other)";

/// The most stacks of [`OTHER`] frames, one for each outermost frame.
const MOST_OTHERS: usize = 1_024;

/// What a stack takes besides its frames, and a name besides its text, with what the allocator and growing tables
/// take.
const STACK_BYTES: usize = 160;
const NAME_BYTES: usize = 140;

/// Stacks with their counts: how often each was sampled, or how much time was spent in it.
#[derive(Clone, Debug)]
pub struct Stacks {
    names: Names,
    index: HashMap<Arc<[NameId]>, StackId, RandomState>,
    list: Vec<Arc<[NameId]>>,
    counts: Vec<u64>,
    room: MemoryAccount,
    /// The stacks that hold what there is no memory for.
    others: usize,
    beyond: BeyondMemory,
    /// Whether the count of a stack is beyond 64 bits.
    is_saturated: bool,
}

/// What was added up as `(other)`, because there is no memory for more different stacks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct BeyondMemory {
    /// How often a stack was added to it.
    pub records: u64,
    /// The sum of their counts.
    pub count: u64,
}

impl Default for Stacks {
    fn default() -> Stacks {
        Stacks::within(Stacks::MEMORY)
    }
}

impl Stacks {
    /// How many bytes stacks and their names may take, if nothing else is said.
    pub const MEMORY: usize = 128 << 20;

    /// None yet, and room for so many bytes of them.
    pub fn within(bytes: usize) -> Stacks {
        Stacks {
            names: Names::default(),
            index: HashMap::default(),
            list: Vec::new(),
            counts: Vec::new(),
            room: MemoryAccount::of_bytes(bytes),
            others: 0,
            beyond: BeyondMemory::default(),
            is_saturated: false,
        }
    }

    /// None yet, and as much room as these have.
    pub(crate) fn as_many_as(other: &Stacks) -> Stacks {
        Stacks { beyond: other.beyond, ..Stacks::within(other.room.most()) }
    }

    /// What there was no memory for.
    pub fn beyond_memory(&self) -> BeyondMemory {
        self.beyond
    }

    /// Whether there is room for so many bytes beside the stacks; they are taken if there is.
    pub(crate) fn take_memory(&mut self, bytes: usize) -> bool {
        self.room.take(bytes)
    }

    /// The number of a name, which is made if it is new; that of `(other)` where there is no room for it.
    pub fn name_id(&mut self, name: &[u8]) -> NameId {
        if let Some(known) = self.names.known(name) {
            return known;
        }
        let fits = self.room.take(NAME_BYTES + 2 * String::from_utf8_lossy(name).len());
        self.names.number(if fits { name } else { OTHER })
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
        let known = self.index.get(frames).copied();
        let id = match known {
            Some(id) => id,
            None if self.room.take(STACK_BYTES + size_of_val(frames)) => self.insert(frames),
            None => self.other_of(frames, count),
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
        let frames: Arc<[NameId]> = frames.into();
        self.list.push(Arc::clone(&frames));
        self.counts.push(0);
        self.index.insert(frames, id);
        id
    }

    /// The stack that holds what there is no memory for: its outermost frame and `(other)`.
    fn other_of(&mut self, frames: &[NameId], count: u64) -> StackId {
        self.beyond.records += 1;
        self.beyond.count = self.beyond.count.saturating_add(count);
        let other = self.names.number(OTHER);
        let outermost = frames.first().copied().filter(|&frame| frame != other);
        let below: Vec<NameId> = outermost.into_iter().chain([other]).collect();
        if let Some(&id) = self.index.get(below.as_slice()) {
            return id;
        }
        if self.others < MOST_OTHERS {
            self.others += 1;
            return self.insert(&below);
        }
        self.index.get([other].as_slice()).copied().unwrap_or_else(|| self.insert(&[other]))
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

    /// The count of a stack.
    pub fn count(&self, id: StackId) -> u64 {
        self.counts.get(id as usize).copied().unwrap_or(0)
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

    /// Takes the counts, and leaves zeros; adds room for so many bytes more.
    pub(crate) fn take_counts(&mut self, more_room: usize) -> Vec<u64> {
        let mut room = MemoryAccount::of_bytes(self.room.most().saturating_add(more_room));
        room.take(self.room.kept());
        self.room = room;
        let zeros = vec![0; self.counts.len()];
        std::mem::replace(&mut self.counts, zeros)
    }

    /// The bytes that there is room for.
    pub(crate) fn most_bytes(&self) -> usize {
        self.room.most()
    }

    /// The stacks made anew of each of these, with the new number of each old one; counts stay.
    pub fn mapped(
        &self,
        mut change: impl FnMut(&[NameId], &mut Stacks) -> Vec<NameId>,
    ) -> (Stacks, Vec<StackId>) {
        let mut made = Stacks::as_many_as(self);
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

    #[test]
    fn what_there_is_no_memory_for_is_added_up_and_no_count_is_lost() {
        let mut stacks = Stacks::within(64 << 10);
        let (mut sum, mut unknown) = (0, 0);
        for number in 0..10_000_u64 {
            let program = format!("program {}", number % 7);
            let is_kept = stacks.beyond_memory().records == 0;
            stacks.add_named(&[&program, "main", &format!("f{number}")], number);
            sum += number;
            unknown += if is_kept && stacks.beyond_memory().records == 0 { 0 } else { number };
        }
        let beyond = stacks.beyond_memory();
        assert_eq!((stacks.total(), beyond.count), (sum, unknown));
        assert!(stacks.len() < 500, "{} stacks", stacks.len());
        let others = stacks.iter().filter(|(_, frames, _)| stacks.name(frames[1]) == "(other)");
        let others: Vec<(&str, u64)> =
            others.map(|(_, frames, count)| (stacks.name(frames[0]), count)).collect();
        assert_eq!(others.len(), 7);
        assert_eq!(others.iter().map(|(_, count)| count).sum::<u64>(), unknown);
        // What is known goes on being counted.
        let known = stacks.add_named(&["program 0", "main", "f0"], 5);
        assert_eq!((stacks.frames(known).len(), stacks.beyond_memory()), (3, beyond));
    }
}
