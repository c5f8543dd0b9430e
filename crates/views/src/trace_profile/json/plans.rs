//! Plans of a profile for programs.

use isotherm_oracle::trace::profile::{Plan, RowSource};
use schemars::JsonSchema;
use serde::Serialize;

use super::seconds::seconds;

/// A plan that a statement was executed with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Plan")]
pub(super) struct PlanJson<'a> {
    /// The plan's hash (plh), which 11g and later write.
    hash: Option<u64>,
    /// How often it was written: by default after the first execution of a cursor.
    written: u64,
    /// Its row sources, in the order of the trace.
    row_sources: Vec<RowSourceJson<'a>>,
}

/// A line of a plan; its costs hold those of the row sources below it. Sums are over all times that
/// it was written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RowSource")]
pub(super) struct RowSourceJson<'a> {
    /// Its number.
    id: u32,
    /// The number of the row source that takes its rows; 0 is none.
    parent: u32,
    /// What it does.
    operation: &'a str,
    /// The number of its object; 0 is none.
    object: u64,
    /// Rows of the first time.
    first_rows: u64,
    /// The most rows of one time.
    most_rows: u64,
    /// Rows.
    rows: u64,
    /// How often it was started.
    starts: Option<u64>,
    /// Consistent gets.
    consistent_gets: Option<u64>,
    /// Blocks read from disk.
    physical_reads: Option<u64>,
    /// Blocks written.
    physical_writes: Option<u64>,
    /// Time.
    time_s: Option<f64>,
}

impl<'a> PlanJson<'a> {
    pub(super) fn new(plan: &'a Plan) -> PlanJson<'a> {
        PlanJson {
            hash: plan.hash,
            written: plan.written,
            row_sources: plan.row_sources.iter().map(RowSourceJson::new).collect(),
        }
    }
}

impl<'a> RowSourceJson<'a> {
    fn new(line: &'a RowSource) -> RowSourceJson<'a> {
        RowSourceJson {
            id: line.id,
            parent: line.parent,
            operation: &line.operation,
            object: line.object,
            first_rows: line.first_rows,
            most_rows: line.most_rows,
            rows: line.rows,
            starts: line.costs.starts,
            consistent_gets: line.costs.consistent_gets,
            physical_reads: line.costs.physical_reads,
            physical_writes: line.costs.physical_writes,
            time_s: line.costs.time_ns.map(seconds),
        }
    }
}
