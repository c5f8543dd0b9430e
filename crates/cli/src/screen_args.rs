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
    /// No character beyond ASCII
    #[arg(long, help_heading = "Screen")]
    pub ascii: bool,
    /// The background of the terminal; asked of the terminal if not given
    #[arg(long, value_enum, help_heading = "Screen")]
    pub theme: Option<ThemeArg>,
    /// The colour ramps [default: ice-heat]
    #[arg(long, value_enum, help_heading = "Screen")]
    pub palette: Option<PaletteArg>,
    /// Times in UTC also in the view of live and replay, which has local time else; all other
    /// output is in UTC always, and says so
    #[arg(long, help_heading = "Screen")]
    pub utc: bool,
    /// What else is configured.
    #[arg(skip)]
    pub config: Config,
}
