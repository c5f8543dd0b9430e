//! The help, on one screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::scrolled::{framed, scrolled, window};
use super::text::{bold, put, shortened};
use super::view::View;
use crate::help::{GROUPS, KEYS};
use crate::key_map::KeyMap;

/// The width of a column, and the most columns.
const WIDTH: u16 = 39;
const MOST_COLUMNS: usize = 3;

const TITLE: &str = "keys (any key closes)";

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let area = view.scene.area;
    let columns = usize::from((area.width.saturating_sub(2)) / WIDTH).clamp(1, MOST_COLUMNS);
    let columns = laid_out(&view.app.keys, columns, usize::from(area.height.saturating_sub(2)));
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let height = u16::try_from(height).unwrap_or(u16::MAX);
    let width = WIDTH.saturating_mul(u16::try_from(columns.len()).unwrap_or(1));
    let inside = window(view, TITLE, (width, height), buffer);
    put_columns(inside, &columns, buffer);
}

/// The same in a place beside the maps, one group below the other.
pub(super) fn beside(view: View<'_>, scroll: usize, place: Rect, buffer: &mut Buffer) {
    let lines = groups(&view.app.keys).concat();
    let is_whole = lines.len() + 2 <= usize::from(place.height);
    let title = if is_whole { TITLE } else { "keys (↑↓ scroll, esc closes)" };
    let inside = framed(title, place, buffer);
    scrolled(&lines, scroll, inside, buffer);
}

fn put_columns(inside: Rect, columns: &[Vec<Line<'static>>], buffer: &mut Buffer) {
    for (x, lines) in (inside.x..inside.right()).step_by(usize::from(WIDTH)).zip(columns) {
        let width = WIDTH.min(inside.right() - x);
        for (y, line) in (inside.y..inside.bottom()).zip(lines) {
            put(buffer, Rect { x, y, width, height: 1 }, line);
        }
    }
}

/// The groups in columns of about one height, none divided unless there is no room otherwise.
fn laid_out(keys: &KeyMap, columns: usize, room: usize) -> Vec<Vec<Line<'static>>> {
    let groups: Vec<Vec<Line<'static>>> = groups(keys);
    let all: usize = groups.iter().map(Vec::len).sum();
    for height in all.div_ceil(columns)..=room {
        let mut laid: Vec<Vec<Line<'static>>> = vec![Vec::new()];
        for group in &groups {
            let last = laid.last().map_or(0, Vec::len);
            if last > 0 && last + group.len() > height {
                laid.push(Vec::new());
            }
            laid.last_mut().into_iter().for_each(|column| column.extend(group.iter().cloned()));
        }
        if laid.len() <= columns && laid.iter().all(|column| column.len() <= room) {
            return laid;
        }
    }
    let lines: Vec<Line<'static>> = groups.into_iter().flatten().collect();
    lines.chunks(all.div_ceil(columns).max(1)).map(<[_]>::to_vec).collect()
}

fn groups(keys: &KeyMap) -> Vec<Vec<Line<'static>>> {
    let key = |keys: String, text: &'static str| {
        let keys = shortened(&keys, KEYS);
        Line::from(vec![bold(format!(" {keys:>KEYS$}  ")), Span::raw(text)])
    };
    let mut groups: Vec<Vec<Line<'static>>> = GROUPS
        .iter()
        .map(|group| {
            let title = Line::from(bold(format!(" {}", group.title)));
            let lines = group.lines(keys).map(|(keys, text)| key(keys, text));
            std::iter::once(title).chain(lines).collect()
        })
        .collect();
    // One line, so that no group is divided on the smallest screen.
    if let Some(read) = groups.first_mut() {
        read.push(key("mouse".to_owned(), "read, drag, wheel zooms"));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_on_the_smallest_screen() {
        let keys = KeyMap::default();
        let columns = laid_out(&keys, 2, 22);
        assert!(columns.len() == 2 && columns.iter().all(|column| column.len() <= 22));
        let whole = laid_out(&keys, 2, 22);
        assert!(whole.iter().all(|column| column[0].spans.len() == 1), "a title is the first");
        let lines = |columns: Vec<Vec<Line<'_>>>| columns.iter().map(Vec::len).sum::<usize>();
        assert_eq!(lines(columns), lines(vec![groups(&keys).concat()]));
        assert_eq!(laid_out(&keys, 3, 48).len(), 3);
    }
}
