//! Polls of the wait event histograms.

mod sql;

pub(crate) use sql::Query;
