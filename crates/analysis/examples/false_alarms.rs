//! How often `compare` sees a difference where there is none, and how often it sees one where
//! there is: two halves of synthetic runs of known truth.
//!
//! `cargo run --release -p isotherm-analysis --example false_alarms -- 400 30,60,600`
//!
//! MEASURED

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use isotherm_analysis::{Difference, compare};
use synthetic::{PLAIN, RARE, Run, TWO_MODES, VALLEY, halves};

fn main() {
    let mut words = std::env::args().skip(1);
    let runs: u64 = words.next().map_or(400, |word| word.parse().unwrap());
    let columns = words.next().unwrap_or("30,60,600".to_owned());
    let moving = |alike| Run { rate_moves: 0.2, latency_moves: 0.1, alike, ..PLAIN };
    let kinds = [
        ("one mode", PLAIN),
        ("two modes", Run { modes: TWO_MODES, ..PLAIN }),
        ("p50 in a valley", Run { modes: VALLEY, ..PLAIN }),
        ("p99 in a valley", Run { modes: RARE, ..PLAIN }),
        ("bursts", Run { rate_moves: 0.8, latency_moves: 0.4, ..PLAIN }),
        ("waves, 0.3", moving(0.3)),
        ("waves, 0.6", moving(0.6)),
        ("waves, 0.8", moving(0.8)),
        ("waves, 0.9", moving(0.9)),
        ("two modes, 0.6", Run { modes: TWO_MODES, ..moving(0.6) }),
    ];
    println!("{:16} {:6} {:>7} {:>12} {:>7}", "run", "bucket", "columns", "false alarms", "x1.3");
    for (name, run) in &kinds {
        for coarse in [false, true] {
            for columns in columns.split(',').map(|word| word.parse().unwrap()) {
                let run = Run { coarse, ..run.clone() };
                let alarms = share(runs, &run, columns, 1.0, claims);
                let power = share(runs, &run, columns, 1.3, |found| found == Difference::Slower);
                let bucket = if coarse { "coarse" } else { "fine" };
                println!("{name:16} {bucket:6} {columns:7} {alarms:10.1} % {power:5.1} %");
            }
        }
    }
}

/// Whether a difference is claimed.
fn claims(found: Difference) -> bool {
    !matches!(found, Difference::Same | Difference::TooLittle)
}

/// The percentage of runs whose second half, slower by `factor`, is `told` of.
fn share(runs: u64, run: &Run, columns: usize, factor: f64, told: fn(Difference) -> bool) -> f64 {
    let verdict = |seed: u64| {
        let [a, b] = halves(&run.draw(2 * columns, (columns, factor), seed));
        compare(&a, &b, 1).verdict
    };
    let count = (1..=runs).filter(|seed| told(verdict(*seed))).count();
    100.0 * count as f64 / runs as f64
}
