//! Declared experiments: load is made as a plan says, what came of it is kept as a table of runs,
//! and every verdict comes with its doubt.

mod execute;
mod run;
mod steady;
mod verdict;

pub use execute::{Setting, execute};
pub use run::{Run, Steady, Verdict};
pub use steady::steady;
pub use verdict::{Evidence, verdicts};
