//! Which configuration file is read, and what came of it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use isotherm_tui::KeyMap;

/// Which configuration file is read.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    /// Read the configuration from this file, not from ~/.config/isotherm/config.toml
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "Screen"
    )]
    pub config: Option<PathBuf>,
    /// Recognise files by this format, too, beside those in ~/.config/isotherm/formats (see `isotherm
    /// sources`)
    #[arg(long = "format-file", global = true, value_name = "FILE", hide_short_help = true)]
    pub format_files: Vec<PathBuf>,
}

/// What was configured, for whoever shows or uses it.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file that was read; none where there is none.
    pub path: Option<PathBuf>,
    /// Where a file would be read.
    pub usual: Option<PathBuf>,
    /// What the file and the environment set, in words.
    pub sets: Vec<String>,
    /// What is wrong with the file, where it is only looked at.
    pub problem: Option<String>,
    /// Which key does what.
    pub keys: Arc<KeyMap>,
}
