//! What a selection holds beside the window, and what differs in it.

use isotherm_analysis::{Contrast, Region, Shade};
use isotherm_frame::{Histogram, Nanos, QuantileInterval, whole_percent_of};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::gutter::bar;
use super::rows::{heading, mean, row};
use super::text::{bold, shortened};
use super::view::View;
use super::{ink, phrase};
use crate::clock;
use crate::selection::Explained;
use isotherm_views::headline::{AVERAGES_ONLY, OF_WAITS_SEEN};
use isotherm_views::{MapKind, quantity, waited};

/// All there is to say about the selection.
pub(super) fn lines(view: View<'_>, explained: &Explained, width: usize) -> Vec<Line<'static>> {
    let mut lines = numbers(view, explained, width);
    lines.extend(differing(view, explained, width));
    lines
}

/// The same where there is little room: how much it is, what differs, and then the rest.
pub(super) fn brief(view: View<'_>, explained: &Explained, width: usize) -> Vec<Line<'static>> {
    let mut lines = numbers(view, explained, width);
    let rest = lines.split_off(lines.len().min(3));
    lines.extend(differing(view, explained, width));
    lines.extend(rest);
    lines
}

/// The selection in numbers.
pub(super) fn numbers(view: View<'_>, explained: &Explained, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![heading(view, &title(view, &explained.region), width)];
    lines.extend(amounts(view, explained));
    lines.extend(beside(view, &explained.region));
    lines
}

/// What differs in it.
pub(super) fn differing(view: View<'_>, explained: &Explained, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![heading(view, "WHAT DIFFERS selection vs rest", width)];
    lines.extend(differences(view, explained, width));
    lines
}

fn title(view: View<'_>, region: &Region) -> String {
    let Some((_, columns)) = view.selection() else { return "SELECTION".to_owned() };
    let (from, to) = (view.column_name(*columns.start()), view.column_name(*columns.end()));
    format!("SELECTION {from}..{to}{}", phrase::selected(view.app, region.edges))
}

/// How much it is, of its columns and against the time before.
fn amounts(view: View<'_>, explained: &Explained) -> Vec<Line<'static>> {
    let region = &explained.region;
    let picture = &view.scene.picture;
    // Of whole columns the share of themselves says nothing.
    let columns = view.app.cursor.columns;
    let window = picture.columns.iter().map(|column| column.waited.seconds).sum();
    let (all_events, all_waited, what) = if columns {
        (picture.total.events(), window, "  of the window")
    } else {
        (region.events_of_columns, region.waited_of_columns_s, "  of those columns")
    };
    let events = whole_percent_of(region.events as f64, all_events as f64);
    let waits = whole_percent_of(region.waited_s, all_waited);
    let amount = |name: &str, value: String, share: &str, rest: &str| {
        row(format!("{name:<7}{value:>9}{share:>6}{rest}"))
    };
    let mut lines = vec![
        amount("events", quantity(region.events as f64), &events, what),
        amount(
            "waited",
            format!("{}{}", about_mark(region), waited(region.waited_s)),
            &waits,
            &format!("  = {}", phrase::waiting(region.sessions_waiting())),
        ),
    ];
    let length = view.selection().and_then(|(_, columns)| view.scene.stretch(&columns));
    let length = length.map(|stretch| clock::span(stretch.length())).unwrap_or_default();
    let Some(before) = &explained.before else {
        lines.push(row(format!("of the {length} before nothing is known")));
        return lines;
    };
    lines.push(against(&format!("{length} before"), (before.rate(), region.rate()), "ev/s"));
    let waits = (before.sessions_waiting(), region.sessions_waiting());
    lines.push(against("", waits, "waiting"));
    lines
}

/// A rate of the time before and of the selection.
fn against(name: &str, (before, now): (f64, f64), unit: &str) -> Line<'static> {
    let change = phrase::change(before, now);
    let rates = format!("{} → {} {unit}", quantity(before), quantity(now));
    Line::from(vec![Span::raw(format!("  {name:<15}{rates:<21} ")), bold(change)])
}

/// Mean and percentiles of the selection and of the window.
fn beside(view: View<'_>, region: &Region) -> Vec<Line<'static>> {
    let window = &view.scene.picture.total;
    let three = |name: &str, chosen: String, window: String, ratio: String| {
        row(format!("{name:<6}{chosen:>13}{window:>15}{ratio:>9}"))
    };
    let words = ["selection", "window", "ratio"].map(str::to_owned);
    let [chosen, all, ratio] = words;
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let mut lines = vec![three("", chosen, all, ratio).style(quiet)];
    let chosen = region.latencies.as_ref();
    let means = chosen.and_then(Histogram::mean_ns).zip(window.mean_ns());
    let ratio = means.map(|(chosen, all)| about(chosen / all));
    let text = chosen.map(mean).unwrap_or_default();
    let brief = view.scene.area.height < BRIEF;
    if !brief {
        lines.push(three("mean", text, mean(window), ratio.unwrap_or_default()));
    }
    if window.is_averages() {
        lines.push(row(AVERAGES_ONLY));
        return lines;
    }
    let shown = QUANTILES.iter().filter(|(q, _)| !brief || [0.5, 0.99].contains(q));
    for &(q, name) in shown {
        let chosen = chosen.and_then(|latencies| latencies.quantile(q).ok());
        let all = window.quantile(q).ok();
        let ratio = chosen.zip(all).map(|(chosen, all)| ratio_of(&chosen, &all));
        let text = |interval: Option<QuantileInterval>| {
            interval.map(|interval| phrase::quantile(&interval)).unwrap_or_default()
        };
        lines.push(three(name, text(chosen), text(all), ratio.unwrap_or_default()));
    }
    if window.length_error() > Nanos::ZERO {
        lines.push(row(OF_WAITS_SEEN));
    }
    lines
}

/// `≈` unless the time waited is measured.
pub(super) fn about_mark(region: &Region) -> &'static str {
    if region.latencies.as_ref().is_some_and(|all| all.sum().is_some()) { "" } else { "≈" }
}

fn about(ratio: f64) -> String {
    format!("≈{}", isotherm_views::compare::figures::ratio(ratio))
}

/// What is known of the ratio of two percentiles: of those in one bucket nothing.
fn ratio_of(chosen: &QuantileInterval, all: &QuantileInterval) -> String {
    if chosen.bucket == all.bucket {
        return "same".to_owned();
    }
    let ns = |length: Nanos| length.as_nanos() as f64;
    about(ns(chosen.estimate) / ns(all.estimate).max(1.0))
}

const QUANTILES: [(f64, &str); 5] =
    [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max")];
/// Below this height of the screen only what is asked for most is shown.
const BRIEF: u16 = 32;

/// The widths of a difference's bar and texts.
const BAR: u16 = 6;
const KEY: usize = 7;
const VALUE: usize = 11;

fn differences(view: View<'_>, explained: &Explained, width: usize) -> Vec<Line<'static>> {
    if explained.series < 2 {
        let text = "one series is shown: there are no attributes to compare";
        let hint = "(press a to add the other series)";
        return [text, hint].map(|text| row(shortened(text, width.saturating_sub(2)))).to_vec();
    }
    if explained.differs.is_empty() {
        let text = if explained.region.events == 0 {
            "there are no events in the selection".to_owned()
        } else {
            format!("nothing: {} series have their usual shares", explained.series)
        };
        return vec![row(shortened(&text, width.saturating_sub(2)))];
    }
    explained.differs.iter().map(|difference| line(view, difference)).collect()
}

/// `program RMAN   71% ███████▏ vs 3% z412`; of shares of the time waited `wait` in place of `z`.
fn line(view: View<'_>, difference: &Contrast) -> Line<'static> {
    let padded = |text: &str, width: usize| {
        let text = shortened(&crate::ledger::plain(text), width);
        let fill = width.saturating_sub(Span::raw(text.as_str()).width());
        text + &" ".repeat(fill)
    };
    let ink = view.style().ink(MapKind::Frequency, Shade::Step(5));
    let style = ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink)));
    let key = padded(&difference.facet.to_string(), KEY);
    let value = padded(&difference.value.to_string(), VALUE);
    let by_time = difference.is_by_time();
    let (share, rest) = if by_time {
        (difference.time.inside, difference.time.outside)
    } else {
        (difference.inside, difference.outside)
    };
    let (inside, outside) = (whole_percent_of(share, 1.0), whole_percent_of(rest, 1.0));
    let bar = padded(&bar(share, 1.0, BAR), usize::from(BAR));
    let z = quantity(difference.z.round());
    let z = z.split('.').next().filter(|_| difference.z.abs() < 100.0).unwrap_or(&z);
    let last = if by_time { "wait".to_owned() } else { format!("z{z}") };
    Line::from(vec![
        Span::raw(format!("  {key} ")),
        bold(value),
        Span::raw(format!(" {inside:>4} ")),
        Span::styled(bar, style),
        Span::raw(format!(" vs{outside:>5} {last}")),
    ])
}
