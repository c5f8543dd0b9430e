//! The lines above and below: what is looked at, how much there is, which table, which keys.

use isotherm_analysis::{ActivityRows, ActivityTotals, Dimension};
use isotherm_frame::numbers::counted;
use isotherm_frame::{Nanos, Timestamp};
use isotherm_views::activity::{dimension_title, filter_words, samples, sessions};
use isotherm_views::narration::two_digits;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::TopScreen;
use super::keys::HELP;
use crate::clock::span;
use crate::ledger::plain;
use crate::paint::ink;
use crate::paint::scrolled::{framed, scrolled};
use crate::paint::text::{Part, bold, fit, put, put_right, shortened, wrapped};

/// The most lines of a warning.
const MOST_LINES: usize = 6;

impl TopScreen {
    pub(super) fn paint_header(&self, place: Rect, buffer: &mut Buffer) {
        let chip = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
        let right = fit(self.state(), "  ", place.width.saturating_sub(1));
        let inner = Rect { width: place.width.saturating_sub(1), ..place };
        let taken = put_right(buffer, inner, &right);
        let room = place.width.saturating_sub(taken + 2);
        let title = shortened(&plain(&self.options.title), usize::from(room.saturating_sub(16)));
        let line =
            Line::from(vec![Span::styled(" isotherm ", chip), Span::raw(" top "), bold(title)]);
        put(buffer, Rect { width: room, ..place }, &line);
    }

    fn state(&self) -> Vec<Part> {
        let alarmed = Style::new().fg(ink::alarm(self.options.style)).add_modifier(Modifier::BOLD);
        let state = if self.over {
            Span::styled("■ FINISHED", alarmed)
        } else if let Some(since) = self.activity.lost_since() {
            let lost = span(self.now.since(since));
            Span::styled(format!("○ CONNECTION LOST {lost}"), alarmed)
        } else if let Some(frozen) = self.frozen {
            let behind = span(self.now.since(frozen));
            Span::styled(format!("❚❚ FROZEN +{behind} behind"), alarmed)
        } else {
            bold(format!("● LIVE {}", span(self.options.column)))
        };
        vec![Part::new(0, vec![state]), Part::plain(1, self.clock(self.end()))]
    }

    fn clock(&self, at: Timestamp) -> String {
        let zone = if self.options.utc { TimeZone::UTC } else { self.options.zone.clone() };
        let instant = jiff::Timestamp::from_nanosecond(i128::from(at.as_nanos()));
        instant.map_or_else(
            |_| String::new(),
            |instant| instant.to_zoned(zone).strftime("%H:%M:%S %Z").to_string(),
        )
    }

    /// How many are active, how well that is known, and what it is about.
    pub(super) fn paint_headline(&self, totals: &ActivityTotals, place: Rect, buffer: &mut Buffer) {
        let error = totals.active.error.map_or_else(|| "?".to_owned(), sessions);
        let average = format!("{} ±{error} active sessions", sessions(totals.active.mean));
        let stretch = Span::raw(format!(", {}", self.stretch()));
        let mut parts = vec![
            Part::new(0, vec![Span::raw(" "), bold(average), stretch]),
            Part::plain(1, samples(totals.samples, self.due(totals.samples))),
            Part::plain(2, format!("{} now", totals.now)),
            Part::plain(3, format!("most {}", totals.most)),
            Part::plain(5, format!("{}/s", counted(u64::from(self.options.hz), "sample"))),
            Part::plain(4, format!("answers take {}", two_digits(Nanos::new(totals.took_ns)))),
        ];
        if totals.hidden > 0 {
            parts.insert(2, Part::plain(2, format!("{} hidden", totals.hidden)));
        }
        put(buffer, place, &fit(parts, " · ", place.width));
    }

    /// The samples that were due. One may be on its way, or lie just outside: that one is not missing.
    fn due(&self, taken: usize) -> usize {
        let due = self.activity.due(self.within());
        if due <= taken + 1 { taken } else { due }
    }

    /// The time that tables are about; less is known in the beginning.
    fn stretch(&self) -> String {
        let (start, end) = self.within();
        let known = self.activity.earliest().map(|earliest| end.since(earliest.max(start)));
        match known {
            Some(known) if known.as_nanos() + 1_000_000_000 < self.length().as_nanos() => {
                let seconds = Nanos::from_millis(known.as_nanos() / 1_000_000_000 * 1_000);
                format!("first {} of {}", span(seconds), span(self.length()))
            }
            _ => format!("last {}", span(self.length())),
        }
    }

