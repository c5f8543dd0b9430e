//! How often the intervals of `compare` hold the true ratio, where one side or both have what is
//! rare or comes in stretches.
//!
//! `cargo run --release -p isotherm-analysis --example coverage -- 400`
//!
//! A second word keeps to the pairs with it in their names. True percentiles are those of a hundred
//! other runs together. `benches/README.md` has what was measured.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

#[path = "../tests/synthetic/unequal.rs"]
mod unequal;

use isotherm_analysis::{Comparison, Measure, Shift, compare};
use isotherm_frame::Random;
use unequal::{Pair, Process, pairs};

const MEASURES: [Measure; 6] = [
    Measure::Mean,
    Measure::Waited,
    Measure::Rate,
    Measure::Quantile(0.5),
    Measure::Quantile(0.9),
    Measure::Quantile(0.99),
];

fn main() {
    let mut words = std::env::args().skip(1);
    let runs: u64 = words.next().map_or(400, |word| word.parse().unwrap());
    let wanted = words.next().unwrap_or_default();
    println!(
        "| pair | true ratio of the mean | its interval, in the middle | mean | waited | rate | p50 | p90 | p99 |"
    );
    for pair in pairs().into_iter().filter(|pair| pair.name.contains(&wanted)) {
        let draw = |seed| {
            let [a, b] = pair.draw(seed);
            compare(&a, &b, 1)
        };
        let found: Vec<Comparison> = (1..=runs).map(draw).collect();
        let truths = truths(&pair);
        let held: Vec<String> =
            MEASURES.iter().zip(truths).map(|(one, truth)| held(&found, *one, truth)).collect();
        let (lo, hi) = middle(&found);
        println!(
            "| {} | {:.3} | {lo:.3} to {hi:.3} | {} |",
            pair.name,
            truths[0],
            held.join(" | ")
        );
    }
}

fn truths(pair: &Pair) -> [f64; 6] {
    let [mean, waited, rate] = pair.truth();
    let of = |side: &Process| {
        let mut random = Random::new(0x7e57);
        let runs = (0..100).flat_map(|_| side.draw(pair.seconds, &mut random));
        let mut latencies: Vec<f64> = runs.map(|(_, latency)| latency).collect();
        latencies.sort_by(f64::total_cmp);
        [50, 90, 99].map(|percent| latencies[latencies.len() * percent / 100])
    };
    let (a, b) = (of(&pair.sides[0]), of(&pair.sides[1]));
    [mean, waited, rate, b[0] / a[0], b[1] / a[1], b[2] / a[2]]
}

fn shift(found: &Comparison, measure: Measure) -> &Shift {
    found.shifts.iter().find(|shift| shift.measure == measure).unwrap()
}

/// How many of the intervals hold the truth, and how many there are if not as many as runs.
fn held(found: &[Comparison], measure: Measure, truth: f64) -> String {
    let intervals = found.iter().filter_map(|found| shift(found, measure).interval);
    let held: Vec<bool> = intervals.map(|(lo, hi)| (lo..=hi).contains(&truth)).collect();
    let percent = 100.0 * held.iter().filter(|held| **held).count() as f64 / held.len() as f64;
    match held.len() {
        0 => "-".to_owned(),
        all if all == found.len() => format!("{percent:.1} %"),
        all => format!("{percent:.1} % of {all}"),
    }
}

/// The median ends of the mean's intervals.
fn middle(found: &[Comparison]) -> (f64, f64) {
    let of = |end: fn((f64, f64)) -> f64| {
        let intervals = found.iter().filter_map(|found| shift(found, Measure::Mean).interval);
        let mut ends: Vec<f64> = intervals.map(end).collect();
        ends.sort_by(f64::total_cmp);
        ends.get(ends.len() / 2).copied().unwrap_or(f64::NAN)
    };
    (of(|(lo, _)| lo), of(|(_, hi)| hi))
}
