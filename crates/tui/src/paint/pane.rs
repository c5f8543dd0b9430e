//! The side pane of wide screens: the window in numbers, the selection, modes, series and marks.

use isotherm_analysis::modes;
use isotherm_frame::TimeWaited;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::gutter::bar;
use super::rows::{heading, mean, row};
use super::text::{put, shortened};
use super::view::View;
use super::{ink, phrase, selection};
use crate::app::Mode;
use crate::clock;
use isotherm_analysis::Shade;
use isotherm_views::{MapKind, quantity};

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let Some(place) = view.scene.plan.pane else { return over_maps(view, buffer) };
    let place = Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place };
    let width = usize::from(place.width);
    let mut lines = statistics(view, width);
    lines.extend(mode_lines(view, width));
    let rest = usize::from(place.height).saturating_sub(lines.len());
    lines.extend(series_lines(view, width, rest.saturating_sub(8).max(4)));
    lines.extend(mark_lines(view, width));
    lines.extend(kept_lines(view, width));
    column(view, place, &lines, buffer);
}

/// The width of the pane where it lies over the maps, and the lines of it they leave free.
const OVER: u16 = 50;

/// On screens without room beside the maps: what matters of the pane, over the half of the maps
/// where the cursor is not.
fn over_maps(view: View<'_>, buffer: &mut Buffer) {
    if view.app.look.pane != Some(true) || view.app.mode != Mode::Map {
        return;
    }
    let area = view.scene.area;
    let tops = view.scene.plan.maps.iter().map(|map| map.title.unwrap_or(map.cells).y);
    let top = tops.min().unwrap_or(area.y);
    let bottom = view.scene.plan.readout.map_or(area.bottom(), |readout| readout.y);
    let width = OVER.min(area.width);
    let mut lines = statistics(view, usize::from(width));
    lines.extend(mode_lines(view, usize::from(width)));
    let wanted = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let height = wanted.min(bottom.saturating_sub(top));
    lines.truncate(usize::from(height.saturating_sub(1)));
    let rule = format!("└{}", "─".repeat(usize::from(width.saturating_sub(1))));
    lines.push(Line::from(Span::styled(rule, Style::new().fg(ink::quiet(view.style())))));
    let half = view.scene.picture.columns.len() / 2;
    let left = view.cursor_column().is_none_or(|column| column >= half);
    let x = if left { area.x } else { area.right() - width };
    let place = Rect { x, y: top, width, height };
    Clear.render(place, buffer);
    column(view, place, &lines, buffer);
    if left {
        let quiet = Style::new().fg(ink::quiet(view.style()));
        for y in place.y..place.bottom() {
            if let Some(cell) = buffer.cell_mut((place.right().saturating_sub(1), y)) {
                cell.set_char('│').set_style(quiet);
            }
        }
    }
}

/// Lines one below the other, beside a rule.
fn column(view: View<'_>, place: Rect, lines: &[Line<'static>], buffer: &mut Buffer) {
    let quiet = Style::new().fg(ink::quiet(view.style()));
    for (y, line) in (place.y..place.bottom()).zip(lines) {
        put(buffer, Rect { y, height: 1, ..place }, line);
    }
    for y in place.y..place.bottom() {
        if let Some(cell) = buffer.cell_mut((place.x, y)).filter(|cell| cell.symbol() == " ") {
            cell.set_char('│').set_style(quiet);
        }
    }
}

/// The selection in numbers, or else the window.
fn statistics(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    if let Some(explained) = &view.scene.explained {
        return selection::lines(view, explained, width);
    }
    let picture = &view.scene.picture;
    let waited = picture.columns.iter().fold(TimeWaited { seconds: 0.0, exact: true }, |sum, c| {
        TimeWaited { seconds: sum.seconds + c.waited.seconds, exact: sum.exact && c.waited.exact }
    });
    let covered: f64 = picture.columns.iter().map(|column| column.covered_s).sum();
    let about = if waited.exact { "" } else { "≈" };
    let sessions = if covered > 0.0 { waited.seconds / covered } else { 0.0 };
    let two = |name: &str, value: String| row(format!("{name:<7}{value:>15}"));
    let mut lines = vec![
        heading(view, "WINDOW", width),
        two("events", quantity(picture.total.events() as f64)),
        two("waited", format!("{about}{}", isotherm_views::waited(waited.seconds))),
        two("=", phrase::waiting(sessions)),
        two("mean", mean(&picture.total)),
    ];
    for (q, name) in [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max")] {
        let interval = picture.total.quantile(q).ok();
        lines.push(two(name, interval.map(|i| phrase::quantile(&i)).unwrap_or_default()));
    }
    lines
}

fn mode_lines(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let found = modes(&view.scene.picture.total);
    if found.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![heading(view, "MODES", width)];
    lines.extend(found.iter().take(4).map(|mode| {
        let share = phrase::percent(mode.share, 1.0);
        let at = phrase::about(mode.at.as_nanos() as f64);
        let ink = view.style().ink(MapKind::Frequency, Shade::Step(5));
        let style = ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink)));
        Line::from(vec![
            Span::raw(format!("  {at:<9}{share:>5}  ")),
            Span::styled(bar(mode.share, 1.0, 28), style),
        ])
    }));
    lines
}

fn series_lines(view: View<'_>, width: usize, most: usize) -> Vec<Line<'static>> {
    let all = view.app.ledger.history.by_time_waited();
    let top = all.first().map_or(0.0, |(_, total)| total.waited.seconds);
    let mut lines = vec![heading(view, "SERIES BY TIME WAITED since the start", width)];
    let ink = view.style().ink(MapKind::Intensity, Shade::Step(5));
    let style = ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink)));
    lines.extend(all.iter().take(most).map(|(series, total)| {
        let place = view.app.ledger.order.iter().position(|known| known == series);
        let number = place.filter(|place| *place < 9);
        let number = number.map_or_else(|| " ".to_owned(), |place| (place + 1).to_string());
        let name = series.to_string();
        let name = shortened(&name, 24);
        let fill = 24_usize.saturating_sub(Span::raw(name.as_str()).width());
        let about = if total.waited.exact { "" } else { "≈" };
        let waited = format!("{about}{} s", quantity(total.waited.seconds));
        Line::from(vec![
            Span::raw(format!("  {number} {name}{} {waited:>9} ", " ".repeat(fill))),
            Span::styled(bar(total.waited.seconds, top, 8), style),
        ])
    }));
    lines
}

fn mark_lines(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let marks = &view.app.ledger.marks;
    if marks.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![heading(view, "MARKS", width)];
    lines.extend(marks.iter().rev().take(4).map(|mark| {
        let text = format!("{} {}", clock::clock(view.app, mark.at), mark.text);
        row(shortened(&text, width.saturating_sub(2)))
    }));
    lines
}

/// How far back one can scroll.
fn kept_lines(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let ledger = &view.app.ledger;
    let Some((from, to)) = ledger.history.earliest().zip(ledger.latest()) else {
        return Vec::new();
    };
    let dropped = ledger.history.dropped();
    let mut lines = vec![
        heading(view, "KEPT", width),
        row(format!("{} since {}", clock::span(to.since(from)), clock::clock(view.app, from))),
    ];
    if dropped > 0 {
        lines.push(row(format!("{dropped} older frames forgotten")));
    }
    if let Some(recording) = &view.app.recording {
        lines.push(row(shortened(&format!("● REC {recording}"), width.saturating_sub(2))));
    }
    lines
}
