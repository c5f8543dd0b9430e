//! How long a fit with its 1,000 resamples takes, how well parameters are found again, and how
//! often intervals cover the truth, of simulated sweeps with 5 % noise.
//!
//! `cargo run --release -p isotherm-analysis --example fits -- 200`
//!
//! Measured on two shared processors, nine points each:
//!
//! | model | 1,000 resamples | with seconds | typical error | least coverage of 95 % |
//! |---|---|---|---|---|
//! | bound | 15 ms | 16 ms | `LeastResponse` 2.2 %, Capacity 2.0 %, Sharpness 17.2 %, Knee 2.4 % | 96 % |
//! | servers | 3 ms | 3 ms | Service 1.9 %, Servers 2.3 %, Capacity 1.6 %, Knee 2.3 % | 96 % |
//! | usl2 | 3 ms | 7 ms | Speed 2.0 %, Contention 3.2 %, Capacity 2.2 %, Knee 3.2 % | 96 % |
//! | usl | 4 ms | 5 ms | Speed 1.9 %, Contention 8.9 %, Coherency 9.7 %, Capacity 1.8 %, Knee 3.0 %, Peak 4.7 % | 94 % |
//! | mva | 21 ms | 22 ms | Delay 2.2 %, Service 1.7 %, Capacity 1.7 %, Knee 2.6 % | 97 % |
//! | mva-c | 98 ms | 51 ms | Delay 29.0 %, Service 74.7 %, Servers 75.0 %, Capacity 1.6 %, Knee 2.6 % | 55 % |
//! | orapub-cpu | 8 ms | 8 ms | Service 1.8 %, Servers 1.9 %, Capacity 0.2 %, Knee 0.4 % | 96 % |
//! | orapub-io | 4 ms | 5 ms | Service 1.5 %, Servers 1.6 %, Capacity 0.2 %, Knee 0.2 % | 96 % |
//! | mmc | 42 ms | 47 ms | Service 1.8 %, Servers 1.9 %, Capacity 0.2 %, Knee 0.4 % | 96 % |
//! | md1 | 7 ms | 3 ms | Service 0.2 %, Capacity 0.2 %, Knee 0.2 % | 95 % |
//! | ggc | 46 ms | 59 ms | Service 1.9 %, Servers 1.7 %, Variability 11.4 %, Capacity 0.7 %, Knee 1.1 % | 93 % |
//! | delay-mm1 | 4 ms | 4 ms | Delay 4.4 %, Service 0.2 %, Capacity 0.2 %, Knee 0.4 % | 96 % |
//!
//! `mva-c` cannot tell a delay from servers by throughput alone: its capacity and knee are covered, its
//! three parameters are not, which is why it is fitted on request only.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

use std::time::Instant;

use isotherm_analysis::queueing::{
    FitRequest, Fitted, Model, Point, Points, Quantity, Sample, Study, Values,
};
use isotherm_frame::Random;

const CLOSED: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
const OPEN: [f64; 9] = [0.1, 0.25, 0.4, 0.55, 0.65, 0.75, 0.85, 0.9, 0.95];

const TRUTHS: [(Model, Values); 12] = [
    (Model::SmoothBound, [1e-3, 20_000.0, 3.0]),
    (Model::Servers, [1e-3, 12.0, 0.0]),
    (Model::Usl2, [1_000.0, 0.05, 0.0]),
    (Model::Usl3, [1_000.0, 0.02, 1e-4]),
    (Model::Mva, [9e-3, 1e-3, 0.0]),
    (Model::MvaServers, [9e-3, 4e-3, 4.0]),
    (Model::OrapubCpu, [1e-3, 4.0, 0.0]),
    (Model::OrapubIo, [1e-3, 4.0, 0.0]),
    (Model::Mmc, [1e-3, 4.0, 0.0]),
    (Model::Md1, [1e-3, 0.0, 0.0]),
    (Model::Ggc, [1e-3, 4.0, 0.6]),
    (Model::DelayMm1, [1e-3, 1e-3, 0.0]),
];

/// About standard normal: a sum of twelve.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn loads(model: Model, truth: &Values) -> [f64; 9] {
    match model.applies_to() {
        isotherm_analysis::queueing::Loop::Closed => CLOSED,
        isotherm_analysis::queueing::Loop::Open => {
            OPEN.map(|share| share * model.capacity(truth).unwrap())
        }
    }
}

/// Points off by `noise` each; with seconds, each of them off by 10 % more.
fn sweep(model: Model, truth: &Values, noise: f64, seed: u64, seconds: bool) -> Points {
    let mut random = Random::new(seed.wrapping_mul(7_919) + 17);
    let point = |load: f64| {
        let value = model.predict(truth, load) * (noise * normal(&mut random)).exp();
        if !seconds {
            return Point::bare(load, value);
        }
        let second = |_| Sample { amount: value * (1.0 + 0.1 * normal(&mut random)), base: 1.0 };
        Point::measured(load, vec![(0..30).map(second).collect()])
    };
    Points::new(model.applies_to(), loads(model, truth).map(point).to_vec()).unwrap()
}

fn fit(points: Points, model: Model, resamples: usize) -> Fitted {
    let request = FitRequest { models: vec![model], seed: 1, resamples };
    Study::of(points, &request).of_model(model).unwrap().clone()
}

fn main() {
    let sweeps = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    println!("| model | 1,000 resamples | with seconds | typical error of parameters | covered |");
    println!("|---|---|---|---|---|");
    for (model, truth) in TRUTHS {
        let time = |seconds| {
            let begun = Instant::now();
            fit(sweep(model, &truth, 0.05, 1, seconds), model, 1_000);
            begun.elapsed().as_secs_f64() * 1e3
        };
        let (plain, with_seconds) = (time(false), time(true));
        let (errors, covered) = recovery(model, &truth, sweeps);
        println!(
            "| {} | {plain:.0} ms | {with_seconds:.0} ms | {errors} | {covered} |",
            model.name()
        );
    }
}

fn recovery(model: Model, truth: &Values, sweeps: u64) -> (String, String) {
    let exact = fit(sweep(model, truth, 0.0, 0, false), model, 20);
    let fits: Vec<Fitted> = (0..sweeps)
        .map(|seed| fit(sweep(model, truth, 0.05, seed, seed % 2 == 1), model, 400))
        .collect();
    let (mut errors, mut covered) = (Vec::new(), Vec::new());
    for (index, estimate) in exact.estimates.iter().enumerate() {
        let truth = estimate.value;
        let mut off: Vec<f64> =
            fits.iter().map(|fit| (fit.estimates[index].value / truth - 1.0).abs()).collect();
        off.sort_by(f64::total_cmp);
        let inside = fits.iter().filter(|fit| {
            let (low, high) = fit.estimates[index].interval.unwrap();
            low * 0.9999 <= truth && truth <= high * 1.0001
        });
        let share = inside.count() as f64 / fits.len() as f64 * 100.0;
        let name = match estimate.quantity {
            Quantity::Parameter(parameter) => format!("{parameter:?}"),
            other => format!("{other:?}"),
        };
        errors.push(format!("{name} {:.1} %", off[off.len() / 2] * 100.0));
        covered.push(format!("{name} {share:.0} %"));
    }
    (errors.join(", "), covered.join(", "))
}
