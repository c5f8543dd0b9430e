//! All measurements of a run: each way of reading, in each sample.

use super::sample::{Counts, Measurement, Way};
use crate::Estimate;

/// How often each way is measured, as in OraPub's experiments.
pub const SAMPLES: usize = 6;

/// What was counted, and how.
#[derive(Debug)]
pub struct Found {
    /// In the order in which they were made: all ways of the first sample, then of the second.
    pub measurements: Vec<Measurement>,
    /// Bytes of a block of the server.
    pub block: u64,
    /// Why system calls were not counted.
    pub untraced: Option<String>,
    /// Why bpftrace did not count.
    pub unseen: Option<String>,
    /// Whether the server counts by statement.
    pub has_statements: bool,
}

impl Found {
    /// One way in all samples.
    pub fn of_way(&self, way: Way) -> impl Iterator<Item = &Counts> {
        self.measurements.iter().filter(move |one| one.way == way).map(|one| &one.counts)
    }

    /// The sum of one way in all samples.
    pub fn total(&self, way: Way) -> Option<Counts> {
        self.of_way(way).copied().reduce(|sum, counts| sum + counts)
    }

    /// The sums of all ways, as far as they were measured.
    pub fn totals(&self) -> impl Iterator<Item = (Way, Counts)> {
        Way::ALL.into_iter().filter_map(|way| Some((way, self.total(way)?)))
    }

    /// The measurements in which one process read alone: their counts must be the same.
    pub fn alone(&self) -> impl Iterator<Item = &Measurement> {
        self.measurements.iter().filter(|one| one.way.is_alone())
    }

    /// The sum of each sample over the ways in which one process read alone.
    pub fn samples(&self) -> Vec<Counts> {
        let of_sample = |number: usize| {
            let counts = self.alone().filter(move |one| one.sample == number).map(|one| one.counts);
            counts.reduce(|sum, counts| sum + counts)
        };
        (1..=SAMPLES).filter_map(of_sample).collect()
    }

    /// The mean of the samples' shares of waits in the statistics of one way; none where one is no number.
    pub fn waits(&self, way: Way) -> Option<Estimate> {
        mean(self.of_way(way).map(Counts::waits_by_statistics))
    }

    /// The mean of the samples' differences between system calls and statistics, in blocks.
    pub fn difference(&self) -> Option<Estimate> {
        let samples = self.samples();
        mean(samples.iter().map(|counts| counts.difference(self.block).unwrap_or(f64::NAN)))
    }
}

/// The mean of values; none of none, or where one is no number.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<Estimate> {
    let values: Vec<f64> = values.collect();
    Estimate::of(&values).filter(|estimate| estimate.mean.is_finite())
}
