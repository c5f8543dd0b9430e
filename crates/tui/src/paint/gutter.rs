//! The histogram of one column, beside the map.

use isotherm_frame::whole_percent_of;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::view::{Known, View, amount};
use super::{ink, text};
use crate::plan::MapPlan;
use isotherm_analysis::Shade;

/// The width of value and percent with their spaces.
const NUMBERS: u16 = 13;
/// The width of a value.
const VALUE: usize = 6;

pub(super) fn paint(view: View<'_>, plan: &MapPlan, buffer: &mut Buffer) {
    let Some(column) = view.read_column() else { return };
    if plan.gutter.is_empty() || view.known(column) != Known::Data {
        return;
    }
    let map = view.scene.map(plan.kind);
    let whole = map.sums.get(column).copied().unwrap_or(0.0);
    let value =
        |row: usize| map.cells.get(view.scene.picture.cell(row, column)).copied().unwrap_or(0.0);
    // A row over several lines has its number beside its label.
    let values: Vec<(f64, bool)> = view
        .scene
        .lines
        .iter()
        .enumerate()
        .map(|(index, line)| {
            let again = view
                .scene
                .lines
                .get(index + 1)
                .is_some_and(|next| next.lower == line.lower && next.upper == line.upper);
            (line.rows().map(value).sum(), again)
        })
        .collect();
    let most = values.iter().map(|(value, _)| *value).fold(0.0, f64::max);
    let bar_ink = view.style().ink(plan.kind, Shade::Step(5));
    let bar_style = bar_ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink)));
    for (y, (value, again)) in (plan.gutter.y..plan.gutter.bottom()).zip(values) {
        let numbers = if again { String::new() } else { numbers(plan, value, whole) };
        let width = usize::from(NUMBERS.min(plan.gutter.width));
        let colour = if value > 0.0 { Style::new() } else { quiet(view) };
        let mut line = Line::from(Span::styled(format!("{numbers:<width$}"), colour));
        let room = plan.gutter.width.saturating_sub(NUMBERS);
        line.push_span(Span::styled(bar(value, most, room), bar_style));
        text::put(buffer, Rect { y, height: 1, ..plan.gutter }, &line);
    }
}

fn quiet(view: View<'_>) -> Style {
    Style::new().fg(ink::quiet(view.style()))
}

fn numbers(plan: &MapPlan, value: f64, whole: f64) -> String {
    let text = amount(plan.kind, value);
    // Three digits of less than a hundredth are a character too many for the column.
    let text = if text.len() > VALUE { format!("{value:.4}") } else { text };
    let percent = whole_percent_of(value, whole);
    format!(" {text:>VALUE$} {percent:>4} ")
}

/// A bar of so many eighths of a column.
pub(super) fn bar(value: f64, most: f64, room: u16) -> String {
    if value <= 0.0 || most <= 0.0 || room == 0 {
        return String::new();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8 x room")]
    let eighths = (value / most * f64::from(room) * 8.0).round() as usize;
    // The least bar that is seen says that there is something.
    let eighths = eighths.max(1);
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + part
}

#[cfg(test)]
mod tests {
    use super::*;
    use isotherm_views::MapKind;

    #[test]
    fn every_value_is_as_wide_as_its_column() {
        let plan = |kind| {
            let none = Rect::default();
            MapPlan { kind, title: None, labels: none, cells: none, gutter: none, axis: None }
        };
        let values =
            [0.0, 0.000_01, 0.000_94, 0.00281, 0.00993, 0.0312, 0.281, 9.99, 82.1, 1_320.0];
        for kind in [MapKind::Frequency, MapKind::Intensity] {
            for value in values {
                let text = numbers(&plan(kind), value, 10.0 * value);
                assert_eq!(text.chars().count(), usize::from(NUMBERS), "{text:?}");
                assert!(text.starts_with(' '), "{text:?}");
            }
        }
        assert_eq!(numbers(&plan(MapKind::Intensity), 0.00281, 1.0).trim(), "0.0028  <1%");
    }
}
