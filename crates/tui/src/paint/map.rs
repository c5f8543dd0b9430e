//! A map: its title with the legend, the latency axis, and the cells.

use isotherm_analysis::{Map, Shade, Unplaced};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::gutter::bar;
use super::text::{bold, put, put_right};
use super::view::{Known, View, amount};
use super::{curves, ink, marks, over, phrase};
use crate::clock;
use crate::plan::MapPlan;
use crate::selection::Range;
use crate::stack;
use isotherm_views::style::STEPS;
use isotherm_views::{Ink, MapKind};

pub(super) fn paint(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    if let Some(place) = plan.title {
        title(view, plan, place, buffer);
    }
    labels(view, plan, buffer);
    if view.scene.is_single() {
        bars(view, plan, buffer);
        return row_at_cursor(view, plan, buffer);
    }
    cells(view, plan, buffer);
    if plan.kind == MapKind::Frequency && view.app.look.percentiles {
        percentiles(view, plan, buffer);
    }
    if plan.kind == MapKind::Intensity {
        unplaced(view, plan, buffer);
    }
    marks::paint(view, plan, buffer);
    cursor(view, plan, buffer);
    row_at_cursor(view, plan, buffer);
}

fn title(view: View<'_>, plan: &MapPlan, place: Rect, buffer: &mut Buffer) {
    let (name, units) = match plan.kind {
        MapKind::Frequency => ("FREQUENCY", "events/s"),
        MapKind::Intensity => ("INTENSITY", "average waiting"),
    };
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let focused = view.scene.plan.maps.len() > 1 && view.app.look.focus == plan.kind;
    let lead = if focused { " ▸" } else { "  " };
    let about = if exact(view, plan.kind) { "" } else { " ≈" };
    let map = view.scene.map(plan.kind);
    let place = Rect { width: plan.gutter.right().saturating_sub(place.x), ..place };
    let header = gutter_header(view, plan);
    let taken = if plan.gutter.width < 20 { 0 } else { put_right(buffer, place, &header) };
    let room = place.width.saturating_sub(taken + 1);
    let mut line = Line::from(vec![
        Span::raw(lead),
        bold(name),
        Span::styled(format!(" {units}{about}  "), quiet),
    ]);
    let left = usize::from(room).saturating_sub(line.width());
    let dots = dots(view, plan.kind).filter(|dots| dots.width() < left);
    let left = left - dots.as_ref().map_or(0, Span::width);
    line.extend(legend(view, plan.kind, map, left));
    line.extend(dots);
    put(buffer, Rect { width: room, ..place }, &line);
}

