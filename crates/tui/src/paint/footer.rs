//! The lines below the maps: what is under the cursor, what went wrong, and keys.

use isotherm_analysis::{Column, Region};
use isotherm_frame::{Detail, whole_percent_of};
use isotherm_views::{quantity, seconds};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::selection::about_mark;
use super::text::{Part, bold, fit, put, put_right, shortened};
use super::view::{Known, View};
use super::{ink, phrase};
use crate::app::Mode;
use crate::clock;
use crate::keys::{Context, KeyBinding};
use crate::selection::Range;

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let plan = &view.scene.plan;
    if let Some(place) = plan.readout {
        let counts = counts(view, place.width);
        let taken = put_right(buffer, place, &counts);
        let width = place.width.saturating_sub(taken + u16::from(taken > 0));
        put(buffer, Rect { width, ..place }, &readout(view, width));
    }
    if let Some(place) = plan.note {
        put(buffer, place, &note(view, usize::from(place.width)));
    }
    if let Some(place) = plan.hints {
        put(buffer, place, &hints(view, place.width));
    }
}

impl View<'_> {
    /// The rows and columns of the selection, as far as they are on the screen.
    pub(super) fn selection(&self) -> Option<(Range, Range)> {
        self.scene.selection(&self.app.cursor)
    }
}

