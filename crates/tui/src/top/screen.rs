//! The screen in a terminal: keys, time, drawing.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use isotherm_analysis::Dimension;
use isotherm_frame::{REPLACEMENT, Timestamp, is_hidden};
use isotherm_views::activity::{finding, hidden_sessions};
use isotherm_views::{Depth, Style};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::layout::{Layout, Shown};
use super::lines::paint_finding;
use super::table::paint_statement;
use super::{SHOWN, TopScreen, Warning};
use crate::key_map::KeyMap;
use crate::keys::Command;
use crate::options::Action;
use crate::paint::ascii;
use crate::run::LiveScreen;

impl LiveScreen for TopScreen {
    fn keys(&self) -> Arc<KeyMap> {
        Arc::clone(&self.options.keys)
    }

    fn style(&self) -> Style {
        self.options.style
    }

    fn is_contained(&self) -> fn() -> bool {
        self.options.is_contained
    }

    fn key(&mut self, key: KeyEvent) -> Action {
        self.pressed(key)
    }

    /// The wheel moves the row.
    fn mouse(&mut self, mouse: MouseEvent) -> Action {
        match mouse.kind {
            MouseEventKind::ScrollUp => self.turned(Command::RowUp),
            MouseEventKind::ScrollDown => self.turned(Command::RowDown),
            _ => {}
        }
        Action::None
    }

    fn paste(&mut self, _: &str) {}

    /// A column of the strip that is complete is drawn; nothing moves in a frozen picture.
    fn tick(&mut self, now: Timestamp) {
        let length = i64::try_from(self.options.column.as_nanos().max(1)).unwrap_or(i64::MAX);
        let column = |at: Timestamp| at.as_nanos().div_euclid(length);
        self.dirty |= column(now) != column(self.now);
        self.now = now;
        let over = |warning: &mut Warning| {
            let since = *warning.since.get_or_insert(now);
            !warning.stays && now.since(since) >= SHOWN
        };
        self.dirty |= self.warning.take_if(over).is_some();
        self.warn_of_hidden();
    }

    fn warn(&mut self, text: &str) {
        if self.warning.as_ref().is_none_or(|warning| !warning.stays) {
            self.warned(text, false);
        }
    }

    fn redraw(&mut self) {
        self.dirty = true;
    }

    fn needs_draw(&self) -> bool {
        self.dirty
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        self.paint(area, frame.buffer_mut());
        // Names come from whoever connects to the database.
        for cell in &mut frame.buffer_mut().content {
            if cell.symbol().contains(is_hidden) {
                cell.set_char(REPLACEMENT);
            }
        }
        self.dirty = false;
    }
}

impl TopScreen {
    /// Says once how many sessions may not be seen; the headline has their number from then on.
    fn warn_of_hidden(&mut self) {
        let hidden = self.activity.hidden();
        if let Some(text) = hidden_sessions(hidden).filter(|_| self.hidden_shown == 0) {
            self.hidden_shown = hidden;
            self.warn(&text);
        }
    }

    fn paint(&mut self, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        Clear.render(area, buffer);
        if self.io.is_shown {
            self.paint_io_screen(area, buffer);
        } else {
            self.paint_sessions(area, buffer);
        }
        if self.help {
            self.paint_help(area, buffer);
        }
        if self.options.style.depth == Depth::Ascii {
            ascii::translate(area, buffer);
        }
    }

    fn paint_io_screen(&self, area: Rect, buffer: &mut Buffer) {
        let line = |y: u16| Rect { y, height: 1, ..area };
        self.paint_header(line(area.y), buffer);
        let height = area.height.saturating_sub(2);
        self.paint_io(Rect { y: area.y + 1, height, ..area }, buffer);
        if area.height > 1 {
            self.paint_io_hints(line(area.bottom() - 1), buffer);
        }
    }

    fn paint_sessions(&self, area: Rect, buffer: &mut Buffer) {
        let by = [self.by, Dimension::Blocker, Dimension::Event];
        let [table, blockers, events] = self.tables(by, &self.filter());
        let warning = self.warning_lines(area.width);
        let statement = self.statement_lines(area.width);
        let layout = Layout::of(
            area,
            Shown {
                sentence: warning.len().max(1),
                statement: statement.len(),
                has_map: self.has_map(),
                is_stacked: self.statement_of_sessions().is_some(),
            },
        );
        self.paint_header(layout.header, buffer);
        self.paint_headline(&table.totals, layout.headline, buffer);
        if warning.is_empty() {
            let finding = finding(&self.activity, &blockers, &events);
            paint_finding(&finding, layout.sentence, buffer);
        } else {
            self.paint_warning(&warning, layout.sentence, buffer);
        }
        if self.has_map() {
            self.paint_map(&layout, buffer);
        } else {
            self.paint_strip(&layout, buffer);
        }
        self.paint_tabs(layout.tabs, buffer);
        paint_statement(&statement, layout.statement, buffer);
        self.paint_table(&table, layout.table, buffer);
        self.paint_below(&table, layout.below, buffer);
        self.paint_hints(&table, layout.hints, buffer);
    }
}
