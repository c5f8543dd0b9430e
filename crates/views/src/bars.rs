//! A single interval as histograms: how many events took how long, and how long was waited, side by
//! side. A map of one column would be two striped rectangles.

use isotherm_analysis::Picture;
use isotherm_frame::whole_percent_of;

use crate::ansi::Ansi;
use crate::cells::{bar, row_sums, text_rows};
use crate::headline;
use crate::numbers::{quantity, seconds};
use crate::ranges::edge;
use crate::sums::count;
use crate::{Depth, MapKind, Style};

/// Characters of the label and a blank, and of a number with its share.
const LABEL: usize = 8;
const NUMBERS: usize = 14;
/// The most characters of a bar.
const MOST_BAR: usize = 60;

/// Paints both histograms in lines of `width` characters.
pub(crate) fn paint(ansi: &mut Ansi, picture: &Picture, style: Style, width: usize) {
    let bar_width = (width.saturating_sub(LABEL + 2 * NUMBERS + 2) / 2).min(MOST_BAR);
    let second = LABEL + NUMBERS + bar_width + 2;
    let sides = [MapKind::Frequency, MapKind::Intensity].map(|kind| Side::of(picture, kind));
    ansi.pad_to(LABEL);
    ansi.bold(" EVENTS");
    ansi.pad_to(second);
    ansi.bold(" TIME WAITED");
    ansi.plain(if picture.headline.exact { " s" } else { " ≈ s" });
    ansi.end_line();
    // A line for each row: bars need no half characters.
    for line in text_rows(picture, Style { depth: Depth::Glyphs, ..style }) {
        let label = picture.rows.get(line.lower).map(edge).unwrap_or_default();
        ansi.plain(&format!("{label:>7} "));
        for (index, side) in sides.iter().enumerate() {
            ansi.pad_to(if index == 0 { LABEL } else { second });
            side.line(ansi, line.lower, style, bar_width);
        }
        ansi.end_line();
    }
    ansi.pad_to(LABEL);
    for (index, side) in sides.iter().enumerate() {
        ansi.pad_to(if index == 0 { LABEL } else { second });
        let unit = if index == 0 { " all" } else { " s" };
        ansi.plain(&format!(" {:>7}{unit}", side.number(side.total, true)));
    }
    ansi.end_line();
}

/// One of the two histograms.
struct Side {
    kind: MapKind,
    rows: Vec<f64>,
    total: f64,
    largest: f64,
}

impl Side {
    fn of(picture: &Picture, kind: MapKind) -> Side {
        let rows = row_sums(picture, kind);
        let total = match kind {
            MapKind::Frequency => rows.iter().sum(),
            MapKind::Intensity => headline::waited(picture),
        };
        let largest = rows.iter().copied().fold(0.0, f64::max);
        Side { kind, rows, total, largest }
    }

    fn number(&self, value: f64, is_total: bool) -> String {
        match self.kind {
            MapKind::Frequency => count(value),
            MapKind::Intensity if is_total => quantity(value),
            MapKind::Intensity => seconds(value),
        }
    }

    fn line(&self, ansi: &mut Ansi, row: usize, style: Style, width: usize) {
        let value = self.rows.get(row).copied().unwrap_or(0.0);
        let (number, share) = (self.number(value, false), whole_percent_of(value, self.total));
        ansi.plain(&format!(" {number:>7} {share:>4} "));
        let length = if self.largest > 0.0 { value / self.largest } else { 0.0 };
        let (text, look) = bar(style, self.kind, length, width);
        ansi.looking(&text, look);
    }
}
