//! Numbers of buckets, of which most are zero.

use std::ops::Range;

/// One number for each bucket of a scheme. Only the numbers between the first and the last that is
/// not zero take memory: the histogram of a silent interval takes none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    /// The bucket of the first number held.
    first: usize,
    numbers: Vec<u64>,
}

impl Sparse {
    /// The same numbers as a list of all of them.
    pub fn of(mut dense: Vec<u64>) -> Sparse {
        let first = dense.iter().position(|&number| number > 0).unwrap_or(0);
        dense.truncate(dense.iter().rposition(|&number| number > 0).map_or(0, |last| last + 1));
        dense.drain(..first.min(dense.len()));
        dense.shrink_to_fit();
        Sparse { first, numbers: dense }
    }

    /// The numbers of the buckets from `first` on.
    pub fn from(first: usize, mut numbers: Vec<u64>) -> Sparse {
        numbers.truncate(numbers.iter().rposition(|&number| number > 0).map_or(0, |last| last + 1));
        Sparse { first, numbers }
    }

    /// The number of a bucket.
    pub fn get(&self, index: usize) -> u64 {
        let place = index.checked_sub(self.first);
        place.and_then(|place| self.numbers.get(place)).copied().unwrap_or(0)
    }

    /// Adds to the number of a bucket, which does not go beyond the largest there is.
    pub fn add_at(&mut self, index: usize, amount: u64) {
        if amount == 0 {
            return;
        }
        self.hold(index..index + 1);
        let number = &mut self.numbers[index - self.first];
        *number = number.saturating_add(amount);
    }

    /// Adds bucket by bucket.
    pub fn add(&mut self, other: &Sparse) {
        let range = other.range();
        if range.is_empty() {
            return;
        }
        self.hold(range.clone());
        let more = &other.numbers[range.start - other.first..range.end - other.first];
        let own = &mut self.numbers[range.start - self.first..];
        own.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
    }

    /// Makes room for the numbers of some buckets.
    fn hold(&mut self, range: Range<usize>) {
        if self.numbers.is_empty() {
            self.first = range.start;
        }
        if range.start < self.first {
            let before = self.first - range.start;
            self.numbers.splice(0..0, std::iter::repeat_n(0, before));
            self.first = range.start;
        }
        let end = range.end - self.first;
        if end > self.numbers.len() {
            self.numbers.resize(end, 0);
        }
    }

    /// The numbers that are not zero, each with its bucket.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, u64)> + '_ {
        let held = self.numbers.iter().enumerate().filter(|(_, number)| **number > 0);
        held.map(|(place, &number)| (self.first + place, number))
    }

    /// The same, of a list of its own.
    pub fn pairs(self) -> impl Iterator<Item = (usize, u64)> {
        let held = self.numbers.into_iter().enumerate().filter(|(_, number)| *number > 0);
        held.map(move |(place, number)| (self.first + place, number))
    }

    /// From the first bucket whose number is not zero to after the last; empty where all are.
    pub fn range(&self) -> Range<usize> {
        let first = self.iter().next().map_or(0, |(index, _)| index);
        let end = self.iter().next_back().map_or(first, |(index, _)| index + 1);
        first..end
    }

    /// Whether every number is zero.
    pub fn is_zero(&self) -> bool {
        self.numbers.iter().all(|&number| number == 0)
    }

    /// The sum of all numbers, at most the largest there is.
    pub fn sum(&self) -> u64 {
        self.numbers.iter().fold(0, |sum, &number| sum.saturating_add(number))
    }

    /// Each number changed in the same way; what is zero stays zero.
    pub fn map(&self, change: impl Fn(u64) -> u64) -> Sparse {
        let numbers = self.numbers.iter().map(|&number| change(number)).collect();
        Sparse { first: self.first, numbers }
    }

    /// All numbers of a scheme with so many buckets.
    pub fn dense(&self, buckets: usize) -> Vec<u64> {
        let mut dense = vec![0; buckets];
        let places = dense.iter_mut().skip(self.first);
        places.zip(&self.numbers).for_each(|(place, &number)| *place = number);
        dense
    }
}

impl FromIterator<(usize, u64)> for Sparse {
    /// Numbers with their buckets; those of the same bucket are added up.
    fn from_iter<I: IntoIterator<Item = (usize, u64)>>(numbers: I) -> Sparse {
        let mut all = Sparse::default();
        for (index, number) in numbers.into_iter().filter(|(_, number)| *number > 0) {
            // In order, as they mostly are, each is the last one or comes behind it.
            match index.checked_sub(all.first + all.numbers.len()) {
                Some(beyond) if !all.numbers.is_empty() => {
                    all.numbers.extend(std::iter::repeat_n(0, beyond));
                    all.numbers.push(number);
                }
                _ => all.add_at(index, number),
            }
        }
        all
    }
}

impl PartialEq for Sparse {
    fn eq(&self, other: &Sparse) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Sparse {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dense() -> impl Strategy<Value = Vec<u64>> {
        proptest::collection::vec(prop_oneof![4 => Just(0), 1 => any::<u64>(), 2 => 1..50_u64], 12)
    }

    proptest! {
        #[test]
        fn it_holds_the_numbers_it_is_given(one in dense(), two in dense(), at in 0..12_usize) {
            let mut sparse = Sparse::of(one.clone());
            prop_assert_eq!(&sparse.dense(12), &one);
            prop_assert_eq!(sparse.get(at), one[at]);
            prop_assert_eq!(sparse.is_zero(), one.iter().all(|&number| number == 0));
            let filled = |dense: &[u64]| -> Vec<(usize, u64)> {
                dense.iter().copied().enumerate().filter(|(_, number)| *number > 0).collect()
            };
            prop_assert_eq!(sparse.iter().collect::<Vec<_>>(), filled(&one));
            prop_assert_eq!(&filled(&one).into_iter().rev().collect::<Sparse>(), &sparse);
            sparse.add(&Sparse::of(two.clone()));
            let sums: Vec<u64> =
                one.iter().zip(&two).map(|(one, two)| one.saturating_add(*two)).collect();
            prop_assert_eq!(&sparse.dense(12), &sums);
            prop_assert_eq!(&sparse, &Sparse::of(sums.clone()));
            let held = sums.iter().position(|&n| n > 0).zip(sums.iter().rposition(|&n| n > 0));
            prop_assert_eq!(sparse.range(), held.map_or(0..0, |(first, last)| first..last + 1));
        }
    }

    #[test]
    fn silence_takes_no_memory() {
        assert_eq!(Sparse::of(vec![0; 300]).numbers.capacity(), 0);
        let mut sum = Sparse::default();
        sum.add(&Sparse::of(vec![0; 300]));
        sum.add_at(200, 0);
        assert_eq!(sum.numbers.capacity(), 0);
    }
}
