//! An average made of samples, and how far it may be off.

/// The average of a number that was looked at now and then.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean of the samples, each for the time it stands for.
    pub mean: f64,
    /// Its standard error; none of fewer than two samples.
    pub error: Option<f64>,
}

/// How many samples there are, and the time they stand for.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Weights {
    pub(super) samples: usize,
    pub(super) total_ns: u128,
    squares: f64,
}

impl Weights {
    /// Counts a sample that stands for this time.
    pub(super) fn add(&mut self, stands_for_ns: u64) {
        self.samples += 1;
        self.total_ns += u128::from(stands_for_ns);
        self.squares += (stands_for_ns as f64).powi(2);
    }
}

/// What is known of the samples so far; those that are not added have nothing.
///
/// The standard error is that of successive differences: a sample scatters by
/// `s² = Σ(x[i+1] - x[i])² / (2 (n-1))`, and the mean by `s² Σw² / (Σw)²`, where `w` is the time that a
/// sample stands for; with equal times that is `s²/n`. Samples at regular moments are no independent draws:
/// sessions stay for many of them, and what they share would look like scatter, or like none. Where
/// nothing lasts from one sample to the next the formula is the usual one; where sessions last long it is
/// on the safe side by a factor of up to √6.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Sum {
    /// Samples up to the last that was added.
    samples: usize,
    /// Sessions × nanoseconds.
    total: u128,
    last: usize,
    squares: f64,
}

impl Sum {
    /// Adds what was found in the sample with this index.
    pub(super) fn add(&mut self, index: usize, number: usize, stands_for_ns: u64) {
        if index > self.samples {
            self.step(0);
            self.samples = index;
        }
        self.step(number);
        self.samples = index + 1;
        self.total += number as u128 * u128::from(stands_for_ns);
    }

    fn step(&mut self, to: usize) {
        if self.samples > 0 {
            self.squares += (to as f64 - self.last as f64).powi(2);
        }
        self.last = to;
    }

    /// The average over all of these samples.
    pub(super) fn estimate(mut self, of: &Weights) -> Estimate {
        if of.samples == 0 {
            return Estimate::default();
        }
        if self.samples < of.samples {
            self.step(0);
        }
        let total = of.total_ns.max(1) as f64;
        let scatter = self.squares / (2.0 * (of.samples - 1) as f64);
        let error = (of.samples > 1).then(|| (scatter * of.squares).sqrt() / total);
        Estimate { mean: self.total as f64 / total, error }
    }
}
