//! The most frequent of endlessly many values in bounded memory.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::amount::Amount;

/// Counts of the values with the most events (Metwally, Agrawal and El Abbadi 2005, "Efficient
/// computation of frequent and top-k elements in data streams", *Space-Saving*).
///
/// Up to `most` values are counted exactly. Beyond that a new value takes the place of the one
/// with the fewest events and inherits its count as a possible overcount. Every value with more
/// than `1 / most` of all events is among those kept.
#[derive(Clone, Debug)]
pub(crate) struct SpaceSaving {
    most: usize,
    counters: HashMap<Arc<str>, Counter>,
    /// The values by count, kept up to date from the first replacement on.
    by_count: BTreeSet<(u64, Arc<str>)>,
    /// Events of all values.
    events: u64,
}

/// What is known of one value.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) struct Counter {
    /// At least as many events as the value has.
    pub at_most: u64,
    /// By how many that may be too many; zero for an exact count.
    pub over: u64,
    /// What is counted for certain.
    pub certain: Amount,
}

impl Counter {
    /// Events that the value has for certain.
    #[cfg(test)]
    pub(crate) fn at_least(self) -> u64 {
        self.certain.events
    }
}

impl SpaceSaving {
    pub(crate) fn new(most: usize) -> SpaceSaving {
        let (counters, by_count) = (HashMap::new(), BTreeSet::new());
        SpaceSaving { most: most.max(1), counters, by_count, events: 0 }
    }

    /// Counts some events of a value.
    pub(crate) fn add(&mut self, value: &str, amount: Amount) {
        let events = amount.events;
        self.events = self.events.saturating_add(events);
        if let Some((key, _)) = self.counters.get_key_value(value) {
            let key = Arc::clone(key);
            self.grow(&key, amount);
        } else if self.counters.len() < self.most {
            let counter = Counter { at_most: events, over: 0, certain: amount };
            self.counters.insert(value.into(), counter);
        } else if events > 0 {
            self.replace_least(value, amount);
        }
    }

    fn grow(&mut self, key: &Arc<str>, amount: Amount) {
        let Some(counter) = self.counters.get_mut(key) else { return };
        let before = counter.at_most;
        counter.at_most = before.saturating_add(amount.events);
        counter.certain.add(amount);
        let after = counter.at_most;
        if !self.by_count.is_empty() {
            self.by_count.remove(&(before, Arc::clone(key)));
            self.by_count.insert((after, Arc::clone(key)));
        }
    }

    fn replace_least(&mut self, value: &str, amount: Amount) {
        if self.by_count.is_empty() {
            let counts = self.counters.iter().map(|(key, one)| (one.at_most, Arc::clone(key)));
            self.by_count = counts.collect();
        }
        let Some((over, least)) = self.by_count.pop_first() else { return };
        self.counters.remove(&least);
        let (key, at_most): (Arc<str>, u64) = (value.into(), over.saturating_add(amount.events));
        self.by_count.insert((at_most, Arc::clone(&key)));
        self.counters.insert(key, Counter { at_most, over, certain: amount });
    }

    /// Events of all values.
    #[cfg(test)]
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// The values kept, in no order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<str>> {
        self.counters.keys()
    }

    /// What is known of a value: of one that is not kept, that it has no more events than the one
    /// kept with the fewest.
    pub(crate) fn of(&self, value: &str) -> Counter {
        let unknown = self.by_count.first().map_or(0, |(least, _)| *least);
        let absent = Counter { at_most: unknown, over: unknown, certain: Amount::default() };
        self.counters.get(value).copied().unwrap_or(absent)
    }
}

/// How many different values there were, exact up to a million.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct {
    hashes: HashSet<u64>,
    more: bool,
}

impl Distinct {
    /// The most that are distinguished: some 16 MB.
    const MOST: usize = 1 << 20;

    pub(crate) fn add(&mut self, value: &str) {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let hash = hasher.finish();
        if self.hashes.len() < Distinct::MOST {
            self.hashes.insert(hash);
        } else if !self.hashes.contains(&hash) {
            self.more = true;
        }
    }

    /// Their number, and whether there may be more.
    pub(crate) fn count(&self) -> (u64, bool) {
        (self.hashes.len() as u64, self.more)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_values_are_counted_exactly() {
        let amount = |events, waited_ns| Amount { events, waited_ns, ..Amount::default() };
        let mut sketch = SpaceSaving::new(3);
        for (value, events) in [("a", 5), ("b", 1), ("a", 2), ("c", 3)] {
            sketch.add(value, amount(events, events * 10));
        }
        assert_eq!(sketch.of("a"), Counter { at_most: 7, over: 0, certain: amount(7, 70) });
        assert_eq!(sketch.of("z"), Counter::default());
        assert_eq!(sketch.events(), 11);
        // By hand: d takes the place of b, which had one event.
        sketch.add("d", amount(4, 40));
        assert_eq!(sketch.of("d"), Counter { at_most: 5, over: 1, certain: amount(4, 40) });
        assert_eq!(sketch.of("b").at_least(), 0);
        assert_eq!(sketch.of("b").at_most, 3, "no more than c, the one kept with the fewest");
    }

    proptest! {
        /// The guarantees of the paper, against exact counts.
        #[test]
        fn bounds_hold_and_the_frequent_are_kept(
            stream in prop::collection::vec((0_u32..60, 1_u64..5), 1..400),
            most in 1_usize..20,
        ) {
            let (mut sketch, mut exact) = (SpaceSaving::new(most), BTreeMap::<String, u64>::new());
            let mut distinct = Distinct::default();
            for (value, events) in stream {
                let value = format!("v{}", if value < 30 { 0 } else { value });
                sketch.add(&value, Amount { events, ..Amount::default() });
                distinct.add(&value);
                *exact.entry(value).or_default() += events;
            }
            let all: u64 = exact.values().sum();
            prop_assert_eq!(sketch.events(), all);
            prop_assert_eq!(distinct.count(), (exact.len() as u64, false));
            prop_assert!(sketch.values().count() <= most);
            for (value, &events) in &exact {
                let known = sketch.of(value);
                prop_assert!(known.at_least() <= events && events <= known.at_most);
                prop_assert!(known.over <= all / most as u64);
                let kept = sketch.values().any(|one| &**one == value.as_str());
                prop_assert!(kept || events <= all / most as u64);
            }
        }
    }
}
