//! The values that options take.

use clap::ValueEnum;
use isotherm_views::OutputForm;

/// Totals or intervals.
#[derive(ValueEnum, Debug, Clone, Copy)]
pub enum TemporalityChoice {
    /// Decide from the input
    Auto,
    /// Totals since the start
    Cumulative,
    /// Counts of one interval
    Delta,
}

/// Colour depths.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorArg {
    /// What the terminal says
    Auto,
    /// The best the terminal promises, also through a pipe
    Always,
    /// 24-bit colours
    #[value(name = "24bit", alias = "truecolor")]
    TrueColour,
    /// 256 colours
    #[value(name = "256")]
    Indexed,
    /// 16 colours
    #[value(name = "16")]
    Basic,
    /// No colours: shade glyphs
    #[value(alias = "none")]
    Never,
}

/// Backgrounds.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeArg {
    /// A dark background
    Dark,
    /// A light background
    Light,
}

/// Families of colour ramps.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PaletteArg {
    /// Blue for frequency, orange for intensity
    #[default]
    IceHeat,
    /// The colours of PyLatencyMap
    Classic,
    /// Grey
    Grey,
}

/// Which view.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum UiArg {
    /// Both maps on a terminal, one line per interval elsewhere
    Auto,
    /// Both maps with cursor, zoom and history
    Tui,
    /// One line per interval
    Stream,
    /// PyLatencyMap's two scrolling maps
    Classic,
    /// Every bucket of every series as a table for each interval, as ehm.sql printed them
    Buckets,
}

impl UiArg {
    /// The view asked for, or the table of buckets where `--table` says so.
    pub fn or_table(self, table: bool) -> UiArg {
        if table { UiArg::Buckets } else { self }
    }
}

/// Forms of a document.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// Charts and tables for people
    Text,
    /// One JSON object for programs (docs/schema has its schema)
    Json,
}

impl From<DocumentFormat> for OutputForm {
    fn from(format: DocumentFormat) -> OutputForm {
        match format {
            DocumentFormat::Text => OutputForm::Text,
            DocumentFormat::Json => OutputForm::Json,
        }
    }
}

/// Forms of statistics.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatsFormat {
    /// Aligned columns
    Table,
    /// One JSON object (docs/schema has its schema)
    Json,
}

impl From<StatsFormat> for OutputForm {
    fn from(format: StatsFormat) -> OutputForm {
        match format {
            StatsFormat::Table => OutputForm::Painted,
            StatsFormat::Json => OutputForm::Json,
        }
    }
}

/// Forms a recording can be written in.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeFormat {
    /// One row for each non-zero bucket
    Csv,
    /// One frame a line, lossless
    Jsonl,
    /// Records of PyLatencyMap
    Pylatencymap,
    /// An interval log of `HdrHistogram`, nanoseconds; the middles of wider buckets, no exact sums
    Hlog,
}
