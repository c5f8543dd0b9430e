//! What the driver asks of an engine, and what an engine answers.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fault::{Broken, LoadError};
use crate::log_on::opening_limit;

/// One operation to be done.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Which kind: an index into [`System::kinds`].
    pub kind: u8,
    /// Where: a block, row or key, below [`System::places`].
    pub place: u64,
}

/// A place in an engine where one operation can be in flight, counted from 0.
pub type Slot = u32;

/// How an operation ended.
#[derive(Clone, Debug)]
pub struct Done {
    /// Where it was in flight.
    pub slot: Slot,
    /// When it was known to have ended: nanoseconds of [`crate::clock::now_ns`]. One reading for
    /// a batch that ended together is enough.
    pub at_ns: u64,
    /// Bytes moved, or what went wrong in words that are the same for the same fault (no numbers
    /// that differ each time): faults are counted by these words.
    pub result: Result<u32, Cow<'static, str>>,
}

/// How long to wait for operations in flight.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all: only what has ended already.
    No,
    /// Until at least one has ended.
    One,
    /// Until at least one has ended, or until this moment of [`crate::clock::now_ns`].
    Until(u64),
}

/// One lane of a system under load: a thread's own connection or connections, ring or file.
///
/// An engine never loses an operation: each one submitted is reported exactly once by
/// [`Engine::reap`], as a fault if need be. A lost connection is a fault of the operations in
/// flight; the engine connects anew by itself, waiting longer each time, while it is reaped.
pub trait Engine {
    /// Begins an operation in a free slot. May only queue it: what is queued is handed over in
    /// chunks, at the latest by [`Engine::reap`].
    fn submit(&mut self, slot: Slot, operation: Operation) -> Result<(), Broken>;

    /// Hands over what is queued, waits, and adds what has ended to `done`.
    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken>;
}

/// What operations of a kind do to what is there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// They look at it.
    Read,
    /// They change it.
    Write,
}

/// A kind of operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindMeta {
    /// What people call it: `read`, `write`, `select`, `update`, `get`, `set`.
    pub name: &'static str,
    /// What it does to what is there.
    pub role: Role,
    /// Places one operation touches, so that blocks a second can be known (a work unit).
    pub places: u32,
}

impl KindMeta {
    /// Whether it changes what is there.
    pub fn writes(&self) -> bool {
        self.role == Role::Write
    }
}

/// The unit of a [`Count`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Things.
    Count,
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanos,
}

/// A running total kept elsewhere: by the operating system, the device, the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// `diskstats reads`, `pg blocks read`, `server cpu`.
    pub name: Cow<'static, str>,
    /// The total.
    pub value: u64,
    /// Of what.
    pub unit: Unit,
}

/// A system to be put under load, ready to be: a file of the right size, a database with its
/// tables.
pub trait System: Send + Sync {
    /// The kinds of operations, those that read first. The workload's update share picks among
    /// kind 0 and the first that writes.
    fn kinds(&self) -> &[KindMeta];

    /// How many places there are to pick from: the working set.
    fn places(&self) -> u64;

    /// Bytes of one place; 0 where that has no meaning.
    fn place_bytes(&self) -> u64;

    /// How many slots each lane should have for so many operations in flight; `threads` is the
    /// number of lanes wanted, if the user said so. Adds up to `in_flight`, no zeros.
    fn lanes(&self, in_flight: u32, threads: Option<u32>) -> Vec<u32>;

    /// Opens one lane. Called on the thread that will use it.
    fn open(&self, lane: u32, slots: u32) -> Result<Box<dyn Engine>, LoadError>;

    /// The same, given up once `left` is set: where connections are made, each may take long.
    fn open_unless(
        &self,
        left: &AtomicBool,
        lane: u32,
        slots: u32,
    ) -> Result<Box<dyn Engine>, LoadError> {
        let _ = left;
        self.open(lane, slots)
    }

    /// How long all lanes together may take to open.
    fn opening_limit(&self) -> Duration {
        opening_limit(None)
    }

    /// Totals kept elsewhere, read before and after the measured time; the difference is part of
    /// the outcome. What cannot be read is left out.
    fn counts(&self) -> Vec<Count>;

    /// What is known of the system beforehand, for people: versions, sizes, settings, in the
    /// order to be shown.
    fn facts(&self) -> Vec<(String, String)>;

    /// What was done to make it ready and the user should know, in words: a file that was made.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the system's own random numbers are drawn from: where there are any, operations arrive by
    /// it, too, so that runs differ by as much as chance says. 0 where the system draws none.
    fn seed(&self) -> u64 {
        0
    }

    /// Whether what was written is what is there: a sample is read back after the run. Words for
    /// each thing found wrong; none when all is well or nothing was written.
    fn verify(&self) -> Vec<String> {
        Vec::new()
    }
}

/// So many slots over so many lanes, as evenly as can be.
pub(crate) fn spread(in_flight: u32, lanes: u32) -> Vec<u32> {
    let lanes = lanes.clamp(1, in_flight.max(1));
    let (each, more) = (in_flight.max(1) / lanes, in_flight.max(1) % lanes);
    (0..lanes).map(|lane| each + u32::from(lane < more)).collect()
}

/// How many processors there are.
pub(crate) fn processors() -> u32 {
    std::thread::available_parallelism().ok().and_then(|n| u32::try_from(n.get()).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_spread_evenly_and_completely() {
        assert_eq!(spread(10, 4), [3, 3, 2, 2]);
        assert_eq!(spread(2, 8), [1, 1]);
        assert_eq!(spread(0, 0), [1]);
    }
}