    /// What went wrong, in as many lines as it takes to say what to do.
    pub(super) fn warning_lines(&self, width: u16) -> Vec<String> {
        let Some(warning) = &self.warning else { return Vec::new() };
        let width = usize::from(width).saturating_sub(4).max(1);
        let mut lines = wrapped(&warning.text, width);
        lines.truncate(MOST_LINES);
        lines
    }

    pub(super) fn paint_warning(&self, lines: &[String], place: Rect, buffer: &mut Buffer) {
        let alarmed = Style::new().fg(ink::alarm(self.options.style));
        for ((index, line), y) in lines.iter().enumerate().zip(place.y..place.bottom()) {
            let sign = if index == 0 { '⚠' } else { ' ' };
            let line = Line::from(Span::styled(format!(" {sign} {line}"), alarmed));
            put(buffer, Rect { y, height: 1, ..place }, &line);
        }
    }

    pub(super) fn paint_tabs(&self, place: Rect, buffer: &mut Buffer) {
        let tabs = Dimension::ALL.iter().enumerate().map(|(index, by)| {
            let label = format!("{} {}", index + 1, dimension_title(*by));
            if *by == self.by {
                bold(format!("[{label}]"))
            } else {
                Span::raw(format!(" {label} "))
            }
        });
        let mut parts = vec![Part::new(0, tabs.collect())];
        if !self.path.is_empty() {
            let only = plain(&format!("of {}", filter_words(&self.filter())));
            let room = usize::from(place.width) / 2;
            parts.push(Part::new(1, vec![bold(shortened(&only, room))]));
        }
        put(buffer, place, &fit(parts, "  ", place.width));
    }

    pub(super) fn paint_hints(&self, table: &ActivityRows, place: Rect, buffer: &mut Buffer) {
        use crate::keys::Command as Do;
        let quiet = Style::new().fg(ink::quiet(self.options.style));
        let mut hints = vec![(&[Do::Help][..], "help"), (&[Do::Quit], "quit")];
        if !table.rows.is_empty() {
            hints.extend([(&[Do::RowUp, Do::RowDown][..], "row"), (&[Do::Explain], "only these")]);
        }
        if !self.path.is_empty() {
            hints.push((&[Do::Close], "back"));
        }
        hints.extend([
            (&[Do::Focus][..], "next table"),
            (&[Do::Io], "reads and writes"),
            (&[Do::Freeze], "freeze"),
            (&[Do::ZoomIn, Do::ZoomOut], "time"),
        ]);
        let parts = hints.into_iter().enumerate().map(|(rank, (commands, word))| {
            let keys: Vec<String> =
                commands.iter().map(|command| self.options.keys.first(*command)).collect();
            let rank = u8::try_from(rank).unwrap_or(u8::MAX);
            Part::new(rank, vec![bold(keys.join(" ")), Span::styled(format!(" {word}"), quiet)])
        });
        let line = fit(parts.collect(), "  ", place.width.saturating_sub(1));
        put(buffer, Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place }, &line);
    }

    pub(super) fn paint_help(&self, area: Rect, buffer: &mut Buffer) {
        let rows = self.options.keys.rows();
        let line = |(command, text): &(crate::keys::Command, &str)| {
            let row = rows.iter().find(|row| row.command == *command);
            let names = row.map(crate::keys::KeyBinding::names).unwrap_or_default();
            Line::from(vec![bold(format!(" {names:<8} ")), Span::raw((*text).to_owned())])
        };
        let mut lines: Vec<Line<'static>> = HELP.iter().map(line).collect();
        let about = [
            "",
            " active  average number of sessions that work or wait in the time shown",
            " ±error  its standard error: these are estimates from samples",
            " now     in the last sample; longest: the longest wait of these, > or < as sampled",
            " most    in one sample; sess: sessions that had it at all",
            " CPU     active and waiting for nothing",
        ];
        lines.extend(about.map(Line::from));
        let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
        let width = 76.min(area.width);
        let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
        let inside = framed("keys (any key closes)", Rect { x, y, width, height }, buffer);
        scrolled(&lines, 0, inside, buffer);
    }
}

/// Writes what is worth knowing.
pub(super) fn paint_finding(finding: &str, place: Rect, buffer: &mut Buffer) {
    let width = usize::from(place.width.saturating_sub(1));
    let text = shortened(&format!(" {}", plain(finding)), width);
    put(buffer, place, &Line::from(text));
}
