//! Oracle's packs, which need a licence of their own.

use clap::ValueEnum;

/// A pack of Oracle that needs a licence of its own.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pack {
    /// The Diagnostics Pack
    Diagnostics,
}
