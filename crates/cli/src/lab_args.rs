//! The command line of `isotherm lab`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use isotherm_frame::Nanos;
use isotherm_lab::{LABS, Length};

use crate::choices::DocumentFormat;
use crate::input_args::InputArgs;
use crate::screen_args::ScreenArgs;
use crate::stress_args::QuietArgs;

/// Below the help of `lab`.
pub const EXAMPLES: &str = "Examples:
  isotherm lab                                  the labs, and how long each takes
  isotherm lab run-queue --explain              the lesson, without running anything
  isotherm lab run-queue                        one minute of load on the processors; the verdict
  isotherm lab commit                           starts a PostgreSQL of its own for a while
  isotherm lab commit --server postgres://postgres@db1/test    in a schema that is removed at the end
  isotherm lab backup --server postgres://postgres@localhost/test --disturb    others will notice this one
  isotherm lab commit --commit-limit 5ms        how fast syncs must be for commits of at most 5 ms
  isotherm lab io-count                         the same reads, counted by strace and by the server
  isotherm lab user-calls                       calls of a client, counted on the wire by array size
  isotherm lab user-calls --measured orcl_ora_4711.trc    the calls of a session of Oracle
  isotherm lab locks --short -o locks.html      a few seconds, and a page with the pictures
  isotherm lab buckets --measured reads.csv --columns time,latency --unit us

A lab says on standard error what it will do and how long it takes, runs, and ends in a verdict: the
lesson holds here, fails here, or the measurement does not decide. The exit code is 0 whichever it is;
`finding.verdict` of --format json says which.

With --server a lab works in a schema of its own, isotherm_lab_PID_RANDOM, says what else it does on that
server, and drops the schema at the end, also when a signal ends it. io-count and backup look at the
server's processes and files, so that they run on its machine. There are no labs for oracle:// yet: each
says what is missing, and exits with 3.

Ctrl-C ends a lab without a verdict (exit code 130). Labs remove what they start and write. After
`kill -9` something may remain; the next lab that uses PostgreSQL names it. A lab that needs a program
that is not installed names it and exits with 3.";

/// `lab`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct LabArgs {
    /// The lab; without one, all are listed
    #[arg(value_name = "NAME", value_parser = names())]
    pub name: Option<String>,
    /// List the labs with their questions
    #[arg(long, conflicts_with_all = ["name", "explain", "short", "output", "measured"])]
    pub list: bool,
    /// Print the lesson of the lab without running it
    #[arg(long, requires = "name", conflicts_with_all = ["short", "output", "measured"])]
    pub explain: bool,
    /// Take a few seconds only: less certain numbers
    #[arg(long, requires = "name")]
    pub short: bool,
    /// averages, buckets: use the events of this input; user-calls: count the calls of this SQL trace;
    /// may be repeated
    #[arg(long, value_name = "INPUT", requires = "name")]
    pub measured: Vec<String>,
    /// Labs with `PostgreSQL`: use the server at this address (most as a superuser) instead of one that the lab
    /// starts
    #[arg(
        long,
        visible_alias = "on",
        value_name = "ADDRESS",
        requires = "name",
        conflicts_with = "explain"
    )]
    pub server: Option<String>,
    /// backup: with --server, read the whole database and take its files out of the page cache
    #[arg(long, requires = "server")]
    pub disturb: bool,
    /// commit: check the 75 % rule for commits that must take at most TIME [default: the p90 of the idle
    /// session]
    #[arg(long, value_name = "TIME", requires = "name", conflicts_with = "explain")]
    pub commit_limit: Option<Nanos>,
    /// Seed of random numbers (the same seed gives the same ones)
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: DocumentFormat,
    /// Write a page, too: .html, .md or .json
    #[arg(short, long, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no report)
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub quiet: QuietArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

impl LabArgs {
    /// How thoroughly the lab is run.
    pub fn length(&self) -> Length {
        if self.short { Length::Short } else { Length::Full }
    }
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(LABS.iter().map(|lab| lab.name))
}
