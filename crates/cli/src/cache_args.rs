//! The command line of `isotherm cache`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use isotherm_cache::{AccessPattern, CurveMethod, ModelSettings, PRESETS, Sampling, preset};
use isotherm_frame::{Unit, typed};
use isotherm_views::OutputForm;

use crate::cache_graph_args::GraphArgs;
use crate::cache_library_args::{self, LibraryArgs};
use crate::cache_show_args::{self, ShowArgs};
use crate::choices::DocumentFormat;
use crate::failure::Failure;
use crate::trace_args;

/// Below the help of `cache`.
pub const EXAMPLES: &str = "Examples:
  isotherm cache curve orcl_ora_4711.trc        how much a second cache would save, by its size
  isotherm cache show postgres://monitor@db1/postgres    what the buffers of a database hold
  isotherm cache model --preset hot-block -o hot.html    a buffer cache as a graph, and its latches
  isotherm cache library --preset literals -o library.html    the same for a library cache";

/// Below the help of `cache curve`.
const CURVE_EXAMPLES: &str = "Examples:
  isotherm cache curve orcl_ora_4711.trc        reads of a session that missed the buffer cache
  isotherm cache curve trace/ --cache-size 1G,4G,16G    every *.trc of a directory, in the order of time
  blktrace -d /dev/vda -o - | blkparse -i - | isotherm cache curve - --block-size 4k
  isotherm cache curve references.csv --sample 1% -o curve.html
  isotherm cache curve references.csv --sweep sweep/    what the device has to wait for at each size

INPUT is a SQL trace of Oracle (waits for db file sequential read and db file scattered read), the text
of blkparse (or block_rq events of perf script or ftrace: reads issued to a device), or CSV with the
heading block, block,latency_ns or block,latency_ns,time_ns in any order, and whole numbers below it.
The kind is recognised by content; files may be compressed.

Traces of physical reads have only the misses of the cache that was there. Their curve is that of a
cache added behind it, a second tier. To predict a larger first cache you need its logical references, hits
included. Traces do not have them; a CSV can.

The cache of the curve replaces the block that was unused for the longest time (LRU) and is empty when
the trace begins. --sweep needs times in the trace: its rate times the share that misses is the load of the
device. Without --sample the curve is exact; it takes up to 88 bytes of memory for each
distinct block. --sample is SHARDS (Waldspurger and others, FAST 2015), and says how far off it may be.";

/// Below the help of `cache model`.
const MODEL_EXAMPLES: &str = "Examples:
  isotherm cache model                          the plain preset: verdict and table
  isotherm cache model --list                   the presets, and what each shows
  isotherm cache model --preset hot-block -o hot.html
  isotherm cache model --preset dirty -o dirty.svg    the graph at the end of the run as an image
  isotherm cache model --preset dirty --focus write --moment 6 -o halfway.png
  isotherm cache model --preset one-latch --latches 16
  isotherm cache model --blocks-of orcl_ora_4711.trc --buffers 1000
  isotherm cache model --pattern random --buffers 500 --blocks 2000 --writes 20% --format json

The model follows the published descriptions of Oracle's buffer cache: headers on hash chains, an LRU
list in a hot and a cold half with touch counts, a write list, clones. Its presets and its times are
our own: it shows how the parts work together and predicts no database. The same seed gives the same
model and the same picture.

The page draws the buffers: everything, or their chains, LRU list, write list or headers; in five
directions; as circles, points or arrows; at twelve moments of the run, which Play shows one after
the other. Point at a buffer for its header.";

/// `cache`
#[derive(Args, Debug)]
pub struct CacheArgs {
    #[command(subcommand)]
    pub action: CacheAction,
}

/// What is shown of a cache.
#[derive(Subcommand, Debug)]
pub enum CacheAction {
    /// Print how many references miss a cache of each size, from a trace of reads
    #[command(after_help = CURVE_EXAMPLES)]
    Curve(CurveArgs),
    /// Show what the buffers of a database hold: by table, usage count, dirty and pinned, and over time
    #[command(visible_alias = "live", after_help = cache_show_args::EXAMPLES)]
    Show(ShowArgs),
    /// Model a buffer cache: chains, LRU list, write list, and sessions that compete for latches
    #[command(after_help = MODEL_EXAMPLES)]
    Model(ModelArgs),
    /// Model a library cache: hash buckets, handles, child cursors, and sessions that compete for mutexes
    #[command(after_help = cache_library_args::EXAMPLES)]
    Library(LibraryArgs),
}

