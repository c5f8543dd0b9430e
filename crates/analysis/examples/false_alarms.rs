//! How often a comparison sees a difference where there is none, and how often it sees one where
//! there is: halves of synthetic runs.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs
)]
#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use isotherm_analysis::{Change, compare};
use synthetic::{HILL, PLAIN, RARE, Run, TWO_MODES, VALLEY, halves};

fn main() {
    let runs: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(400);
    let moving = |alike| Run { rate_moves: 0.2, latency_moves: 0.1, alike, ..PLAIN };
    let kinds = [
        ("hill", PLAIN),
        ("two", Run { modes: TWO_MODES, ..PLAIN }),
        ("valley", Run { modes: VALLEY, ..PLAIN }),
        ("rare", Run { modes: RARE, ..PLAIN }),
        ("bursts", Run { rate_moves: 0.8, latency_moves: 0.4, ..PLAIN }),
        ("ar .3", moving(0.3)),
        ("ar .6", moving(0.6)),
        ("ar .8", moving(0.8)),
        ("ar .9", moving(0.9)),
        ("two ar .6", Run { modes: TWO_MODES, ..moving(0.6) }),
    ];
    let _ = HILL;
    let columns: Vec<usize> = std::env::args()
        .nth(2)
        .map_or(vec![30, 60, 600], |t| t.split(',').map(|n| n.parse().unwrap()).collect());
    for (name, run) in &kinds {
        for coarse in [false, true] {
            for &columns in &columns {
                let run = Run { coarse, ..run.clone() };
                let tell = |factor: f64| {
                    let mut found = 0;
                    let mut by = std::collections::BTreeMap::new();
                    for seed in 0..runs {
                        let frames = run.draw(2 * columns, (columns, factor), seed + 1);
                        let [a, b] = halves(&frames);
                        let c = compare(&a, &b, 1);
                        let hit = if factor == 1.0 {
                            c.verdict != Change::Same
                        } else {
                            c.verdict == Change::Slower
                        };
                        found += u64::from(hit);
                        for s in &c.shifts {
                            if s.moved.is_some() {
                                *by.entry(format!("{:?}", s.measure)).or_insert(0) += 1;
                            }
                        }
                    }
                    (100.0 * found as f64 / runs as f64, by)
                };
                let (alarms, by) = tell(1.0);
                let (power, _) = tell(1.3);
                println!(
                    "{name:10} {:6} n {columns:4}  false {alarms:5.1} %  power {power:5.1} % {by:?}",
                    if coarse { "coarse" } else { "fine" }
                );
            }
        }
    }
}
