//! Average active sessions over time: a stack of classes in every column, each with its letter.

use isotherm_analysis::{ActivityStrip, StripColumn};
use isotherm_frame::{Nanos, Timestamp};
use isotherm_views::activity::sessions;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::TopScreen;
use super::classes::{letter, look, rank};
use super::layout::Layout;
use crate::clock::span;
use crate::paint::ink::quiet;
use crate::paint::text::{Part, bold, fit, put, put_right};

/// The width of the numbers beside the strip.
const LABELS: u16 = 7;

impl TopScreen {
    pub(super) fn paint_strip(&self, layout: &Layout, buffer: &mut Buffer) {
        let labels = LABELS.min(layout.strip.width / 4);
        let cells = Rect {
            x: layout.strip.x + labels,
            width: layout.strip.width.saturating_sub(labels + 1),
            ..layout.strip
        };
        let columns = usize::from(cells.width);
        let column = self.options.column;
        let strip = self.activity.strip(self.end(), (column, columns), &self.filter());
        let top = ceiling(strip.most());
        self.legend(&strip, layout.legend, buffer);
        self.labels(top, layout.strip, buffer);
        for (x, (index, column)) in (cells.x..cells.right()).zip(strip.columns.iter().enumerate()) {
            let place = Rect { x, width: 1, ..cells };
            let ended = strip
                .start
                .plus(Nanos::new(strip.column.as_nanos().saturating_mul(index as u64 + 1)));
            if column.samples == 0 {
                self.missing(ended, place, buffer);
            } else {
                self.stack(&strip, (column, top), place, buffer);
            }
        }
        self.axis((cells, column), layout.axis, buffer);
    }

    /// One column, filled from below.
    fn stack(
        &self,
        strip: &ActivityStrip,
        (column, top): (&StripColumn, f64),
        place: Rect,
        buffer: &mut Buffer,
    ) {
        let mut parts: Vec<(&str, f64)> =
            strip.classes.iter().map(|class| &**class).zip(column.active.iter().copied()).collect();
        parts.sort_by_key(|(class, _)| rank(class));
        let one = top / f64::from(place.height.max(1));
        for (level, y) in (place.y..place.bottom()).rev().enumerate() {
            let middle = (level as f64 + 0.5) * one;
            let mut reached = 0.0;
            let found = parts.iter().find(|(_, active)| {
                reached += active;
                reached > middle
            });
            let Some(cell) = buffer.cell_mut((place.x, y)) else { continue };
            if let Some((class, _)) = found {
                cell.set_char(letter(class)).set_style(look(class, self.options.style));
            } else if level == 0 && column.total() > 0.0 {
                // Less than half a cell is not nothing.
                cell.set_char('·');
            }
        }
    }

    /// A column without a sample that ended then: one in which nothing is known, or before or after all.
    pub(super) fn missing(&self, ended: Timestamp, place: Rect, buffer: &mut Buffer) {
        let earliest = self.activity.earliest();
        if earliest.is_some_and(|earliest| earliest < ended) && ended <= self.end() {
            self.unknown(place, buffer);
        }
    }

    fn unknown(&self, place: Rect, buffer: &mut Buffer) {
        let style = Style::new().fg(quiet(self.options.style));
        for y in place.y..place.bottom() {
            if let Some(cell) = buffer.cell_mut((place.x, y)) {
                cell.set_char(self.options.style.no_data()).set_style(style);
            }
        }
    }

    /// What is drawn, and the letter of each class.
    fn legend(&self, strip: &ActivityStrip, place: Rect, buffer: &mut Buffer) {
        let title = format!(" ACTIVE SESSIONS by wait class, {} a column", span(strip.column));
        let mut parts = vec![Part::new(0, vec![bold(title)])];
        for (rank, class) in strip.classes.iter().enumerate() {
            let style = look(class, self.options.style);
            let key = Span::styled(letter(class).to_string(), style);
            let name = Span::raw(format!(" {}", crate::ledger::plain(class)));
            parts.push(Part::new(u8::try_from(rank + 1).unwrap_or(u8::MAX), vec![key, name]));
        }
        put(buffer, place, &fit(parts, "  ", place.width));
    }

    fn labels(&self, top: f64, place: Rect, buffer: &mut Buffer) {
        let quiet = Style::new().fg(quiet(self.options.style));
        let width = LABELS.min(place.width / 4);
        let mut label = |y: u16, value: f64| {
            let text = format!("{:>1$}", sessions(value), usize::from(width.saturating_sub(1)));
            let at = Rect { y, width, height: 1, ..place };
            put(buffer, at, &Line::from(Span::styled(text, quiet)));
        };
        label(place.y, top);
        if place.height >= 5 {
            label(
                place.y + place.height / 2,
                top * (1.0 - f64::from(place.height / 2) / f64::from(place.height)),
            );
        }
    }

    pub(super) fn axis(&self, (cells, column): (Rect, Nanos), place: Rect, buffer: &mut Buffer) {
        let quiet = Style::new().fg(quiet(self.options.style));
        let length = Nanos::new(column.as_nanos().saturating_mul(u64::from(cells.width)));
        let at = Rect { x: cells.x, width: cells.width, ..place };
        let first = Span::styled(format!("-{}", span(length)), quiet);
        put(buffer, at, &Line::from(first));
        put_right(buffer, at, &Line::from(Span::styled("now", quiet)));
        // The part of the strip that the tables are about.
        let columns = self.length().as_nanos() / column.as_nanos().max(1);
        let columns = u16::try_from(columns).unwrap_or(u16::MAX);
        if columns < cells.width.saturating_sub(12) && columns >= 12 {
            let x = cells.right() - columns;
            let mark = Span::styled(format!("▲ tables: last {}", span(self.length())), quiet);
            put(buffer, Rect { x, width: columns.saturating_sub(4), ..place }, &Line::from(mark));
        }
    }
}

/// The least round number that is not below a number: 1 to 6, 8, 10, 20 ...
pub(super) fn ceiling(number: f64) -> f64 {
    let mut power = 1.0;
    while power < 1e9 {
        for step in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0] {
            if number <= step * power {
                return step * power;
            }
        }
        power *= 10.0;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_ends_at_a_round_number() {
        let numbers = [0.0, 0.2, 1.0, 1.1, 7.0, 9.0, 42.0, 1_001.0];
        let tops = numbers.map(|number| format!("{}", ceiling(number)));
        assert_eq!(tops, ["1", "1", "1", "2", "8", "10", "50", "2000"]);
    }
}
