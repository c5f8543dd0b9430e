//! How often `compare` calls latencies different that are equal, where one side has more events than
//! the other, and how often it finds the slower side.
//!
//! `cargo run --release -p isotherm-analysis --example unequal_rates -- 400`
//!
//! A second word keeps to the pairs with it in their names. `benches/README.md` has what was measured.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

#[path = "../tests/synthetic/unequal.rs"]
mod unequal;

#[path = "../tests/synthetic/rates.rs"]
mod rates;

use isotherm_analysis::{Difference, compare};
use rates::{unequal_rates, with_slower_b};
use unequal::{Latency, Pair, Process, pairs};

fn main() {
    let mut words = std::env::args().skip(1);
    let runs: u64 = words.next().map_or(400, |word| word.parse().unwrap());
    let wanted = words.next().unwrap_or_default();
    println!("| pair | false verdicts | x1.3 found | x1.5 found |");
    for pair in unequal_rates().iter().filter(|pair| pair.name.contains(&wanted)) {
        let found = [1.3, 1.5].map(|times| {
            let slower = with_slower_b(pair, times)?;
            Some(format!("{:.1} %", percent(runs, &slower, is_slower)))
        });
        let [less, more] = found.map(|found| found.unwrap_or("-".to_owned()));
        let wrong = percent(runs, pair, claims);
        println!("| {} | {wrong:.1} % | {less} | {more} |", pair.name);
    }
    println!("| slower tail | true ratio of the mean | found |");
    let tails = pairs().into_iter().filter(|pair| pair.name.ends_with("in B"));
    let rare = |rate_hz, share, times| Process {
        rate_hz,
        latency: Latency::Rare(share, times),
        stalls: 0.0,
    };
    let more = [
        ([50.0, 200.0], "5 % x50 in B, 50 and 200/s"),
        ([200.0, 50.0], "5 % x50 in B, 200 and 50/s"),
    ];
    let more = more.map(|([a, b], name)| Pair {
        name,
        sides: [rare(a, 0.0, 1.0), rare(b, 0.05, 50.0)],
        seconds: 60.0,
    });
    for pair in tails.chain(more).filter(|pair| pair.name.contains(&wanted)) {
        let [truth, ..] = pair.truth();
        println!("| {} | {truth:.2} | {:.1} % |", pair.name, percent(runs, &pair, is_slower));
    }
}

/// Whether latencies are called different.
fn claims(found: Difference) -> bool {
    matches!(found, Difference::Slower | Difference::Faster | Difference::Mixed)
}

fn is_slower(found: Difference) -> bool {
    found == Difference::Slower
}

/// The percentage of pairs of runs of which this is said.
fn percent(runs: u64, pair: &Pair, is_said: fn(Difference) -> bool) -> f64 {
    let verdict = |seed: u64| {
        let [a, b] = pair.draw(seed);
        compare(&a, &b, 1).verdict
    };
    let count = (1..=runs).filter(|seed| is_said(verdict(*seed))).count();
    100.0 * count as f64 / runs as f64
}
