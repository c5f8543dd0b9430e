//! Declared experiments: load is made as a plan says, what came of it is kept as a table of runs,
//! and every verdict comes with its warnings.

pub mod calibrate;
mod csv;
mod curve;
mod execute;
mod frame_points;
mod model_points;
pub mod plan;
mod point_rows;
mod points;
mod points_csv;
mod progress;
mod run;
mod run_rows;
#[cfg(test)]
mod sample_runs;
mod steady;
pub mod sweep;
mod table;
mod verdict;

pub use csv::{Cell, Csv, text_cell};
pub use curve::{Bend, CurvePoint, Disagreement, LoadCurve};
pub use execute::{Setting, execute, execute_on};
pub use model_points::{ModelPoints, ModelPointsError};
pub use plan::{Order, Plan, PlanError, Point, StopRule, Turn, Variable, What};
pub use points::{PointSummary, PointVerdict, Spread};
pub use points_csv::{ColumnChoice, PointsCsvError, PointsRow, PointsTable};
pub use progress::Progress;
pub use run::{Run, Steady, Verdict};
pub use steady::steady;
pub use sweep::{
    Ending, Position, Stage, StoppedPoint, Sweep, SweepError, SweepSummary, VerdictSummary,
};
pub use table::{RUNS, RunTable, TableError};
pub use verdict::{Evidence, verdicts};
