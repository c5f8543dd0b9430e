//! Counts scenarios and fetches, and times fetches without the proxy.

use std::time::Instant;

use super::counted::{Counted, Fetched, user_calls};
use super::meter::{Meter, Reading};
use super::scenario::{PREPARE, ROWS, SELECT, Scenario};
use super::session::Session;
use crate::server::{Server, failed};
use crate::{Bench, LabError};

/// Every array size up to this one is counted, with as many rows as these.
pub const MOST_ARRAY: u64 = 500;
pub const FEW_ROWS: u64 = 1_000;
/// Numbers of rows around the array size of 15, where the last fetch is full or not.
const AROUND: [u64; 8] = [0, 1, 14, 15, 16, 29, 30, 31];
const AROUND_ARRAY: u64 = 15;
/// Array sizes for all rows: short, full.
const ARRAYS: (&[u64], &[u64]) = (&[15, 200], &[1, 2, 5, 10, 15, 20, 50, 100, 200, 500]);
/// What was published for Oracle, by array size.
const PUBLISHED: [(u64, &str); 2] = [(15, "4,759"), (200, "359")];
/// Times of each: short, full.
const REPETITIONS: (usize, usize) = (1, 5);

/// What was counted.
#[derive(Debug, Default)]
pub struct Found {
    pub scenarios: Vec<Counted>,
    /// All rows by a few array sizes, with times.
    pub published: Vec<Fetched>,
    /// A few rows by one array size.
    pub around: Vec<Fetched>,
    /// Some rows by every array size.
    pub sizes: Vec<Fetched>,
}

impl Found {
    /// Everything that was counted.
    pub fn all(&self) -> impl Iterator<Item = &Counted> {
        let fetched = [&self.published, &self.around, &self.sizes].into_iter().flatten();
        self.scenarios.iter().chain(fetched.map(|fetched| &fetched.counted))
    }
}

/// Counts everything.
pub fn count(server: &Server<'_>, bench: &mut Bench<'_>) -> Result<Found, LabError> {
    let mut observer = server.control()?;
    bench.step(0.05, "making tables")?;
    for statement in PREPARE {
        observer.rows(statement).map_err(failed)?;
    }
    let mut meter = Meter::open(server, bench.stop())?;
    let mut found = Found::default();
    for scenario in Scenario::all() {
        bench.step(0.1, &format!("counting calls: {}", scenario.name))?;
        let written = "select count(*) from written";
        let before = observer.number(written).map_err(failed)?;
        let reading = meter.read(|session| scenario.run(session))?;
        let inside = observer.number(written).map_err(failed)?.saturating_sub(before);
        found.scenarios.push(counted(&scenario, inside, reading));
    }
    for rows in AROUND {
        found.around.push(fetched(&mut meter, rows, AROUND_ARRAY)?);
    }
    for array in 1..=MOST_ARRAY {
        let done = 0.15 + 0.35 * array as f64 / MOST_ARRAY as f64;
        bench.step(done, "counting calls by array size")?;
        found.sizes.push(fetched(&mut meter, FEW_ROWS, array)?);
    }
    let arrays = bench.either(ARRAYS.0, ARRAYS.1);
    for (number, &array) in arrays.iter().enumerate() {
        let done = 0.5 + 0.5 * number as f64 / arrays.len() as f64;
        bench.step(done, &format!("fetching {ROWS} rows, {array} at a time"))?;
        let mut fetched = fetched(&mut meter, ROWS, array)?;
        fetched.times_s = times_s(server, array, bench)?;
        found.published.push(fetched);
    }
    Ok(found)
}

fn counted(scenario: &Scenario, inside: u64, reading: Reading) -> Counted {
    Counted {
        name: scenario.name,
        inside,
        law: scenario.law,
        published: scenario.published,
        is_pipeline: scenario.is_pipeline(),
        wire: reading.wire,
        client: reading.client,
        server: reading.server,
    }
}

/// Fetches the first rows of the table in a transaction block of its own, which is not counted.
fn fetched(meter: &mut Meter<'_>, rows: u64, array: u64) -> Result<Fetched, LabError> {
    meter.query("begin")?;
    let sql = format!("{SELECT} where n <= {rows}");
    let reading = meter.read(|session| session.fetch(&sql, parameter(array)))?;
    meter.query("commit")?;
    let published = PUBLISHED.iter().find(|(size, _)| rows == ROWS && *size == array);
    let counted = Counted {
        name: "",
        inside: 0,
        law: user_calls(rows, array),
        published: published.map_or("", |(_, count)| count),
        is_pipeline: false,
        wire: reading.wire,
        client: reading.client,
        server: reading.server,
    };
    Ok(Fetched { rows, array, counted, times_s: Vec::new() })
}

/// An array size as the protocol takes it.
fn parameter(array: u64) -> i32 {
    i32::try_from(array).unwrap_or(i32::MAX)
}

/// Times of fetching all rows without the proxy and without a log.
fn times_s(server: &Server<'_>, array: u64, bench: &mut Bench<'_>) -> Result<Vec<f64>, LabError> {
    let mut session = Session::open(&server.logon(""), bench.stop()).map_err(failed)?;
    let mut times = Vec::new();
    for _ in 0..bench.either(REPETITIONS.0, REPETITIONS.1) {
        session.query("begin").map_err(failed)?;
        let begun = Instant::now();
        session.fetch(SELECT, parameter(array)).map_err(failed)?;
        times.push(begun.elapsed().as_secs_f64());
        session.query("commit").map_err(failed)?;
    }
    Ok(times)
}
