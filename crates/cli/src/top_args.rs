//! The command line of `isotherm top`.

use clap::{Args, ValueEnum};
use isotherm_analysis::Dimension;
use isotherm_frame::Nanos;

use crate::pack::Pack;
use crate::screen;
use crate::screen_args::ScreenArgs;

/// Below the help of `top`.
pub const EXAMPLES: &str = "Examples:
  isotherm top postgres://monitor@db1/postgres
  isotherm top postgres://monitor@db1/postgres --once
  isotherm top postgres://monitor@db1/postgres --once --by blocker
  isotherm top postgres://monitor@db1/postgres --once --for 10s --format json | jq '.by[0]'
  isotherm top postgres://monitor@db1/postgres --once --io --for 10s
  isotherm top oracle://monitor@db1/SALES
  isotherm top oracle://monitor@db1/SALES --licensed diagnostics
  isotherm top oracle://monitor@db1/SALES --licensed diagnostics --once --for 30m

Sessions are sampled: 10 times a second on PostgreSQL (pg_stat_activity), 2 times on Oracle
(GV$SESSION of all instances, or ?inst=N; no licence is needed). With --licensed diagnostics
the samples are Oracle's own, one a second (GV$ACTIVE_SESSION_HISTORY): the screen begins with
those that are kept, and --once prints those of the last --for at once.

Average active sessions counts those that work or wait, without idle ones and isotherm's own.
CPU is a session that is active and waits for nothing. Every number is an estimate; its
standard error stands beside it, and is about the time that was sampled: '40 of 80 samples'
means that half of those due are missing. What begins and ends between two samples may not be
seen.

Who may see the sessions of others: on PostgreSQL members of pg_read_all_stats (or
pg_monitor), on Oracle users who may read GV$SESSION (GV$ACTIVE_SESSION_HISTORY with --licensed),
and GV$SQLSTATS for the texts of statements.";

/// `top`
#[derive(Args, Debug)]
pub struct TopArgs {
    /// The database: `postgres://USER@HOST/DATABASE`, `oracle://USER@HOST/SERVICE` or sqlplus:LOGON
    pub source: String,
    /// Refresh every TIME, the length of a column of the strip, at least 1/HZ
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub every: Nanos,
    /// Samples per second: 1 to 100, on Oracle 1 to 10 [default: 10, on Oracle 2]
    #[arg(long, value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub hz: Option<u32>,
    /// Sample for a while (--for), print the tables, and end
    #[arg(long)]
    pub once: bool,
    /// Show reads and writes by function and file instead of sessions: what the counters of the server
    /// gained (with --once during --for). On the screen the key i switches. Of Oracle --once also prints the
    /// last minute as the database measured it
    #[arg(long, conflicts_with_all = ["by", "hz"])]
    pub io: bool,
    /// The pack that is licensed for this database: read the samples that Oracle takes itself (active session
    /// history) instead of sampling
    #[arg(long, value_enum, value_name = "PACK")]
    pub licensed: Option<Pack>,
    /// Print the statements and ask nothing (with --io or --licensed)
    #[arg(long)]
    pub show_sql: bool,
    /// End after this time [default with --once: 1s, with --io 5s]; with --once --licensed print the samples
    /// of the last TIME at once [default: 1m]
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Nanos>,
    /// Group by this attribute: its table is shown first, and with --once alone
    #[arg(long, value_enum, value_name = "ATTRIBUTE")]
    pub by: Option<TopBy>,
    /// List at most this many (rows of a table, with --once; JSON has all)
    #[arg(long, value_name = "N", default_value_t = 10, requires = "once", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub top: u32,
    /// The form of the output (with --once): tables for people, or one JSON object (docs/schema has its
    /// schema)
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: TopFormat,
    /// Width in characters; the terminal's if not given; at most 2000
    #[arg(long, value_name = "CHARS", requires = "once", value_parser = screen::width_arg)]
    pub width: Option<usize>,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// What sessions are told apart by.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopBy {
    /// Wait class
    Class,
    /// Wait event
    Event,
    /// Statement
    Sql,
    /// User
    User,
    /// Program
    Program,
    /// Session at the head of the queue for a lock
    Blocker,
    /// Session
    Session,
}

/// Forms of what is printed.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopFormat {
    /// Tables
    Text,
    /// One object
    Json,
}

impl From<TopBy> for Dimension {
    fn from(by: TopBy) -> Dimension {
        match by {
            TopBy::Class => Dimension::Class,
            TopBy::Event => Dimension::Event,
            TopBy::Sql => Dimension::Sql,
            TopBy::User => Dimension::User,
            TopBy::Program => Dimension::Program,
            TopBy::Blocker => Dimension::Blocker,
            TopBy::Session => Dimension::Session,
        }
    }
}
