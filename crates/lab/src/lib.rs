//! The classic experiments of performance analysis, run for real, each with a verdict.
//!
//! A [`Lab`] is one file: a question, how it is answered, the lesson, and a function that runs it. A
//! run ends in a [`Finding`]: whether the lesson holds here, how sure that is, tables and charts.

mod averages;
mod backup;
mod batch;
mod bench;
mod buckets;
mod commit;
mod estimate;
mod finding;
mod io_count;
mod lab;
mod locks;
mod regression;
mod run;
mod run_queue;
mod server;
mod strace;
mod text;
mod user_calls;
mod working_set;

pub use bench::{Bench, Events, LabError, Length, Progress};
pub use estimate::{CONFIDENCE, Estimate};
pub use finding::{Figure, Finding, Verdict};
pub use lab::{Lab, OnServer};
pub use run::Run;
pub use text::{explanation, list};
pub use user_calls::Traced;

/// Lists the labs: each word is a module with a `pub(crate) static LAB`.
macro_rules! labs {
    ($($module:ident),* $(,)?) => {
        /// Every lab, in the order in which `isotherm lab --list` lists them.
        pub static LABS: &[&Lab] = &[$(&$module::LAB),*];
    };
}

labs![
    averages,
    commit,
    batch,
    io_count,
    run_queue,
    user_calls,
    buckets,
    working_set,
    backup,
    locks
];

/// The lab of this name.
pub fn lab_of(name: &str) -> Option<&'static Lab> {
    LABS.iter().copied().find(|lab| lab.name == name)
}
