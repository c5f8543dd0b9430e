//! Loading Redis: real servers that each test starts, and servers that misbehave.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "test code")]

mod hostile;
mod real;
#[path = "../reserved_port/mod.rs"]
mod reserved_port;
mod started;

use std::sync::atomic::AtomicBool;

use isotherm_load::{
    Address, Arrival, Done, Engine, Hooks, Job, LoadError, Outcome, Progress, System, Wait,
};
use testing::bounded;

/// A job of few operations on so many keys.
fn job(keys: u64, update_pct: f64) -> Job {
    let mut job = Job { target: "redis://".to_owned(), ..Job::default() };
    job.arrival = Arrival::Closed { in_flight: 8, think: None };
    job.work.update_pct = update_pct;
    job.database.scale = keys;
    job
}

/// Gives an action hooks that only listen.
fn hooked<T>(action: impl FnOnce(&mut Hooks) -> T) -> (T, Vec<Progress>) {
    let _ends = bounded::watchdog("an action on a server");
    let (stop, mut seen) = (AtomicBool::new(false), Vec::new());
    let mut progress = |step: Progress| seen.push(step);
    let result = action(&mut Hooks { progress: &mut progress, stop: &stop });
    (result, seen)
}

fn open(text: &str, job: &Job) -> Result<Box<dyn System>, LoadError> {
    let address = Address::parse(text).unwrap();
    hooked(|hooks| isotherm_load::open(&address, job, hooks)).0
}

fn setup(text: &str, job: &Job) -> Result<Vec<String>, LoadError> {
    let address = Address::parse(text).unwrap();
    hooked(|hooks| isotherm_load::setup(&address, job, hooks)).0
}

fn teardown(text: &str, job: &Job) -> Result<Vec<String>, LoadError> {
    let address = Address::parse(text).unwrap();
    hooked(|hooks| isotherm_load::teardown(&address, job, hooks)).0
}

fn run(system: &dyn System, job: &Job) -> Outcome {
    let _ends = bounded::watchdog("a load");
    isotherm_load::run(system, job, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

/// The words of an error.
fn refusal<T>(result: Result<T, LoadError>) -> String {
    result.err().map(|error| error.to_string()).unwrap()
}

/// Waits for the one operation in flight.
fn one(engine: &mut dyn Engine) -> Done {
    let _ends = bounded::watchdog("an operation");
    let mut done = Vec::new();
    engine.reap(Wait::One, &mut done).unwrap();
    assert_eq!(done.len(), 1, "{done:?}");
    done.remove(0)
}
