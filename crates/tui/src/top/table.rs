//! Tables of active sessions.

use std::sync::Arc;

use isotherm_analysis::{ActivityFilter, ActivityRow, ActivityRows, Dimension};
use isotherm_frame::{NameKind, whole_percent};
use isotherm_views::Depth;
use isotherm_views::activity::{dimension_title, sessions, shown_value, wait_age};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{TopScreen, below};
use crate::ledger::plain;
use crate::paint::ink;
use crate::paint::text::{bold, put, shortened, wrapped};

/// The width of a bar, where there is room for one.
const BAR: usize = 10;
const WITH_BAR: u16 = 72;
/// The width from which there are the most and the number of sessions.
const WITH_MORE: u16 = 92;
/// The most lines of the text of a statement.
const MOST_LINES: usize = 4;

impl TopScreen {
    /// The table with its chosen row.
    pub(super) fn paint_table(&self, table: &ActivityRows, place: Rect, buffer: &mut Buffer) {
        self.rows_at(table, Some(self.chosen(table)), place, buffer);
    }

    fn chosen(&self, table: &ActivityRows) -> usize {
        self.row.min(table.rows.len().saturating_sub(1))
    }

    /// What the sessions of the chosen row do, by other things; those of a statement that was chosen by event.
    pub(super) fn paint_below(&self, table: &ActivityRows, places: [Rect; 2], buffer: &mut Buffer) {
        if places.iter().all(|place| place.is_empty()) {
            return;
        }
        let shown = match table.rows.get(self.chosen(table)) {
            Some(row) => [0, 1].map(|index| self.beside(row, index)),
            None => [None, None],
        };
        for (shown, place) in shown.into_iter().zip(places) {
            let Some((by, filter, of)) = shown.filter(|_| !place.is_empty()) else { continue };
            let [table] = self.tables([by], &filter);
            let title = format!("{} of {}", dimension_title(by), plain(&of));
            let at = Rect { height: 1, ..place };
            put(buffer, at, &Line::from(bold(shortened(&title, usize::from(place.width)))));
            let rest = Rect { y: place.y + 1, height: place.height.saturating_sub(1), ..place };
            self.rows_at(&table, None, rest, buffer);
        }
    }

    /// One of the tables beside the table: by what, of which sessions, and how those are called.
    fn beside(
        &self,
        row: &ActivityRow,
        index: usize,
    ) -> Option<(Dimension, ActivityFilter, String)> {
        let of_row = || {
            let (value, _) = shown_value(&self.activity, self.by, &row.value);
            (self.filter().and(self.by, &row.value), value)
        };
        if let Some(statement) = self.statement_of_sessions() {
            let of_statement = (Dimension::Event, self.filter(), format!("SQL {statement}"));
            let (filter, value) = of_row();
            return [of_statement, (Dimension::Event, filter, format!("session {value}"))]
                .into_iter()
                .nth(index);
        }
        let (filter, value) = of_row();
        let by = below(self.by).into_iter().nth(index)?;
        Some((by, filter, value))
    }

    /// The statement of which the sessions are shown.
    pub(super) fn statement_of_sessions(&self) -> Option<&Arc<str>> {
        self.statement().filter(|_| self.by == Dimension::Session)
    }

    /// The text of the statement that was chosen, in a few lines.
    pub(super) fn statement_lines(&self, width: u16) -> Vec<String> {
        let Some(id) = self.statement() else { return Vec::new() };
        let text = self.activity.name(NameKind::Sql, id);
        let text = text.map_or_else(|| "the server gives no text of it".to_owned(), plain);
        let width = usize::from(width).saturating_sub(4).max(1);
        let mut lines = wrapped(&format!("{}: {text}", plain(id)), width);
        if lines.len() > MOST_LINES {
            lines.truncate(MOST_LINES);
            if let Some(last) = lines.last_mut() {
                *last = shortened(&format!("{last} …"), width);
            }
        }
        lines
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
        let more = if place.width >= WITH_MORE { "  most  sess" } else { "" };
        let title = dimension_title(table.by);
        let head = format!("  active ±error   now  share longest{more}  {bar}{title}");
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
        let more = if width >= WITH_MORE {
            format!(" {:>5} {:>5}", row.most, row.sessions)
        } else {
            String::new()
        };
        let numbers = format!(
            "{mark}{:>7} {error:>6} {:>5} {:>6} {:>7}{more}  ",
            sessions(row.active.mean),
            row.now,
            whole_percent(row.share),
            wait_age(row.longest),
        );
        let bar =
            if width >= WITH_BAR { format!("{} ", self.bar(row.share)) } else { String::new() };
        let mut what = plain(&value);
        if let Some(text) = text {
            what.push_str("  ");
            what.push_str(&plain(&text));
        }
        let before = Span::raw(format!("{numbers}{bar}")).width();
        let room = usize::from(width).saturating_sub(before + 1);
        let modifier = if chosen { Modifier::REVERSED } else { Modifier::empty() };
        let text = Style::new().add_modifier(modifier);
        // A bar in reverse video would be a hole: that of the chosen row looks like all others.
        Line::from(vec![
            Span::styled(numbers, text),
            Span::raw(bar),
            Span::styled(shortened(&what, room), text),
        ])
    }

    fn bar(&self, share: f64) -> String {
        let full = if self.options.style.depth == Depth::Ascii { '#' } else { '█' };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to BAR")]
        let length = ((share.clamp(0.0, 1.0) * BAR as f64).round() as usize).min(BAR);
        let bar: String = std::iter::repeat_n(full, length).collect();
        format!("{bar:BAR$}")
    }
}

/// Writes the lines of a statement.
pub(super) fn paint_statement(lines: &[String], place: Rect, buffer: &mut Buffer) {
    for (line, y) in lines.iter().zip(place.y..place.bottom()) {
        let line = Line::from(format!("  {line}"));
        put(buffer, Rect { y, height: 1, ..place }, &line);
    }
}
