//! Seeded runs with a known truth, for tests.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "simulated numbers are small and positive"
)]

use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};

use crate::{Grid, Timeline};
use isotherm_frame::Random;

/// Draws from distributions.
pub(crate) struct Chance(Random);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        // Neighbouring seeds are not neighbouring places of one sequence.
        Chance(Random::new(Random::new(!seed).next()))
    }

    /// From 0 to below 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.unit()
    }

    pub(crate) fn normal(&mut self) -> f64 {
        self.0.normal()
    }

    pub(crate) fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 50.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0) as u64;
        }
        let (limit, mut product, mut count) = ((-mean).exp(), self.uniform(), 0);
        while product > limit {
            product *= self.uniform();
            count += 1;
        }
        count
    }
}

/// A band of latencies: events per second, the middle in microseconds, and its sigma in octaves.
#[derive(Copy, Clone)]
pub(crate) struct Peak(pub f64, pub f64, pub f64);

/// A run of one-second columns. `hills` says what there is in each second.
pub(crate) fn run(
    seed: u64,
    seconds: usize,
    scheme: &Scheme,
    mut hills: impl FnMut(usize, &mut Chance) -> Vec<Peak>,
) -> Timeline {
    let mut chance = Chance::new(seed);
    let frames: Vec<Frame> = (0..seconds)
        .map(|second| {
            let mut counts = Histogram::empty(scheme.clone());
            for Peak(rate, middle_us, sigma) in hills(second, &mut chance) {
                for _ in 0..chance.poisson(rate) {
                    let us = middle_us * (sigma * chance.normal()).exp2();
                    counts.record(Nanos::new((us * 1e3) as u64));
                }
            }
            let start = at(second);
            Frame {
                series: Series::named("read"),
                start,
                end: start.plus(Nanos::SECOND),
                counts,
                quality: Quality::Complete,
            }
        })
        .collect();
    Timeline::place(&frames, Grid::covering(&frames, seconds).unwrap())
}

/// The start of a second of a run.
pub(crate) fn at(second: usize) -> Timestamp {
    Timestamp::new(1_763_735_400_000_000_000 + second as i64 * 1_000_000_000)
}

/// An autoregressive process of first order with this coefficient and a variance of 1.
pub(crate) fn drifting(coefficient: f64) -> impl FnMut(&mut Chance) -> f64 {
    let mut state = 0.0;
    let step = (1.0 - coefficient * coefficient).sqrt();
    move |chance| {
        state = coefficient * state + step * chance.normal();
        state
    }
}
