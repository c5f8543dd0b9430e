//! The command line of `isotherm cache library`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use isotherm_cache::{LIBRARY_PRESETS, LibrarySettings, library_preset};

use crate::cache_graph_args::GraphArgs;
use crate::choices::DocumentFormat;

/// Below the help of `cache library`.
pub const EXAMPLES: &str = "Examples:
  isotherm cache library                        the plain preset: verdict and table
  isotherm cache library --list                 the presets, and what each shows
  isotherm cache library --preset literals -o literals.html
  isotherm cache library --preset versions --versions 5
  isotherm cache library --literals 20% --cursors 500 --format json

The model follows the published descriptions of Oracle's library cache: hash buckets with a mutex
each, handles (parent cursors) in them, child cursors below these, an LRU list, pins,
invalidations. Its presets and its times are our own: it shows how the parts work together and
predicts no database. PostgreSQL has no library cache: each session keeps plans of its own.

The page draws the objects as that of cache model draws buffers. Point at one for what it is.";

/// `cache library`
#[derive(Args, Debug)]
pub struct LibraryArgs {
    /// List the presets
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// Begin with these settings, which other options change
    #[arg(long, value_name = "NAME", default_value = "plain", value_parser = presets())]
    pub preset: String,
    /// Hash buckets, each with a mutex
    #[arg(long, value_name = "N")]
    pub hash_buckets: Option<u32>,
    /// Distinct statements that sessions share
    #[arg(long, value_name = "N")]
    pub statements: Option<u32>,
    /// The share of executions with literals in place of bind variables: each is a text of its own
    #[arg(long, value_name = "PCT", value_parser = crate::amounts::per_cent)]
    pub literals: Option<f64>,
    /// Environments that need a child cursor of their own
    #[arg(long, value_name = "N")]
    pub versions: Option<u32>,
    /// Share of executions that go to one hot statement, besides its share of the rest
    #[arg(long, value_name = "PCT", value_parser = crate::amounts::per_cent)]
    pub hottest: Option<f64>,
    /// Child cursors that memory holds, from 8 to 5,000
    #[arg(long, value_name = "N")]
    pub cursors: Option<u32>,
    /// The share of executions that are followed by a change of a table
    #[arg(long, value_name = "PCT", value_parser = crate::amounts::per_cent)]
    pub changes: Option<f64>,
    /// Executions to make
    #[arg(long, value_name = "N")]
    pub executions: Option<u32>,
    /// Sessions that compete for latches, here mutexes
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

fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(LIBRARY_PRESETS.iter().map(|preset| preset.name))
}

impl LibraryArgs {
    /// The preset with what the options change.
    pub fn settings(&self) -> LibrarySettings {
        let base = library_preset(&self.preset);
        let base = base.map_or(LibrarySettings::PLAIN, |preset| preset.settings);
        let share = |given: Option<f64>, base: f64| given.map_or(base, |per_cent| per_cent / 100.0);
        LibrarySettings {
            buckets: self.hash_buckets.unwrap_or(base.buckets),
            statements: self.statements.unwrap_or(base.statements),
            literals: share(self.literals, base.literals),
            versions: self.versions.unwrap_or(base.versions),
            hottest: share(self.hottest, base.hottest),
            cursors: self.cursors.unwrap_or(base.cursors),
            changes: share(self.changes, base.changes),
            executions: self.executions.unwrap_or(base.executions),
            sessions: self.sessions.unwrap_or(base.sessions),
            seed: self.seed.unwrap_or(base.seed),
        }
    }
}
