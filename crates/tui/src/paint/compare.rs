//! Two stretches of time beside each other: the profile of their buckets and what it comes to.

use isotherm_analysis::{Comparison, Difference, Direction, NOISE, Shade, ShareShift, Shift};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::ink;
use super::text::{self, bold};
use super::view::View;
use crate::clock;
use crate::compared::Compared;
use crate::selection::SelectedTime;
use isotherm_views::compare::{figures, sentences};
use isotherm_views::{MapKind, quantity};

/// The width below which only events are compared.
const NARROW: u16 = 88;
/// The width of one side of a bar.
const HALF: usize = 9;

/// All of it, in lines of so many characters.
pub(super) fn lines(view: View<'_>, compared: &Compared, width: u16) -> Vec<Line<'static>> {
    let mut lines = sides(view, compared);
    lines.extend(verdict(view, &compared.comparison, width));
    lines.push(Line::default());
    lines.extend(profile(view, &compared.rows, width < NARROW));
    lines
}

/// Which time is A and which is B.
fn sides(view: View<'_>, compared: &Compared) -> Vec<Line<'static>> {
    let side = |name: &str, stretch: SelectedTime, what: &str| {
        let from = clock::clock(view.app, stretch.start);
        let length = clock::span(stretch.length());
        Line::from(vec![bold(format!(" {name} ")), Span::raw(format!("{from} +{length}  {what}"))])
    };
    let a = if compared.baseline { "the baseline" } else { "the time before" };
    let selected = view.app.cursor.anchor.is_some();
    let b = if selected { "the selection, all latencies" } else { "the window" };
    vec![side("A", compared.a, a), side("B", compared.b, b)]
}

/// What it comes to in sentences, and each measure of both sides.
fn verdict(view: View<'_>, comparison: &Comparison, width: u16) -> Vec<Line<'static>> {
    let alarming = matches!(comparison.verdict, Difference::Slower | Difference::Mixed);
    let colour = if alarming { ink::alarm(view.style()) } else { ink::quiet(view.style()) };
    let said = sentences::outcome(comparison).join(" ");
    let room = usize::from(width).saturating_sub(4);
    let said = text::wrapped(&said, room).into_iter();
    let style = Style::new().fg(colour).add_modifier(Modifier::BOLD);
    let mut lines: Vec<Line<'static>> =
        said.map(|line| Line::from(Span::styled(format!("   {line}"), style))).collect();
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let names = format!("   {:<10}{:>14}{:>15}{:>12}", "", "A", "B", "B / A");
    lines.push(Line::from(Span::styled(names + "   95 % interval", quiet)));
    lines.extend(comparison.shifts.iter().map(|shift| moved(view, comparison, shift)));
    lines
}

/// One measure of both sides.
fn moved(view: View<'_>, comparison: &Comparison, shift: &Shift) -> Line<'static> {
    let name = figures::name(shift.measure);
    let [a, b] = [shift.a, shift.b].map(|side| figures::value(comparison, shift.measure, side));
    let ratio = figures::known_ratio(comparison, shift);
    let interval = shift.interval.map_or("-".to_owned(), figures::interval);
    let (sign, colour) = match shift.moved {
        Some(Direction::More) => ("▲", ink::alarm(view.style())),
        Some(Direction::Less) => ("▼", ink::alarm(view.style())),
        None => (" ", Color::Reset),
    };
    Line::from(vec![
        Span::styled(format!(" {sign} "), Style::new().fg(colour)),
        Span::raw(format!("{name:<10}{a:>14}{b:>15}{ratio:>12}   {interval}")),
    ])
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
        let [a, b] = share.rates.map(quantity);
        // A share that is as noise would have it does not call.
        let loud = share.z.is_none_or(|z| z.abs() >= NOISE);
        let mut line = Line::from(format!("  {edge:>7}{a:>10}{b:>10}  "));
        line.extend(points(view, (share.events, most), loud));
        if !narrow {
            line.push_span(Span::raw("  "));
            line.extend(points(view, (share.waited, most), loud));
        }
        line
    }));
    lines
}

/// A difference in percentage points, and its bar: to the right where B has more.
fn points(view: View<'_>, (difference, most): (f64, f64), loud: bool) -> [Span<'static>; 4] {
    let share = if most > 0.0 { difference.abs() / most } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
    let length = (share * HALF as f64).round() as usize;
    let (less, more) = if difference < 0.0 { (length, 0) } else { (0, length) };
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let ink = |kind| {
        let ink = view.style().ink(kind, Shade::Step(5)).filter(|_| loud);
        ink.map_or(quiet, |ink| Style::new().fg(ink::colour(ink)))
    };
    let text = format!("{:>6} {}", figures::points(difference), " ".repeat(HALF - less));
    let right = format!("{}{}", "█".repeat(more), " ".repeat(HALF - more));
    [
        Span::styled(text, if loud { Style::new() } else { quiet }),
        Span::styled("█".repeat(less), ink(MapKind::Frequency)),
        Span::styled("│", quiet),
        Span::styled(right, ink(MapKind::Intensity)),
    ]
}
