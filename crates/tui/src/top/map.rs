//! The heat map of one event: how many sessions waited for it over time, by how long each wait lasted.

use isotherm_analysis::{ActivityLengths, Dimension, LengthRow, Shade};
use isotherm_frame::Nanos;
use isotherm_views::activity::sessions;
use isotherm_views::narration::two_digits;
use isotherm_views::{Depth, MapKind};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::TopScreen;
use super::layout::Layout;
use super::strip::ceiling;
use crate::clock::span;
use crate::ledger::plain;
use crate::paint::ink::{colour, quiet};
use crate::paint::text::{Part, bold, fit, put};

/// The width of the lengths beside the map.
const LABELS: u16 = 8;
/// The number of steps that cells are drawn in.
const STEPS: f64 = 8.0;

impl TopScreen {
    /// Whether one event was chosen: then its map is in the place of the strip.
    pub(super) fn has_map(&self) -> bool {
        self.path.iter().any(|step| step.by == Dimension::Event)
    }

    pub(super) fn paint_map(&self, layout: &Layout, buffer: &mut Buffer) {
        let labels = LABELS.min(layout.strip.width / 4);
        let cells = Rect {
            x: layout.strip.x + labels,
            width: layout.strip.width.saturating_sub(labels + 1),
            ..layout.strip
        };
        let column = self.map_column(cells.width);
        let columns = (column, usize::from(cells.width));
        let map = self.activity.lengths(self.end(), columns, &self.filter());
        let map = map.in_rows(usize::from(cells.height));
        self.map_title(&map, layout.legend, buffer);
        self.map_labels(&map.rows, (layout.strip, cells), buffer);
        for (x, (index, values)) in (cells.x..cells.right()).zip(map.columns.iter().enumerate()) {
            let place = Rect { x, width: 1, ..cells };
            let ended = map.column.as_nanos().saturating_mul(index as u64 + 1);
            match values {
                Some(values) => self.map_column_at(values, map.most(), place, buffer),
                None => self.missing(map.start.plus(Nanos::new(ended)), place, buffer),
            }
        }
        self.axis((cells, column), layout.axis, buffer);
    }

    /// The length of a column with which all the time kept fits in so many of them.
    fn map_column(&self, columns: u16) -> Nanos {
        let kept = self.activity.earliest().map_or(0, |from| self.end().since(from).as_nanos());
        let column = self.options.column.as_nanos().max(1);
        let times = kept.div_ceil(column.saturating_mul(u64::from(columns.max(2) - 1)));
        let times = u64::max(times, 1);
        // Of a round number of columns of the strip.
        let round = ceiling(times as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number"
        )]
        let times = round as u64;
        Nanos::new(column.saturating_mul(times))
    }

    /// What is drawn, of what, and how well lengths are known.
    fn map_title(&self, map: &ActivityLengths, place: Rect, buffer: &mut Buffer) {
        let event = self.path.iter().find(|step| step.by == Dimension::Event);
        let event = event.map(|step| plain(&step.value)).unwrap_or_default();
        let known = match (map.has_known, map.has_sampled) {
            (true, false) => "length when last seen".to_owned(),
            (false, _) => {
                let period = isotherm_analysis::sample_period(self.options.hz);
                format!("length as sampled, ±{}", two_digits(period))
            }
            (true, true) => "length when last seen, or as sampled".to_owned(),
        };
        let title =
            format!(" SESSIONS in {event} by length of wait, {} a column", span(map.column));
        let most = if self.options.style.depth == Depth::Ascii { "<=" } else { "≤" };
        let scale = format!("a cell {most} {}", sessions(map.most()));
        let parts =
            vec![Part::new(0, vec![bold(title)]), Part::plain(1, known), Part::plain(2, scale)];
        put(buffer, place, &fit(parts, " · ", place.width));
    }

    /// The shortest length of every row, below which it ends; rows are as high as there is room.
    fn map_labels(&self, rows: &[LengthRow], (place, cells): (Rect, Rect), buffer: &mut Buffer) {
        let quiet = Style::new().fg(quiet(self.options.style));
        let width = usize::from(cells.x.saturating_sub(place.x).saturating_sub(1));
        for (index, row) in rows.iter().enumerate() {
            let y = lines_of(index, rows.len(), cells).end - 1;
            let text = format!("{:>width$}", row.lo.to_string());
            let at = Rect { y, height: 1, width: cells.x - place.x, ..place };
            put(buffer, at, &Line::from(Span::styled(text, quiet)));
        }
    }

    fn map_column_at(&self, values: &[f64], most: f64, place: Rect, buffer: &mut Buffer) {
        let style = self.options.style;
        for (index, value) in values.iter().enumerate() {
            let shade = shade(*value, most);
            let Some(glyph) = Some(style.glyph(shade)).filter(|glyph| *glyph != ' ') else {
                continue;
            };
            for y in lines_of(index, values.len(), place) {
                let Some(cell) = buffer.cell_mut((place.x, y)) else { continue };
                match style.ink(MapKind::Intensity, shade) {
                    Some(ink) if style.has_half_blocks() => {
                        cell.set_char(' ').set_bg(colour(ink));
                    }
                    Some(ink) => {
                        cell.set_char(glyph).set_fg(colour(ink));
                    }
                    None => {
                        cell.set_char(glyph);
                    }
                }
            }
        }
    }
}

/// The lines of a row, counted from the shortest at the bottom.
fn lines_of(index: usize, rows: usize, place: Rect) -> std::ops::Range<u16> {
    let height = usize::from(place.height);
    let upto = |index: usize| {
        let lines = (index * height).div_ceil(rows.max(1));
        place.bottom() - u16::try_from(lines.min(height)).unwrap_or(place.height)
    };
    upto(index + 1)..upto(index).max(upto(index + 1) + 1)
}

/// The power of 0.75, as in maps of time waited.
fn shade(value: f64, most: f64) -> Shade {
    if value <= 0.0 || most <= 0.0 {
        return Shade::Zero;
    }
    let lifted = (value / most).powf(0.75) * STEPS;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8")]
    let step = lifted.round() as u8;
    if step == 0 { Shade::Trace } else { Shade::Step(step) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_share_the_lines_and_leave_none_out() {
        for height in 1..20 {
            let place = Rect { x: 0, y: 3, width: 1, height };
            for rows in 1..=usize::from(height) {
                let mut lines: Vec<u16> =
                    (0..rows).flat_map(|row| lines_of(row, rows, place)).collect();
                lines.sort_unstable();
                let all: Vec<u16> = (3..3 + height).collect();
                assert_eq!(lines, all, "{rows} rows on {height} lines");
            }
        }
    }

    #[test]
    fn what_is_little_is_seen() {
        assert_eq!([shade(0.0, 4.0), shade(1e-6, 4.0)], [Shade::Zero, Shade::Trace]);
        assert_eq!(shade(4.0, 4.0), Shade::Step(8));
    }
}
