//! The lines that parts of the side pane are made of.

use isotherm_frame::{Histogram, Nanos};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::ink;
use super::text::bold;
use super::view::View;

/// The heading of a section.
pub(super) fn heading(view: View<'_>, title: &str, width: usize) -> Line<'static> {
    let rest = width.saturating_sub(Span::raw(title).width() + 4);
    let quiet = Style::new().fg(ink::quiet(view.style()));
    Line::from(vec![
        Span::styled("├ ", quiet),
        bold(title.to_owned()),
        Span::styled(format!(" {}", "─".repeat(rest)), quiet),
    ])
}

/// A line below a heading.
pub(super) fn row(text: impl AsRef<str>) -> Line<'static> {
    Line::from(format!("  {}", text.as_ref()))
}

/// The mean of latencies, `≈` where their total is estimated.
pub(super) fn mean(latencies: &Histogram) -> String {
    let about = if latencies.sum().is_some() { "" } else { "≈" };
    let mean = latencies.mean_ns().and_then(|ns| Nanos::from_secs_f64(ns / 1e9));
    mean.map(|mean| format!("{about}{mean}")).unwrap_or_default()
}