/// What is under the pointer, or at the cursor: a cell, a column, or a selection.
fn readout(view: View<'_>, width: u16) -> Line<'static> {
    if let (Some(explained), Some((_, columns))) = (&view.scene.explained, view.selection()) {
        return selection(view, &explained.region, &columns, width);
    }
    let pointed = view.pointed();
    let Some(column) = pointed.map(|(column, _)| column).or_else(|| view.read_column()) else {
        return Line::default();
    };
    let name = view.column_name(column);
    let lead = match pointed {
        Some(_) => " pointer ",
        None if view.cursor_column().is_some() => " cursor ",
        None => " ",
    };
    let mut parts = vec![Part::new(0, vec![Span::raw(lead), bold(name)])];
    match (view.known(column), pointed.map(|(_, row)| row).or_else(|| view.cursor_row())) {
        (Known::Data, Some(row)) => parts.extend(cell(view, row, column)),
        (Known::Data, None) => parts.extend(whole_column(view, column)),
        (Known::Reset, _) => parts.push(Part::plain(1, "counters were reset: nothing is known")),
        (Known::NoData, _) => parts.push(Part::plain(1, "no data: the source said nothing")),
        (Known::Before, _) => parts.push(Part::plain(1, "before the first frame kept")),
    }
    fit(parts, " · ", width)
}

fn cell(view: View<'_>, row: usize, column: usize) -> Vec<Part> {
    let picture = &view.scene.picture;
    let rows = view.scene.rows_of_line(row);
    let of = |row: usize| picture.rows.get(row);
    let (Some(lowest), Some(highest)) = (of(*rows.start()), of(*rows.end())) else {
        return Vec::new();
    };
    let value = |map: &isotherm_analysis::Map| {
        let cells = rows.clone().filter_map(|row| map.cells.get(picture.cell(row, column)));
        (cells.sum(), map.sums.get(column).copied().unwrap_or(0.0))
    };
    let (rate, rates) = value(&picture.frequency);
    let (wait, waits) = value(&picture.intensity);
    let share = (whole_percent_of(rate, rates), whole_percent_of(wait, waits));
    // Even where a column's total is exact, how it falls on rows is estimated.
    let mut parts = vec![
        Part::new(1, vec![bold(phrase::edges(lowest.lo, highest.hi))]),
        Part::plain(2, format!("{} ev/s ({})", isotherm_views::numbers::rate(rate), share.0)),
        Part::plain(3, format!("≈{} waiting ({} of wait)", seconds(wait), share.1)),
        Part::plain(4, percentile_range(view, &rows, column)),
    ];
    let unplaced = rows.clone().any(|row| picture.is_unplaced(row, column));
    parts.extend(unplaced.then(|| Part::plain(1, "partly waited before")));
    parts
}

/// The percentiles of their column that rows hold: `p69–p88`; of averages the mean.
fn percentile_range(view: View<'_>, rows: &Range, column: usize) -> String {
    let picture = &view.scene.picture;
    let count = |row: usize| picture.counts.get(picture.cell(row, column)).copied().unwrap_or(0);
    let below: u64 = (0..*rows.start()).map(count).sum();
    let here: u64 = rows.clone().map(count).sum();
    let whole: u64 = (0..picture.rows.len()).map(count).sum();
    if whole == 0 || here == 0 {
        return "no events".to_owned();
    }
    if picture.detail() == Detail::Averages {
        let mean = picture.columns.get(column).and_then(Column::mean);
        return mean.map_or_else(String::new, |mean| format!("mean {mean}"));
    }
    let percentile = |count: u64| 100.0 * count as f64 / whole as f64;
    let text = |value: f64| {
        let fixed = if value > 99.0 && value < 100.0 { 2 } else { 0 };
        format!("p{value:.fixed$}")
    };
    format!("{}–{}", text(percentile(below)), text(percentile(below + here)))
}

fn whole_column(view: View<'_>, column: usize) -> Vec<Part> {
    let picture = &view.scene.picture;
    let Some(shown) = picture.columns.get(column) else { return Vec::new() };
    let sum = |map: &isotherm_analysis::Map| map.sums.get(column).copied().unwrap_or(0.0);
    let (rate, wait) = (sum(&picture.frequency), sum(&picture.intensity));
    let about = if shown.waited.exact { "" } else { "≈" };
    let mut parts = vec![
        Part::plain(2, format!("{} ev/s", isotherm_views::numbers::rate(rate))),
        Part::plain(3, format!("{about}{} waiting", seconds(wait))),
    ];
    parts.extend(shown.has_unplaced_time().then(|| {
        let share =
            isotherm_views::narration::about_share(shown.unplaced_share(), shown.waited.exact);
        let length = clock::span(shown.length());
        Part::plain(4, format!("{share} of it longer than {length}, partly waited before"))
    }));
    let quantiles = [(0.5, "p50", 5), (0.99, "p99", 4), (1.0, "max", 6)];
    parts.extend(quantiles.into_iter().filter_map(|(q, name, rank)| {
        let interval = shown.latencies.as_ref()?.quantile(q).ok()?;
        Some(Part::plain(rank, format!("{name} {}", phrase::quantile(&interval))))
    }));
    parts
}

fn selection(view: View<'_>, region: &Region, columns: &Range, width: u16) -> Line<'static> {
    let (from, to) = (view.column_name(*columns.start()), view.column_name(*columns.end()));
    let edges = phrase::selected(view.app, region.edges);
    let events = whole_percent_of(region.events as f64, region.events_of_columns as f64);
    let waits = whole_percent_of(region.waited_s, region.waited_of_columns_s);
    // Of whole columns the share of themselves says nothing.
    let columns = view.app.cursor.columns;
    let of = |share: String| if columns { String::new() } else { format!(" ({share})") };
    let (events, waits) = (of(events), of(waits));
    let waited = format!("{}{}", about_mark(region), isotherm_views::waited(region.waited_s));
    let parts = vec![
        Part::new(0, vec![Span::raw(" selected "), bold(format!("{from}..{to}{edges}"))]),
        Part::plain(1, format!("{} events{events}", quantity(region.events as f64))),
        Part::plain(2, format!("{waited} waited{waits}")),
        Part::plain(3, format!("= {}", phrase::waiting(region.sessions_waiting()))),
    ];
    fit(parts, " · ", width)
}

/// What went wrong, where it did.
fn counts(view: View<'_>, width: u16) -> Line<'static> {
    let ledger = &view.app.ledger;
    let counted = [
        (ledger.rejected, "rejected"),
        (ledger.events_lost(), "lost"),
        (ledger.gaps, if ledger.gaps == 1 { "gap" } else { "gaps" }),
        (ledger.resets, if ledger.resets == 1 { "reset" } else { "resets" }),
        (ledger.late, "late"),
        (ledger.history.dropped(), "forgotten"),
    ];
    let style = Style::new().fg(ink::alarm(view.style())).add_modifier(Modifier::BOLD);
    let parts = counted.iter().filter(|(count, _)| *count > 0).map(|(count, name)| {
        let short = *count < 10_000;
        let count = if short { count.to_string() } else { quantity(*count as f64) };
        let text = format!("{count} {name}");
        Part::new(0, vec![Span::styled(text, style)])
    });
    let line = fit(parts.collect(), " · ", width / 2);
    if line.width() == 0 { line } else { line + Span::raw(" ") }
}

/// The newest message, or why nothing more comes.
fn note(view: View<'_>, width: usize) -> Line<'static> {
    let (ended, message) = view.app.ledger.shown();
    let warns = message.is_none_or(|message| message.warns);
    let style = if warns { Style::new().fg(ink::alarm(view.style())) } else { Style::new() };
    let text = match (ended, message.map(|message| &message.text)) {
        (Some(why), Some(message)) => format!(" ■ {why} · {message}"),
        (Some(why), None) => format!(" ■ {why}"),
        (None, Some(message)) if warns => format!(" ⚠ {message}"),
        (None, Some(message)) => format!(" {message}"),
        (None, None) => String::new(),
    };
    Line::from(Span::styled(shortened(&text, width), style))
}

/// Keys from the table, as many as fit.
fn hints(view: View<'_>, width: u16) -> Line<'static> {
    let context = match view.app.mode {
        Mode::Map | Mode::Help { .. } | Mode::Story { .. } | Mode::Compare { .. } => Context::Map,
        Mode::List(_) => Context::List,
        Mode::Text(..) => Context::Text,
    };
    let mut parts = vec![Part::plain(0, "")];
    let mut keys = String::new();
    let hinted = view.app.keys.rows().iter().filter(|row| row.context == context);
    for (rank, row) in (1..).zip(hinted) {
        let Some(word) = row.hint else { continue };
        keys.push_str(&first_key(row));
        if word.is_empty() {
            continue;
        }
        let quiet = Style::new().fg(ink::quiet(view.style()));
        let spans = vec![bold(std::mem::take(&mut keys)), Span::styled(format!(" {word}"), quiet)];
        parts.push(Part::new(rank, spans));
    }
    fit(parts, "  ", width)
}

fn first_key(row: &KeyBinding) -> String {
    row.keys.first().map(|key| key.name()).unwrap_or_default()
}
