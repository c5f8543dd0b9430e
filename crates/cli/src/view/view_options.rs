//! What is shown, and how.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use isotherm_analysis::Geometry;
use isotherm_frame::Nanos;
use isotherm_pipeline::MemoryBudget;

use crate::choices::UiArg;
use crate::run_board::RunBoard;
use crate::screen_args::ScreenArgs;

/// What is shown, and how.
pub struct ViewOptions<'a> {
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
    /// What was said of axes and colours of maps.
    pub geometry: Geometry,
    /// The runs that are made meanwhile, if several are.
    pub runs: Option<&'a RunBoard>,
    /// Colours and glyphs.
    pub screen: &'a ScreenArgs,
}
