//! AWR's history as CSV tables: what happened between two snapshots, as `isotherm sqlplus-script --awr
//! --queries` and `PerfSheet4`'s scripts for SQL*Plus write it.
//!
//! A [`HistoryReader`] is given one file after the other and makes a [`History`] of them: tables of
//! amounts, each of an interval of an instance. An interval is only ever as long as its file says:
//! what lies between two of them is a gap, and nothing is divided across it.

mod begun;
mod busiest;
mod fields;
mod growing;
mod layout;
mod reader;
mod store;
#[cfg(test)]
mod tests;

pub use busiest::{Busiest, Part};
pub use layout::{COMMON_COLUMNS, TableKind, is_history};
pub use reader::HistoryReader;
pub use store::{FileAccount, History, HistoryTable, Instance, Interval, Left, Row};
