//! The miss-ratio curve of a sample of blocks.

use std::collections::{BTreeMap, BinaryHeap};

use isotherm_analysis::student::t_quantile;
use isotherm_frame::Random;

use crate::{MissRatioCurve, StackDistances};

/// How blocks are sampled.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Sampling {
    /// This share of all blocks, above 0 and at most 1. Memory grows with the number of blocks.
    Rate(f64),
    /// At most this many blocks, the rate being lowered as more are met. Memory is bounded.
    Blocks(u32),
}

/// A miss-ratio curve by SHARDS (Waldspurger, Park, Garthwaite and Ahmad, FAST 2015): of all blocks
/// those with a hash below a threshold are sampled, with all of their references. Their distances,
/// divided by the sampling rate, are estimates of those among all blocks. The difference between
/// the references that were expected in the sample and those that are in it counts as
/// references of the shortest distance (`SHARDS_adj`).
///
/// The error is estimated from the sample itself: it is divided at random into 16 groups of
/// blocks, each with a curve of its own, and how far these differ says how far the whole is off.
#[derive(Clone, Debug)]
pub struct SampledCurve {
    whole: Distances,
    groups: Vec<Distances>,
    /// Blocks with a hash below it are sampled.
    threshold: u64,
    seed: u64,
    references: u64,
    sampled_references: u64,
    /// Of a bounded number of blocks: how many at most, and those there are with their hashes.
    bound: Option<Bound>,
}

#[derive(Clone, Debug)]
struct Bound {
    most: usize,
    /// Blocks by their hashes, the highest first.
    blocks: BinaryHeap<(u64, u64)>,
}

/// Distances within a part of all blocks, with how many references of all blocks each stands for.
#[derive(Clone, Debug, Default)]
struct Distances {
    stack: StackDistances,
    counts: BTreeMap<u64, f64>,
    /// All references that those counted stand for, first ones among them.
    total: f64,
}

/// How many groups of blocks the error is estimated from.
const GROUPS: u64 = 16;
/// The share of sampled curves with a miss ratio that is off by at most the error stated.
const CONFIDENCE: f64 = 0.9;
/// The fewest sampled blocks that a size must correspond to for a miss ratio to be stated.
const LEAST_SAMPLED: f64 = 64.0;

/// What a sample says.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The curve of all references, estimated.
    pub curve: MissRatioCurve,
    groups: Vec<MissRatioCurve>,
    /// The share of blocks that was sampled, in the end.
    pub rate: f64,
    /// References to blocks that were in the sample at that time.
    pub sampled_references: u64,
    /// Blocks in the sample, in the end.
    pub sampled_blocks: u64,
}

impl SampledCurve {
    /// No reference yet. The same seed samples the same blocks.
    pub fn new(sampling: Sampling, seed: u64) -> SampledCurve {
        let (rate, bound) = match sampling {
            Sampling::Rate(rate) => (rate, None),
            Sampling::Blocks(most) => {
                let most = (most as usize).max(1);
                (1.0, Some(Bound { most, blocks: BinaryHeap::new() }))
            }
        };
        SampledCurve {
            whole: Distances::default(),
            groups: (0..GROUPS).map(|_| Distances::default()).collect(),
            threshold: threshold(rate),
            seed: Random::new(seed).next(),
            references: 0,
            sampled_references: 0,
            bound,
        }
    }

    /// A block is referenced.
    pub fn reference(&mut self, block: u64) {
        self.references += 1;
        let hash = Random::new(block ^ self.seed).next();
        if hash > self.threshold {
            return;
        }
        self.sampled_references += 1;
        let weight = 1.0 / rate(self.threshold);
        let is_new = self.whole.reference(block, weight);
        self.groups[group(hash)].reference(block, weight * GROUPS as f64);
        if is_new {
            self.keep(hash, block);
        }
    }

