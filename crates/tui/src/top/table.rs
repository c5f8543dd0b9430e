//! Tables of active sessions.

use isotherm_analysis::{ActivityRow, ActivityRows, Dimension};
use isotherm_frame::whole_percent;
use isotherm_views::Depth;
use isotherm_views::activity::{dimension_title, sessions, shown_value};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{TopScreen, below};
use crate::ledger::plain;
use crate::paint::ink;
use crate::paint::text::{bold, put, shortened};

/// The width of a bar, where there is room for one.
const BAR: usize = 10;
const WITH_BAR: u16 = 76;

impl TopScreen {
    /// The table with its chosen row.
    pub(super) fn paint_table(&self, table: &ActivityRows, place: Rect, buffer: &mut Buffer) {
        self.rows_at(table, Some(self.chosen(table)), place, buffer);
    }

    fn chosen(&self, table: &ActivityRows) -> usize {
        self.row.min(table.rows.len().saturating_sub(1))
    }

    /// What the sessions of the chosen row do, by other things.
    pub(super) fn paint_below(&self, table: &ActivityRows, places: [Rect; 2], buffer: &mut Buffer) {
        let Some(row) = table.rows.get(self.chosen(table)) else { return };
        if places.iter().all(|place| place.is_empty()) {
            return;
        }
        let filter = self.filter().and(self.by, &row.value);
        for (table, place) in self.tables(below(self.by), &filter).into_iter().zip(places) {
            if place.is_empty() {
                continue;
            }
            let (value, _) = shown_value(&self.activity, self.by, &row.value);
            let title = format!("{} of {}", dimension_title(table.by), plain(&value));
            let at = Rect { height: 1, ..place };
            put(buffer, at, &Line::from(bold(shortened(&title, usize::from(place.width)))));
            let rest = Rect { y: place.y + 1, height: place.height.saturating_sub(1), ..place };
            self.rows_at(&table, None, rest, buffer);
        }
    }

    fn rows_at(
        &self,
        table: &ActivityRows,
        chosen: Option<usize>,
        place: Rect,
        buffer: &mut Buffer,
    ) {
        if place.is_empty() {
            return;
        }
        let quiet = Style::new().fg(ink::quiet(self.options.style));
        let bar = if place.width >= WITH_BAR { format!("{:BAR$} ", "") } else { String::new() };
        let head =
            format!("  active ±error  share  most  sess  {bar}{}", dimension_title(table.by));
        put(buffer, Rect { height: 1, ..place }, &Line::from(Span::styled(head, quiet)));
        let lines = usize::from(place.height.saturating_sub(1));
        let first = chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(lines));
        let shown = table.rows.iter().enumerate().skip(first).take(lines);
        for (y, (index, row)) in (place.y + 1..place.bottom()).zip(shown) {
            let line = self.line(table.by, row, chosen == Some(index), place.width);
            put(buffer, Rect { y, height: 1, ..place }, &line);
        }
        if table.rows.is_empty() && lines > 0 {
            let none = match table.by {
                Dimension::Blocker => "  no session is blocked",
                _ => "  no session is active",
            };
            let at = Rect { y: place.y + 1, height: 1, ..place };
            put(buffer, at, &Line::from(Span::styled(none, quiet)));
        }
    }

    fn line(&self, by: Dimension, row: &ActivityRow, chosen: bool, width: u16) -> Line<'static> {
        let error = row.active.error.map_or_else(|| "-".to_owned(), sessions);
        let (value, text) = shown_value(&self.activity, by, &row.value);
        let mark = if chosen { '▸' } else { ' ' };
        let numbers = format!(
            "{mark}{:>7} {error:>6} {:>6} {:>5} {:>5}  ",
            sessions(row.active.mean),
            whole_percent(row.share),
            row.most,
            row.sessions
        );
        let bar =
            if width >= WITH_BAR { format!("{} ", self.bar(row.share)) } else { String::new() };
        let mut what = plain(&value);
        if let Some(text) = text {
            what.push_str("  ");
            what.push_str(&plain(&text));
        }
        let before = Span::raw(format!("{numbers}{bar}"));
        let room = usize::from(width).saturating_sub(before.width() + 1);
        let what = Span::raw(shortened(&what, room));
        let modifier = if chosen { Modifier::REVERSED } else { Modifier::empty() };
        Line::from(vec![before, what]).style(Style::new().add_modifier(modifier))
    }

    fn bar(&self, share: f64) -> String {
        let full = if self.options.style.depth == Depth::Ascii { '#' } else { '█' };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to BAR")]
        let length = ((share.clamp(0.0, 1.0) * BAR as f64).round() as usize).min(BAR);
        let bar: String = std::iter::repeat_n(full, length).collect();
        format!("{bar:BAR$}")
    }
}
