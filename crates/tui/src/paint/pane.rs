//! The side pane of wide screens: the window in numbers, the selection, modes, series and marks.

use isotherm_analysis::modes;
use isotherm_frame::{Nanos, TimeWaited, whole_percent_of};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::gutter::bar;
use super::rows::{heading, mean, row};
use super::text::{put, shortened};
use super::view::View;
use super::{ink, phrase, selection, sentences, waits};
use crate::clock;
use isotherm_analysis::Shade;
use isotherm_views::headline::{AVERAGES_ONLY, OF_WAITS_SEEN};
use isotherm_views::narration::mode_latency;
use isotherm_views::{MapKind, quantity};

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let Some(place) = view.scene.plan.pane else { return };
    let place = Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place };
    let (width, height) = (usize::from(place.width), usize::from(place.height));
    let (selected, explains) = (view.scene.explained.is_some(), view.app.look.explains);
    let mut lines = if selected || explains { explanation(view, width) } else { Vec::new() };
    let others = [mark_lines(view, width), kept_lines(view, width)].concat();
    let least = lines.len() + others.len();
    let who = waits::lines(view, width, height.saturating_sub(least));
    let window = if selected || explains { Vec::new() } else { window(view, width) };
    // What is asked for comes first; the numbers of the window where there is room for them.
    lines.extend(who);
    if lines.len() + window.len() + others.len() <= height || lines.is_empty() {
        lines.extend(window);
    }
    lines.extend(others);
    column(view, place, &lines, buffer);
}

/// The numbers of the window.
fn window(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let mut lines = statistics(view, width);
    lines.extend(mode_lines(view, width));
    lines
}

/// What there is to say of the selection, or else of the window.
fn explanation(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    if let Some(explained) = &view.scene.explained {
        return selection::lines(view, explained, width);
    }
    let mut lines = vec![heading(view, "IN THIS WINDOW", width)];
    lines.extend(sentences::lines(view, width));
    lines.extend(window(view, width));
    lines
}

/// The same below the maps.
pub(super) fn explanation_below(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    // Side by side where there is room: what is selected, and what differs in it.
    let half = place.width / 2;
    let (first, second) = match &view.scene.explained {
        Some(explained) if half >= LEAST_HALF => {
            let width = usize::from(half);
            let numbers = selection::numbers(view, explained, width);
            (numbers, selection::differing(view, explained, width))
        }
        Some(explained) => (selection::brief(view, explained, place.width.into()), Vec::new()),
        None => (explanation(view, place.width.into()), Vec::new()),
    };
    let left = if second.is_empty() { place.width } else { half };
    let right = place.width - left;
    for (x, width, lines) in [(place.x, left, first), (place.x + left, right, second)] {
        for (y, line) in (place.y..place.bottom()).zip(&lines) {
            put(buffer, Rect { x, y, width, height: 1 }, line);
        }
    }
}

/// The least width of half an explanation.
const LEAST_HALF: u16 = 48;

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

/// The window in numbers.
fn statistics(view: View<'_>, width: usize) -> Vec<Line<'static>> {
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
    if picture.total.is_averages() {
        lines.push(row(AVERAGES_ONLY));
        return lines;
    }
    for (q, name) in [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max")] {
        let interval = picture.total.quantile(q).ok();
        lines.push(two(name, interval.map(|i| phrase::quantile(&i)).unwrap_or_default()));
    }
    if picture.total.length_error() > Nanos::ZERO {
        // Two lines: the pane is as wide as its numbers.
        lines.extend(OF_WAITS_SEEN.split(": ").map(row));
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
        let share = whole_percent_of(mode.share, 1.0);
        let at = mode_latency(mode);
        let ink = view.style().ink(MapKind::Frequency, Shade::Step(5));
        let style = ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink)));
        Line::from(vec![
            Span::raw(format!("  {at:<10}{share:>5} ")),
            Span::styled(bar(mode.share, 1.0, 28), style),
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
