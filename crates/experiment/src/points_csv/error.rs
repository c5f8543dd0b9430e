//! Why a table of points cannot be read.

use thiserror::Error;

/// Why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PointsCsvError {
    /// There is nothing in it.
    #[error("the table is empty: its first line names the columns, such as n,throughput")]
    Empty,
    /// Its headings do not make points.
    #[error(
        "line {line}: of the columns {found} no points can be made; a closed sweep needs the number \
         in flight (n, workers, in_flight, sessions) with throughput (x, iops, tps) or response \
         (r, latency), an open one arrivals (l, arrival_rate) with response or with service and \
         queue (s, q). Name the columns, such as --columns n=HEADING,x=HEADING,response_us=HEADING"
    )]
    NoPoints {
        /// The line of the headings.
        line: u64,
        /// What they are.
        found: String,
    },
    /// Two columns say the same.
    #[error(
        "line {line}: '{first}' and '{second}' could both be the {role}: say which with --columns \
         {key}='{first}',... (name every column to use)"
    )]
    Twice {
        /// The line of the headings.
        line: u64,
        /// One.
        first: String,
        /// The other.
        second: String,
        /// What both could be.
        role: &'static str,
        /// How that is called on the command line.
        key: &'static str,
    },
    /// There is no column of that name.
    #[error("there is no column '{heading}'; there are {found}")]
    NoColumn {
        /// What was asked for.
        heading: String,
        /// What there is.
        found: String,
    },
    /// A column is to be something that is not known.
    #[error(
        "'{0}' is nothing that a column can hold: use n, x, response_us (or _ms, _s), arrivals, \
         service_us or queue_us"
    )]
    NoRole(String),
    /// A table has several sweeps.
    #[error(
        "the table holds more than one sweep: {settings}; choose one with --series and a part of its name"
    )]
    Several {
        /// What they are.
        settings: String,
    },
    /// Reports are of several instances.
    #[error(
        "the reports are of several instances, which are no one system under different loads: \
         {instances}; give those of one"
    )]
    Instances {
        /// What they are.
        instances: String,
    },
    /// Nothing is called that.
    #[error("--series names none of what the table has: {known}")]
    NoSuch {
        /// What it has.
        known: String,
    },
    /// It is too long.
    #[error("there are more than {MOST_ROWS} rows: a fit needs the points, not every operation")]
    TooLong,
}

/// The most rows that are read.
pub(super) const MOST_ROWS: usize = 100_000;
