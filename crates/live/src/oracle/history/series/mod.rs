//! AWR's history as series: predefined queries, each of which gives one CSV with what happened between
//! two snapshots. They are as valid in `PostgreSQL` as in Oracle, and are tested there.
//!
//! Counters are subtracted by the database, but only between neighbours of one start of one instance:
//! what lies between is divided by nothing, so that a restart, a missing snapshot or an hour of summer
//! time cannot make a wrong rate. A row that its predecessor lacks began at zero.

mod queries;
mod statement;
#[cfg(test)]
mod tests;

pub(crate) use queries::QUERIES;
pub(crate) use statement::{AwrSeries, SAME_CONTAINER};
