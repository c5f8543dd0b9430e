//! Who waits, enlarged: all series, to filter and to choose from.

use isotherm_analysis::SeriesWaits;
use isotherm_analysis::ShortNames;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::ink;
use super::scrolled::{framed, window};
use super::text::put;
use super::view::View;
use super::waits::{Entry, ONE_LINE, head};
use crate::list::List;

/// The widest list, and the parts of time of its sparklines on wide and on narrow screens.
const MOST_WIDTH: u16 = 160;
const PARTS: (usize, usize) = (36, 12);

pub(super) fn paint(view: View<'_>, list: &List, buffer: &mut Buffer) {
    let (fitting, area) = (list.fitting().len(), view.scene.area);
    let room = area.height.saturating_sub(7).clamp(1, 60);
    let lines = u16::try_from(fitting).unwrap_or(u16::MAX).clamp(1, room);
    let width = area.width.saturating_sub(2).clamp(1, MOST_WIDTH);
    let short = ShortNames::of(&list.all);
    let of = short.common().map(|common| format!(" of {common}")).unwrap_or_default();
    let title = format!("who waits in this window: {fitting} of {} series{of}", list.all.len());
    let inside = window(view, &title, (width, lines + 2), buffer);
    inside_of(view, (list, &short), inside, buffer);
}

/// The same in a place beside the maps.
pub(super) fn beside(view: View<'_>, list: &List, place: Rect, buffer: &mut Buffer) {
    let title = format!("who waits: {} of {} series", list.fitting().len(), list.all.len());
    let inside = framed(&title, place, buffer);
    inside_of(view, (list, &ShortNames::of(&list.all)), inside, buffer);
}

/// The filter and the series, on a line each or on two where it is narrow.
fn inside_of(
    view: View<'_>,
    (list, short): (&List, &ShortNames),
    inside: Rect,
    buffer: &mut Buffer,
) {
    let fitting = list.fitting();
    if inside.is_empty() {
        return;
    }
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let at = |y: u16| Rect { y, height: 1, ..inside };
    let filter = Line::from(vec![Span::raw(format!(" filter: {}", list.filter)), caret()]);
    put(buffer, at(inside.y), &filter);
    let (width, one_line) = (usize::from(inside.width), usize::from(inside.width) >= ONE_LINE);
    let parts = if width >= 118 { PARTS.0 } else { PARTS.1 };
    // The names of the columns end where those of short sparklines would.
    let columns = head((width + PARTS.1).saturating_sub(parts), one_line);
    put(buffer, at(inside.y + 1), &Line::from(Span::styled(columns, quiet)));
    if fitting.is_empty() {
        let none = Span::styled(" no series has these letters", quiet);
        put(buffer, at(inside.y + 2), &Line::from(none));
    }
    let Some(window) = view.scene.window() else { return };
    let each = if one_line { 1 } else { 2 };
    let lines = usize::from(inside.height.saturating_sub(2)) / each;
    let first = (list.line + 1).saturating_sub(lines);
    let shown = fitting.iter().enumerate().skip(first).take(lines);
    let mut y = inside.y + 2;
    for (index, series) in shown {
        let history = &view.app.ledger.history;
        let of = SeriesWaits::of(history, series, (window.start, window.end), parts);
        let chosen = index == list.line;
        let entry = Entry { view, series, of: &of, name: short.name(series), chosen };
        let weight = if chosen { Modifier::REVERSED } else { Modifier::empty() };
        let lines = if one_line { vec![entry.line(width)] } else { entry.two_lines(width) };
        for line in lines {
            put(buffer, at(y), &line.style(Style::new().add_modifier(weight)));
            y += 1;
        }
    }
}

/// Where text is written.
pub(super) fn caret() -> Span<'static> {
    Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED))
}
