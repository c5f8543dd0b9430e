//! What has no map of its own: the sums of the other map, and percentiles over time.

use isotherm_analysis::Shade;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::view::{Known, View, amount, unit};
use super::{curves, ink, phrase, text};
use isotherm_views::{Depth, MapKind};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    if let Some(place) = view.scene.plan.spark {
        sums(view, place, buffer);
    }
    if let Some(place) = view.scene.plan.strip {
        strip(view, place, buffer);
    }
}

/// A bar of eight heights.
pub(super) fn block(value: f64, most: f64) -> char {
    if value <= 0.0 || most <= 0.0 {
        return ' ';
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8")]
    let height = (value / most * 8.0).ceil() as usize;
    BLOCKS[height.clamp(1, 8) - 1]
}

/// The column sums of the map that is not shown.
fn sums(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let Some(plan) = view.scene.plan.maps.first() else { return };
    let kind = match plan.kind {
        MapKind::Frequency => MapKind::Intensity,
        MapKind::Intensity => MapKind::Frequency,
    };
    let map = view.scene.map(kind);
    let quiet = Style::new().fg(ink::quiet(view.style()));
    if plan.labels.width > 0 {
        let label = format!("{:>7}", unit(kind).trim_start());
        text::put(buffer, place, &Line::from(Span::styled(label, quiet)));
    }
    let bars = view.style().ink(kind, Shade::Step(5)).map(ink::colour).unwrap_or_default();
    let across = view.scene.across();
    for x in plan.cells.x..plan.cells.right() {
        let column = across.column(x - plan.cells.x);
        let Some(cell) = buffer.cell_mut((x, place.y)) else { continue };
        match view.known(column) {
            Known::Data => {
                let value = map.sums.get(column).copied().unwrap_or(0.0);
                cell.set_char(block(value, map.max_sum)).set_fg(bars);
            }
            Known::NoData | Known::Reset => {
                cell.set_char(view.style().no_data()).set_style(quiet);
            }
            Known::Before => {}
        }
    }
    if !plan.gutter.is_empty() {
        let text = format!(" max {}{}", amount(kind, map.max_sum), unit(kind));
        let place = Rect { x: plan.gutter.x, width: plan.gutter.width, ..place };
        text::put(buffer, place, &Line::from(Span::styled(text, quiet)));
    }
}

/// Percentiles over time, on a logarithmic axis from the least to the greatest of them.
fn strip(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let Some(plan) = view.scene.plan.maps.first() else { return };
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let lines = curves::lines(&view.scene.picture);
    let title = Line::from(vec![
        text::bold("  PERCENTILES"),
        Span::styled(format!(" {}", curves::legend(&lines, view.app.window.column())), quiet),
    ]);
    text::put(buffer, Rect { height: 1, ..place }, &title);
    let body = Rect { y: place.y + 1, height: place.height.saturating_sub(1), ..place };
    let points = points(&lines);
    let values = || points.iter().map(|(_, _, value)| *value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    if body.height == 0 || high <= 0.0 {
        return;
    }
    let scale = Scale { low: low.max(1.0).ln(), high: high.max(1.0).ln(), height: body.height };
    for line in 0..body.height {
        let label = format!("{:>7} ", phrase::about(scale.value(line)));
        let place = Rect { y: body.y + line, height: 1, width: plan.labels.width, ..body };
        text::put(buffer, place, &Line::from(Span::styled(label, quiet)));
    }
    let across = view.scene.across();
    for x in plan.cells.x..plan.cells.right() {
        let column = across.column(x - plan.cells.x);
        if !matches!(view.known(column), Known::NoData | Known::Reset) {
            continue;
        }
        for y in body.y..body.bottom() {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.set_char(view.style().no_data()).set_style(quiet);
            }
        }
    }
    if view.style().depth != Depth::Ascii {
        return braille(view, (&lines, &scale), (plan.cells, body), buffer);
    }
    for (column, glyph, value) in points {
        for x in across.cells(column).map(|x| plan.cells.x + x) {
            if let Some(cell) = buffer.cell_mut((x, body.y + scale.line(value))) {
                cell.set_char(glyph);
            }
        }
    }
}

/// The lines in the fine dots of braille: the median twice as thick, p99.9 dotted.
fn braille(
    view: View<'_>,
    (lines, scale): (&[curves::Curve], &Scale),
    (cells, body): (Rect, Rect),
    buffer: &mut Buffer,
) {
    let across = view.scene.across();
    let fine = Scale { height: scale.height * DOTS_DOWN, ..*scale };
    let mut dots = Dots::of(cells.width, body.height);
    for line in lines {
        let every = if line.q > 0.99 { 2 } else { 1 };
        let mut before: Option<(usize, u16)> = None;
        for step in line.steps.iter().filter(|step| step.from < step.to) {
            let place = |column: usize| across.cells(column);
            let from = place(step.from).start * DOTS_ACROSS;
            let to = place(step.to - 1).end * DOTS_ACROSS;
            let y = fine.line(step.quantile.estimate.as_nanos() as f64);
            (from..to).step_by(every).for_each(|x| dots.set(x, y));
            if line.q <= 0.5 {
                // On the lowest line there is no room below.
                let second = if y + 1 < fine.height { y + 1 } else { y.saturating_sub(1) };
                (from..to).for_each(|x| dots.set(x, second));
            }
            // Steps that follow upon each other are joined.
            if let Some((_, other)) = before.filter(|(end, _)| *end == step.from) {
                (y.min(other)..=y.max(other)).step_by(every).for_each(|y| dots.set(from, y));
            }
            before = Some((step.to, y));
        }
    }
    for (x, y, glyph) in dots.characters() {
        if let Some(cell) = buffer.cell_mut((cells.x + x, body.y + y)) {
            cell.set_char(glyph);
        }
    }
}

/// Dots of a braille character across and down.
const DOTS_ACROSS: u16 = 2;
const DOTS_DOWN: u16 = 4;

/// Characters of which each has eight dots.
struct Dots {
    width: u16,
    bits: Vec<u8>,
}

impl Dots {
    fn of(width: u16, height: u16) -> Dots {
        Dots { width, bits: vec![0; usize::from(width) * usize::from(height)] }
    }

    fn set(&mut self, x: u16, y: u16) {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let at =
            usize::from(y / DOTS_DOWN) * usize::from(self.width) + usize::from(x / DOTS_ACROSS);
        if let Some(bits) = self.bits.get_mut(at).filter(|_| x / DOTS_ACROSS < self.width) {
            *bits |= BITS[usize::from(y % DOTS_DOWN)][usize::from(x % DOTS_ACROSS)];
        }
    }

    /// Where there is a dot: column, line, character.
    fn characters(&self) -> impl Iterator<Item = (u16, u16, char)> {
        let width = usize::from(self.width.max(1));
        let filled = self.bits.iter().enumerate().filter(|(_, bits)| **bits != 0);
        filled.filter_map(move |(at, bits)| {
            let (x, y) = (u16::try_from(at % width).ok()?, u16::try_from(at / width).ok()?);
            Some((x, y, char::from_u32(0x2800 + u32::from(*bits))?))
        })
    }
}

/// Where percentile lines pass: column, glyph and estimate in nanoseconds.
fn points(lines: &[curves::Curve]) -> Vec<(usize, char, f64)> {
    let steps = lines.iter().flat_map(|line| line.steps.iter().map(|step| (line.glyph, step)));
    steps
        .flat_map(|(glyph, step)| {
            let value = step.quantile.estimate.as_nanos() as f64;
            (step.from..step.to).map(move |column| (column, glyph, value))
        })
        .collect()
}

/// A logarithmic axis of so many lines; lines count from the top.
#[derive(Copy, Clone)]
struct Scale {
    low: f64,
    high: f64,
    height: u16,
}

impl Scale {
    fn line(&self, value: f64) -> u16 {
        let share = (value.max(1.0).ln() - self.low) / (self.high - self.low).max(1e-9);
        let steps = f64::from(self.height - 1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to height")]
        let up = (share.clamp(0.0, 1.0) * steps).round() as u16;
        self.height - 1 - up
    }

    /// The latency, in nanoseconds, that a line stands for.
    fn value(&self, line: u16) -> f64 {
        let steps = f64::from((self.height - 1).max(1));
        let share = f64::from(self.height - 1 - line) / steps;
        (self.low + share * (self.high - self.low)).exp()
    }
}
