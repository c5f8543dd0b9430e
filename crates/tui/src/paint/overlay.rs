//! What opens over the maps of narrow screens: the help and the list of series. On wide ones, and
//! what is about the maps everywhere, stands beside them: see [`super::panel`].

use ratatui::buffer::Buffer;

use super::view::View;
use super::{help, list};
use crate::app::Mode;

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    if view.scene.plan.panel.is_some() {
        return;
    }
    match &view.app.mode {
        Mode::Help { .. } => help::paint(view, buffer),
        Mode::List(shown) => list::paint(view, shown, buffer),
        Mode::Map | Mode::Story { .. } | Mode::Compare { .. } | Mode::Text(..) => {}
    }
}
