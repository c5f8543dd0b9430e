//! What a lab is run with.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::error::PgError;
use isotherm_frame::{Nanos, Random};
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use crate::Traced;

/// How thoroughly a lab is run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Length {
    /// A few seconds, for tests and a first look.
    Short,
    /// As long as its numbers need.
    #[default]
    Full,
}

/// Events that the user gives: latencies of one input.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// What the input is called.
    pub name: String,
    /// The latencies, in any order.
    pub latencies: Vec<Nanos>,
}

/// How far a lab has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What it is doing.
    pub what: String,
    /// The share of its work that is done, 0 to 1.
    pub done: f64,
}

/// Why a lab gave no finding.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// The user asked it to stop.
    #[error("interrupted: nothing was concluded")]
    Interrupted,
    /// A program that it needs is not installed, or too old.
    #[error("{what}: {why}; {next}")]
    NotInstalled {
        /// The program.
        what: String,
        /// Where it was looked for, or what it cannot do.
        why: String,
        /// What to install.
        next: &'static str,
    },
    /// A server of the user does not allow what the lab needs, or keeps it elsewhere.
    #[error("{what}: {why}; {next}")]
    OutOfReach {
        /// What the lab needs.
        what: &'static str,
        /// Why it is out of reach.
        why: String,
        /// What to do.
        next: &'static str,
    },
    /// Something it reads is not there, or not as it should be.
    #[error("{what}: {why}; {next}")]
    Unreadable {
        /// What was read.
        what: String,
        /// What is wrong with it.
        why: String,
        /// What to do.
        next: &'static str,
    },
    /// Nothing that was measured can be used.
    #[error("nothing that was measured can be used: {why}; {next}")]
    Unusable {
        /// What is wrong with it.
        why: String,
        /// What to do.
        next: &'static str,
    },
    /// There are too few events for its question.
    #[error(
        "{name} has {events} events, and this lab needs at least {least}; give it more of them"
    )]
    TooFew {
        /// What the input is called.
        name: String,
        /// The events it has.
        events: usize,
        /// The events that are needed.
        least: usize,
    },
    /// A server cannot be logged on to.
    #[error("cannot connect to PostgreSQL ({logon}): {error}{next}")]
    Unreachable {
        /// The database, the user and the place.
        logon: String,
        /// What it or the connection to it says.
        error: PgError,
        /// What to do; empty if nothing is known.
        next: &'static str,
    },
    /// A server did not do what it was asked.
    #[error("PostgreSQL: {error}{next}")]
    Server {
        /// What it or the connection to it says.
        error: PgError,
        /// What to do; empty if nothing is known.
        next: &'static str,
    },
    /// A thread or a program could not be started.
    #[error("cannot start {what}: {source}")]
    Start {
        /// What was to be started.
        what: &'static str,
        /// Why it could not.
        source: std::io::Error,
    },
}

/// What a lab is run with: its seed and length, events of the user, and how it is stopped.
pub struct Bench<'a> {
    /// How thoroughly to run.
    pub length: Length,
    /// Events to use instead of those that a lab measures.
    pub events: Option<&'a Events>,
    /// SQL traces to count instead of calls that a lab makes.
    pub traced: Option<&'a Traced>,
    /// The `PostgreSQL` to use instead of one that the lab starts.
    pub address: Option<&'a Logon>,
    /// The longest that a commit should take, instead of what most of them take.
    pub commit_limit: Option<Nanos>,
    seed: u64,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(Progress),
}

impl<'a> Bench<'a> {
    /// A bench of this length and seed. It ends early when `stop` is set; `progress` takes how far
    /// it has come.
    pub fn new(
        (length, seed): (Length, u64),
        stop: &'a AtomicBool,
        progress: &'a mut dyn FnMut(Progress),
    ) -> Bench<'a> {
        Bench {
            length,
            events: None,
            traced: None,
            address: None,
            commit_limit: None,
            seed,
            stop,
            progress,
        }
    }

    /// The same with events of the user.
    #[must_use]
    pub fn with_events(self, events: Option<&'a Events>) -> Bench<'a> {
        Bench { events, ..self }
    }

    /// The same with SQL traces of the user.
    #[must_use]
    pub fn with_traces(self, traced: Option<&'a Traced>) -> Bench<'a> {
        Bench { traced, ..self }
    }

    /// The same with a `PostgreSQL` of the user.
    #[must_use]
    pub fn with_address(self, address: Option<&'a Logon>) -> Bench<'a> {
        Bench { address, ..self }
    }

    /// The same with a limit for commits.
    #[must_use]
    pub fn with_commit_limit(self, commit_limit: Option<Nanos>) -> Bench<'a> {
        Bench { commit_limit, ..self }
    }

    /// The random numbers of one part of a lab: those of another part do not depend on how many of
    /// them are drawn.
    pub fn random(&self, part: u64) -> Random {
        let mut parts = Random::new(self.seed);
        let base = parts.next();
        Random::new(base ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// One of two numbers by length: short, full.
    pub fn either<T>(&self, short: T, full: T) -> T {
        match self.length {
            Length::Short => short,
            Length::Full => full,
        }
    }

    /// Is set when the user asks to stop.
    pub(crate) fn stop(&self) -> &'a AtomicBool {
        self.stop
    }

    /// Says what is being done and how much of it is; fails when the user asked to stop.
    pub fn step(&mut self, done: f64, what: &str) -> Result<(), LabError> {
        (self.progress)(Progress { what: what.to_owned(), done });
        if self.stop.load(Ordering::Relaxed) { Err(LabError::Interrupted) } else { Ok(()) }
    }
}

impl fmt::Debug for Bench<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bench({:?}, seed {})", self.length, self.seed)
    }
}
