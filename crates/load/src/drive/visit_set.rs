//! Which places have been visited.

use std::sync::atomic::{AtomicU64, Ordering};

/// One bit for each place.
#[derive(Debug)]
pub struct VisitSet {
    bits: Vec<AtomicU64>,
}

impl VisitSet {
    /// The most places that are kept: 256 MiB of bits.
    const MOST: u64 = 1 << 31;

    /// For so many places; `None` where that would take too much memory.
    pub fn of(places: u64) -> Option<VisitSet> {
        let words =
            usize::try_from(places.div_ceil(64)).ok().filter(|_| places <= VisitSet::MOST)?;
        Some(VisitSet { bits: (0..words).map(|_| AtomicU64::new(0)).collect() })
    }

    /// Visits a place; `true` if it is the first time.
    #[inline]
    pub fn visit(&self, place: u64) -> bool {
        let (word, bit) = (place / 64, 1_u64 << (place % 64));
        let word = usize::try_from(word).ok().and_then(|word| self.bits.get(word));
        word.is_some_and(|word| {
            // Most visits of a long run are not the first: look before writing.
            word.load(Ordering::Relaxed) & bit == 0
                && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
        })
    }

    /// How many different places have been visited.
    pub fn distinct(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_visit_is_distinguished_from_later_ones() {
        let touches = VisitSet::of(100).unwrap();
        let first: Vec<bool> = [3, 99, 3, 64, 99, 1_000].map(|place| touches.visit(place)).into();
        assert_eq!(first, [true, true, false, true, false, false]);
        assert_eq!(touches.distinct(), 3);
        assert!(VisitSet::of(1 << 40).is_none());
    }
}
