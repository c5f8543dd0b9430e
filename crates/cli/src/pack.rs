//! What Oracle licenses apart from the database.

use clap::ValueEnum;

/// What Oracle licenses apart.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pack {
    /// The Diagnostics Pack
    Diagnostics,
}
