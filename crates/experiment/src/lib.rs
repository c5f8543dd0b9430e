//! Declared experiments: load is made as a plan says, what came of it is kept as a table of runs,
//! and every verdict comes with its doubt.

mod execute;
#[cfg(test)]
mod given;
mod model_points;
mod points;
mod points_csv;
mod run;
mod steady;
mod table;
mod verdict;

pub use execute::{Setting, execute};
pub use model_points::{ModelPoints, ModelPointsError};
pub use points::{PointSummary, Spread};
pub use points_csv::{PointsCsvError, PointsRow, PointsTable};
pub use run::{Run, Steady, Verdict};
pub use steady::steady;
pub use table::{FORMAT, RUNS, RunTable, TableError};
pub use verdict::{Evidence, verdicts};
