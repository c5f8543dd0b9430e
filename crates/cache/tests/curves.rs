//! Curves against closed forms, and against caches that are simulated here.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test fails by panicking, and these numbers are exact"
)]

use std::collections::HashSet;

use isotherm_cache::{
    ExactCurve, MissRatioCurve, SampledCurve, Sampling, StackDistances, TooManyBlocks,
};
use isotherm_frame::Random;
use proptest::prelude::*;

const ENOUGH: u32 = 1_000_000;

fn exact(blocks: &[u64]) -> MissRatioCurve {
    let mut curve = ExactCurve::new(ENOUGH);
    for &block in blocks {
        curve.reference(block).unwrap();
    }
    curve.finish()
}

/// The share of misses of a cache that is searched and shifted from end to end.
fn simulated(blocks: &[u64], size: usize) -> f64 {
    let mut cache: Vec<u64> = Vec::new();
    let mut misses = 0_u32;
    for &block in blocks {
        match cache.iter().position(|&held| held == block) {
            Some(at) => {
                cache.remove(at);
            }
            None => misses += 1,
        }
        cache.insert(0, block);
        cache.truncate(size);
    }
    f64::from(misses) / blocks.len() as f64
}

/// Independent references: block `k` of `blocks` is as likely as `1 / k^skew`.
fn zipf(blocks: u64, skew: f64, count: usize, seed: u64) -> Vec<u64> {
    let mut sum = 0.0;
    let sums: Vec<f64> = (1..=blocks)
        .map(|rank| {
            sum += (rank as f64).powf(-skew);
            sum
        })
        .collect();
    let mut random = Random::new(seed);
    (0..count).map(|_| sums.partition_point(|&up_to| up_to <= random.unit() * sum) as u64).collect()
}

#[test]
fn a_cycle_misses_every_cache_that_does_not_hold_all_of_it() {
    const BLOCKS: u64 = 500;
    const ROUNDS: u64 = 4;
    let blocks: Vec<u64> = (0..ROUNDS).flat_map(|_| 0..BLOCKS).collect();
    let curve = exact(&blocks);
    for size in [0, 1, 250, BLOCKS - 1] {
        assert_eq!(curve.miss_ratio(size), 1.0, "{size}");
    }
    // Only the first round misses a cache that holds them all.
    for size in [BLOCKS, BLOCKS + 1, u64::MAX] {
        assert_eq!(curve.miss_ratio(size), 1.0 / ROUNDS as f64, "{size}");
    }
    assert_eq!((curve.references(), curve.blocks()), (BLOCKS * ROUNDS, BLOCKS as f64));
    assert_eq!(curve.lowest(), 0.25);
    let sizes = [1.0, 0.5, 0.25, 0.2].map(|ratio| curve.size_for(ratio));
    assert_eq!(sizes, [Some(0), Some(BLOCKS), Some(BLOCKS), None]);
}

#[test]
fn a_cycle_there_and_back_hits_as_often_as_the_cache_is_large() {
    // 0, 1, ..., n-1, n-1, ..., 1, 0: on the way back block n-k has the distance k.
    const BLOCKS: u64 = 100;
    let blocks: Vec<u64> = (0..BLOCKS).chain((0..BLOCKS).rev()).collect();
    let curve = exact(&blocks);
    for size in 0..=BLOCKS {
        let misses = (2 * BLOCKS - size) as f64 / (2 * BLOCKS) as f64;
        assert!((curve.miss_ratio(size) - misses).abs() < 1e-12, "{size}");
    }
}

#[test]
fn uniform_references_hit_as_large_a_share_as_the_cache_holds() {
    const BLOCKS: u64 = 1_000;
    let mut random = Random::new(11);
    let mut curve = ExactCurve::new(ENOUGH);
    let count = 400_000;
    for _ in 0..count {
        curve.reference(random.below(BLOCKS)).unwrap();
    }
    let curve = curve.finish();
    for size in [100, 500, 900] {
        let share = 1.0 - size as f64 / BLOCKS as f64;
        // A standard deviation is below 0.5 / sqrt(400,000) = 0.0008; filling the cache adds
        // fewer than 2,303 misses, 0.0058 of all.
        let off = curve.miss_ratio(size) - share;
        assert!((-0.004..0.010).contains(&off), "{size}: {off}");
    }
}

