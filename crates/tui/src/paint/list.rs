//! Who waits, enlarged: all series, to filter and to choose from.

use isotherm_analysis::SeriesWaits;
use isotherm_views::ShortNames;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::ink;
use super::scrolled::window;
use super::text::put;
use super::view::View;
use super::waits::{Entry, head};
use crate::list::List;

/// The widest list, and the parts of time of its sparklines on wide and on narrow screens.
const MOST_WIDTH: u16 = 160;
const PARTS: (usize, usize) = (36, 12);

pub(super) fn paint(view: View<'_>, list: &List, buffer: &mut Buffer) {
    let (fitting, area) = (list.fitting(), view.scene.area);
    let room = area.height.saturating_sub(7).clamp(1, 60);
    let lines = u16::try_from(fitting.len()).unwrap_or(u16::MAX).clamp(1, room);
    let width = area.width.saturating_sub(2).clamp(1, MOST_WIDTH);
    let short = ShortNames::of(&list.all);
    let of = short.common().map(|common| format!(" of {common}")).unwrap_or_default();
    let count = (fitting.len(), list.all.len());
    let title = format!("who waits in this window: {} of {} series{of}", count.0, count.1);
    let inside = window(view, &title, (width, lines + 2), buffer);
    if inside.is_empty() {
        return;
    }
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let at = |y: u16| Rect { y, height: 1, ..inside };
    let filter = Line::from(vec![Span::raw(format!(" filter: {}", list.filter)), caret()]);
    put(buffer, at(inside.y), &filter);
    let parts = if width >= 120 { PARTS.0 } else { PARTS.1 };
    // The names of the columns end where those of short sparklines would.
    let columns = head(usize::from(inside.width) + PARTS.1 - parts, true);
    put(buffer, at(inside.y + 1), &Line::from(Span::styled(columns, quiet)));
    if fitting.is_empty() {
        let none = Span::styled(" no series has these letters", quiet);
        put(buffer, at(inside.y + 2), &Line::from(none));
    }
    let Some(window) = view.scene.window() else { return };
    let first = (list.line + 1).saturating_sub(usize::from(lines));
    let shown = fitting.iter().enumerate().skip(first);
    for (y, (index, series)) in (inside.y + 2..inside.bottom()).zip(shown) {
        let history = &view.app.ledger.history;
        let of = SeriesWaits::of(history, series, (window.start, window.end), parts);
        let chosen = index == list.line;
        let entry = Entry { view, series, of: &of, name: short.name(series), chosen };
        let weight = if chosen { Modifier::REVERSED } else { Modifier::empty() };
        let line = entry.line(usize::from(inside.width));
        put(buffer, at(y), &line.style(Style::new().add_modifier(weight)));
    }
}

/// Where text is written.
pub(super) fn caret() -> Span<'static> {
    Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED))
}
