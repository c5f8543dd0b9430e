//! The options of `isotherm trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use isotherm_formats::Only;
use isotherm_frame::Unit;
use isotherm_oracle::trace::profile::{Condition, GroupBy, Rank};
use isotherm_pipeline::MemoryBudget;

use crate::choices::StatsFormat;
use crate::memory;
use crate::range_args::RangeArgs;
use crate::screen_args::ScreenArgs;
use crate::threshold_args::FailIfArgs;

/// `trace`
#[derive(Args, Debug)]
#[command(mut_arg("fail_if", |fail_if| fail_if.help(FAIL_IF)))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct TraceArgs {
    /// Traces, or directories with *.trc files; - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Show each statement, call and wait between these moments on a time axis, and with the output of
    /// isotherm bpftrace pg-path or oracle-path also system calls and block requests: FROM..TO with
    /// moments as in --from, either of which may be left out
    #[arg(
        long,
        value_name = "FROM..TO",
        allow_hyphen_values = true,
        conflicts_with_all = ["by", "only", "idle", "binds", "sort", "from", "to", "fail_if", "record"]
    )]
    pub timeline: Option<String>,
    /// Write the timeline to this file as a page
    #[arg(short, long, value_name = "FILE.html", requires = "timeline", conflicts_with = "format")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (a recording, or one that is no timeline)
    #[arg(long)]
    pub force: bool,
    /// Group by these attributes (of waits and calls): sql, event, call, module, action, client, file,
    /// object, class#, depth, session, p1, or any parameter of waits
    #[arg(long, value_name = "ATTRIBUTE,...", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Only events with this value of an attribute, or with != all others (waits and calls, in groups:
    /// by event if --by is not given); * and % stand for any
    /// text, as in 'event=db file*'
    #[arg(long = "where", value_name = "ATTRIBUTE=VALUE", value_parser = crate::input_args::condition)]
    pub only: Vec<Only>,
    /// Count idle waits, which the groups of --by leave out otherwise
    #[arg(long)]
    pub idle: bool,
    /// Show the values of bind variables: they may be personal data
    #[arg(long)]
    pub binds: bool,
    /// List at most this many (groups, statements, files and objects); 10 for people, all as JSON; of a
    /// timeline lines: 200
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// What to put statements in order by
    #[arg(long, value_enum, default_value = "elapsed")]
    pub sort: SortArg,
    /// Bytes in a block of the database, such as 8k: the trace does not say
    #[arg(long, value_name = "BYTES", default_value = "8k", value_parser = block_size)]
    pub block_size: u64,
    /// The unit of latencies where the input does not say (no header names the release that wrote the
    /// trace): us, or cs (hundredths of a second) for 8i
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub unit: Option<Unit>,
    #[command(flatten)]
    pub stretch: RangeArgs,
    #[command(flatten)]
    pub thresholds: FailIfArgs,
    /// The zone of times that are written without one, such as Europe/Zurich or +02:00; for --from,
    /// --to and --record: traces before 12.2 have none
    #[arg(long, value_name = "ZONE", value_parser = crate::input_args::zone)]
    pub zone: Option<jiff::tz::TimeZone>,
    /// The form of the output: a table for people, JSON (docs/schema/trace.schema.json) for programs
    #[arg(long, value_enum, default_value = "table")]
    pub format: StatsFormat,
    /// Record the waits to this file, for heat maps over time
    #[arg(long, value_name = "FILE.heat")]
    pub record: Option<PathBuf>,
    /// Memory for what is read; when it is full, a timeline leaves out the steps that follow, and says
    /// how many
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory::parse)]
    pub memory: MemoryBudget,
    /// Exit with 4 if anything could not be read, such as a damaged record
    #[arg(long)]
    pub strict: bool,
    /// Read a file as often as it is named, and a compressed copy beside its original; do not warn of other copies
    #[arg(long)]
    pub again: bool,
    /// Width in characters; the terminal's if not given; at most 2000
    #[arg(long, value_name = "CHARS", value_parser = crate::screen::width_arg)]
    pub width: Option<usize>,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// The help of `--fail-if`, of which there are no series.
const FAIL_IF: &str = "Exit with 99 if this holds (for any wait event that is not idle, or if there is no \
    such wait): p99>20ms, mean>1ms, max>1s, rate<10/s, waited>50% (of the time waited for all such \
    events); may be repeated; docs/guide/grammar.md says what there is";
impl TraceArgs {
    /// How waits and calls are to be grouped, if they are.
    pub fn groups(&self) -> Option<GroupBy> {
        if self.by.is_empty() && self.only.is_empty() && !self.idle {
            return None;
        }
        let by = if self.by.is_empty() { vec!["event".to_owned()] } else { self.by.clone() };
        let condition = |only: &Only| Condition {
            attribute: only.attribute.clone(),
            pattern: only.pattern.clone(),
            other: only.other,
        };
        Some(GroupBy { by, only: self.only.iter().map(condition).collect(), idle: self.idle })
    }
}

/// Orders of statements.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortArg {
    /// Response time
    Elapsed,
    /// Response time without deeper calls
    Own,
    /// Processor time
    Cpu,
    /// Own waits
    Waits,
    /// Calls
    Calls,
    /// Rows
    Rows,
    /// Blocks read from disk
    Reads,
    /// Consistent and current gets
    Gets,
}

impl From<SortArg> for Rank {
    fn from(sort: SortArg) -> Rank {
        match sort {
            SortArg::Elapsed => Rank::Elapsed,
            SortArg::Own => Rank::Own,
            SortArg::Cpu => Rank::Cpu,
            SortArg::Waits => Rank::Waits,
            SortArg::Calls => Rank::Calls,
            SortArg::Rows => Rank::Rows,
            SortArg::Reads => Rank::Reads,
            SortArg::Gets => Rank::Gets,
        }
    }
}

pub const EXAMPLES: &str = "Examples:
  isotherm trace orcl_ora_4711.trc
  isotherm trace trace/ --sort own --top 20     every *.trc of a directory, one profile
  isotherm trace a.trc --by sql,event           which statement waited for what, and how long
  isotherm trace a.trc --by file --where 'event=db file*'
  isotherm trace a.trc --binds                  with the values of bind variables
  isotherm trace a.trc b.trc --format json
  isotherm trace orcl_ora_4711.trc --from 09:08 --to 09:10    a call counts where it ends
  isotherm trace orcl_ora_4711.trc --fail-if 'p99>20ms'
  isotherm trace --timeline 09:08:01..09:08:02 orcl_ora_4711.trc
  isotherm trace --timeline .. path.json -o path.html    path.json: see isotherm bpftrace pg-path --help
  isotherm trace orcl_ora_4711.trc --record waits.heat && isotherm show waits.heat

A trace needs its waits: dbms_monitor.session_trace_enable(waits => true), or event 10046 at
level 8.";

/// Reads a unit that traces have.
pub fn unit(text: &str) -> Result<Unit, String> {
    let unit = text.parse::<Unit>().ok().filter(|unit| matches!(unit, Unit::Micros | Unit::Centis));
    unit.ok_or_else(|| "must be us, or cs for traces of 8i".to_owned())
}

/// The least and the greatest size of a block, in bytes.
const BLOCK_SIZES: std::ops::RangeInclusive<u64> = 512..=65_536;

/// Reads the size of a block.
pub fn block_size(text: &str) -> Result<u64, String> {
    let bytes = crate::amounts::bytes(text)?;
    let fits = BLOCK_SIZES.contains(&bytes).then_some(bytes);
    fits.ok_or_else(|| format!("'{text}' must lie between 512 bytes and 64k, such as 8k or 16384"))
}