#[test]
fn curves_are_those_of_simulated_caches() {
    for (skew, seed) in [(0.0, 1), (0.8, 2), (1.2, 3)] {
        let blocks = zipf(700, skew, 6_000, seed);
        let curve = exact(&blocks);
        for size in [1, 2, 7, 50, 200, 600, 700] {
            let simulated = simulated(&blocks, usize::try_from(size).unwrap());
            assert!((curve.miss_ratio(size) - simulated).abs() < 1e-12, "{skew} {size}");
        }
    }
}

#[test]
fn memory_is_bounded_by_the_distinct_blocks() {
    let mut random = Random::new(3);
    let mut curve = ExactCurve::new(ENOUGH);
    for count in 1..=300_000_u64 {
        curve.reference(random.below(count)).unwrap();
        if count % 10_000 == 0 {
            let blocks = curve.finish().blocks();
            let each = curve.memory_bytes() as f64 / blocks;
            assert!(each <= ExactCurve::BYTES_PER_BLOCK as f64, "{blocks}: {each}");
        }
    }
}

#[test]
fn an_exact_curve_remembers_no_more_blocks_than_it_may() {
    let mut curve = ExactCurve::new(3);
    for block in [1, 2, 3, 1, 2, 3] {
        curve.reference(block).unwrap();
    }
    assert_eq!(curve.reference(4), Err(TooManyBlocks { most_blocks: 3 }));
}

/// Traces of different kinds, each long enough for a sample.
fn traces() -> Vec<(&'static str, Vec<u64>)> {
    let hot = zipf(60_000, 0.9, 300_000, 5);
    let uniform = zipf(20_000, 0.0, 200_000, 6);
    let cycle: Vec<u64> = (0..6).flat_map(|_| 0..30_000).collect();
    let random = zipf(10_000, 0.7, 200_000, 7);
    // A scan of other blocks after each thousand references.
    let scans = random
        .chunks(1_000)
        .zip(0..)
        .flat_map(|(part, number)| {
            let scan = (0..300).map(move |at| 1_000_000 + number % 50 * 300 + at);
            part.iter().copied().chain(scan)
        })
        .collect();
    vec![("hot", hot), ("uniform", uniform), ("cycle", cycle), ("scans", scans)]
}

#[test]
fn samples_are_as_far_off_as_they_say() {
    let (mut within, mut all, mut largest) = (0_u32, 0_u32, 0.0_f64);
    for (name, blocks) in traces() {
        let exact = exact(&blocks);
        for sampling in [Sampling::Rate(0.05), Sampling::Blocks(1_500)] {
            for seed in 0..6 {
                let mut sampled = SampledCurve::new(sampling, seed);
                for &block in &blocks {
                    sampled.reference(block);
                }
                let sample = sampled.finish();
                let mut size = sample.least_size();
                while (size as f64) < exact.blocks() * 1.3 {
                    let error = sample.error(size).unwrap();
                    let off = (sample.curve.miss_ratio(size) - exact.miss_ratio(size)).abs();
                    // At the edge of a cycle, or of a scan that comes again, a curve is steep.
                    if ["hot", "uniform"].contains(&name) {
                        largest = largest.max(off);
                    }
                    within += u32::from(off <= error + 1e-9);
                    all += 1;
                    size += size / 4;
                }
                let off = sample.curve.blocks() / exact.blocks() - 1.0;
                assert!(off.abs() < 0.12, "{name} {sampling:?} {seed}: {off}");
            }
        }
    }
    let share = f64::from(within) / f64::from(all);
    assert!(all > 300 && share > 0.85, "{within} of {all}");
    assert!(largest < 0.08, "{largest}");
}

