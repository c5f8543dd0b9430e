//! What something that takes long is given: whom to tell how far it has come, and when to stop.

use std::sync::atomic::AtomicBool;

/// How far something that takes long has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done: `writing run.dat`, `loading isotherm_1`.
    pub what: String,
    /// How much is done, of `total`.
    pub done: u64,
    /// How much there is to do.
    pub total: u64,
    /// Of what: `bytes`, `rows`.
    pub unit: &'static str,
}

/// What something that takes long is given.
pub struct Hooks<'a> {
    /// Is told how far it has come, a few times a second at most.
    pub progress: &'a mut dyn FnMut(Progress),
    /// Asks it to stop: what is done stays, and is gone on from the next time.
    pub stop: &'a AtomicBool,
}
