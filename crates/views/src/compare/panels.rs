//! The maps of A and B and the map of their difference.

use isotherm_analysis::{ColumnState, Legend, Maps, NOISE, Shade};
use isotherm_frame::{Clock, Detail, Timestamp};

use super::summary::{Alignment, CompareSummary};
use crate::ansi::{Ansi, Look};
use crate::cells::{
    Cell, TextRow, cell_at, paint as paint_cell, paint_legend, paint_pair, text_rows,
};
use crate::ranges::edge;
use crate::style::{Depth, MapKind, Palette, STEPS, Style};
use crate::times::{TimeFormat, span};

/// Characters left of the cells: the label and a blank.
const LABEL: usize = 8;
/// Characters between panels.
const BETWEEN: usize = 2;
/// From this width on the three maps stand side by side.
const WIDE: usize = 110;
/// The most characters of one cell.
const MOST_WIDE: usize = 8;

/// How the panels stand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// All three in one row.
    pub side_by_side: bool,
    /// The most columns of each.
    pub columns: usize,
}

impl Layout {
    pub fn of(width: usize) -> Layout {
        let room = width.max(60) - LABEL;
        if width >= WIDE {
            return Layout { side_by_side: true, columns: (room - 2 * BETWEEN) / 3 };
        }
        Layout { side_by_side: false, columns: room }
    }
}

/// One of the three maps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Panel {
    A,
    B,
    Difference,
}

/// The ramp of a difference: blue for less, orange for more.
pub(crate) fn divergence(value: f64) -> MapKind {
    if value < 0.0 { MapKind::Frequency } else { MapKind::Intensity }
}

/// The shade of a difference of so many standard deviations: nothing within noise, then a step
/// more with each half octave.
fn shade(z: f64) -> Shade {
    if z.abs() < NOISE {
        return Shade::Zero;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "2 to 8")]
    let step = (2.0 + 2.0 * (z.abs() / NOISE).log2()).clamp(2.0, f64::from(STEPS)) as u8;
    Shade::Step(step)
}

/// What is painted on and with.
struct Sketch<'a> {
    maps: &'a Maps,
    style: Style,
    kind: MapKind,
    wide: usize,
}

/// Paints all three, one scale of colours for A and B.
pub(crate) fn paint(
    ansi: &mut Ansi,
    style: Style,
    summary: &CompareSummary<'_>,
    maps: &Maps,
    (kind, width): (MapKind, usize),
) {
    let layout = Layout::of(width);
    let wide = (layout.columns / maps.columns.max(1)).clamp(1, MOST_WIDE);
    let on = Sketch { maps, style, kind, wide };
    on.legends(ansi, width);
    let panels = [Panel::A, Panel::B, Panel::Difference];
    if layout.side_by_side {
        on.block(ansi, summary, &panels);
    } else {
        for panel in panels {
            on.block(ansi, summary, &[panel]);
        }
    }
}