    /// Takes a new block into a bounded sample: where it is one too many, the block with the highest
    /// hash leaves, and the threshold falls below it.
    fn keep(&mut self, hash: u64, block: u64) {
        let Some(bound) = &mut self.bound else { return };
        bound.blocks.push((hash, block));
        if bound.blocks.len() <= bound.most {
            return;
        }
        if let Some((hash, block)) = bound.blocks.pop() {
            self.threshold = hash.saturating_sub(1);
            self.whole.stack.forget(block);
            self.groups[group(hash)].stack.forget(block);
        }
    }

    /// What the sample says.
    pub fn finish(&self) -> Sample {
        let rate = rate(self.threshold);
        let curve = |part: &Distances, share: f64| part.curve(self.references, share);
        Sample {
            curve: curve(&self.whole, rate),
            groups: self.groups.iter().map(|part| curve(part, rate / GROUPS as f64)).collect(),
            rate,
            sampled_references: self.sampled_references,
            sampled_blocks: self.whole.stack.blocks() as u64,
        }
    }

    /// The memory that is used now, bytes, without the counts, of which there are some thousands at most.
    pub fn memory_bytes(&self) -> u64 {
        let stacks = self.groups.iter().chain([&self.whole]);
        let heap = self.bound.as_ref().map_or(0, |bound| bound.blocks.capacity() * 16);
        stacks.map(|part| part.stack.memory_bytes()).sum::<u64>() + heap as u64
    }
}

impl Distances {
    /// A block is referenced, which stands for `weight` references, as its distance does for that many
    /// blocks each; whether it is new.
    fn reference(&mut self, block: u64, weight: f64) -> bool {
        self.total += weight;
        let Some(distance) = self.stack.reference(block) else { return true };
        *self.counts.entry(rounded(distance as f64 * weight)).or_default() += weight;
        false
    }

    fn curve(&self, references: u64, rate: f64) -> MissRatioCurve {
        let mut counts = self.counts.clone();
        // Without any reference in the sample nothing is known of distances.
        if self.total > 0.0 {
            *counts.entry(1).or_default() += references as f64 - self.total;
        }
        MissRatioCurve::of(references, self.stack.blocks() as f64 / rate, counts)
    }
}

impl Sample {
    /// The smallest cache with a miss ratio that this sample knows, blocks.
    pub fn least_size(&self) -> u64 {
        if self.rate >= 1.0 { 1 } else { rounded(LEAST_SAMPLED / self.rate) }
    }

    /// How far the miss ratio of a cache of `size` blocks may be off, with a confidence of 90 %; none
    /// where the sample is too small to say so. A sample of all blocks is not off.
    pub fn error(&self, size: u64) -> Option<f64> {
        if self.rate >= 1.0 {
            return Some(0.0);
        }
        let too_few = (self.sampled_blocks as f64) < LEAST_SAMPLED;
        if size < self.least_size() || too_few {
            return None;
        }
        let ratios: Vec<f64> = self.groups.iter().map(|group| group.miss_ratio(size)).collect();
        let count = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / count;
        let squares: f64 = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
        let standard_error = (squares / (count - 1.0) / count).sqrt();
        Some(standard_error * t_quantile(1.0 - CONFIDENCE, count - 1.0))
    }
}

/// The highest hash that is sampled at a rate.
fn threshold(rate: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate is from 0 to 1, and a product beyond the largest number is that number"
    )]
    let threshold = (rate.clamp(0.0, 1.0) * HASHES) as u64;
    threshold
}

/// The share of hashes up to a threshold.
fn rate(threshold: u64) -> f64 {
    (threshold as f64 + 1.0) / HASHES
}

/// The number of hashes.
const HASHES: f64 = 18_446_744_073_709_551_616.0;

/// The group of a hash: its lowest bits, which the threshold hardly depends on.
fn group(hash: u64) -> usize {
    (hash % GROUPS) as usize
}

/// An estimated distance, to ten significant bits: there are some thousands of them at most.
fn rounded(distance: f64) -> u64 {
    const BITS: u32 = 10;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and one beyond the largest number is that number"
    )]
    let whole = distance.round().max(1.0) as u64;
    let shift = (u64::BITS - whole.leading_zeros()).saturating_sub(BITS);
    let half = if shift == 0 { 0 } else { 1 << (shift - 1) };
    (whole.saturating_add(half) >> shift) << shift
}
