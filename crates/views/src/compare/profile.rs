//! How the shares of the buckets moved: of events and of time waited, in percentage points.

use isotherm_analysis::{Maps, NOISE, Row, RowKind, Shade, ShareShift};

use super::figures::points;
use super::panels::divergence;
use crate::ansi::{Ansi, Look};
use crate::numbers::quantity;
use crate::ranges::edge;
use crate::style::{Depth, Style};

/// The change that a bar of full length stands for is at least one point.
const LEAST_SCALE: f64 = 0.01;

/// Paints the profile, longest latencies first.
pub(crate) fn paint(ansi: &mut Ansi, style: Style, maps: &Maps, width: usize) {
    let rows: Vec<(&Row, &ShareShift)> = maps.both.rows.iter().zip(&maps.shares).collect();
    let some = |(_, share): &&(&Row, &ShareShift)| share.rates.iter().any(|rate| *rate > 0.0);
    let rows: Vec<_> = rows.iter().filter(some).collect();
    if rows.is_empty() {
        return;
    }
    let bar = ((width.saturating_sub(52)) / 4).clamp(4, 14);
    let largest = |of: fn(&ShareShift) -> f64| {
        rows.iter().map(|(_, share)| of(share).abs()).fold(LEAST_SCALE, f64::max)
    };
    let (events, waited) = (largest(|share| share.events), largest(|share| share.waited));
    ansi.end_line();
    ansi.bold(&format!("{:>8} {:>8} {:>8}", "bucket", "A ev/s", "B ev/s"));
    ansi.bold(&format!("  {:<w$}", "Δ share of events", w = 7 + 2 * bar + 1));
    ansi.bold("  Δ share of wait");
    ansi.faint("  points");
    ansi.end_line();
    for (row, share) in rows.iter().rev() {
        let loud = share.z.is_some_and(|z| z.abs() >= NOISE);
        ansi.plain(&format!("{:>8}", label(row)));
        for rate in share.rates {
            ansi.plain(&format!(
                " {:>8}",
                if rate > 0.0 { quantity(rate) } else { "0".to_owned() }
            ));
        }
        for (value, largest) in [(share.events, events), (share.waited, waited)] {
            let text = format!("  {:>6} ", points(value));
            let number = if loud { Ansi::plain } else { Ansi::faint };
            number(ansi, &text);
            sided(ansi, style, value / largest, (bar, loud));
        }
        ansi.end_line();
    }
}

fn label(row: &Row) -> String {
    match row.kind {
        RowKind::Body => row.lo.to_string(),
        _ => edge(row),
    }
}

/// A bar left of the middle for less and right of it for more.
fn sided(ansi: &mut Ansi, style: Style, share: f64, (width, loud): (usize, bool)) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to width")]
    let length = (share.abs().min(1.0) * width as f64).round() as usize;
    let kind = divergence(share);
    let fg = if loud { style.ink(kind, Shade::Step(5)) } else { None };
    let look = Look { fg, ..Look::default() };
    let piece = match (style.depth == Depth::Ascii, loud) {
        (true, true) => "#",
        (true, false) => ".",
        (false, true) => "█",
        (false, false) => "░",
    };
    let text = piece.repeat(length);
    let (less, more) = if share < 0.0 { (length, 0) } else { (0, length) };
    ansi.plain(&" ".repeat(width - less));
    ansi.looking(if share < 0.0 { &text } else { "" }, look);
    ansi.faint("│");
    ansi.looking(if share < 0.0 { "" } else { &text }, look);
    ansi.plain(&" ".repeat(width - more));
}