impl Sketch<'_> {
    /// What the colours of the maps and of the difference stand for.
    fn legends(&self, ansi: &mut Ansi, width: usize) {
        let (name, unit) = match self.kind {
            MapKind::Frequency => ("FREQUENCY", " events/s, A and B "),
            MapKind::Intensity => ("INTENSITY", " waiting, A and B "),
        };
        ansi.end_line();
        ansi.bold(name);
        ansi.plain(unit);
        if self.maps.both.detail() == Detail::Averages {
            ansi.plain("at the mean ");
        }
        let room = width.saturating_sub(ansi.width());
        paint_legend(ansi, self.style, (self.legend(), self.kind), room);
        ansi.end_line();
        ansi.bold("Δ");
        ansi.plain(" B less ");
        for z in [-24.0, -9.0, -NOISE] {
            self.difference(ansi, Some(z));
        }
        ansi.plain("   ");
        for z in [NOISE, 9.0, 24.0] {
            self.difference(ansi, Some(z));
        }
        ansi.plain(" B more  blank: within noise");
        ansi.faint(&format!(" (|z| < {NOISE:.0})"));
        ansi.end_line();
    }

    fn legend(&self) -> &Legend {
        match self.kind {
            MapKind::Frequency => &self.maps.both.frequency.legend,
            MapKind::Intensity => &self.maps.both.intensity.legend,
        }
    }

    fn body(&self) -> usize {
        self.wide * self.maps.columns
    }

    /// Panels beside each other, with one label for each line and the axis below.
    fn block(&self, ansi: &mut Ansi, summary: &CompareSummary<'_>, panels: &[Panel]) {
        for (index, panel) in panels.iter().enumerate() {
            ansi.pad_to(LABEL + index * (self.body() + BETWEEN));
            ansi.bold(match panel {
                Panel::A => "A",
                Panel::B => "B",
                Panel::Difference => "Δ B - A",
            });
        }
        ansi.end_line();
        for line in text_rows(&self.maps.both, self.style) {
            let row = self.maps.both.rows.get(line.lower);
            let label = row.filter(|row| row.labelled).map(edge).unwrap_or_default();
            ansi.plain(&format!("{label:>7} "));
            for (index, panel) in panels.iter().enumerate() {
                if index > 0 {
                    ansi.plain(&" ".repeat(BETWEEN));
                }
                self.line(ansi, *panel, line);
            }
            ansi.end_line();
        }
        for (index, panel) in panels.iter().enumerate() {
            self.axis(ansi, summary, *panel, LABEL + index * (self.body() + BETWEEN));
        }
        ansi.end_line();
    }

    fn line(&self, ansi: &mut Ansi, panel: Panel, line: TextRow) {
        for column in 0..self.maps.columns {
            for _ in 0..self.wide {
                match panel {
                    Panel::A => self.cell(ansi, line, column),
                    Panel::B => self.cell(ansi, line, self.maps.columns + column),
                    Panel::Difference => self.difference_cell(ansi, line, column),
                }
            }
        }
    }

    fn cell(&self, ansi: &mut Ansi, line: TextRow, column: usize) {
        let both = &self.maps.both;
        let map = match self.kind {
            MapKind::Frequency => &both.frequency,
            MapKind::Intensity => &both.intensity,
        };
        let lower = cell_at(both, map, line.lower, column);
        match line.upper {
            Some(upper) => {
                let pair = (cell_at(both, map, upper, column), lower);
                paint_pair(ansi, self.style, self.kind, pair);
            }
            None => paint_cell(ansi, self.style, self.kind, lower),
        }
    }

    fn z(&self, row: usize, column: usize) -> Option<f64> {
        self.maps.z.get(row * self.maps.columns + column).copied().flatten()
    }

    fn difference_cell(&self, ansi: &mut Ansi, line: TextRow, column: usize) {
        let lower = self.z(line.lower, column);
        let Some(upper) = line.upper.map(|upper| self.z(upper, column)) else {
            return self.difference(ansi, lower);
        };
        let (Some(above), Some(below)) = (upper, lower) else {
            return self.difference(ansi, None);
        };
        let ink = |z: f64| self.style.ink(divergence(z), shade(z));
        match (ink(above), ink(below)) {
            _ if !self.has_two_colours() => {
                self.difference(ansi, Some(if above.abs() > below.abs() { above } else { below }));
            }
            (None, Some(fg)) => ansi.looking("▄", Look { fg: Some(fg), ..Look::default() }),
            (Some(fg), None) => ansi.looking("▀", Look { fg: Some(fg), ..Look::default() }),
            (one, two) if one == two => ansi.looking(" ", Look { bg: one, ..Look::default() }),
            (fg, bg) => ansi.looking("▀", Look { fg, bg, bold: false }),
        }
    }

    /// Whether less and more can be told apart by colour.
    fn has_two_colours(&self) -> bool {
        !matches!(self.style.depth, Depth::Glyphs | Depth::Ascii)
            && self.style.palette != Palette::Grey
    }

    /// One cell of the difference as a whole character.
    fn difference(&self, ansi: &mut Ansi, z: Option<f64>) {
        let Some(z) = z else { return paint_cell(ansi, self.style, self.kind, Cell::NoData) };
        if self.has_two_colours() {
            return paint_cell(ansi, self.style, divergence(z), Cell::Shade(shade(z)));
        }
        let ascii = self.style.depth == Depth::Ascii;
        let strong = z.abs() >= 3.0 * NOISE;
        ansi.plain(match (shade(z) == Shade::Zero, z > 0.0, strong, ascii) {
            (true, ..) => " ",
            (_, true, false, true) => "+",
            (_, true, true, true) => "#",
            (_, false, false, true) => "-",
            (_, false, true, true) => "=",
            (_, true, false, false) => "△",
            (_, true, true, false) => "▲",
            (_, false, false, false) => "▽",
            (_, false, true, false) => "▼",
        });
    }

    /// The time axis of a panel: of its side's clock, or counted from what is aligned.
    fn axis(&self, ansi: &mut Ansi, summary: &CompareSummary<'_>, panel: Panel, left: usize) {
        let (side, first) = if panel == Panel::B { (1, self.maps.columns) } else { (0, 0) };
        let label = &summary.sides[side];
        let columns = &self.maps.both.columns;
        let starts: Vec<Timestamp> =
            columns.iter().skip(first).take(self.maps.columns).map(|column| column.start).collect();
        let moments = match (&summary.alignment, panel) {
            (Alignment::Clock, _) => TimeFormat::new(label.clock, label.span.0),
            _ => TimeFormat::new(Clock::Arbitrary, label.anchor),
        };
        ansi.pad_to(left);
        for (column, text) in moments.ticks(&starts, 12_usize.div_ceil(self.wide)) {
            let column = column * self.wide;
            let fits = column + 1 + text.chars().count() <= self.body();
            if fits && left + column >= ansi.width() {
                ansi.pad_to(left + column);
                ansi.faint("╵");
                ansi.faint(&text);
            }
        }
        let of_side = columns.iter().skip(first).take(self.maps.columns);
        let unknown = of_side.filter(|column| column.state != ColumnState::Data).count();
        if unknown > 0 && panel != Panel::Difference && self.body() > 40 {
            let column = columns.get(first).map(|column| column.end.since(column.start));
            let missing = column.map(|column| {
                span(isotherm_frame::Nanos::new(column.as_nanos().saturating_mul(unknown as u64)))
            });
            let text = format!("{} {} no data", self.style.no_data(), missing.unwrap_or_default());
            if ansi.width() + 2 + text.chars().count() <= left + self.body() {
                ansi.pad_to(left + self.body() - text.chars().count());
                ansi.faint(&text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_blank_and_more_is_stronger() {
        let shades: Vec<Shade> = [0.0, 2.99, 3.0, 4.3, 6.0, 12.0, 24.0, 1e9].map(shade).to_vec();
        assert_eq!(shades[..2], [Shade::Zero; 2]);
        assert!(shades.is_sorted());
        assert_eq!(shades.last(), Some(&Shade::Step(STEPS)));
        assert_eq!(shade(-6.0), shade(6.0));
    }
}
