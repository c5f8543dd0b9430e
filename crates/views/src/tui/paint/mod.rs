//! The screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::app::App;

/// Draws the whole screen.
pub(super) fn screen(app: &mut App, area: Rect, _buffer: &mut Buffer) {
    app.compose(area);
}
