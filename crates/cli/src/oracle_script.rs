//! `isotherm sqlplus-script`: a script for hosts where only SQL*Plus may run.

use clap::{Args, ValueEnum};
use isotherm_frame::Nanos;
use isotherm_live::{ScriptAsks, ScriptRepeats, ScriptSleep, SqlPlusScript};

use crate::failure::Failure;
use crate::screen;

/// What the help of the command ends with.
pub const EXAMPLES: &str = "Examples:
  isotherm sqlplus-script --for 1h > isotherm.sql
  isotherm sqlplus-script --event 'log file sync' --event 'db file*' --interval 5s > isotherm.sql
  isotherm sqlplus-script --awr --since 7d > history.sql
  isotherm sqlplus-script --awr --queries --since 7d > awr.sql    AWR as CSV files: events, I/O, metrics
  isotherm sqlplus-script --awr --queries wait-classes,io-functions --show-sql

On the database's host, without isotherm:  sqlplus -S / as sysdba @isotherm.sql > waits.txt
Anywhere else:                             isotherm show waits.txt
Live:  ssh db1 'sqlplus -S / as sysdba @isotherm.sql' | isotherm live";

/// `sqlplus-script`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct SqlplusScriptArgs {
    /// Only this wait event; * stands for any text. Again for more; all but idle ones if not given
    #[arg(long = "event", value_name = "PATTERN")]
    pub events: Vec<String>,
    /// Length of an interval: the time between two polls, at most 1d
    #[arg(short, long, value_name = "TIME", value_parser = crate::amounts::time, default_value = "1s", conflicts_with = "awr")]
    pub interval: Nanos,
    /// Poll this many intervals
    #[arg(long, value_name = "N", conflicts_with_all = ["duration", "awr"])]
    pub count: Option<u64>,
    /// End after this time; an hour if neither is given
    #[arg(long = "for", value_name = "TIME", conflicts_with = "awr")]
    pub duration: Option<Nanos>,
    /// How the script sleeps between two polls
    #[arg(long, value_enum, default_value = "session", conflicts_with = "awr")]
    pub sleep: SleepArg,
    /// Buckets of milliseconds: for releases before 12.1.0.2
    #[arg(long, conflicts_with_all = ["awr", "per_pdb"])]
    pub ms: bool,
    /// One series for each container (of a multitenant database, 12.2 and later)
    #[arg(long, conflicts_with = "awr")]
    pub per_pdb: bool,
    /// Ask all instances of a cluster (GV$ views)
    #[arg(long, conflicts_with = "awr")]
    pub rac: bool,
    /// Ask once for what AWR remembers (Diagnostics Pack licence)
    #[arg(long)]
    pub awr: bool,
    /// Only these queries; without a name all (a name that does not exist lists them). Writes AWR as
    /// CSV files for spreadsheets, one for each, instead of histograms
    #[arg(
        long,
        alias = "series",
        value_name = "NAME,...",
        value_delimiter = ',',
        num_args = 0..=1,
        requires = "awr",
        conflicts_with = "events"
    )]
    pub queries: Option<Vec<String>>,
    /// Print the statements and ask nothing; with what each is for
    #[arg(long, requires = "queries")]
    pub show_sql: bool,
    /// Begin the history here: a date and time in UTC, or how long ago (7d)
    #[arg(long, value_name = "WHEN", requires = "awr")]
    pub since: Option<String>,
    /// End the history here
    #[arg(long, value_name = "WHEN", requires = "awr")]
    pub until: Option<String>,
}

/// Who sleeps.
#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
#[expect(clippy::doc_markdown, reason = "help texts are not Markdown")]
pub enum SleepArg {
    /// DBMS_SESSION.SLEEP: Oracle 18c and later, no grant needed
    Session,
    /// DBMS_LOCK.SLEEP: any release, EXECUTE must be granted
    Lock,
    /// The command sleep of the host: any release, no grant needed, not on Windows
    Host,
}

/// The longest time between two polls: a script sleeps it in many short naps.
const LONGEST_INTERVAL: Nanos = Nanos::new(86_400_000_000_000);
/// How long a script polls if nothing is said.
const USUAL: Nanos = Nanos::new(3_600_000_000_000);

/// `isotherm sqlplus-script`
pub fn run(args: &SqlplusScriptArgs) -> Result<(), Failure> {
    if args.interval > LONGEST_INTERVAL {
        return Err(Failure::usage("--interval: a script polls at least once a day (1d)"));
    }
    let asks = if let Some(names) = &args.queries {
        ScriptAsks::Series {
            names: names.clone(),
            since: args.since.clone(),
            until: args.until.clone(),
            bare: args.show_sql,
        }
    } else if args.awr {
        ScriptAsks::History { since: args.since.clone(), until: args.until.clone() }
    } else {
        ScriptAsks::Live(repeats(args))
    };
    let script = SqlPlusScript { events: args.events.clone(), asks };
    let text = script.text().map_err(|error| Failure::usage(error.to_string()))?;
    screen::print(screen::for_programs(), &text)
}

fn repeats(args: &SqlplusScriptArgs) -> ScriptRepeats {
    let length = args.duration.unwrap_or(USUAL).as_nanos();
    let intervals = args.count.unwrap_or(length.div_ceil(args.interval.as_nanos().max(1)));
    ScriptRepeats {
        interval: args.interval,
        intervals,
        sleep: match args.sleep {
            SleepArg::Session => ScriptSleep::Session,
            SleepArg::Lock => ScriptSleep::Lock,
            SleepArg::Host => ScriptSleep::Host,
        },
        millis: args.ms,
        per_pdb: args.per_pdb,
        cluster: args.rac,
    }
}
