//! The options that say how it looks.

use clap::Args;

use crate::choices::{ColorArg, PaletteArg, ThemeArg};
use crate::config_args::Config;

/// How it looks.
#[derive(Args, Debug, Clone, Default)]
pub struct ScreenArgs {
    /// Colours to use
    #[arg(long, value_enum, value_name = "DEPTH", help_heading = "Screen")]
    pub color: Option<ColorArg>,
    /// Use only ASCII characters
    #[arg(long, help_heading = "Screen")]
    pub ascii: bool,
    /// The background; the terminal is asked for its own if not given
    #[arg(long, value_enum, help_heading = "Screen")]
    pub theme: Option<ThemeArg>,
    /// The colour ramps [default: ice-heat]
    #[arg(long, value_enum, help_heading = "Screen")]
    pub palette: Option<PaletteArg>,
    /// Times in UTC: in the view of live and replay, too (local time if not given); all other
    /// output is always in UTC
    #[arg(long, help_heading = "Screen")]
    pub utc: bool,
    /// What else is configured.
    #[arg(skip)]
    pub config: Config,
}