/// `cache curve`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct CurveArgs {
    /// SQL traces of Oracle, texts of blkparse or CSV with a column block, or directories of them; -
    /// for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Count every reference, however much memory that takes; without it, up to 16,777,216 distinct
    /// blocks
    #[arg(long, conflicts_with_all = ["sample", "sample_blocks"])]
    pub exact: bool,
    /// Sample this share of all blocks, such as 1% or 0.01
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "sample_blocks")]
    pub sample: Option<f64>,
    /// Sample at most this many blocks, lowering the share as more are met: memory is bounded
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(64..=100_000_000))]
    pub sample_blocks: Option<u32>,
    /// Seed of random numbers: the same seed samples the same blocks [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Show caches of these sizes only, such as 1G,4G; chosen by the number of blocks if not given
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', value_parser = crate::amounts::bytes)]
    pub cache_size: Vec<u64>,
    /// Predict response times and average waiting at each size by the model of this sweep of the device: what
    /// `fit` reads, a directory, a table of points or a recording
    #[arg(long, value_name = "SWEEP")]
    pub sweep: Option<PathBuf>,
    /// Bytes in a block of the database, or in a read of the device; the trace does not contain it
    #[arg(long, value_name = "BYTES", default_value = "8k", value_parser = trace_args::block_size)]
    pub block_size: u64,
    /// The unit of latencies where the input does not say (no header of a SQL trace names its release):
    /// us, or cs (hundredths of a second) for 8i
    #[arg(long, value_name = "UNIT", value_parser = trace_args::unit)]
    pub unit: Option<Unit>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub format: CurveFormat,
    /// Write a file instead: .html, .md, .json or .csv
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no report)
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Exit with 4 if anything could not be read, such as a damaged line
    #[arg(long)]
    pub strict: bool,
    /// Read a file as often as it is named, and a compressed copy beside its original; do not warn of other copies
    #[arg(long)]
    pub again: bool,
    /// Use only ASCII characters
    #[arg(long, help_heading = "Screen")]
    pub ascii: bool,
}

/// `cache model`
#[derive(Args, Debug)]
pub struct ModelArgs {
    /// List the presets
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// Begin with these settings, which other options change
    #[arg(long, value_name = "NAME", default_value = "plain", value_parser = presets())]
    pub preset: String,
    /// Buffers of the cache, from 8 to 5,000
    #[arg(long, value_name = "N")]
    pub buffers: Option<u32>,
    /// Hash chains
    #[arg(long, value_name = "N")]
    pub chains: Option<u32>,
    /// Latches that protect the chains, at most one for each
    #[arg(long, value_name = "N")]
    pub latches: Option<u32>,
    /// Blocks of the database
    #[arg(long, value_name = "N")]
    pub blocks: Option<u32>,
    /// The order in which blocks are visited
    #[arg(long, value_enum)]
    pub pattern: Option<PatternArg>,
    /// Reference the blocks of this input, in its order: what `cache curve` reads
    #[arg(long, value_name = "INPUT", conflicts_with_all = ["pattern", "blocks", "references"])]
    pub blocks_of: Option<String>,
    /// The share of references that change their block
    #[arg(long, value_name = "PCT", value_parser = crate::amounts::per_cent)]
    pub writes: Option<f64>,
    /// The share of reads of a changed block that make a clone of it
    #[arg(long, value_name = "PCT", value_parser = crate::amounts::per_cent)]
    pub clones: Option<f64>,
    /// References to make
    #[arg(long, value_name = "N")]
    pub references: Option<u32>,
    /// Sessions that compete for latches
    #[arg(long, value_name = "N")]
    pub sessions: Option<u32>,
    /// Seed of random numbers: the same seed gives the same model
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: DocumentFormat,
    /// Write a file, too: the graph as a page (.html) or an image (.svg, .png), or .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no report)
    #[arg(long, requires = "output")]
    pub force: bool,
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Use only ASCII characters
    #[arg(long, help_heading = "Screen")]
    pub ascii: bool,
}

