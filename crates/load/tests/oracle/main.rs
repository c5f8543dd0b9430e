//! Loading Oracle, against a server that speaks its protocol and knows no SQL: which statements
//! are sent, what is made of answers, and how trouble ends. That the statements are valid on a
//! real server is not shown here.

#![cfg(feature = "oracle")]
#![allow(clippy::unwrap_used, reason = "test code")]

mod database;
mod grammar;
mod loads;
mod makes;

use std::sync::atomic::AtomicBool;

use fake_oracle::FakeOracle;
use isotherm_load::{
    Address, Arrival, Done, Engine, Hooks, Job, LoadError, Outcome, Progress, System, Wait,
};
use isotherm_oracle::client::{Logon, Secret};
use testing::bounded;

/// Two tables of 25,000 rows, three sessions.
fn job() -> Job {
    let mut job = Job { target: "oracle://".to_owned(), ..Job::default() };
    job.arrival = Arrival::Closed { in_flight: 3, think: None };
    job.database.schemas = 2;
    job.database.scale = 25_000;
    job
}

fn address(server: &FakeOracle) -> Address {
    let connect = format!("127.0.0.1:{}/FAKE", server.port());
    Address::oracle(Logon::new("BENCH", &connect, Secret::new("secret".to_owned())))
}

/// Gives an action hooks that only listen.
fn hooked<T>(action: impl FnOnce(&mut Hooks) -> T) -> T {
    let _ends = bounded::watchdog("an action on a server");
    let (stop, mut progress) = (AtomicBool::new(false), |_: Progress| {});
    action(&mut Hooks { progress: &mut progress, stop: &stop })
}

fn open(server: &FakeOracle, job: &Job) -> Result<Box<dyn System>, LoadError> {
    hooked(|hooks| isotherm_load::open(&address(server), job, hooks))
}

fn setup(server: &FakeOracle, job: &Job) -> Result<Vec<String>, LoadError> {
    hooked(|hooks| isotherm_load::setup(&address(server), job, hooks))
}

fn teardown(server: &FakeOracle, job: &Job) -> Result<Vec<String>, LoadError> {
    hooked(|hooks| isotherm_load::teardown(&address(server), job, hooks))
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
