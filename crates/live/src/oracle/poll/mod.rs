//! Polls of the wait event histograms.

mod poller;
mod sql;

pub(super) use poller::Poller;
pub(crate) use sql::Query;
