//! Percentiles over time: their lines over the maps and in the strip.

use isotherm_analysis::{LineStep, Picture, columns_of_step, percentile_line};
use isotherm_frame::Nanos;

use crate::clock;
use isotherm_views::headline::quantile_name;

/// The percentiles drawn as lines, and how; those drawn last lie on top.
const LINES: [(f64, char); 3] = [(0.999, '┄'), (0.99, '─'), (0.5, '━')];

/// The line of one percentile.
pub(super) struct Curve {
    pub(super) q: f64,
    pub(super) glyph: char,
    /// The columns that a step sums up; `None` where there are too few events for a line.
    pub(super) together: Option<usize>,
    pub(super) steps: Vec<LineStep>,
}

/// The lines over a picture.
pub(super) fn lines(picture: &Picture) -> Vec<Curve> {
    let curve = |(q, glyph)| {
        let together = columns_of_step(&picture.columns, q, 1.0);
        let steps = together.map(|together| percentile_line(&picture.columns, q, together));
        Curve { q, glyph, together, steps: steps.unwrap_or_default() }
    };
    LINES.map(curve).into()
}

/// What each line is: `p50 ━  p99 ─ of each 4s  p99.9: too few events`.
pub(super) fn legend(lines: &[Curve], column: Nanos) -> String {
    let each = |line: &Curve| {
        let name = quantile_name(line.q);
        match line.together {
            None => format!("{name}: too few events"),
            Some(1) => format!("{name} {}", line.glyph),
            Some(together) => {
                let step = column.as_nanos().saturating_mul(together as u64);
                format!("{name} {} of each {}", line.glyph, clock::span(Nanos::new(step)))
            }
        }
    };
    lines.iter().rev().map(each).collect::<Vec<_>>().join("  ")
}
