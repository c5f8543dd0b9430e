//! An average made of samples, and how far it may be off.

/// The average of a number that was looked at now and then.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean of the samples.
    pub mean: f64,
    /// Its standard error; none of fewer than two samples.
    pub error: Option<f64>,
}

/// What is known of the samples so far.
///
/// The standard error is that of successive differences, `sqrt(Σ(x[i+1] - x[i])² / (2 n (n-1)))`. Samples at
/// regular moments are no independent draws: sessions stay for many of them, and what they share
/// would look like scatter, or like none. Where nothing lasts from one sample to the next the formula
/// is the usual one; where sessions last long it is on the safe side by a factor of up to √6.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Sum {
    samples: usize,
    total: u64,
    last: u64,
    squares: f64,
}

impl Sum {
    /// Adds the next sample.
    pub(super) fn add(&mut self, number: usize) {
        let number = number as u64;
        if self.samples > 0 {
            let step = number as f64 - self.last as f64;
            self.squares += step * step;
        }
        self.samples += 1;
        self.total += number;
        self.last = number;
    }

    /// Adds samples in which there was nothing.
    pub(super) fn add_nothing(&mut self, samples: usize) {
        if samples > 0 {
            self.add(0);
            self.samples += samples - 1;
        }
    }

    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    pub(super) fn estimate(&self) -> Estimate {
        if self.samples == 0 {
            return Estimate::default();
        }
        let n = self.samples as f64;
        let error = (self.samples > 1).then(|| (self.squares / (2.0 * n * (n - 1.0))).sqrt());
        Estimate { mean: self.total as f64 / n, error }
    }
}
