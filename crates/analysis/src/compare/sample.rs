//! One side of a comparison: its columns of time, in the buckets that both sides share.

use isotherm_frame::{Bucket, Histogram, Scheme};

use super::column_numbers::{COUNTS, EVENTS, WAITED};
use super::measure::Measure;
use super::shared_buckets::{Placement, of_coarser, shape, spread, straddle};
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
    /// The numbers of all columns if events whose bucket holds a bound of the other side all lay below
    /// it, and above it; `None` where there are none.
    extremes: Option<[Vec<f64>; 2]>,
}

/// What both sides have in common.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    scheme: Scheme,
    /// The buckets with events, by their index in the scheme.
    indices: Vec<usize>,
    /// Whether both sources give the exact time waited: only then is chance judged by it.
    pub exact: bool,
    /// All events of each side, in its own buckets.
    pub totals: [Histogram; 2],
    /// The same in the shared buckets.
    pub shapes: [Histogram; 2],
    /// Whether the source of each side gives the exact time waited.
    pub exact_sides: [bool; 2],
    /// Whether events of one side must be divided among the buckets of the other.
    divided: bool,
}

impl Shared {
    /// The finest buckets that split no events of either side. Like is compared with like: where
    /// one side is coarse, the other is made as coarse, and where one side's time is estimated
    /// from buckets, so is the other's when chance is judged. What is shown of a side is the best
    /// that is known of it.
    ///
    /// Where buckets of the sides straddle each other, those that split no events could be as wide as
    /// all of them. There the wider buckets are used, and the events of the other side divided.
    pub fn of(one: &Timeline, two: &Timeline) -> Shared {
        let divided = straddle(&one.total, &two.total);
        let scheme = if divided {
            of_coarser(&one.total, &two.total)
        } else {
            one.total.merge(&two.total).scheme().clone()
        };
        let totals = [one, two].map(|side| side.total.clone());
        let shapes = totals
            .each_ref()
            .map(|total| total.rebin(&scheme).unwrap_or_else(|_| shape(total, &scheme)));
        let exact_sides = [one, two].map(|side| side.waited().exact);
        let exact = exact_sides == [true; 2];
        let indices = indices(&totals, &scheme);
        Shared { scheme, indices, exact, totals, shapes, exact_sides, divided }
    }

    fn numbers(&self, column: &Column) -> Vec<f64> {
        let mut numbers = vec![column.covered_s, 0.0, column.waited.seconds, column.counted_s];
        let Some(latencies) = column.latencies.as_ref() else {
            if !self.exact {
                numbers[WAITED] = 0.0;
            }
            numbers.resize(COUNTS + self.indices.len(), 0.0);
            return numbers;
        };
        if self.divided {
            self.fill(&mut numbers, latencies, Placement::Parts);
            return numbers;
        }
        let counts = latencies.rebin(&self.scheme);
        let counts = counts.unwrap_or_else(|_| Histogram::empty(self.scheme.clone()));
        numbers[EVENTS] = counts.events() as f64;
        if !self.exact {
            numbers[WAITED] = counts.clone().with_sum(None).time_waited().seconds;
        }
        numbers.extend(self.indices.iter().map(|&index| counts.count(index) as f64));
        numbers
    }

    /// Sets the events, their counts and, where it is estimated, their time.
    fn fill(&self, numbers: &mut Vec<f64>, latencies: &Histogram, placement: Placement) {
        let counts = spread(latencies, &self.scheme, placement);
        numbers[EVENTS] = latencies.events() as f64;
        if !self.exact {
            let middle = |index: usize| self.scheme.bucket(index).mid_point().as_secs_f64();
            numbers[WAITED] = self.indices.iter().map(|&index| counts[index] * middle(index)).sum();
        }
        numbers.truncate(COUNTS);
        numbers.extend(self.indices.iter().map(|&index| counts[index]));
    }
}

/// The buckets that either side may have events in.
fn indices(totals: &[Histogram; 2], scheme: &Scheme) -> Vec<usize> {
    let placements = [Placement::Parts, Placement::Below, Placement::Above];
    let mut held = vec![false; scheme.buckets()];
    for (total, placement) in totals.iter().flat_map(|total| placements.map(|at| (total, at))) {
        let counts = spread(total, scheme, placement);
        held.iter_mut().zip(counts).for_each(|(held, count)| *held |= count > 0.0);
    }
    (0..held.len()).filter(|&index| held[index]).collect()
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
        let extremes = shared.divided.then(|| {
            [Placement::Below, Placement::Above].map(|placement| {
                let mut numbers = sums[sums.len() - width..].to_vec();
                shared.fill(&mut numbers, &timeline.total, placement);
                numbers
            })
        });
        Sample { buckets, sums, width, extremes }
    }

    /// By what factors a value may be less and more because it is not known on which side of a bound
    /// of the other side's buckets events lie.
    pub fn divided(&self, measure: Measure) -> (f64, f64) {
        let Some(extremes) = &self.extremes else { return (1.0, 1.0) };
        let Some(value) = measure.value(self.total(), &self.buckets) else { return (1.0, 1.0) };
        let factors = extremes.each_ref().map(|numbers| {
            measure.value(numbers, &self.buckets).map_or(1.0, |extreme| extreme / value)
        });
        (factors[0].min(1.0), factors[1].max(1.0))
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
