//! What a device behind a cache has to do, against a cache and a queue that are simulated here.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::VecDeque;

use isotherm_cache::{
    CurveCounter, CurveMethod, CurveSummary, Device, ReferenceFormat, ReferenceTotals,
};
use isotherm_frame::Random;
use isotherm_queueing::{Loop, Point, Points};

/// The mean service time of the device, seconds.
const SERVICE_S: f64 = 1e-3;

fn exponential(mean: f64, random: &mut Random) -> f64 {
    -mean * (1.0 - random.unit()).ln()
}

/// One server with a queue: the sum of the response times of reads that arrive at these moments.
fn queue(arrivals: impl Iterator<Item = f64>, random: &mut Random) -> f64 {
    let (mut free_at, mut waited) = (0.0_f64, 0.0);
    for at in arrivals {
        free_at = free_at.max(at) + exponential(SERVICE_S, random);
        waited += free_at - at;
    }
    waited
}

/// Moments of arrivals at random, this many a second.
fn poisson(rate: f64, count: usize, random: &mut Random) -> Vec<f64> {
    let mut at = 0.0;
    (0..count)
        .map(|_| {
            at += exponential(1.0 / rate, random);
            at
        })
        .collect()
}

/// The moments at which a cache of `size` blocks misses, by a list that is searched and shifted.
fn misses(references: &[(f64, u64)], size: usize) -> Vec<f64> {
    let mut cache: VecDeque<u64> = VecDeque::new();
    let mut misses = Vec::new();
    for &(at, block) in references {
        match cache.iter().position(|&held| held == block) {
            Some(place) => {
                cache.remove(place);
            }
            None => misses.push(at),
        }
        cache.push_front(block);
        cache.truncate(size);
    }
    misses
}

/// A sweep of the device: mean response times at rates of arrivals, simulated.
fn sweep(random: &mut Random) -> Device {
    let rates = [50.0, 150.0, 300.0, 450.0, 600.0, 750.0, 850.0];
    let points = rates.map(|rate| {
        let arrivals = poisson(rate, 60_000, random);
        Point::bare(rate, queue(arrivals.into_iter(), random) / 60_000.0)
    });
    let points = Points::new(Loop::Open, points.to_vec()).unwrap();
    Device::of("sweep".to_owned(), points, 1).unwrap()
}

#[test]
fn reads_and_waiting_of_each_size_are_those_of_a_simulated_cache_and_device() {
    let mut random = Random::new(9);
    let count = 120_000;
    // A quarter of the blocks has three quarters of the references.
    let block = |random: &mut Random| {
        let hot = random.unit() < 0.75;
        if hot { random.index(500) as u64 } else { 500 + random.index(1_500) as u64 }
    };
    let moments = poisson(800.0, count, &mut random);
    let references: Vec<(f64, u64)> =
        moments.into_iter().map(|at| (at, block(&mut random))).collect();
    let mut counter = CurveCounter::new(CurveMethod::Exact { most_blocks: 10_000 });
    for (_, block) in &references {
        counter.reference(*block).unwrap();
    }
    let (first, last) = (references[0].0, references[count - 1].0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
    let ns = |at: f64| (at * 1e9) as u64;
    let sizes = [50_usize, 200, 500];
    let summary = CurveSummary {
        inputs: vec!["references.csv".to_owned()],
        formats: vec![ReferenceFormat::Csv],
        totals: ReferenceTotals {
            reads: count as u64,
            blocks: count as u64,
            span_ns: Some((ns(first), ns(last))),
            ..ReferenceTotals::default()
        },
        is_concatenated: false,
        block_bytes: 8_192,
        counted: counter.finish(),
        seed: 1,
        sizes: sizes.iter().map(|&size| size as u64 * 8_192).collect(),
        device: Some(sweep(&mut random)),
    };
    let rows = summary.rows();
    let mut highest = f64::INFINITY;
    for (row, size) in rows.iter().zip([0].into_iter().chain(sizes)) {
        let missed = misses(&references, size);
        let load = row.device.unwrap();
        // The rate to the last read: both count the same misses.
        let rate = missed.len() as f64 / (last - first);
        assert!((load.reads_per_s / rate - 1.0).abs() < 1e-6, "{size}: {load:?} {rate}");
        // Reads that go on at a moment: the sum of their times by the time, over several queues.
        let runs = 5;
        let all: f64 = (0..runs).map(|_| queue(missed.iter().copied(), &mut random)).sum();
        let waiting = all / f64::from(runs) / (last - first);
        let off = load.waiting.unwrap() / waiting - 1.0;
        assert!(off.abs() < 0.15, "{size}: {load:?}, simulated {waiting}");
        assert!(load.waiting.unwrap() < highest, "{size}");
        highest = load.waiting.unwrap();
    }
    let section = summary.section();
    assert!(section.tables[0].head.contains(&"≈ average waiting by sweep".to_owned()));
    assert_eq!(section.charts.len(), 2);
    assert!(section.sentences[1].starts_with("By the sweep sweep the device has"), "{section:?}");
}

#[test]
fn a_device_that_cannot_keep_up_says_which_cache_is_large_enough() {
    let mm1 = |load: f64| SERVICE_S / (1.0 - SERVICE_S * load);
    let points = [100.0, 300.0, 500.0, 700.0].map(|load| Point::bare(load, mm1(load))).to_vec();
    let device = Device::of("s".to_owned(), Points::new(Loop::Open, points).unwrap(), 1);
    // 1,600 a second, over and over 100 blocks: a cache of all of them misses only the first round.
    let mut counter = CurveCounter::new(CurveMethod::Exact { most_blocks: 10_000 });
    for at in 0..1_600_u64 {
        counter.reference(at % 100).unwrap();
    }
    let summary = CurveSummary {
        inputs: vec!["x".to_owned()],
        formats: vec![ReferenceFormat::Csv],
        totals: ReferenceTotals {
            reads: 1_600,
            blocks: 1_600,
            span_ns: Some((0, 1_000_000_000)),
            ..ReferenceTotals::default()
        },
        is_concatenated: false,
        block_bytes: 8_192,
        counted: counter.finish(),
        seed: 1,
        sizes: Vec::new(),
        device,
    };
    let sentence = &summary.sentences()[1];
    let said = ["cannot keep up without a cache (", "one of 800 KiB is the smallest"];
    assert!(said.iter().all(|part| sentence.contains(part)), "{sentence}");
    let cells: Vec<String> =
        summary.section().tables[0].rows.iter().map(|row| row[4].clone()).collect();
    assert_eq!(cells[0], "overload");
    assert!(summary.csv().lines().nth(1).unwrap().ends_with(",,"));
}
