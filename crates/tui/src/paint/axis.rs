//! The axis of time: moments, marks, the cursor, and the sum of its column.

use isotherm_frame::{Nanos, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::view::{Known, View, amount, unit};
use super::{ink, text};
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
        marks(view, time, buffer);
    }
    cursor(view, time, buffer);
    ticks(view, time, buffer);
    sum(view, plan, place, buffer);
}

/// Labels at round distances from now, or at round times of day.
fn ticks(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let column = view.app.window.column().as_nanos();
    let step = step(column);
    let Some(end) = view.end() else { return };
    let width = i64::from(place.width);
    let style = Style::new().fg(ink::quiet(view.style()));
    let column = i64::try_from(column).unwrap_or(i64::MAX).max(1);
    let step_ns = i64::try_from(step.as_nanos()).unwrap_or(i64::MAX).max(1);
    if view.is_now() {
        put_at(buffer, place, width - 1, "now", style);
        for count in 1..=(width.saturating_mul(column) / step_ns) {
            let offset = step_ns.saturating_mul(count);
            let x = width - 1 - offset / column;
            let ago = Nanos::new(offset.unsigned_abs());
            put_at(buffer, place, x, &format!("-{}", clock::span(ago)), style);
        }
        return;
    }
    let start = end.as_nanos().saturating_sub(width.saturating_mul(column));
    let mut at = start.div_euclid(step_ns).saturating_add(1).saturating_mul(step_ns);
    while at < end.as_nanos() {
        let label = clock::clock(view.app, Timestamp::new(at));
        put_at(buffer, place, (at - start) / column, &label, style);
        at = at.saturating_add(step_ns);
    }
}

/// The least round time between labels.
fn step(column: u64) -> Nanos {
    let least = column.saturating_mul(APART);
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
    let around = place.x.saturating_sub(1)..=place.right();
    let free = around.filter_map(|x| buffer.cell((x, place.y))).all(|cell| cell.symbol() == " ");
    if free {
        text::put(buffer, place, &Line::from(Span::styled(label.to_owned(), style)));
    }
}

/// Marks with as much of their text as there is room for, after them or before.
fn marks(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let mut marks: Vec<_> = view.scene.picture.marks.iter().collect();
    marks.sort_by_key(|mark| mark.column);
    let style = Style::new().fg(ink::alarm(view.style())).add_modifier(Modifier::BOLD);
    let mut free_from = 0;
    for (index, mark) in marks.iter().enumerate() {
        let next = marks.get(index + 1).map_or(usize::from(place.width), |next| next.column);
        let after = next.saturating_sub(mark.column + 1);
        let before = mark.column.saturating_sub(free_from);
        free_from =
            pointer(buffer, place, ('▼', mark.column), (&mark.text, style), (before, after));
    }
}

fn cursor(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let Some(column) = view.cursor_column() else { return };
    let style = Style::new().add_modifier(Modifier::BOLD);
    let room = (column, usize::from(place.width).saturating_sub(column + 1));
    pointer(buffer, place, ('▲', column), (&view.column_name(column), style), room);
}

/// Points at a column and names it: after the pointer, or before it where there is more room.
/// Gives the column after all that.
fn pointer(
    buffer: &mut Buffer,
    place: Rect,
    (sign, column): (char, usize),
    (name, style): (&str, Style),
    (before, after): (usize, usize),
) -> usize {
    let width = Span::raw(name).width();
    let left = after < width + 1 && before > after;
    let (from, label) = if left {
        let name = text::shortened(name, before.saturating_sub(1));
        (column.saturating_sub(Span::raw(name.as_str()).width()), format!("{name}{sign}"))
    } else {
        (column, format!("{sign}{}", text::shortened(name, after.saturating_sub(1))))
    };
    let end = from + Span::raw(label.as_str()).width();
    if let Some(offset) = u16::try_from(from).ok().filter(|offset| *offset < place.width) {
        let place = Rect { x: place.x + offset, width: place.width - offset, ..place };
        text::put(buffer, place, &Line::from(Span::styled(label, style)));
    }
    end
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
