//! The axis of time: moments, marks, the cursor, and the sum of its column.

use isotherm_frame::{Nanos, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::view::{Known, View, amount, unit};
use super::{ink, marks, text};
use crate::across::Across;
use crate::clock;
use crate::plan::MapPlan;
use isotherm_views::MapKind;

/// The least distance of two labels, in columns.
const APART: u64 = 14;
const SECONDS: [u64; 18] = [
    1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400,
    604_800,
];

pub(super) fn paint(view: View<'_>, plan: &MapPlan, last: bool, buffer: &mut Buffer) {
    let Some(place) = plan.axis else { return };
    let time = Rect { x: plan.cells.x, width: plan.cells.width, ..place };
    if plan.cells.is_empty() {
        return;
    }
    if last {
        marks::names(view, time, buffer);
    }
    cursor(view, time, buffer);
    ticks(view, time, buffer);
    sum(view, plan, place, buffer);
}

/// Labels at round distances from now, or at round times of day.
fn ticks(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let column = view.app.window.column().as_nanos();
    let step = step(column, view.scene.across());
    let Some(end) = view.end() else { return };
    let across = view.scene.across();
    let width = i64::from(place.width);
    let columns = i64::try_from(across.columns).unwrap_or(i64::MAX).max(1);
    let style = Style::new().fg(ink::quiet(view.style()));
    let column = i64::try_from(column).unwrap_or(i64::MAX).max(1);
    let step_ns = i64::try_from(step.as_nanos()).unwrap_or(i64::MAX).max(1);
    // Columns end with the data: a round time may be anywhere in one.
    let across_width = |offset: i64| {
        let length = i128::from(columns) * i128::from(column);
        i64::try_from(i128::from(offset) * i128::from(width) / length).unwrap_or(i64::MAX)
    };
    if view.is_now() {
        put_at(buffer, place, width - 1, "now", style);
        for count in 1..=(columns.saturating_mul(column) / step_ns) {
            let offset = step_ns.saturating_mul(count);
            let x = width - 1 - across_width(offset);
            let ago = Nanos::new(offset.unsigned_abs());
            put_at(buffer, place, x, &format!("-{}", clock::span(ago)), style);
        }
        return;
    }
    let start = end.as_nanos().saturating_sub(columns.saturating_mul(column));
    let mut at = start.div_euclid(step_ns).saturating_add(1).saturating_mul(step_ns);
    while at < end.as_nanos() {
        let label = clock::clock(view.app, Timestamp::new(at));
        put_at(buffer, place, across_width(at - start), &label, style);
        at = at.saturating_add(step_ns);
    }
}

/// The least round time between labels.
fn step(column: u64, across: Across) -> Nanos {
    let apart = (APART * across.columns as u64).div_ceil(u64::from(across.width).max(1));
    let least = column.saturating_mul(apart);
    let whole = SECONDS.iter().map(|seconds| seconds.saturating_mul(1_000_000_000));
    let parts = [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().map(|ms| ms * 1_000_000);
    parts.chain(whole).find(|&step| step >= least).map_or(Nanos::new(least), Nanos::new)
}

/// Writes a label around a column, if it fits beside what is written there already.
fn put_at(buffer: &mut Buffer, place: Rect, column: i64, label: &str, style: Style) {
    let length = i64::try_from(label.chars().count()).unwrap_or(i64::MAX);
    let from = (column - length / 2).min(i64::from(place.width) - length);
    let (Ok(offset), Ok(width)) = (u16::try_from(from), u16::try_from(length)) else { return };
    let place = Rect { x: place.x + offset, width, ..place };
    if is_free(buffer, place) {
        text::put(buffer, place, &Line::from(Span::styled(label.to_owned(), style)));
    }
}

/// Points at the cursor's column and names its moment, after the pointer or before it, where
/// nothing else is written.
fn cursor(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let Some(column) = view.cursor_column() else { return };
    let style = Style::new().add_modifier(Modifier::BOLD);
    let at = view.scene.across().cells(column).start;
    let name = view.column_name(column);
    let width = u16::try_from(Span::raw(name.as_str()).width()).unwrap_or(u16::MAX);
    let after = (at, format!("▲{name}"));
    let before = (at.saturating_sub(width), format!("{name}▲"));
    for (from, label) in [after, before, (at, "▲".to_owned())] {
        let width = u16::try_from(Span::raw(label.as_str()).width()).unwrap_or(u16::MAX);
        let inside = from.saturating_add(width) <= place.width && from <= at;
        let place = Rect { x: place.x + from, width, ..place };
        if inside && is_free(buffer, place) && (from == at || from + width == at + 1) {
            return text::put(buffer, place, &Line::from(Span::styled(label, style)));
        }
    }
}

/// Whether nothing is written in a place nor beside it.
fn is_free(buffer: &Buffer, place: Rect) -> bool {
    let around = place.x.saturating_sub(1)..=place.right();
    around.filter_map(|x| buffer.cell((x, place.y))).all(|cell| cell.symbol() == " ")
}

fn sum(view: View<'_>, plan: &MapPlan, place: Rect, buffer: &mut Buffer) {
    let Some(column) = view.read_column().filter(|column| view.known(*column) == Known::Data)
    else {
        return;
    };
    if plan.gutter.is_empty() {
        return;
    }
    let value = view.scene.map(plan.kind).sums.get(column).copied().unwrap_or(0.0);
    let waited = view.scene.picture.columns.get(column).map(|column| column.waited);
    let exact = plan.kind == MapKind::Frequency || waited.is_some_and(|waited| waited.exact);
    let about = if exact { "" } else { "≈" };
    let line = format!(" Σ {about}{}{}", amount(plan.kind, value), unit(plan.kind));
    let place = Rect { x: plan.gutter.x, width: plan.gutter.width, ..place };
    text::put(buffer, place, &Line::from(text::bold(line)));
}
