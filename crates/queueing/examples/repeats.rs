//! How often intervals of 95 % cover the truth of tables with repeats: simulated, 400 tables of each.
//!
//! `cargo run --release -p isotherm-queueing --example repeats -- 400`

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

use std::collections::BTreeMap;

use isotherm_frame::Random;
use isotherm_queueing::{FitRequest, Model, Point, Points, Quantity, Study, Values};

/// How far single rows are off: at the least and the greatest load, in proportion between; and how far
/// all rows of a load are off together.
struct Noise {
    name: &'static str,
    ends: (f64, f64),
    together: f64,
}

const NOISES: [Noise; 4] = [
    Noise { name: "5 %", ends: (0.05, 0.05), together: 0.0 },
    Noise { name: "1 to 10 %", ends: (0.01, 0.1), together: 0.0 },
    Noise { name: "15 %", ends: (0.15, 0.15), together: 0.0 },
    Noise { name: "5 %, loads 5 %", ends: (0.05, 0.05), together: 0.05 },
];

const SWEEPS: [(Model, Values, [f64; 6]); 2] = [
    (Model::Usl3, [1_000.0, 0.05, 1e-3], [1.0, 4.0, 8.0, 16.0, 32.0, 64.0]),
    (Model::Mmc, [2e-3, 4.0, 0.0], [200.0, 800.0, 1_200.0, 1_500.0, 1_700.0, 1_850.0]),
];

fn table(sweep: &(Model, Values, [f64; 6]), noise: &Noise, repeats: u32, seed: u64) -> Points {
    let (model, truth, loads) = sweep;
    let mut random = Random::new(seed.wrapping_mul(7_919) + 17);
    let mut rows = Vec::new();
    for (index, load) in loads.iter().enumerate() {
        let off = noise.ends.0 + (noise.ends.1 - noise.ends.0) * index as f64 / 5.0;
        let mean = model.predict(truth, *load) * (noise.together * random.normal()).exp();
        for _ in 0..repeats {
            rows.push(Point::bare(*load, mean * (off * random.normal()).exp()));
        }
    }
    Points::new(model.applies_to(), rows).unwrap()
}

fn study(points: Points, model: Model, resamples: usize) -> Study {
    Study::of(points, &FitRequest { models: vec![model], seed: 1, resamples })
}

fn main() {
    let tables: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100);
    for noise in &NOISES {
        for sweep in &SWEEPS {
            for repeats in [1, 2, 3, 5, 6, 8, 10, 20] {
                coverage(sweep, noise, repeats, tables);
            }
        }
    }
}

fn coverage(sweep: &(Model, Values, [f64; 6]), noise: &Noise, repeats: u32, tables: u64) {
    let (model, quiet) = (sweep.0, Noise { name: "", ends: (0.0, 0.0), together: 0.0 });
    let exact = study(table(sweep, &quiet, 1, 0), model, 0);
    let exact = exact.fits.of_model(model).unwrap();
    let mut covered: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    for seed in 0..tables {
        let found = study(table(sweep, noise, repeats, seed), model, 400);
        for estimate in &found.fits.of_model(model).unwrap().estimates {
            let truth = exact.estimate(estimate.quantity).unwrap().value;
            let (low, high) = estimate.interval.unwrap();
            let name = match estimate.quantity {
                Quantity::Parameter(parameter) => format!("{parameter:?}"),
                other => format!("{other:?}"),
            };
            let entry = covered.entry(name).or_default();
            entry.0 += u64::from(low * 0.999_99 <= truth && truth <= high * 1.000_01);
            entry.1 += ((high - low) / truth).min(10.0);
        }
    }
    let all = covered.iter().map(|(name, (count, width))| {
        let (share, width) = (*count as f64 / tables as f64, width / tables as f64);
        format!("{name} {:.1} % ({width:.3})", share * 100.0)
    });
    let all = all.collect::<Vec<String>>().join(", ");
    println!("{} {repeats} repeats, {}: {all}", model.name(), noise.name);
}
