//! The side pane of wide screens: the window in numbers, the selection, modes, series and marks.

use isotherm_analysis::{Region, modes};
use isotherm_frame::{Histogram, TimeWaited};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::gutter::bar;
use super::text::{bold, put, shortened};
use super::{View, ink, phrase};
use crate::MapKind;
use isotherm_analysis::Shade;

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let Some(place) = view.scene.plan.pane else { return };
    let place = Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place };
    let width = usize::from(place.width);
    let mut lines = statistics(view, width);
    lines.extend(mode_lines(view, width));
    let rest = usize::from(place.height).saturating_sub(lines.len());
    lines.extend(series_lines(view, width, rest.saturating_sub(8).max(4)));
    lines.extend(mark_lines(view, width));
    lines.extend(kept_lines(view, width));
    let quiet = Style::new().fg(ink::quiet(view.style()));
    for (y, line) in (place.y..place.bottom()).zip(&lines) {
        put(buffer, Rect { y, height: 1, ..place }, line);
    }
    for y in place.y..place.bottom() {
        if let Some(cell) = buffer.cell_mut((place.x, y)).filter(|cell| cell.symbol() == " ") {
            cell.set_char('│').set_style(quiet);
        }
    }
}

/// The heading of a section.
fn heading(view: View<'_>, title: &str, width: usize) -> Line<'static> {
    let rest = width.saturating_sub(Span::raw(title).width() + 4);
    let quiet = Style::new().fg(ink::quiet(view.style()));
    Line::from(vec![
        Span::styled("├ ", quiet),
        bold(title.to_owned()),
        Span::styled(format!(" {}", "─".repeat(rest)), quiet),
    ])
}

fn row(text: impl AsRef<str>) -> Line<'static> {
    Line::from(format!("  {}", text.as_ref()))
}

fn statistics(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let picture = &view.scene.picture;
    let selected = view.selected();
    let waited = picture.columns.iter().fold(TimeWaited { seconds: 0.0, exact: true }, |sum, c| {
        TimeWaited { seconds: sum.seconds + c.waited.seconds, exact: sum.exact && c.waited.exact }
    });
    let covered: f64 = picture.columns.iter().map(|column| column.covered_s).sum();
    let chosen = |text: fn(&Region) -> String| selected.as_ref().map(text).unwrap_or_default();
    let two = |name: &str, window: String, chosen: String| {
        row(format!("{name:<7}{window:>15} {chosen:>21}"))
    };
    let about = if waited.exact { "" } else { "≈" };
    let sessions = if covered > 0.0 { waited.seconds / covered } else { 0.0 };
    let title = if selected.is_some() { "WINDOW | SELECTION" } else { "WINDOW" };
    let mut lines = vec![
        heading(view, title, width),
        two(
            "events",
            crate::quantity(picture.total.events() as f64),
            chosen(|region| {
                let share = phrase::percent(region.events as f64, region.events_of_columns as f64);
                format!("{} ({share})", crate::quantity(region.events as f64))
            }),
        ),
        two(
            "waited",
            format!("{about}{} s", crate::quantity(waited.seconds)),
            chosen(|region| {
                let share = phrase::percent(region.waited_s, region.waited_of_columns_s);
                format!("≈{} s ({share})", crate::quantity(region.waited_s))
            }),
        ),
        two(
            "=",
            phrase::sessions(sessions),
            chosen(|region| phrase::sessions(region.sessions_waiting())),
        ),
        two("mean", mean(&picture.total), selected_mean(selected.as_ref())),
    ];
    for (q, name) in [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max")] {
        let of = |latencies: Option<&Histogram>| {
            let interval = latencies.and_then(|latencies| latencies.quantile(q).ok());
            interval.map(|interval| phrase::quantile(&interval)).unwrap_or_default()
        };
        let chosen = of(selected.as_ref().and_then(|region| region.latencies.as_ref()));
        lines.push(two(name, of(Some(&picture.total)), chosen));
    }
    lines
}

fn mean(latencies: &Histogram) -> String {
    let about = if latencies.sum().is_some() { "" } else { "≈" };
    let mean = latencies.mean_ns().and_then(|ns| isotherm_frame::Nanos::from_secs_f64(ns / 1e9));
    mean.map(|mean| format!("{about}{mean}")).unwrap_or_default()
}

fn selected_mean(region: Option<&Region>) -> String {
    region.and_then(|region| region.latencies.as_ref()).map(mean).unwrap_or_default()
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
        let name = super::super::ledger::plain(&series.to_string());
        let name = shortened(&name, 24);
        let fill = 24_usize.saturating_sub(Span::raw(name.as_str()).width());
        let about = if total.waited.exact { "" } else { "≈" };
        let waited = format!("{about}{} s", crate::quantity(total.waited.seconds));
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
        let text = format!("{} {}", phrase::clock(view.app, mark.at), mark.text);
        row(shortened(&text, width.saturating_sub(2)))
    }));
    lines
}

/// How far back one can scroll.
fn kept_lines(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let ledger = &view.app.ledger;
    let Some((from, to)) = ledger.begins(None).zip(ledger.latest()) else { return Vec::new() };
    let dropped = ledger.history.dropped();
    let mut lines = vec![
        heading(view, "KEPT", width),
        row(format!("{} since {}", phrase::span(to.since(from)), phrase::clock(view.app, from))),
    ];
    if dropped > 0 {
        lines.push(row(format!("{dropped} older frames forgotten")));
    }
    lines
}