/// Access patterns.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternArg {
    /// A fifth of all references go to one block, three fifths to one block in fifty
    Hot,
    /// Full scans; one reference in ten goes to a random block
    Scan,
    /// Every block is as likely, as SLOB reads them
    Random,
    /// All of them
    Mixed,
}

impl From<PatternArg> for AccessPattern {
    fn from(pattern: PatternArg) -> AccessPattern {
        match pattern {
            PatternArg::Hot => AccessPattern::Hot,
            PatternArg::Scan => AccessPattern::Scan,
            PatternArg::Random => AccessPattern::Random,
            PatternArg::Mixed => AccessPattern::Mixed,
        }
    }
}

fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(PRESETS.iter().map(|preset| preset.name))
}

impl ModelArgs {
    /// The preset with what the options change.
    pub fn settings(&self) -> ModelSettings {
        let base = preset(&self.preset).map_or(ModelSettings::PLAIN, |preset| preset.settings);
        ModelSettings {
            buffers: self.buffers.unwrap_or(base.buffers),
            chains: self.chains.unwrap_or(base.chains),
            latches: self.latches.unwrap_or(base.latches),
            blocks: self.blocks.unwrap_or(base.blocks),
            pattern: self.pattern.map_or(base.pattern, AccessPattern::from),
            writes: self.writes.map_or(base.writes, |per_cent| per_cent / 100.0),
            clones: self.clones.map_or(base.clones, |per_cent| per_cent / 100.0),
            references: self.references.unwrap_or(base.references),
            sessions: self.sessions.unwrap_or(base.sessions),
            seed: self.seed.unwrap_or(base.seed),
        }
    }
}

/// What is printed.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveFormat {
    /// The chart and the table for people
    Table,
    /// One JSON object (docs/schema has its schema)
    Json,
    /// One row for each size
    Csv,
}

impl From<CurveFormat> for OutputForm {
    fn from(format: CurveFormat) -> OutputForm {
        match format {
            CurveFormat::Table => OutputForm::Text,
            CurveFormat::Json => OutputForm::Json,
            CurveFormat::Csv => OutputForm::Lines,
        }
    }
}

/// The most distinct blocks of an exact curve that was not asked for: 1.5 GB of memory.
const MOST_BLOCKS: u32 = 1 << 24;

impl CurveArgs {
    /// How the curve is made.
    pub fn method(&self) -> Result<CurveMethod, Failure> {
        let rate = self.sample.map(Sampling::Rate);
        let sampling = rate.or(self.sample_blocks.map(Sampling::Blocks));
        match (sampling, self.seed) {
            (Some(sampling), _) => Ok(CurveMethod::Sampled { sampling, seed: self.seed() }),
            (None, None) if self.exact => Ok(CurveMethod::Exact { most_blocks: u32::MAX }),
            (None, None) => Ok(CurveMethod::Exact { most_blocks: MOST_BLOCKS }),
            (None, Some(_)) => Err(Failure::usage(
                "--seed has no effect: nothing is random in an exact curve; leave it out, or add \
                 --sample or --sample-blocks",
            )),
        }
    }

    /// The seed of a sample.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}

/// Reads a share above 0 and up to all, with `%` or as a fraction.
fn share(text: &str) -> Result<f64, String> {
    let read = if text.contains('%') {
        typed::share(text).ok().map(|per_cent| per_cent / 100.0)
    } else {
        typed::number(text).ok()
    };
    let share = read.filter(|&share| share > 0.0 && share <= 1.0);
    share.ok_or_else(|| format!("'{text}' must lie above 0 and up to 100%, such as 1% or 0.01"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_fractions_or_per_cent() {
        assert_eq!((share("1%"), share("0.01"), share("1")), (Ok(0.01), Ok(0.01), Ok(1.0)));
        for text in ["0", "0%", "101%", "1.5", "-1%", "nan", "", "some"] {
            assert!(share(text).unwrap_err().contains("such as 1% or 0.01"), "{text}");
        }
    }
}
