//! All panels on one sheet.

use super::geometry::Face;
use super::layout::{Layout, MARGIN, WIDTHS};
use super::tones::Tone;
use super::{Still, panel};

/// Lays everything out.
pub(super) fn sheet(still: &Still) -> Layout {
    let width = i32::try_from(still.width.clamp(WIDTHS.0, WIDTHS.1)).unwrap_or(320);
    let mut sheet = Layout { width, y: MARGIN, items: Vec::new() };
    sheet.paragraph(&still.title, Face::Title, Tone::Ink);
    for (index, panel) in still.panels.iter().enumerate() {
        panel::lay(&mut sheet, index, panel);
        sheet.skip(10);
    }
    for line in still.provenance.iter().chain([&still.generator]) {
        sheet.paragraph(line, Face::Plain, Tone::Faint);
    }
    sheet.skip(MARGIN - 4);
    sheet
}
