//! Numbers for names: a trace repeats few names millions of times.

/// Gives each name a small number, in the order in which names are first met.
#[derive(Clone, Debug)]
pub struct Names {
    known: Vec<Box<[u8]>>,
    /// Open addressing: the number of a name and one, or 0; a power of two long.
    slots: Vec<u32>,
    recent: usize,
    limit: usize,
}

impl Names {
    /// At most `limit` names.
    pub fn new(limit: usize) -> Names {
        Names { known: Vec::new(), slots: vec![0; 64], recent: 0, limit }
    }

    /// The number of a name; `None` if it is new and there are as many as there may be.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> Option<usize> {
        if self.known.get(self.recent).is_some_and(|recent| **recent == *name) {
            return Some(self.recent);
        }
        self.recent = self.find(name)?;
        Some(self.recent)
    }

    /// The names in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.known.iter().map(|name| &**name)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn find(&mut self, name: &[u8]) -> Option<usize> {
        let slot = self.slot(name);
        if let Some(number) = self.slots.get(slot).and_then(|&used| used.checked_sub(1)) {
            return usize::try_from(number).ok();
        }
        if self.known.len() >= self.limit {
            return None;
        }
        let number = self.known.len();
        self.known.push(name.into());
        if self.known.len() * 2 > self.slots.len() {
            self.grow();
        } else if let Some(free) = self.slots.get_mut(slot) {
            *free = u32::try_from(number + 1).ok()?;
        }
        Some(number)
    }

    /// The slot that holds the name's number, or the free one where it belongs.
    #[inline]
    fn slot(&self, name: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(name) & mask;
        while let Some(used) = self.slots.get(slot).and_then(|&used| used.checked_sub(1)) {
            let known = usize::try_from(used).ok().and_then(|used| self.known.get(used));
            if known.is_some_and(|known| **known == *name) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        for number in 0..self.known.len() {
            let slot = self.known.get(number).map_or(0, |name| self.slot(name));
            if let Some(free) = self.slots.get_mut(slot) {
                *free = u32::try_from(number + 1).unwrap_or(0);
            }
        }
    }
}

/// Spreads names by their length, beginning and end. Names that agree in those share a slot and
/// are distinguished by comparing them.
#[inline]
fn hash(name: &[u8]) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let short = || name.iter().fold(0, |hash: u64, &byte| (hash << 8) ^ u64::from(byte));
    let first = name.first_chunk().map_or_else(short, |bytes| u64::from_le_bytes(*bytes));
    let last = name.last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mixed = (first ^ last.rotate_left(29) ^ name.len() as u64).wrapping_mul(SPREAD);
    (mixed >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_more_names_than_allowed() {
        let mut names = Names::new(2);
        assert_eq!([names.number(b"a"), names.number(b"b")], [Some(0), Some(1)]);
        assert_eq!([names.number(b"c"), names.number(b"a")], [None, Some(0)]);
        assert_eq!(names.iter().collect::<Vec<_>>(), [b"a", b"b"]);
    }

    proptest! {
        #[test]
        fn a_name_keeps_its_number(given in prop::collection::vec("[a-c]{0,12}", 0..400)) {
            let mut names = Names::new(usize::MAX);
            let mut known: HashMap<String, usize> = HashMap::new();
            for name in given {
                let next = known.len();
                let expected = *known.entry(name.clone()).or_insert(next);
                prop_assert_eq!(names.number(name.as_bytes()), Some(expected));
            }
            prop_assert_eq!(names.len(), known.len());
        }
    }
}
