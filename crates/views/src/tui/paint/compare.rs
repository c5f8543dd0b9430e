//! Two stretches of time beside each other: the profile of their buckets and what it comes to.

use isotherm_analysis::{Comparison, Direction, Measure, Outcome, ShareShift, Shift};
use isotherm_frame::Nanos;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::super::comparing::Compared;
use super::super::selection::Stretch;
use super::overlay::{scrolled, window};
use super::text::bold;
use super::{View, ink, phrase};

/// The width of everything, and the width below which only events are compared.
const WIDTH: u16 = 92;
const NARROW: u16 = 88;
/// The width of one side of a bar.
const HALF: usize = 9;

pub(super) fn paint(view: View<'_>, scroll: usize, compared: &Compared, buffer: &mut Buffer) {
    let narrow = view.scene.area.width < NARROW + 2;
    let mut lines = sides(view, compared);
    lines.extend(verdict(view, &compared.comparison));
    lines.push(Line::default());
    lines.extend(profile(view, &compared.rows, narrow));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let inside: Rect = window(view, "compare (↑↓ scroll, esc closes)", (WIDTH, height), buffer);
    scrolled(&lines, scroll, inside, buffer);
}

/// Which time is A and which is B.
fn sides(view: View<'_>, compared: &Compared) -> Vec<Line<'static>> {
    let side = |name: &str, stretch: Stretch, what: &str| {
        let from = phrase::clock(view.app, stretch.start);
        let length = phrase::span(stretch.length());
        Line::from(vec![bold(format!(" {name} ")), Span::raw(format!("{from} +{length}  {what}"))])
    };
    let a = if compared.baseline { "the baseline" } else { "the time before" };
    let selected = view.app.cursor.anchor.is_some();
    let b = if selected { "the selection, all latencies" } else { "the window" };
    vec![side("A", compared.a, a), side("B", compared.b, b)]
}

/// What has moved and what it comes to.
fn verdict(view: View<'_>, comparison: &Comparison) -> Vec<Line<'static>> {
    let word = match comparison.verdict {
        Outcome::Same => "no difference beyond chance",
        Outcome::Slower => "B is slower",
        Outcome::Faster => "B is faster",
        Outcome::Mixed => "B is slower in part and faster in part",
        Outcome::OtherLoad => "latencies are as they were, the load is another",
        Outcome::TooLittle => "too little to tell: eight columns of each are needed",
    };
    let alarming = matches!(comparison.verdict, Outcome::Slower | Outcome::Mixed);
    let colour = if alarming { ink::alarm(view.style()) } else { ink::quiet(view.style()) };
    let style = Style::new().fg(colour).add_modifier(Modifier::BOLD);
    let mut line = Line::from(vec![bold(" = "), Span::styled(word, style)]);
    if let Some(distance) = comparison.distance {
        let share = format!("{:.2}", distance.largest_share);
        line.push_span(Span::raw(format!(
            " · KS D={share} · {:.1} octaves apart",
            distance.octaves
        )));
    }
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let names = format!("   {:<9}{:>13}{:>15}{:>10}", "", "A", "B", "B / A");
    let head = Line::from(Span::styled(names + "   95% interval", quiet));
    let shifts = comparison.shifts.iter().map(|shift| moved(view, comparison, shift));
    [line, head].into_iter().chain(shifts).collect()
}

/// One measure of both sides.
fn moved(view: View<'_>, comparison: &Comparison, shift: &Shift) -> Line<'static> {
    let name = match shift.measure {
        Measure::Rate => "events/s".to_owned(),
        Measure::Waited => "waited/s".to_owned(),
        Measure::Mean => "mean".to_owned(),
        Measure::Quantile(q) if q >= 1.0 => "max".to_owned(),
        Measure::Quantile(q) => format!("p{}", (q * 1e5).round() / 1e3),
    };
    let value = |value: &isotherm_analysis::Value| {
        let about = if comparison.exact { "" } else { "≈" };
        match (shift.measure, value.bucket) {
            (Measure::Rate, _) => crate::quantity(value.amount),
            (Measure::Waited, _) => format!("{about}{} s", crate::seconds(value.amount)),
            (_, Some(bucket)) => phrase::bucket(bucket, Nanos::from_secs_f64(value.amount)),
            (_, None) => {
                let length = Nanos::from_secs_f64(value.amount).unwrap_or_default();
                format!("{about}{length}")
            }
        }
    };
    let ratio = if shift.within_one_bucket { "?".to_owned() } else { phrase::times(shift.ratio) };
    let interval = shift
        .interval
        .map_or_else(|| "  -".to_owned(), |(lo, hi)| format!("  {}..{}", bound(lo), bound(hi)));
    let (sign, colour) = match shift.moved {
        Some(Direction::More) => ("▲", ink::alarm(view.style())),
        Some(Direction::Less) => ("▼", ink::alarm(view.style())),
        None => (" ", ratatui::style::Color::Reset),
    };
    let text = format!("{name:<9}{:>13}{:>15}{ratio:>10} ", value(&shift.a), value(&shift.b));
    Line::from(vec![
        Span::styled(format!(" {sign} "), Style::new().fg(colour)),
        Span::raw(format!("{text}{interval}")),
    ])
}

/// A bound of a ratio; what says no more than "anything" is cut.
fn bound(ratio: f64) -> String {
    match ratio {
        ..0.01 => "<x0.01".to_owned(),
        999.5.. => ">x999".to_owned(),
        _ => phrase::times(ratio),
    }
}

/// What each row's share has become, in percentage points.
fn profile(view: View<'_>, rows: &[(String, ShareShift)], narrow: bool) -> Vec<Line<'static>> {
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let waits = if narrow { "" } else { "Δ share of wait, points" };
    let head = format!(
        "  {:>7}{:>10}{:>10}    {:<30}{waits}",
        "from", "A ev/s", "B ev/s", "Δ share of events, points"
    );
    let most = rows.iter().flat_map(|(_, share)| [share.events.abs(), share.waited.abs()]);
    let most = most.fold(0.0, f64::max);
    let mut lines = vec![Line::from(Span::styled(head, quiet))];
    lines.extend(rows.iter().map(|(edge, share)| {
        let [a, b] = share.rates.map(crate::quantity);
        let mut line = Line::from(format!("  {edge:>7}{a:>10}{b:>10}  "));
        line.extend(points(view, share.events, most));
        if !narrow {
            line.push_span(Span::raw("  "));
            line.extend(points(view, share.waited, most));
        }
        line
    }));
    lines
}

/// A difference in percentage points, and its bar: to the right where B has more.
fn points(view: View<'_>, difference: f64, most: f64) -> [Span<'static>; 3] {
    let share = if most > 0.0 { difference.abs() / most } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
    let length = (share * HALF as f64).round() as usize;
    let (less, more) = if difference < 0.0 { (length, 0) } else { (0, length) };
    let ink = |kind| {
        let ink = view.style().ink(kind, isotherm_analysis::Shade::Step(5));
        ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink)))
    };
    let number = format!("{:+.1}", difference * 100.0).replace("-0.0", "+0.0");
    let text = format!("{number:>6} {}", " ".repeat(HALF - less));
    let right = format!("{}{}", "█".repeat(more), " ".repeat(HALF - more));
    [
        Span::raw(text),
        Span::styled("█".repeat(less), ink(crate::MapKind::Frequency)),
        Span::styled(format!("│{right}"), ink(crate::MapKind::Intensity)),
    ]
}
