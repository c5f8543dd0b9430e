//! The options of `isotherm bpftrace`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use isotherm_frame::Nanos;
use isotherm_oracle::uprobes::{OracleVersion, SessionPlace};

/// `bpftrace`
#[derive(Args, Debug)]
pub struct BpftraceArgs {
    #[command(subcommand)]
    pub(super) program: Program,
}

/// Which program.
#[derive(Subcommand, Debug)]
pub(super) enum Program {
    /// List the programs: what each shows, needs and costs
    List,
    /// How long Oracle's waits take, by event
    #[command(after_help = WAITS_HELP, disable_version_flag = true)]
    OracleWaits(WaitsArgs),
    /// Oracle's waits by event, and the system calls for I/O made within them
    #[command(after_help = IO_HELP, disable_version_flag = true)]
    OracleIo(EventArgs),
    /// The path of each I/O of Oracle: wait, system call, block requests, one line each
    #[command(after_help = ORACLE_PATH_HELP, disable_version_flag = true)]
    OraclePath(OraclePathArgs),
    #[command(
        about = "The path of each I/O of PostgreSQL: statement, wait, system call, block requests, one line each",
        after_help = PG_PATH_HELP
    )]
    PgPath(PgPathArgs),
    /// How long Oracle's logical reads take, by object
    #[command(after_help = READS_HELP, disable_version_flag = true)]
    OracleLio(ReadsArgs),
}

/// What every help text ends with.
macro_rules! caution {
    ($examples:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "

Not confirmed: Oracle does not document the functions that are probed. What they are given is
published for 11.2.0.4, 12.1.0.2 and 18c on x86-64, and not for 19c or later; isotherm tests its
programs against a small program with functions of the same names, not against Oracle. The head of
each program says how to check the places of its probes, and what they cost. All processes that
run the binary pay, not only those that are counted. `isotherm bpftrace list` tells more."
        )
    };
}

const WAITS_HELP: &str = caution!(
    "  isotherm bpftrace oracle-waits --pid $(pgrep -f ora_lgwr) > waits.bt
  sudo isotherm live bpftrace:waits.bt
  isotherm bpftrace oracle-waits --oracle-home $ORACLE_HOME --version 19.12 \\
      --names events.txt --event 'db file*,log file sync' > waits.bt
  isotherm bpftrace oracle-waits --pid $(pgrep -f ora_lgwr) --connect sqlplus:/ > waits.bt"
);

const IO_HELP: &str = caution!(
    "  isotherm bpftrace oracle-io --pid 4711 --names events.txt > io.bt
  sudo isotherm live bpftrace:io.bt --series 'db file sequential read'"
);

const ORACLE_PATH_HELP: &str = caution!(
    "  isotherm bpftrace oracle-path --pid 4711 --names events.txt > path.bt
  sudo bpftrace -f json path.bt > path.json       end it with Ctrl-C
  isotherm trace --timeline .. path.json
  isotherm trace --timeline 09:08:01..09:08:02 path.json orcl_ora_4711.trc   with its statements"
);

const PG_PATH_HELP: &str = "Examples:
  isotherm bpftrace pg-path > path.bt
  sudo bpftrace -f json path.bt > path.json       end it with Ctrl-C
  isotherm trace --timeline .. path.json
  isotherm trace --timeline +1s..+1s20ms path.json -o path.html
  isotherm stats path.json                        latencies by level; show and report work too
  isotherm bpftrace pg-path --pid 4711 --device vdb > path.bt
                                                  one session (select pg_backend_pid()), one disk

Run it on the database server. The server needs probes (--enable-dtrace), as the packages of
Debian, Ubuntu and postgresql.org have them. docs/guide/path-of-an-io.md shows what it prints, what
it costs, and what it cannot see.";

const READS_HELP: &str = caution!(
    "  isotherm bpftrace oracle-lio --pid 4711 > lio.bt
  sudo BPFTRACE_MAP_KEYS_MAX=65536 isotherm live bpftrace:lio.bt --for 10s
  isotherm bpftrace oracle-lio --pid 4711 --by tablespace > lio.bt"
);

/// Where to probe.
#[derive(Args, Debug)]
pub(super) struct TargetArgs {
    /// The processes to count
    #[arg(long = "pid", value_name = "PID,...", value_delimiter = ',', num_args = 0..)]
    pub(super) pids: Option<Vec<u32>>,
    /// The installation; all its processes are counted unless --pid says which
    #[arg(long, value_name = "DIR")]
    pub(super) oracle_home: Option<PathBuf>,
    /// The release, such as 11.2.0.4 or 19.12: decides where functions are probed
    #[arg(long = "version", id = "release", value_name = "RELEASE")]
    pub(super) version: Option<OracleVersion>,
    /// Probe this many bytes behind the beginning of each function [default: 0, from 12.1 on +2]
    #[arg(long, value_name = "+BYTES", value_parser = offset)]
    pub(super) offset: Option<u8>,
    /// Length of an interval
    #[arg(short, long, value_name = "TIME", value_parser = crate::amounts::time, default_value = "1s")]
    pub(super) interval: Nanos,
    /// Do not look at the binary: it is on another machine
    #[arg(long)]
    pub(super) unchecked: bool,
}

