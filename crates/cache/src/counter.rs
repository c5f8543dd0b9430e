//! A curve by whichever method was asked for.

use crate::{ExactCurve, MissRatioCurve, Sample, SampledCurve, Sampling, TooManyBlocks};

/// How a curve is made.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum CurveMethod {
    /// Of every reference, with at most this many distinct blocks.
    Exact {
        /// The most blocks that are remembered.
        most_blocks: u32,
    },
    /// Of a sample of blocks.
    Sampled {
        /// How many blocks are sampled.
        sampling: Sampling,
        /// Which ones: the same seed samples the same blocks.
        seed: u64,
    },
}

/// Counts references by one of the methods.
#[derive(Clone, Debug)]
pub struct CurveCounter(Counter);

#[derive(Clone, Debug)]
enum Counter {
    Exact(ExactCurve),
    Sampled(Box<SampledCurve>),
}

/// A curve, and the sample that it is an estimate of, if it is one.
#[derive(Clone, Debug, PartialEq)]
pub enum CountedCurve {
    /// The curve of every reference.
    Exact(MissRatioCurve),
    /// The curve of a sample.
    Sampled(Sample),
}

impl CurveCounter {
    /// No reference yet.
    pub fn new(method: CurveMethod) -> CurveCounter {
        CurveCounter(match method {
            CurveMethod::Exact { most_blocks } => Counter::Exact(ExactCurve::new(most_blocks)),
            CurveMethod::Sampled { sampling, seed } => {
                Counter::Sampled(Box::new(SampledCurve::new(sampling, seed)))
            }
        })
    }

    /// A block is referenced.
    pub fn reference(&mut self, block: u64) -> Result<(), TooManyBlocks> {
        match &mut self.0 {
            Counter::Exact(exact) => exact.reference(block),
            Counter::Sampled(sampled) => {
                sampled.reference(block);
                Ok(())
            }
        }
    }

    /// The curve.
    pub fn finish(&self) -> CountedCurve {
        match &self.0 {
            Counter::Exact(exact) => CountedCurve::Exact(exact.finish()),
            Counter::Sampled(sampled) => CountedCurve::Sampled(sampled.finish()),
        }
    }
}

impl CountedCurve {
    /// The curve.
    pub fn curve(&self) -> &MissRatioCurve {
        match self {
            CountedCurve::Exact(curve) => curve,
            CountedCurve::Sampled(sample) => &sample.curve,
        }
    }

    /// The sample that the curve is an estimate of.
    pub fn sample(&self) -> Option<&Sample> {
        match self {
            CountedCurve::Exact(_) => None,
            CountedCurve::Sampled(sample) => Some(sample),
        }
    }
}
