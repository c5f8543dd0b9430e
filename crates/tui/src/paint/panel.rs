//! Texts about the maps, beside or below them: sentences, a comparison, an explanation, the text of a
//! mark.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::list::{self, caret};
use super::scrolled::{framed, scrolled};
use super::text::put;
use super::view::View;
use super::{compare, help, pane, sentences};
use crate::app::Mode;
use crate::clock;

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let Some(place) = view.scene.plan.panel else { return };
    match &view.app.mode {
        Mode::Story { scroll } => {
            let inside = framed("in this window (↑↓ scroll, esc closes)", place, buffer);
            scrolled(&sentences::lines(view, usize::from(inside.width)), *scroll, inside, buffer);
        }
        Mode::Compare { scroll, compared } => {
            let inside = framed("compare (↑↓ scroll, esc closes)", place, buffer);
            scrolled(&compare::lines(view, compared, inside.width), *scroll, inside, buffer);
        }
        Mode::Text(at, written) => {
            let title = format!("mark at {}", clock::clock(view.app, *at));
            let place = Rect { height: place.height.min(3), ..place };
            let inside = framed(&title, place, buffer);
            put(buffer, inside, &Line::from(vec![Span::raw(format!(" {written}")), caret()]));
        }
        Mode::Map => pane::explanation_below(view, place, buffer),
        Mode::Help { scroll } => help::beside(view, *scroll, place, buffer),
        Mode::List(shown) => list::beside(view, shown, place, buffer),
    }
}