/// What dots over cells stand for, if there are any.
fn dots(view: View<'_>, kind: MapKind) -> Option<Span<'static>> {
    let found = Unplaced::of(&view.scene.picture.columns);
    let found = found.filter(|_| kind == MapKind::Intensity && view.style().has_half_blocks())?;
    let (mark, longer) = (view.style().unplaced(), clock::span(found.column));
    let text = format!("  {mark} waits longer than {longer}, drawn where they end");
    Some(Span::styled(text, Style::new().fg(ink::quiet(view.style()))))
}

fn exact(view: View<'_>, kind: MapKind) -> bool {
    kind == MapKind::Frequency || view.scene.picture.headline.exact
}

/// What the gutter's numbers are about.
fn gutter_header(view: View<'_>, plan: &MapPlan) -> Line<'static> {
    let column = view.read_column().map(|column| view.column_name(column)).unwrap_or_default();
    let text = if plan.gutter.width >= 20 && !column.is_empty() {
        let at = if view.cursor_column().is_some() { "at " } else { "" };
        format!("{at}{column} ")
    } else {
        String::new()
    };
    Line::from(Span::styled(text, Style::new().fg(ink::quiet(view.style()))))
}

/// The ramp with the value from which each colour is used; fewer values where there is less room.
fn legend(view: View<'_>, kind: MapKind, map: &Map, room: usize) -> Vec<Span<'static>> {
    let legend = &map.legend;
    if map.max_sum <= 0.0 {
        return Vec::new();
    }
    let pin = if legend.pinned { " pinned" } else { "" };
    let end = format!(" max {}{pin} {}", amount(kind, legend.max), legend.scale.name());
    let looks = distinct_steps(view, kind);
    let width = |spans: &[Span<'_>]| spans.iter().map(Span::width).sum::<usize>();
    for every in [1, 2, 4] {
        let mut spans = vec![swatch(view, kind, Shade::Trace)];
        spans.push(Span::raw(format!(
            "<{} ",
            amount(kind, legend.trace_below).trim_start_matches('<')
        )));
        for (index, &step) in looks.iter().enumerate() {
            spans.push(swatch(view, kind, Shade::Step(step)));
            if index == 0 {
                spans.push(Span::raw(" "));
            } else if (looks.len() - 1 - index).is_multiple_of(every) {
                let from = legend.steps.get(usize::from(step - 1)).copied().unwrap_or(legend.max);
                spans.push(Span::raw(format!("{} ", amount(kind, from))));
            }
        }
        spans.push(Span::raw(end.trim_start().to_owned()));
        if width(&spans) <= room {
            return spans;
        }
    }
    let mut ramp: Vec<Span<'static>> =
        looks.iter().map(|&step| swatch(view, kind, Shade::Step(step))).collect();
    ramp.push(Span::raw(end));
    while width(&ramp) > room && ramp.len() > 1 {
        ramp.remove(0);
    }
    ramp
}

/// The steps that look different in this terminal: the first of each look.
fn distinct_steps(view: View<'_>, kind: MapKind) -> Vec<u8> {
    let mut steps: Vec<u8> = (1..=STEPS).collect();
    steps.dedup_by_key(|step| look(view, kind, Shade::Step(*step)));
    steps
}

fn look(view: View<'_>, kind: MapKind, shade: Shade) -> (Option<Ink>, char) {
    let style = view.style();
    let glyph = if style.has_half_blocks() { '█' } else { style.glyph(shade) };
    (style.ink(kind, shade), glyph)
}

fn swatch(view: View<'_>, kind: MapKind, shade: Shade) -> Span<'static> {
    let (ink, glyph) = look(view, kind, shade);
    let style = ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink)));
    Span::styled(glyph.to_string(), style)
}

fn labels(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let quiet = Style::new().fg(ink::quiet(view.style()));
    for (y, line) in (plan.labels.y..plan.labels.bottom()).zip(&view.scene.lines) {
        let Some(label) = &line.label else { continue };
        let text = Span::styled(format!("{label:>7} "), quiet);
        put(buffer, Rect { y, height: 1, ..plan.labels }, &Line::from(text));
    }
}

/// Names the line of the cursor with both its bounds: in the place of its label, and over the first
/// cells where that is too narrow and the cursor is not there.
fn row_at_cursor(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let Some(row) = view.cursor_row().filter(|_| plan.labels.width > 0) else { return };
    let lines = plan.labels.y..plan.labels.bottom();
    let Some((y, line)) = lines.zip(&view.scene.lines).find(|(_, line)| line.holds(row)) else {
        return;
    };
    let Some((lo, hi)) = view.scene.edges_of_line(line) else { return };
    let text = format!("{:>7} ", phrase::range(lo, hi));
    let width = u16::try_from(text.chars().count()).unwrap_or(u16::MAX);
    let cursor = view.cursor_column().map(|column| view.scene.across().cells(column).start);
    let over = width.saturating_sub(plan.labels.width);
    let room = if cursor.is_some_and(|x| x < over + 1) { plan.labels.width } else { width };
    let style = Style::new().add_modifier(Modifier::REVERSED);
    let place = Rect { y, height: 1, width: room, ..plan.labels };
    put(buffer, place, &Line::from(Span::styled(text, style)));
}

fn cells(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let shades = &view.scene.map(plan.kind).shades;
    let quiet = ink::quiet(view.style());
    let lines = plan.cells.height;
    let across = view.scene.across();
    for x in plan.cells.x..plan.cells.right() {
        let column = across.column(x - plan.cells.x);
        let known = view.known(column);
        let hatched = view.is_mostly_gap(column).then(|| view.style().no_data());
        for index in 0..lines {
            let Some(cell) = buffer.cell_mut((x, plan.cells.y + index)) else { continue };
            match known {
                Known::Before => {}
                Known::NoData => {
                    cell.set_char(view.style().no_data()).set_fg(quiet);
                }
                Known::Reset => {
                    cell.set_char(view.style().reset()).set_fg(ink::alarm(view.style()));
                }
                Known::Data => {
                    let Some(line) = view.scene.lines.get(usize::from(index)) else { continue };
                    let shade = |row: Option<usize>| {
                        let at = row.map(|row| view.scene.picture.cell(row, column));
                        at.and_then(|at| shades.get(at)).copied().unwrap_or_default()
                    };
                    let shades = (shade(line.upper), shade(line.lower));
                    match hatched.filter(|_| shades == (Shade::default(), Shade::default())) {
                        Some(hatch) => {
                            cell.set_char(hatch).set_fg(quiet);
                        }
                        None => value(view, plan.kind, shades, cell),
                    }
                }
            }
        }
    }
}

/// A single interval: a bar for each line, as long as what it holds.
fn bars(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let cells = &view.scene.map(plan.kind).cells;
    let value = |row: usize| cells.get(view.scene.picture.cell(row, 0)).copied().unwrap_or(0.0);
    let lines = view.scene.lines.iter();
    let values: Vec<f64> = lines.map(|line| line.rows().map(value).sum()).collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    let ink = view.style().ink(plan.kind, Shade::Step(5)).map(ink::colour);
    let style = ink.map_or_else(Style::new, |ink| Style::new().fg(ink));
    for (y, value) in (plan.cells.y..plan.cells.bottom()).zip(values) {
        let text = bar(value, most, plan.cells.width);
        let place = Rect { y, height: 1, ..plan.cells };
        put(buffer, place, &Line::from(Span::styled(text, style)));
    }
}

/// One cell of the screen: two shades one above the other, or one glyph.
fn value(view: View<'_>, kind: MapKind, (upper, lower): (Shade, Shade), cell: &mut Cell) {
    let style = view.style();
    if !style.has_half_blocks() {
        let shade = upper.max(lower);
        cell.set_char(style.glyph(shade));
        if let Some(ink) = style.ink(kind, shade) {
            cell.set_fg(ink::colour(ink));
        }
        return;
    }
    let inks = (style.ink(kind, upper).map(ink::colour), style.ink(kind, lower).map(ink::colour));
    match inks {
        (None, None) => {}
        (Some(upper), None) => {
            cell.set_char('▀').set_fg(upper);
        }
        (None, Some(lower)) => {
            cell.set_char('▄').set_fg(lower);
        }
        (Some(upper), Some(lower)) if upper == lower => {
            cell.set_bg(lower);
        }
        (Some(upper), Some(lower)) => {
            cell.set_char('▀').set_fg(upper).set_bg(lower);
        }
    }
}

/// Lines of percentiles over the cells. Glyphs have no room for both, so there they are left to
/// the strip below.
fn percentiles(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    if !view.style().has_half_blocks() {
        return;
    }
    let picture = &view.scene.picture;
    for line in curves::lines(picture) {
        for step in line.steps {
            let Some(row) = picture.row_of(step.quantile.counted_in.lo) else { continue };
            for column in step.from..step.to {
                over_cell(view, plan, (row, column, line.glyph), buffer);
            }
        }
    }
}

/// Dots over the cells a part of which was waited before their column. Glyphs have no room for both.
fn unplaced(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let picture = &view.scene.picture;
    if !view.style().has_half_blocks() {
        return;
    }
    for row in (0..picture.rows.len()).filter(|&row| picture.is_row_unplaced(row)) {
        for column in (0..picture.columns.len()).filter(|&at| picture.is_unplaced(row, at)) {
            over_cell(view, plan, (row, column, view.style().unplaced()), buffer);
        }
    }
}

/// Puts a glyph over the characters of a row and a column.
fn over_cell(
    view: View<'_>,
    plan: &MapPlan,
    (row, column, glyph): (usize, usize, char),
    buffer: &mut Buffer,
) {
    let scene = view.scene;
    let line = scene.lines.iter().position(|line| line.holds(row));
    let y = line.and_then(|line| u16::try_from(line).ok()).filter(|y| *y < plan.cells.height);
    let Some(y) = y else { return };
    let at = scene.picture.cell(row, column);
    let shade = scene.map(plan.kind).shades.get(at).copied().unwrap_or_default();
    // A dot is one, however wide its cell; a line goes on.
    let width = if glyph == view.style().unplaced() { 1 } else { usize::MAX };
    for x in scene.across().cells(column).take(width) {
        if let Some(cell) = buffer.cell_mut((plan.cells.x + x, plan.cells.y + y)) {
            over::cell(view, plan.kind, shade, glyph, cell);
        }
    }
}

/// The cursor's column where nothing is painted, its cell, and the selection's frame.
fn cursor(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let Some(column) = view.cursor_column() else { return };
    let x = plan.cells.x + view.scene.across().cells(column).start;
    for y in plan.cells.y..plan.cells.bottom() {
        if let Some(cell) = buffer.cell_mut((x, y))
            && cell.symbol() == " "
            && cell.bg == Color::Reset
        {
            cell.set_char('│').set_fg(ink::quiet(view.style()));
        }
    }
    if let Some((rows, columns)) = view.selection() {
        frame(view, plan, (rows, columns), buffer);
    }
    let row = view.cursor_row();
    let line = row.and_then(|row| view.scene.lines.iter().position(|line| line.holds(row)));
    if let Some(line) = line.and_then(|line| u16::try_from(line).ok())
        && line < plan.cells.height
    {
        over::line(view, plan, (x, plan.cells.y + line), '◆', buffer);
    }
}

fn frame(view: View<'_>, plan: &MapPlan, (rows, columns): (Range, Range), buffer: &mut Buffer) {
    let inside = |line: &stack::Line| line.rows().any(|row| rows.contains(&row));
    let lines = &view.scene.lines;
    let Some(top) = lines.iter().position(inside) else { return };
    let Some(bottom) = lines.iter().rposition(inside) else { return };
    let across = view.scene.across();
    let (first, last) = (across.cells(*columns.start()), across.cells(*columns.end()));
    for line in top..=bottom {
        for x in first.start..last.end {
            let (left, right) = (x == first.start, x + 1 == last.end);
            let glyph = match (line == top, line == bottom, left, right) {
                (true, _, true, _) => '┏',
                (true, _, _, true) => '┓',
                (_, true, true, _) => '┗',
                (_, true, _, true) => '┛',
                (true, ..) | (_, true, ..) => '━',
                (_, _, true, _) | (_, _, _, true) => '┃',
                _ => continue,
            };
            let Ok(y) = u16::try_from(line) else { continue };
            over::line(view, plan, (plan.cells.x + x, plan.cells.y + y), glyph, buffer);
        }
    }
}
