//! Frames, and lines that scroll inside them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Widget};

use super::text::{bold, put};
use super::view::View;

/// A frame over the middle of the screen with this much inside; gives the inside.
pub(super) fn window(
    view: View<'_>,
    title: &str,
    (width, height): (u16, u16),
    buffer: &mut Buffer,
) -> Rect {
    let area = view.scene.area;
    let width = width.saturating_add(2).min(area.width);
    let height = height.saturating_add(2).min(area.height);
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    framed(title, Rect { x, y, width, height }, buffer)
}

/// A frame at a place; gives the inside.
pub(crate) fn framed(title: &str, place: Rect, buffer: &mut Buffer) -> Rect {
    Clear.render(place, buffer);
    let title = Line::from(bold(format!(" {title} ")));
    let block = Block::bordered().title(title);
    let inside = block.inner(place);
    block.render(place, buffer);
    inside
}

/// Lines as many as there is room for, from the one scrolled to.
pub(crate) fn scrolled(lines: &[Line<'static>], scroll: usize, inside: Rect, buffer: &mut Buffer) {
    let most = lines.len().saturating_sub(usize::from(inside.height));
    let shown = lines.iter().skip(scroll.min(most));
    for (y, line) in (inside.y..inside.bottom()).zip(shown) {
        put(buffer, Rect { y, height: 1, ..inside }, line);
    }
}
