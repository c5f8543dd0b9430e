//! Marks through the maps, and what they are called below.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::view::View;
use super::{ink, over, text};
use crate::plan::MapPlan;

/// A line through the map at each mark. Glyphs have no room for it and what they show: there it is
/// drawn where nothing else is.
pub(super) fn paint(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let across = view.scene.across();
    let through = view.style().has_half_blocks();
    for mark in &view.scene.picture.marks {
        let x = plan.cells.x + across.cells(mark.column).start;
        for y in plan.cells.y..plan.cells.bottom() {
            let Some(cell) = buffer.cell_mut((x, y)) else { continue };
            if cell.symbol() == " " && cell.bg == Color::Reset {
                cell.set_char('║').set_fg(ink::alarm(view.style()));
            } else if through && ["▀", "▄", " "].contains(&cell.symbol()) {
                over::line(view, plan, (x, y), '║', buffer);
            }
        }
    }
}

/// Marks with as much of their text as there is room for, after them or before.
pub(super) fn names(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let across = view.scene.across();
    let place_of = |column: usize| usize::from(across.cells(column).start);
    let mut marks: Vec<_> = view.scene.picture.marks.iter().collect();
    marks.sort_by_key(|mark| mark.column);
    let style = Style::new().fg(ink::alarm(view.style())).add_modifier(Modifier::BOLD);
    let mut free_from = 0;
    for (index, mark) in marks.iter().enumerate() {
        let x = place_of(mark.column);
        let next = marks.get(index + 1).map_or(usize::from(place.width), |m| place_of(m.column));
        let (before, after) = (x.saturating_sub(free_from), next.saturating_sub(x + 1));
        free_from = pointer(buffer, place, x, (&mark.text, style), (before, after));
    }
}

const POINTER: char = '▼';

/// Points at a place and names it: after the pointer, or before it where there is more room. Gives
/// the place after all that.
fn pointer(
    buffer: &mut Buffer,
    place: Rect,
    x: usize,
    (name, style): (&str, Style),
    (before, after): (usize, usize),
) -> usize {
    let width = Span::raw(name).width();
    let left = after < width + 1 && before > after;
    let (from, label) = if left {
        let name = text::shortened(name, before.saturating_sub(1));
        (x.saturating_sub(Span::raw(name.as_str()).width()), format!("{name}{POINTER}"))
    } else {
        (x, format!("{POINTER}{}", text::shortened(name, after.saturating_sub(1))))
    };
    let end = from + Span::raw(label.as_str()).width();
    if let Some(offset) = u16::try_from(from).ok().filter(|offset| *offset < place.width) {
        let place = Rect { x: place.x + offset, width: place.width - offset, ..place };
        text::put(buffer, place, &Line::from(Span::styled(label, style)));
    }
    end
}
