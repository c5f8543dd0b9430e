//! Showing what happens in the view the user wants.

mod lines;
mod maps;
mod saving;
mod view_options;

use isotherm_pipeline::EventStream;

use crate::choices::UiArg;
use crate::failure::Failure;
use crate::screen;

pub use view_options::ViewOptions;

/// Whether this is the view with both maps: the only one with the time of this machine's zone.
pub fn has_local_time(ui: UiArg) -> bool {
    ui == UiArg::Tui || (ui == UiArg::Auto && screen::is_terminal())
}

/// Shows what happens until it ends.
pub fn run(stream: &mut dyn EventStream, shown: &ViewOptions) -> Result<(), Failure> {
    match shown.ui {
        ui if has_local_time(ui) => maps::run(stream, shown),
        UiArg::Auto | UiArg::Tui | UiArg::Stream => lines::stream(stream, shown),
        UiArg::Classic => lines::classic(stream, shown),
        UiArg::Buckets => lines::buckets(stream, shown),
    }
}
