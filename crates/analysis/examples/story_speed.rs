//! How long it takes to find what is worth saying, of which `isotherm stats` prints the first sentence above its
//! table: for some series with as many intervals as a screen has.
//!
//! ```sh
//! cargo run --release -p isotherm-analysis --example story_speed -- 8
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for developers")]

use std::process::ExitCode;
use std::time::Instant;

use isotherm_analysis::{Digest, Story};
use isotherm_frame::{Binner, BinnerLimits, Nanos, Random, Series, Timestamp};

const EVENTS: u64 = 2_400_000;
const RUNS: usize = 9;

/// Waits as of a SQL trace: one each 350 µs on average, half of them shorter than 0.4 ms and a few of
/// hundreds of milliseconds.
fn digest(series: &[Series]) -> Digest {
    let limits = BinnerLimits { max_intervals: 2_048, ..BinnerLimits::cells(1 << 18) };
    let mut binner = Binner::new(Nanos::new(1_953_125), limits);
    let (mut random, mut at) = (Random::new(7), Timestamp::new(1_763_700_000_000_000_000));
    for _ in 0..EVENTS {
        at = at.plus(Nanos::new(random.below(700_000)));
        let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let latency = Nanos::from_secs_f64((6.0 + 1.5 * normal).exp() / 1e6).unwrap_or_default();
        let number = usize::try_from(random.below(series.len() as u64)).unwrap_or_default();
        binner.record(at, &series[number], latency);
    }
    let mut digest = Digest::new(Story::MOST_CELLS);
    binner.finish(&mut |frame| digest.push(&frame));
    digest
}

fn main() -> ExitCode {
    let number = std::env::args().nth(1).map_or(Ok(8), |text| text.parse::<u64>());
    let Some(number) = number.ok().filter(|number| (1..=1_000).contains(number)) else {
        eprintln!("a number of series, 1 to 1000");
        return ExitCode::FAILURE;
    };
    let series: Vec<Series> =
        (0..number).map(|number| Series::named(format!("e{number}"))).collect();
    let digest = digest(&series);
    let mut taken: Vec<f64> = Vec::new();
    for _ in 0..RUNS {
        let began = Instant::now();
        let story = Story::of_digest(&digest, None);
        taken.push(began.elapsed().as_secs_f64());
        assert!(story.is_some());
    }
    taken.sort_by(f64::total_cmp);
    let [least, median, most] = [0, RUNS / 2, RUNS - 1].map(|place| 1e3 * taken[place]);
    println!("{number} series: {median:.0} ms ({least:.0} to {most:.0})");
    ExitCode::SUCCESS
}
