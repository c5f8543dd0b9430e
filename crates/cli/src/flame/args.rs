//! The command line of `isotherm flame`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use isotherm_frame::Nanos;
use isotherm_pipeline::MemoryBudget;

use crate::memory;

/// Below the help of `flame`.
pub const EXAMPLES: &str = "Examples:
  perf script | isotherm flame -o cpu.html      one page: search, zoom, details
  isotherm flame perf.script -o cpu.svg
  isotherm flame perf.script --heat             when samples fell; choose a part in the page
  isotherm flame oracle.script --oracle --frames rowsource
  isotherm flame orcl_ora_4711.trc -o waits.html
  isotherm flame diff before.script after.script -o diff.html
  isotherm flame record --pid 4711 --for 10s -o cpu.html

FILE is the output of perf script, stacks as bpftrace prints them (@[kstack, ustack, comm] =
count()), folded stacks ('main;read 12'), or a SQL trace of Oracle: then the picture is time, by
statement, call and wait event, and adds up to the response time of `isotherm trace`. The kind is
recognised by content; files may be compressed. A file called diff or record is given as ./diff.

The width of a frame is its share of all. Left to right is alphabetical, not chronological. Samples
of a processor's clock show what runs on CPU, and nothing of what waits; `flame record --off-cpu`
shows the opposite. A sample of the clock counts once, one of another event for its period.";

/// Below the help of `flame diff`.
pub const DIFF_EXAMPLES: &str = "Examples:
  isotherm flame diff before.script after.script -o diff.html
  isotherm flame diff 11g.folded 12c.folded --oracle --frames rowsource -o optimizer.svg";

/// Below the help of `flame record`.
pub const RECORD_EXAMPLES: &str = "Examples:
  isotherm flame record --pid 4711 --for 30s -o cpu.html
  isotherm flame record --all --hz 49 --format folded -o cpu.folded
  isotherm flame record --pid 4711 --off-cpu -o waits.html

perf samples what runs on CPU. It is in the package linux-perf, and needs root, or
kernel.perf_event_paranoid of at most 1 for processes of your own. --off-cpu needs bpftrace and
root, and costs some microseconds for each switch of a thread. The process of an Oracle session:
select p.spid from v$process p join v$session s on s.paddr = p.addr where s.sid = SID";

/// `flame`
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct FlameArgs {
    #[command(subcommand)]
    pub action: Option<FlameAction>,
    /// The output of perf script, stacks of bpftrace, folded stacks or a SQL trace; - for standard
    /// input
    #[arg(default_value = "-", value_name = "FILE")]
    pub input: String,
    /// Begin here: at this time after the first sample, such as 2.5s
    #[arg(long, value_name = "TIME")]
    pub from: Option<Nanos>,
    /// End here: at this time after the first sample
    #[arg(long, value_name = "TIME")]
    pub to: Option<Nanos>,
    /// html: draw when samples fell, by second and offset within it; a part chosen in the page
    /// becomes its flame graph
    #[arg(long)]
    pub heat: bool,
    /// What the counts are, where the input does not say
    #[arg(long, value_enum, value_name = "WHAT")]
    pub counts: Option<CountsArg>,
    #[command(flatten)]
    pub picture: PictureArgs,
}

/// What else `flame` does.
#[derive(Subcommand, Debug)]
pub enum FlameAction {
    /// Compare two inputs: what takes a larger share, and what a smaller one
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(FlameDiffArgs),
    /// Sample a process or all of them, and draw what was sampled
    #[command(after_help = RECORD_EXAMPLES)]
    Record(FlameRecordArgs),
}

/// `flame diff`
#[derive(Args, Debug)]
pub struct FlameDiffArgs {
    /// What was before, as for `flame`
    #[arg(value_name = "A")]
    pub before: String,
    /// What is after
    #[arg(value_name = "B")]
    pub after: String,
    /// What the counts are, where the input does not say (A or B)
    #[arg(long, value_enum, value_name = "WHAT")]
    pub counts: Option<CountsArg>,
    #[command(flatten)]
    pub picture: PictureArgs,
}

/// `flame record`
#[derive(Args, Debug)]
pub struct FlameRecordArgs {
    /// The process, with all of its threads
    #[arg(long, value_name = "PID", required_unless_present = "all",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    /// Every process
    #[arg(long, conflicts_with = "pid")]
    pub all: bool,
    /// Samples per second (of each processor)
    #[arg(long, value_name = "HZ", default_value_t = 99, conflicts_with = "off_cpu",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub hz: u32,
    /// End after this time; Ctrl-C ends it earlier
    #[arg(long = "for", value_name = "TIME", default_value = "10s")]
    pub duration: Nanos,
    /// Time off CPU instead, by bpftrace: where threads wait, and how long
    #[arg(long, conflicts_with = "counter")]
    pub off_cpu: bool,
    /// How perf finds the callers: fp (frame pointers), dwarf or lbr
    #[arg(long, value_name = "HOW", default_value = "fp", conflicts_with = "off_cpu",
          value_parser = ["fp", "dwarf", "lbr"])]
    pub call_graph: String,
    #[command(flatten)]
    pub picture: PictureArgs,
}

/// What is drawn, and where it goes.
#[derive(Args, Debug, Clone)]
pub struct PictureArgs {
    /// The counter to draw, where perf sampled several, such as cycles:u, or the map of bpftrace, such
    /// as @ns; the first if not given
    #[arg(long, alias = "event", value_name = "NAME")]
    pub counter: Option<String>,
    /// The file to write: .html, .svg, .json or .folded; named after the input if not given; - for
    /// standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The form of the output (where the name of the file does not say)
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FlameFormat>,
    /// The title
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Show only these frames: rowsource (steps of Oracle's plans), a name such as 'k*', or a regular
    /// expression
    #[arg(long, alias = "only", value_name = "FRAMES")]
    pub frames: Option<String>,
    /// Say what functions of Oracle's kernel do
    #[arg(long)]
    pub oracle: bool,
    /// Rename functions with this sed script, such as `os_explain.sed`
    #[arg(long, value_name = "FILE.sed")]
    pub sed: Option<PathBuf>,
    /// Memory for what is read; when it is full, further stacks are added up as (other), and the page
    /// says so
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory::parse)]
    pub memory: MemoryBudget,
    /// Exit with 4 if anything could not be read
    #[arg(long)]
    pub strict: bool,
    /// Overwrite an existing file (one that is no flame graph)
    #[arg(long)]
    pub force: bool,
}

impl PictureArgs {
    /// Bytes for stacks and their names: half, as stacks with other names may be held beside them, and the
    /// tree of what is drawn with its text takes as much.
    pub fn stack_bytes(&self) -> usize {
        self.memory.bytes() / 2
    }
}

/// Forms of a flame graph.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlameFormat {
    /// One page with everything inside it
    Html,
    /// An image with search and zoom, by inferno
    Svg,
    /// One JSON object (docs/schema has its schema)
    Json,
    /// A line for each stack, for other tools; of a comparison with the counts of A and B
    Folded,
}

/// What counts may be.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountsArg {
    /// Samples of what runs on CPU
    Samples,
    /// Events of any other kind
    Events,
    /// Time in nanoseconds
    Ns,
}
