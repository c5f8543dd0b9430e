//! Showing what happens in the view the user wants.

mod lines;
mod maps;
mod saving;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use isotherm_frame::Nanos;
use isotherm_pipeline::{EventStream, MemoryBudget};

use crate::args::{ScreenArgs, UiArg};
use crate::failure::Failure;
use crate::screen;

/// What is shown, and how.
pub struct Shown<'a> {
    /// The address of the source.
    pub title: String,
    /// The usual length of an interval.
    pub column: Nanos,
    /// The text that series shown must contain.
    pub series: Option<String>,
    /// The view the user asked for.
    pub ui: UiArg,
    /// Whether the view with both maps ends when that which it shows has.
    pub leave: bool,
    /// Whether messages explain what is seen, and warn of nothing.
    pub captions: bool,
    /// What intervals to scroll back to may take.
    pub memory: MemoryBudget,
    /// Asks everything to end.
    pub stop: Arc<AtomicBool>,
    /// Colours and glyphs.
    pub screen: &'a ScreenArgs,
}

/// Whether this is the view with both maps: the only one with the time of this machine's zone.
pub fn has_local_time(ui: UiArg) -> bool {
    ui == UiArg::Tui || (ui == UiArg::Auto && screen::is_terminal())
}

/// Shows what happens until it ends.
pub fn run(stream: &mut dyn EventStream, shown: &Shown) -> Result<(), Failure> {
    match shown.ui {
        ui if has_local_time(ui) => maps::run(stream, shown),
        UiArg::Auto | UiArg::Tui | UiArg::Stream => lines::stream(stream, shown),
        UiArg::Classic => lines::classic(stream, shown),
        UiArg::Buckets => lines::buckets(stream, shown),
    }
}