#[test]
fn a_sample_of_all_blocks_is_exact() {
    let blocks = zipf(900, 0.7, 20_000, 9);
    let exact = exact(&blocks);
    for sampling in [Sampling::Rate(1.0), Sampling::Blocks(5_000)] {
        let mut sampled = SampledCurve::new(sampling, 1);
        for &block in &blocks {
            sampled.reference(block);
        }
        let sample = sampled.finish();
        for size in 0..1_000 {
            let off = sample.curve.miss_ratio(size) - exact.miss_ratio(size);
            assert!(off.abs() < 1e-9, "{size}: {off}");
        }
        assert_eq!((sample.least_size(), sample.error(10)), (1, Some(0.0)));
        assert_eq!(sample.sampled_references, 20_000);
    }
}

#[test]
fn a_bounded_sample_holds_no_more_blocks_than_it_may() {
    let mut sampled = SampledCurve::new(Sampling::Blocks(1_000), 4);
    let mut seen = HashSet::new();
    let mut random = Random::new(8);
    let mut most = 0;
    for count in 1..400_000_u64 {
        let block = random.below(count);
        seen.insert(block);
        sampled.reference(block);
        most = most.max(sampled.memory_bytes());
    }
    let sample = sampled.finish();
    assert_eq!(sample.sampled_blocks, 1_000);
    let off = sample.curve.blocks() / seen.len() as f64 - 1.0;
    // The standard error of the number of blocks is about 1 / sqrt(1,000).
    assert!(off.abs() < 0.1, "{off}");
    assert!(most < 1_000 * 200 + 64 * 1_024, "{most}");
}

#[test]
fn the_same_seed_samples_the_same_blocks() {
    let blocks = zipf(5_000, 0.9, 30_000, 2);
    let of = |seed| {
        let mut sampled = SampledCurve::new(Sampling::Rate(0.1), seed);
        for &block in &blocks {
            sampled.reference(block);
        }
        sampled.finish()
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn a_sample_without_blocks_states_no_error() {
    let mut sampled = SampledCurve::new(Sampling::Rate(1e-9), 1);
    (0..1_000).for_each(|block| sampled.reference(block));
    let sample = sampled.finish();
    assert_eq!((sample.sampled_blocks, sample.error(u64::MAX)), (0, None));
    assert_eq!(sample.curve.miss_ratio(1_000_000), 1.0);
}

/// Blocks by the last reference, the latest at the end: what a distance is counted in.
fn naive_distance(stack: &mut Vec<u64>, block: u64) -> Option<u64> {
    let at = stack.iter().position(|&held| held == block);
    let distance = at.map(|at| (stack.len() - at) as u64);
    at.map(|at| stack.remove(at));
    stack.push(block);
    distance
}

proptest! {
    #[test]
    fn distances_are_those_of_a_list(
        steps in prop::collection::vec((0_u64..40, prop::bool::weighted(0.1)), 1..600),
    ) {
        let mut distances = StackDistances::new();
        let mut stack = Vec::new();
        for (block, forget) in steps {
            if forget {
                let at = stack.iter().position(|&held| held == block);
                prop_assert_eq!(distances.forget(block), at.is_some());
                at.map(|at| stack.remove(at));
            } else {
                prop_assert_eq!(distances.reference(block), naive_distance(&mut stack, block));
            }
            prop_assert_eq!(distances.blocks(), stack.len());
        }
    }

    #[test]
    fn curves_fall_from_one_to_the_share_of_first_references(
        blocks in prop::collection::vec(0_u64..50, 1..300),
        seed in 0_u64..100,
    ) {
        let curve = exact(&blocks);
        let mut sampled = SampledCurve::new(Sampling::Rate(0.3), seed);
        for &block in &blocks {
                    sampled.reference(block);
                }
        for curve in [&curve, &sampled.finish().curve] {
            prop_assert_eq!(curve.miss_ratio(0), 1.0);
            for size in 0..60 {
                let ratio = curve.miss_ratio(size);
                prop_assert!((0.0..=1.0).contains(&ratio));
                prop_assert!(curve.miss_ratio(size + 1) <= ratio);
            }
        }
        let distinct = blocks.iter().collect::<HashSet<_>>().len();
        let first = distinct as f64 / blocks.len() as f64;
        prop_assert!((curve.lowest() - first).abs() < 1e-12);
    }
}