/// Where, and which events.
#[derive(Args, Debug)]
pub(super) struct EventArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// What the numbers stand for: the output of `select event#, name from v$event_name` of
    /// that instance, as '152|name', CSV or columns
    #[arg(long, value_name = "FILE")]
    pub(super) names: Option<PathBuf>,
    /// Ask that instance what event numbers stand for: an address as `live` takes, or `sqlplus:/`
    #[arg(long, value_name = "ADDRESS", conflicts_with = "names")]
    pub(super) connect: Option<String>,
    /// Only this wait event; a last * stands for any text. Again, or with commas, for more; numbers,
    /// or names as in --names
    #[arg(long = "event", alias = "events", value_name = "PATTERN", value_delimiter = ',')]
    pub(super) events: Vec<String>,
}

/// Which block devices.
#[derive(Args, Debug)]
pub(super) struct DeviceArgs {
    /// The device (several with commas): only requests of these block devices, such as vda; others may be
    /// many
    #[arg(long = "device", value_name = "DEVICE", value_delimiter = ',')]
    pub(super) devices: Vec<String>,
}

/// `oracle-path`
#[derive(Args, Debug)]
pub(super) struct OraclePathArgs {
    #[command(flatten)]
    pub(super) events: EventArgs,
    #[command(flatten)]
    pub(super) devices: DeviceArgs,
    /// Where a process keeps its session: waits then carry its SID and their P1 to P3. Such as
    /// r13-7912,sid=5920,event=5826,p1=5832,p2=5840,p3=5848 in 11.2.0.4: other releases have other
    /// numbers (see docs/guide/oracle-uprobes.md)
    #[arg(long, value_name = "PLACE")]
    pub(super) session_at: Option<SessionPlace>,
}

/// `pg-path`
#[derive(Args, Debug)]
pub(super) struct PgPathArgs {
    /// The processes to look at; all of the server if not given
    #[arg(long = "pid", value_name = "PID,...", value_delimiter = ',')]
    pub(super) pids: Vec<u32>,
    /// The program of the server; if not given, the one that runs here
    #[arg(long, value_name = "PATH")]
    pub(super) binary: Option<PathBuf>,
    #[command(flatten)]
    pub(super) devices: DeviceArgs,
}

/// `oracle-waits`
#[derive(Args, Debug)]
pub(super) struct WaitsArgs {
    #[command(flatten)]
    pub(super) events: EventArgs,
    /// Who says how long a wait took
    #[arg(long, value_enum, default_value = "kernel")]
    pub(super) clock: ClockArg,
}

/// `oracle-lio`
#[derive(Args, Debug)]
pub(super) struct ReadsArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// What the numbers stand for: the output of `select data_object_id, object_name from
    /// dba_objects` or of `select ts#, name from v$tablespace`
    #[arg(long, value_name = "FILE")]
    pub(super) names: Option<PathBuf>,
    /// Only these objects or tablespaces
    #[arg(long = "numbers", alias = "only", value_name = "NUMBER,...", value_delimiter = ',')]
    pub(super) only: Vec<u32>,
    /// Group by this attribute: one histogram for each value
    #[arg(long, value_enum, value_name = "ATTRIBUTE", default_value = "object")]
    pub(super) by: By,
}

/// Who says how long a wait took.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ClockArg {
    /// The kernel, where Oracle begins and ends the wait: nanoseconds
    Kernel,
    /// Oracle itself, the number its views show: microseconds
    Oracle,
}

/// What tells logical reads apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The data object
    Object,
    /// The tablespace
    Tablespace,
}

/// Reads `+2`, `2` or `0`.
fn offset(text: &str) -> Result<u8, String> {
    let number = text.strip_prefix('+').unwrap_or(text).parse().ok();
    number
        .filter(|offset| *offset < 16)
        .ok_or_else(|| "must be a number of bytes below 16, such as +2".to_owned())
}

/// The words of the command line behind `isotherm bpftrace`.
pub fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,+=:#$".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{word}'") }
    };
    let words = std::env::args().skip_while(|word| !"bpftrace".starts_with(word.as_str()));
    words.skip(1).map(quoted).collect::<Vec<_>>().join(" ")
}
