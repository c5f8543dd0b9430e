//! What opens over the maps: the help, the list of series, the text of a mark.

use isotherm_analysis::SeriesTotal;
use isotherm_frame::{Histogram, Series};
use isotherm_views::quantity;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::scrolled::{scrolled, window};
use super::text::{self, bold, put, shortened};
use super::view::View;
use super::{compare, ink, phrase, spark};
use crate::app::Mode;
use crate::clock;
use crate::key_table::bindings;
use crate::keys::Context;
use crate::list::List;

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    match &view.app.mode {
        Mode::Map => {}
        Mode::Help { scroll } => help(view, *scroll, buffer),
        Mode::Story { scroll } => story(view, *scroll, buffer),
        Mode::Compare { scroll, compared } => compare::paint(view, *scroll, compared, buffer),
        Mode::List(list) => series(view, list, buffer),
        Mode::Text(at, written) => {
            let title = format!("mark at {}", clock::clock(view.app, *at));
            let inside = window(view, &title, (60, 1), buffer);
            let line = Line::from(vec![Span::raw(format!(" {written}")), cursor()]);
            put(buffer, inside, &line);
        }
    }
}

fn cursor() -> Span<'static> {
    Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED))
}

fn help(view: View<'_>, scroll: usize, buffer: &mut Buffer) {
    let mut lines = vec![Line::from(bold(" over the maps"))];
    let mut context = Context::Map;
    for row in bindings() {
        if row.context != context {
            context = row.context;
            let title = match context {
                Context::Map => " over the maps",
                Context::List => " in the list of series, where letters are the filter",
                Context::Text => " while writing a mark",
            };
            lines.push(Line::default());
            lines.push(Line::from(bold(title)));
        }
        lines.push(Line::from(vec![bold(format!(" {:>12}  ", row.names())), Span::raw(row.help)]));
    }
    lines.push(Line::default());
    lines.push(Line::from(" mouse: click and drag to read and select, wheel to zoom,"));
    lines.push(Line::from(" shift-wheel to scroll; shift-drag still selects text"));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let inside = window(view, "keys (↑↓ scroll, esc closes)", (78, height), buffer);
    scrolled(&lines, scroll, inside, buffer);
}

/// All sentences, each begun on a line of its own.
fn story(view: View<'_>, scroll: usize, buffer: &mut Buffer) {
    let width = view.scene.area.width.saturating_sub(8).clamp(1, 90);
    let mut lines = Vec::new();
    for sentence in &view.scene.story.sentences {
        let wrapped = text::wrapped(sentence, usize::from(width).saturating_sub(4));
        for (index, part) in wrapped.into_iter().enumerate() {
            let lead = if index == 0 { " · " } else { "   " };
            lines.push(Line::from(format!("{lead}{part}")));
        }
    }
    if lines.is_empty() {
        lines.push(Line::from(" nothing can be said of this window yet"));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let inside = window(view, "in this window (esc closes)", (width, height), buffer);
    scrolled(&lines, scroll, inside, buffer);
}

fn series(view: View<'_>, list: &List, buffer: &mut Buffer) {
    let all = view.app.ledger.history.by_time_waited();
    let whole: f64 = all.iter().map(|(_, total)| total.waited.seconds).sum();
    let count = all.len();
    let fitting = list.fitting(all);
    let area = view.scene.area;
    let room = area.height.saturating_sub(6).clamp(1, 20);
    let lines = u16::try_from(fitting.len()).unwrap_or(u16::MAX).clamp(1, room);
    let width = area.width.saturating_sub(6).clamp(1, 96);
    let title = format!("series ({} of {count}) by time waited", fitting.len());
    let inside = window(view, &title, (width, lines + 1), buffer);
    if inside.is_empty() {
        return;
    }
    let filter = Line::from(vec![Span::raw(format!(" filter: {}", list.filter)), cursor()]);
    put(buffer, Rect { height: 1, ..inside }, &filter);
    let first = (list.line + 1).saturating_sub(usize::from(lines));
    let shown = fitting.iter().enumerate().skip(first);
    for (y, (index, entry)) in (inside.y + 1..inside.bottom()).zip(shown) {
        let chosen = index == list.line;
        let mut line = Line::from(if chosen { " ▸ " } else { "   " });
        let room = usize::from(inside.width).saturating_sub(3);
        line.push_span(entry_line(view, entry, whole, room));
        let weight = if chosen { Modifier::REVERSED } else { Modifier::empty() };
        put(
            buffer,
            Rect { y, height: 1, ..inside },
            &line.style(Style::new().add_modifier(weight)),
        );
    }
    if fitting.is_empty() {
        let quiet = Style::new().fg(ink::quiet(view.style()));
        let place = Rect { y: inside.y + 1, height: 1, ..inside };
        put(buffer, place, &Line::from(Span::styled(" no series has these letters", quiet)));
    }
}

/// The columns of a sparkline.
const SPARK: usize = 12;

/// Name, time waited, share of all, its course over the window, and its p99 there.
fn entry_line(
    view: View<'_>,
    (series, total): &(Series, SeriesTotal),
    whole: f64,
    width: usize,
) -> String {
    let about = if total.waited.exact { "" } else { "≈" };
    let waited = format!("{about}{} s", quantity(total.waited.seconds));
    let share = phrase::percent(total.waited.seconds, whole);
    let (course, p99) = course(view, series);
    let numbers = format!("{waited:>9} {share:>4}  {course}  p99 {p99:<12}");
    let room = width.saturating_sub(Span::raw(numbers.as_str()).width() + 1).max(8);
    let name = shortened(&series.to_string(), room);
    let fill = room.saturating_sub(Span::raw(name.as_str()).width());
    format!("{name}{} {numbers}", " ".repeat(fill))
}

/// Time waited over the window as a sparkline, and its p99.
fn course(view: View<'_>, series: &Series) -> (String, String) {
    let picture = &view.scene.picture;
    let (Some(first), Some(end)) = (picture.columns.first(), view.end()) else {
        return (String::new(), String::new());
    };
    let frames = view.app.ledger.history.frames(series, first.start, end);
    let length = end.since(first.start).as_nanos().max(1);
    let mut waits = [0.0; SPARK];
    for frame in &frames {
        let place = u128::from(frame.start.since(first.start).as_nanos()) * SPARK as u128;
        let place = usize::try_from(place / u128::from(length)).unwrap_or(SPARK);
        waits[place.min(SPARK - 1)] += frame.counts.time_waited().seconds;
    }
    let most = waits.iter().copied().fold(0.0, f64::max);
    let total = Histogram::merged(frames.iter().map(|frame| &frame.counts));
    let p99 = total.and_then(|total| total.quantile(0.99).ok());
    let p99 = p99.map_or_else(|| "-".to_owned(), |p99| phrase::quantile(&p99));
    (waits.iter().map(|&wait| spark::block(wait, most)).collect(), p99)
}
