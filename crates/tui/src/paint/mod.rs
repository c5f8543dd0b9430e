//! The screen: each part painted where the plan has room for it.

pub(crate) mod ascii;
mod axis;
mod compare;
mod curves;
mod footer;
mod gutter;
mod head;
mod help;
pub(crate) mod ink;
mod list;
mod load;
mod map;
mod marks;
mod over;
mod overlay;
mod pane;
mod panel;
mod phrase;
mod rows;
mod runs;
pub(crate) mod scrolled;
mod selection;
mod sentences;
mod spark;
pub(crate) mod text;
mod view;
mod waits;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use isotherm_views::Depth;

use crate::app::App;
use view::View;

/// Draws the whole screen.
pub(super) fn screen(app: &mut App, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    app.compose(area);
    Clear.render(area, buffer);
    let Some(scene) = &app.scene else { return };
    let view = View { app, scene };
    head::paint(view, buffer);
    runs::paint(view, buffer);
    let last = scene.plan.maps.len().saturating_sub(1);
    for (index, plan) in scene.plan.maps.iter().enumerate() {
        map::paint(view, plan, buffer);
        gutter::paint(view, plan, buffer);
        axis::paint(view, plan, index == last, buffer);
    }
    spark::paint(view, buffer);
    pane::paint(view, buffer);
    panel::paint(view, buffer);
    footer::paint(view, buffer);
    overlay::paint(view, buffer);
    if app.look.style.depth == Depth::Ascii {
        ascii::translate(area, buffer);
    }
}
