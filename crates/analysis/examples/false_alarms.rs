//! How often `compare` sees a difference where there is none, and how often it sees one where
//! there is: two halves of synthetic runs of known truth.
//!
//! `cargo run --release -p isotherm-analysis --example false_alarms -- 400 30,60,600`
//!
//! A third word keeps to the kinds of run with it in their names: `... 400 30,60 Pareto`.
//!
//! Measured, in percent of 400 runs: false alarms, then slowness by 1.2 and by 1.3 found, at 30, 60
//! and 600 columns. The bar is at most 5 % false alarms for all measures together (of 400 runs a
//! true 5 % is seen as 2.9 to 7.1 %), and at least 90 % of 1.3 found at 60 columns of 1,000 events
//! where the run is steady. `waves, 0.6` are columns whose rate moves by 20 % and whose latencies
//! move by 10 %, each like the one before by 0.6; `bursts` move by 80 % and 40 % without being
//! alike: there 1.3 is within what the run does anyway. Of `rare giants` one event in 5,000 takes
//! 1,000 times as long; Pareto's law with an exponent of 1.5 has no variance. Both are of 200 events
//! a column.
//!
//! | run | buckets | false alarms | 1.2 found | 1.3 found |
//! |---|---|---|---|---|
//! | one mode | fine | 0.2 / 0.2 / 0.0 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | one mode | coarse | 0.0 / 0.0 / 0.0 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | two modes | fine | 0.5 / 0.2 / 0.0 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | two modes | coarse | 0.0 / 0.0 / 0.0 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | p50 in a valley | fine | 1.0 / 0.8 / 0.5 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | p50 in a valley | coarse | 0.5 / 0.0 / 0.0 | 98.8 / 99.8 / 100.0 | 100.0 / 99.5 / 99.2 |
//! | p99 in a valley | fine | 1.8 / 1.8 / 0.5 | 99.8 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | p99 in a valley | coarse | 1.0 / 1.0 / 0.0 | 82.8 / 99.8 / 100.0 | 99.5 / 100.0 / 100.0 |
//! | bursts | fine | 3.8 / 3.0 / 3.2 | 13.0 / 26.0 / 99.5 | 24.5 / 49.0 / 99.8 |
//! | bursts | coarse | 3.2 / 2.8 / 2.5 | 8.0 / 16.8 / 99.5 | 19.5 / 39.0 / 100.0 |
//! | waves, 0.3 | fine | 1.8 / 3.5 / 0.8 | 93.2 / 100.0 / 100.0 | 99.2 / 100.0 / 100.0 |
//! | waves, 0.3 | coarse | 1.8 / 0.0 / 0.2 | 86.8 / 100.0 / 100.0 | 97.5 / 100.0 / 100.0 |
//! | waves, 0.6 | fine | 2.2 / 2.2 / 2.2 | 49.8 / 92.2 / 100.0 | 69.2 / 99.8 / 100.0 |
//! | waves, 0.6 | coarse | 1.5 / 1.2 / 1.0 | 36.8 / 89.2 / 100.0 | 68.5 / 99.0 / 100.0 |
//! | waves, 0.8 | fine | 2.2 / 2.2 / 1.5 | 14.5 / 38.8 / 100.0 | 28.0 / 68.0 / 100.0 |
//! | waves, 0.8 | coarse | 1.2 / 1.2 / 1.5 | 12.8 / 36.8 / 100.0 | 26.0 / 69.5 / 100.0 |
//! | waves, 0.9 | fine | 2.2 / 1.5 / 3.2 | 12.5 / 17.2 / 100.0 | 15.0 / 29.0 / 100.0 |
//! | waves, 0.9 | coarse | 1.0 / 1.5 / 1.5 | 6.5 / 17.8 / 100.0 | 17.5 / 28.0 / 100.0 |
//! | waves, 0.95 | fine | 2.2 / 4.0 / 2.8 | 13.2 / 17.2 / 99.8 | 21.0 / 30.0 / 100.0 |
//! | waves, 0.95 | coarse | 2.5 / 1.2 / 5.2 | 9.2 / 11.2 / 99.8 | 17.8 / 30.5 / 100.0 |
//! | two modes, 0.6 | fine | 2.2 / 1.2 / 0.8 | 45.8 / 91.0 / 100.0 | 72.2 / 98.0 / 100.0 |
//! | two modes, 0.6 | coarse | 1.8 / 0.8 / 1.0 | 43.0 / 88.2 / 100.0 | 72.2 / 99.2 / 100.0 |
//! | rare giants | fine | 1.5 / 1.0 / 1.2 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | rare giants | coarse | 0.5 / 0.0 / 0.5 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | Pareto 1.5 | fine | 4.2 / 2.2 / 1.0 | 100.0 / 100.0 / 100.0 | 100.0 / 100.0 / 100.0 |
//! | Pareto 1.5 | coarse | 1.0 / 1.2 / 0.5 | 54.2 / 79.2 / 100.0 | 94.5 / 100.0 / 100.0 |

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use isotherm_analysis::{Difference, compare};
use synthetic::{GIANTS, PLAIN, RARE, Run, TWO_MODES, VALLEY, halves};

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
        ("waves, 0.95", moving(0.95)),
        ("two modes, 0.6", Run { modes: TWO_MODES, ..moving(0.6) }),
        ("rare giants", Run { modes: GIANTS, events: 200.0, ..PLAIN }),
        ("Pareto 1.5", Run { pareto: Some(1.5), events: 200.0, ..PLAIN }),
    ];
    println!(
        "{:16} {:6} {:>7} {:>12} {:>7} {:>7} {:>7} {:>7}",
        "run", "bucket", "columns", "false alarms", "x1.2", "x1.3", "x2", "x5"
    );
    let wanted = words.next().unwrap_or_default();
    for (name, run) in kinds.iter().filter(|(name, _)| name.contains(&wanted)) {
        for coarse in [false, true] {
            for columns in columns.split(',').map(|word| word.parse().unwrap()) {
                let run = Run { coarse, ..run.clone() };
                let alarms = share(runs, &run, columns, 1.0, claims);
                let slower = |factor: f64| {
                    share(runs, &run, columns, factor, |found| found == Difference::Slower)
                };
                let found = [1.2, 1.3, 2.0, 5.0].map(slower);
                let found = found.map(|percent| format!("{percent:5.1} %")).join(" ");
                let bucket = if coarse { "coarse" } else { "fine" };
                println!("{name:16} {bucket:6} {columns:7} {alarms:10.1} % {found}");
            }
        }
    }
}

/// Whether a difference is claimed.
fn claims(found: Difference) -> bool {
    !matches!(found, Difference::Same | Difference::TooLittle)
}

/// The percentage of runs whose second half, slower by `factor`, is `told` of.
fn share(
    runs: u64,
    run: &Run,
    columns: usize,
    factor: f64,
    is_reported: fn(Difference) -> bool,
) -> f64 {
    let verdict = |seed: u64| {
        let [a, b] = halves(&run.draw(2 * columns, (columns, factor), seed));
        compare(&a, &b, 1).verdict
    };
    let count = (1..=runs).filter(|seed| is_reported(verdict(*seed))).count();
    100.0 * count as f64 / runs as f64
}
