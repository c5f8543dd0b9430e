//! Which writes are remembered, so that they can be looked for after the run.
//!
//! Of all places written to, those are kept whose scattered numbers are the smallest: a uniform
//! sample of distinct places (bottom-k sampling: Cohen and Kaplan 2007). A place once dropped never
//! comes back, so of each place kept every write is known.

use std::collections::BTreeMap;

use super::stamp::scatter;

/// Most places remembered.
pub(super) const PLACES: usize = 1_000;

/// Most writes to one place of which none is known to come after another; of a place with more,
/// nothing can be said.
const RIVALS: usize = 64;

/// Writes to a sample of places.
#[derive(Debug, Default)]
pub(super) struct WriteSample {
    /// By scattered number of the place.
    places: BTreeMap<u64, Place>,
    /// Scattered numbers above this one are not in the sample.
    above: Option<u64>,
}

/// A place in the sample.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its number.
    pub(super) number: u64,
    /// The writes, any of which may be what is there.
    pub(super) rivals: Vec<Write>,
    /// More writes than could be remembered.
    pub(super) crowded: bool,
}

/// One write.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// Its epoch.
    pub(super) epoch: u64,
    /// When it was submitted, or earlier.
    submitted_ns: u64,
    /// When it had ended, or later; never for one in flight.
    ended_ns: u64,
    /// Whether it succeeded.
    succeeded: bool,
}

impl WriteSample {
    /// Whether nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether writes to a place are remembered.
    #[inline]
    pub(super) fn remembers(&self, place: u64) -> bool {
        self.above.is_none_or(|above| scatter(place) <= above)
    }

    /// A write has begun at the moment `now_ns`, or later.
    pub(super) fn begun(&mut self, number: u64, epoch: u64, now_ns: u64) {
        let write = Write { epoch, submitted_ns: now_ns, ended_ns: u64::MAX, succeeded: false };
        self.add(Place { number, rivals: vec![write], crowded: false });
    }

    /// A write had ended at the moment `now_ns`, or earlier.
    pub(super) fn ended(&mut self, number: u64, epoch: u64, succeeded: bool, now_ns: u64) {
        let Some(place) = self.places.get_mut(&scatter(number)) else { return };
        if let Some(write) = place.rivals.iter_mut().find(|write| write.epoch == epoch) {
            write.ended_ns = now_ns;
            write.succeeded = succeeded;
        }
        place.settle();
    }

    /// Adds what another lane remembers.
    pub(super) fn merge(&mut self, other: WriteSample) {
        self.drop_above(other.above);
        for place in other.places.into_values() {
            if self.remembers(place.number) {
                self.add(place);
            }
        }
    }

    /// The places whose content can be known: at least one write succeeded.
    pub(super) fn certain(self) -> impl Iterator<Item = Place> {
        self.places
            .into_values()
            .filter(|place| !place.crowded && place.rivals.iter().any(|write| write.succeeded))
    }

    fn add(&mut self, place: Place) {
        let known = self.places.entry(scatter(place.number));
        let known = known.and_modify(|known| {
            known.crowded |= place.crowded;
            known.rivals.extend(&place.rivals);
            known.settle();
        });
        known.or_insert(place);
        if self.places.len() > PLACES {
            self.places.pop_last();
            self.above = self.places.last_key_value().map(|(last, _)| *last);
        }
    }

    fn drop_above(&mut self, above: Option<u64>) {
        let Some(above) = above else { return };
        if self.above.is_none_or(|mine| above < mine) {
            self.above = Some(above);
            self.places.retain(|scattered, _| *scattered <= above);
        }
    }
}

impl Place {
    /// Forgets writes that a later one has replaced for certain.
    fn settle(&mut self) {
        let last = self.rivals.iter().filter(|write| write.succeeded);
        let Some(last) = last.map(|write| write.submitted_ns).max() else { return };
        self.rivals.retain(|write| write.ended_ns >= last);
        if self.rivals.len() > RIVALS {
            self.rivals.truncate(RIVALS);
            self.crowded = true;
        }
    }

    /// Whether what a write of this epoch wrote may be there.
    pub(super) fn may_hold(&self, epoch: u64) -> bool {
        self.rivals.iter().any(|write| write.epoch == epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs(sample: WriteSample) -> Vec<(u64, Vec<u64>)> {
        let mut all: Vec<_> = sample
            .certain()
            .map(|place| (place.number, place.rivals.iter().map(|write| write.epoch).collect()))
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn a_later_write_replaces_an_earlier_one() {
        let mut sample = WriteSample::default();
        sample.begun(5, 1, 10);
        sample.ended(5, 1, true, 20);
        sample.begun(5, 2, 30);
        sample.ended(5, 2, true, 40);
        assert_eq!(epochs(sample), [(5, vec![2])]);
    }

    #[test]
    fn writes_that_overlap_or_failed_are_all_possible() {
        let mut sample = WriteSample::default();
        sample.begun(5, 1, 10);
        sample.begun(5, 2, 15);
        sample.ended(5, 2, true, 40);
        sample.ended(5, 1, true, 50);
        sample.begun(5, 3, 60);
        sample.ended(5, 3, false, 70);
        sample.begun(9, 4, 60);
        sample.ended(9, 4, false, 70);
        assert_eq!(epochs(sample), [(5, vec![1, 2, 3])], "nothing is known of place 9");
    }

    #[test]
    fn lanes_are_merged_by_time() {
        let mut one = WriteSample::default();
        one.begun(5, 1, 10);
        one.ended(5, 1, true, 20);
        let mut two = WriteSample::default();
        two.begun(5, 2, 30);
        two.ended(5, 2, true, 40);
        two.merge(one);
        assert_eq!(epochs(two), [(5, vec![2])]);
    }

    #[test]
    fn the_sample_is_bounded_and_the_same_however_it_was_gathered() {
        let written = |places: std::ops::Range<u64>| {
            let mut sample = WriteSample::default();
            for place in places {
                if sample.remembers(place) {
                    sample.begun(place, place, place * 10);
                    sample.ended(place, place, true, place * 10 + 5);
                }
            }
            sample
        };
        let all = epochs(written(0..20_000));
        assert_eq!(all.len(), PLACES);
        let mut merged = written(0..7_000);
        merged.merge(written(7_000..20_000));
        assert_eq!(epochs(merged), all);
        // Uniform: each tenth of the places has about a tenth of the sample.
        let low = all.iter().filter(|(place, _)| *place < 2_000).count();
        assert!((60..140).contains(&low), "{low}");
    }
}
