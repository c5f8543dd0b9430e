//! Reads and writes by function and file, in place of sessions.

use isotherm_frame::IoTotals;
use isotherm_views::activity::IoReport;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::TopScreen;
use super::io_view::IoView;
use crate::keys::Command as Do;
use crate::ledger::plain;
use crate::paint::text::{Part, bold, fit, put, shortened};

impl TopScreen {
    /// Whether reads and writes are shown: then counters are to be read.
    pub fn shows_io(&self) -> bool {
        self.io.is_shown
    }

    /// Takes the counters of reads and writes.
    pub fn io_read(&mut self, totals: IoTotals) {
        self.io.take(totals, self.length());
        if self.frozen.is_none() {
            self.io.change = self.io.changed();
            self.dirty = true;
        }
    }

    /// Says why there are no counters; what follows has nothing to do with those before.
    pub fn io_missing(&mut self, why: &str) {
        self.io.readings.clear();
        self.io.change = None;
        self.io.missing = Some(plain(why));
        self.dirty = true;
    }

    /// Shows reads and writes, or sessions again.
    pub(super) fn switch_io(&mut self) {
        self.io = IoView::new(!self.io.is_shown);
    }

    /// Everything between the header and the hints.
    pub(super) fn paint_io(&self, place: Rect, buffer: &mut Buffer) {
        let lines = self.io_lines(place);
        for (index, (line, y)) in lines.into_iter().zip(place.y..place.bottom()).enumerate() {
            let text = shortened(&plain(&line), usize::from(place.width.saturating_sub(1)));
            let line = if index == 0 { Line::from(bold(format!(" {text}"))) } else { text.into() };
            put(buffer, Rect { y, height: 1, ..place }, &line);
        }
    }

    fn io_lines(&self, place: Rect) -> Vec<String> {
        if let Some(why) = &self.io.missing {
            return vec![format!("no counters of reads and writes: {why}")];
        }
        let Some(change) = &self.io.change else {
            return vec!["reads and writes: waiting for the second reading of the counters".into()];
        };
        let report =
            IoReport { source: String::new(), change: change.clone(), last_interval: None };
        // Two tables, each with a line above it, its head and a line for those it has no room for.
        let rows = usize::from(place.height.saturating_sub(8) / 2).max(1);
        let mut text = Vec::new();
        let width = usize::from(place.width.saturating_sub(1));
        if report.write_text(width, rows, &mut text).is_err() {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(&text);
        text.lines().map(|line| line.trim_start_matches(": ").to_owned()).collect()
    }

    pub(super) fn paint_io_hints(&self, place: Rect, buffer: &mut Buffer) {
        let hints = [
            (&[Do::Help][..], "help"),
            (&[Do::Quit], "quit"),
            (&[Do::Io], "sessions"),
            (&[Do::Freeze], "freeze"),
            (&[Do::ZoomIn, Do::ZoomOut], "time"),
        ];
        let parts = hints.into_iter().zip(0..).map(|((commands, word), rank)| {
            let keys: Vec<String> =
                commands.iter().map(|command| self.options.keys.first(*command)).collect();
            Part::new(rank, vec![bold(keys.join(" ")), Span::raw(format!(" {word}"))])
        });
        let line = fit(parts.collect(), "  ", place.width.saturating_sub(1));
        put(buffer, Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place }, &line);
    }
}
