//! The lines that say how a load goes.

use isotherm_frame::Series;
use isotherm_views::{Depth, ProgressPart};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::ink;
use super::text::{Part, bold, fit};
use super::view::View;

/// The bar takes this part of the line, and at most so many characters.
const BAR_PART: u16 = 4;
const MOST_BAR: u16 = 40;

/// How far it has come: a bar, the time left, what is asked of the system.
pub(super) fn course(view: View<'_>, width: u16) -> Line<'static> {
    let Some(load) = &view.app.load else { return Line::default() };
    let length = usize::from((width / BAR_PART).min(MOST_BAR));
    let bar = load.bar.text(length, view.style().depth == Depth::Ascii);
    let bar = Part::plain(0, format!(" {bar}"));
    let parts = std::iter::once(bar).chain(load.course.iter().map(plain)).collect();
    fit(parts, " · ", width)
}

/// The numbers of its latest interval, where it is the load that is shown.
pub(super) fn now(view: View<'_>, width: u16) -> Option<Line<'static>> {
    let load = view.app.load.as_ref()?;
    let shown = view.members();
    if shown.is_empty() || !shown.iter().all(is_of_load) || !view.is_now() {
        return None;
    }
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let parts = load.now.iter().map(strong).collect();
    let name = Span::styled(" now ", quiet);
    let taken = u16::try_from(name.width()).unwrap_or(0);
    let mut line = Line::from(name);
    line.extend(fit(parts, " · ", width.saturating_sub(taken)).spans);
    Some(line)
}

/// Whether a series is of operations that are made, not of what is watched beside them.
fn is_of_load(series: &Series) -> bool {
    series.attributes().any(|(key, _)| key == "engine")
}

fn plain(part: &ProgressPart) -> Part {
    Part::plain(part.rank, part.text.clone())
}

/// The value bold, its name or unit not.
fn strong(part: &ProgressPart) -> Part {
    let mut spans = Vec::new();
    for (index, word) in part.text.split(' ').enumerate() {
        let space = if index > 0 { " " } else { "" };
        let is_value = word.starts_with(|c: char| c.is_ascii_digit() || "<>≈".contains(c));
        let word = format!("{space}{word}");
        spans.push(if is_value { bold(word) } else { Span::raw(word) });
    }
    Part::new(part.rank, spans)
}
