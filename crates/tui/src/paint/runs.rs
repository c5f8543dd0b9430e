//! The runs that have ended: a table in which bars of the rates and of the p99 draw the curve so far.

use isotherm_views::{Depth, FinishedRun, RunFigures, quantity};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::ink;
use super::text::{bold, put, shortened};
use super::view::View;

/// The width of a bar where there is room and where there is not.
const BAR: (usize, usize) = (16, 8);
/// The widths of a rate, of a latency and of bytes per second.
const RATE: usize = 8;
const LATENCY: usize = 9;
const BYTES: usize = 11;
/// The least and the greatest width of a label.
const LEAST_LABEL: usize = 18;
const MOST_LABEL: usize = 40;
/// The width from which bytes per second have a column, and bars are long.
const WIDE: u16 = 100;

/// The widths of a table on this screen.
struct Columns {
    width: usize,
    label: usize,
    bar: usize,
    bytes: usize,
    is_ascii: bool,
    /// The highest rate, at which a bar is full.
    most: f64,
}

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let Some(place) = view.scene.plan.runs else { return };
    let runs = &view.app.runs;
    let columns = Columns::of(&runs.ended, place.width, view.style().depth == Depth::Ascii);
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let room = usize::from(place.height.saturating_sub(1));
    let first = runs.ended.len().saturating_sub(room);
    let heading = columns.heading(runs.unit, (first, runs.ended.len()));
    let heading = Line::from(Span::styled(heading, quiet));
    let line = |row: u16| Rect { y: place.y + row, height: 1, ..place };
    put(buffer, line(0), &heading);
    for (row, run) in (1..place.height).zip(&runs.ended[first..]) {
        put(buffer, line(row), &columns.row(run, view));
    }
}

impl Columns {
    fn of(runs: &[FinishedRun], width: u16, is_ascii: bool) -> Columns {
        let widest = runs.iter().map(|run| Span::raw(run.label.as_str()).width()).max();
        let (bar, bytes) = if width >= WIDE { (BAR.0, BYTES) } else { (BAR.1, 0) };
        let rate = |run: &FinishedRun| run.result.as_ref().map_or(0.0, |figures| figures.per_s);
        let most = runs.iter().map(rate).fold(0.0, f64::max);
        let label = widest.unwrap_or(0).clamp(LEAST_LABEL, MOST_LABEL);
        Columns { width: usize::from(width), label, bar, bytes, is_ascii, most }
    }

    /// The names of the columns; of runs that have no room, how many they are.
    fn heading(&self, unit: &str, (above, ended): (usize, usize)) -> String {
        let name = match above {
            0 => format!("{ended} ended"),
            above => format!("{ended} ended ({above} above)"),
        };
        let (label, bytes) = (self.label, self.bytes);
        let rate_width = self.bar + 1 + RATE;
        let bytes_name = if bytes > 0 { "bytes/s" } else { "" };
        let (p50, p99) = ("p50", "p99");
        format!(
            " {name:<label$} {unit:>rate_width$} {p50:>LATENCY$} {p99:>LATENCY$}{bytes_name:>bytes$}  warnings"
        )
    }

    fn row(&self, run: &FinishedRun, view: View<'_>) -> Line<'static> {
        let label = shortened(&run.label, self.label);
        let label = Span::raw(format!(" {label:<width$} ", width = self.label));
        let alarm = Style::new().fg(ink::alarm(view.style()));
        match &run.result {
            Err(why) => Line::from(vec![label, Span::styled(why.clone(), alarm)]),
            Ok(figures) => {
                let mut spans = vec![label];
                spans.extend(self.figures(figures, alarm));
                Line::from(spans)
            }
        }
    }

    fn figures(&self, figures: &RunFigures, alarm: Style) -> Vec<Span<'static>> {
        let RunFigures { per_s, bytes, p50, p99, warnings } = figures;
        let rate = quantity(*per_s);
        let bytes_width = self.bytes;
        let bytes = bytes.as_deref().filter(|_| bytes_width > 0).unwrap_or_default();
        let mut spans = vec![
            Span::raw(bar(per_s / self.most, self.bar, self.is_ascii)),
            bold(format!(" {rate:>RATE$}")),
            Span::raw(format!(" {p50:>LATENCY$}")),
            bold(format!(" {p99:>LATENCY$}")),
            Span::raw(format!("{bytes:>bytes_width$} ")),
        ];
        let left = self.width.saturating_sub(spans.iter().map(Span::width).sum::<usize>());
        let left = left.saturating_sub(self.label + 2);
        spans.extend(codes(warnings, left, alarm));
        spans
    }
}

/// The codes of warnings that have room in whole, and how many more there are.
fn codes(warnings: &[(String, bool)], room: usize, alarm: Style) -> Vec<Span<'static>> {
    let more = |left: usize| if left > 0 { format!(" +{left}") } else { String::new() };
    let widths = |shown: usize| warnings[..shown].iter().map(|(code, _)| code.len() + 1).sum();
    let fits = |&shown: &usize| {
        let codes: usize = widths(shown);
        codes + more(warnings.len() - shown).len() <= room
    };
    let shown = (0..=warnings.len()).rev().find(fits).unwrap_or(0);
    let (whole, rest) = warnings.split_at(shown);
    let style = |serious: bool| if serious { alarm } else { Style::new() };
    let mut spans: Vec<Span> = whole
        .iter()
        .map(|(code, serious)| Span::styled(format!(" {code}"), style(*serious)))
        .collect();
    let serious = rest.iter().any(|(_, serious)| *serious);
    spans.extend((!rest.is_empty()).then(|| Span::styled(more(rest.len()), style(serious))));
    spans
}

/// A bar of this share of its width, to an eighth of a character.
fn bar(share: f64, width: usize, is_ascii: bool) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8 x width")]
    let eighths = (share * (width * 8) as f64).round() as usize;
    let (whole, part) = if is_ascii {
        ("#".repeat(eighths / 8), "")
    } else {
        ("█".repeat(eighths / 8), PARTS[eighths % 8])
    };
    format!("{:<width$}", whole + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(1.0, 16, true), "#".repeat(16));
        assert_eq!(bar(0.5, 8, true).trim_end(), "#".repeat(4));
        assert_eq!(bar(0.5 + 1.0 / 32.0, 16, false).trim_end(), format!("{}▌", "█".repeat(8)));
        // Without a rate there is nothing to compare with.
        assert_eq!(bar(f64::NAN, 16, false), " ".repeat(16));
    }

    #[test]
    fn codes_are_never_cut_and_those_without_room_are_counted() {
        let warnings = [("late".to_owned(), false), ("errors".to_owned(), true)];
        let text = |room| -> String {
            let spans = codes(&warnings, room, Style::new());
            spans.iter().map(|span| span.content.as_ref()).collect()
        };
        assert_eq!(text(12), " late errors");
        assert_eq!(text(11), " late +1");
        assert_eq!(text(7), " +2");
    }
}
