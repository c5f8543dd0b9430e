//! One side of a comparison: its columns of time, in the buckets that both sides share.

use isotherm_frame::{Bucket, Histogram, Scheme};

use crate::{Column, Timeline};

/// The columns of one side as numbers to be added up: for each column the time covered, the
/// events, the time waited and the count of every shared bucket, summed from the first column on,
/// so that the sum of any run of columns is one subtraction.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The buckets that either side has events in, shortest first.
    pub buckets: Vec<Bucket>,
    /// `columns + 1` sums of `width` numbers each.
    sums: Vec<f64>,
    /// Numbers of one column.
    width: usize,
}

/// Where the numbers stand in a column's.
pub(crate) const COVERED: usize = 0;
pub(crate) const EVENTS: usize = 1;
pub(crate) const WAITED: usize = 2;
/// The part of what is covered in which ends were counted.
pub(crate) const COUNTED: usize = 3;
/// The first bucket's count.
pub(crate) const COUNTS: usize = 4;

/// What both sides have in common.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    scheme: Scheme,
    /// The buckets with events, by their index in the scheme.
    indices: Vec<usize>,
    /// Whether both sources give the exact time waited: only then is chance judged by it.
    pub exact: bool,
    /// The totals, in the shared buckets.
    pub totals: [Histogram; 2],
    /// Whether the source of each side gives the exact time waited.
    pub exact_sides: [bool; 2],
}

impl Shared {
    /// The finest buckets that split no events of either side. Like is compared with like: where
    /// one side is coarse, the other is made as coarse, and where one side's time is estimated
    /// from buckets, so is the other's when chance is judged. What is shown of a side is the best
    /// that is known of it.
    pub fn of(one: &Timeline, two: &Timeline) -> Shared {
        let together = one.total.merge(&two.total);
        let scheme = together.scheme().clone();
        let indices = together.counted().map(|(index, _)| index).collect();
        let exact_sides = [one, two].map(|side| side.waited().exact);
        let totals = [one, two].map(|side| {
            let total = side.total.rebin(&scheme);
            total.unwrap_or_else(|_| Histogram::empty(scheme.clone()))
        });
        Shared { scheme, indices, exact: exact_sides == [true; 2], totals, exact_sides }
    }

    fn numbers(&self, column: &Column) -> Vec<f64> {
        let counts = column.latencies.as_ref().and_then(|counts| counts.rebin(&self.scheme).ok());
        let mut numbers = vec![column.covered_s, 0.0, 0.0, column.counted_s];
        let counts = counts.unwrap_or_else(|| Histogram::empty(self.scheme.clone()));
        numbers[EVENTS] = counts.events() as f64;
        numbers[WAITED] = if self.exact {
            column.waited.seconds
        } else {
            counts.clone().with_sum(None).time_waited().seconds
        };
        numbers.extend(self.indices.iter().map(|&index| counts.count(index) as f64));
        numbers
    }
}

impl Sample {
    /// The columns of a side about which something is known.
    pub fn of(timeline: &Timeline, shared: &Shared) -> Sample {
        let width = COUNTS + shared.indices.len();
        let mut sums = vec![0.0; width];
        for column in timeline.known().filter(|column| column.covered_s > 0.0) {
            let before = sums.len() - width;
            let numbers = shared.numbers(column);
            let next: Vec<f64> =
                sums[before..].iter().zip(numbers).map(|(sum, more)| sum + more).collect();
            sums.extend(next);
        }
        let buckets = shared.indices.iter().map(|&index| shared.scheme.bucket(index)).collect();
        Sample { buckets, sums, width }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.sums.len() / self.width - 1
    }

    /// The numbers of one column.
    pub fn column(&self, index: usize) -> Vec<f64> {
        let mut numbers = vec![0.0; self.width];
        self.add_run(&mut numbers, index, 1);
        numbers
    }

    /// The numbers of all columns together.
    pub fn total(&self) -> &[f64] {
        &self.sums[self.sums.len() - self.width..]
    }

    /// Adds the numbers of `length` columns from `first` on.
    pub fn add_run(&self, numbers: &mut [f64], first: usize, length: usize) {
        let from = &self.sums[first * self.width..][..self.width];
        let to = &self.sums[(first + length) * self.width..][..self.width];
        for ((number, from), to) in numbers.iter_mut().zip(from).zip(to) {
            *number += to - from;
        }
    }
}
