//! The command line of `isotherm cache show`.

use std::path::PathBuf;

use clap::Args;
use isotherm_frame::Nanos;

use crate::choices::DocumentFormat;

/// Below the help of `cache show`.
pub const EXAMPLES: &str = "Examples:
  isotherm cache show postgres://monitor@db1/postgres
  isotherm cache show postgres://monitor@db1/postgres --every 1s --for 1m -o cache.html
  isotherm cache show oracle://monitor@db1/SALES         V$BH: by object and state
  isotherm cache show 'oracle://sys@db1/SALES?as=sysdba' --touches    X$BH: by touch count
  isotherm cache show v_bh.csv                           rows that SQL*Plus spooled
  isotherm cache show cache.json -o cache.html           what -o cache.json kept
  isotherm cache show postgres://monitor@db1/postgres --show-sql

PostgreSQL needs the extension pg_buffercache in the database of the address (CREATE EXTENSION
pg_buffercache, as a superuser) and a user with pg_monitor. Buffers are counted on the server by
one statement; it locks the header of one buffer after the other, which took 0.3 to 0.5 s for
2 GiB of buffers where we measured it: do not look often at a large cache. --totals counts
without these locks from PostgreSQL 16 on, and leaves out what the buffers hold.

Oracle needs SELECT on V$BH, V$INSTANCE and DBA_OBJECTS. X$BH can be read by SYS only.

-o cache.json keeps what was seen, over time, too: isotherm cache show cache.json shows it again.
There is no -o cache.heat: a recording holds latencies, and a usage count is not one.

Another file is CSV with a heading and one row a buffer: objd and status (V$BH), obj and tch (X$BH),
or relfilenode and usagecount (pg_buffercache). Read if they are there: class#, dirty, flag,
owner, object_name, relname, relforknumber, reldatabase, pinning_backends, and buffers for rows
that stand for several. Other columns are left out.";

/// `cache show`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct ShowArgs {
    /// The database: `postgres://USER@HOST/DATABASE`, `oracle://USER@HOST/SERVICE` or sqlplus:LOGON; or
    /// a file of rows as CSV, or of -o FILE.json, - for standard input
    pub source: String,
    /// Look this often, and show what is seen over time; until Ctrl-C without --for [default with --for: 1s]
    #[arg(long, value_name = "TIME")]
    pub every: Option<Nanos>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Nanos>,
    /// Count buffers by usage count only, without what they hold (`postgres://`)
    #[arg(long, conflicts_with = "touches")]
    pub totals: bool,
    /// Show how often buffers were touched instead of their state (`oracle://`: X$BH,
    /// which SYS may read)
    #[arg(long)]
    pub touches: bool,
    /// Print the statements and ask nothing
    #[arg(long, conflicts_with_all = ["every", "duration", "output"])]
    pub show_sql: bool,
    /// List at most this many (tables, indexes and so on)
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub top: u32,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: DocumentFormat,
    /// Write a file instead: .html, .md or .json
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no report)
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Exit with 4 if anything could not be read, such as a damaged line
    #[arg(long)]
    pub strict: bool,
    /// Use only ASCII characters
    #[arg(long, help_heading = "Screen")]
    pub ascii: bool,
}
