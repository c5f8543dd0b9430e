//! Every measure of both sides with its ratio and what chance leaves possible.

use isotherm_analysis::{Comparison, Direction, Measure, Shift};

use super::figures::{interval, known_ratio, name, value};
use crate::ansi::Ansi;

const TITLES: [&str; 6] = ["", "A", "B", "B / A", "95 % interval", ""];

/// Paints the table; the bounds of buckets are left out where the line is too short for them.
pub(crate) fn paint(ansi: &mut Ansi, comparison: &Comparison, width: usize) {
    let lines: Vec<[String; 6]> =
        comparison.shifts.iter().map(|shift| line(comparison, shift)).collect();
    if lines.is_empty() {
        ansi.line("a side has no events: there is nothing to compare");
        return;
    }
    let width_of = |column: usize| {
        let values = lines.iter().map(|line| line[column].chars().count());
        values.max().unwrap_or(0).max(TITLES[column].chars().count())
    };
    let widths: Vec<usize> = (0..TITLES.len()).map(width_of).collect();
    let fit = (1..=widths.len())
        .rev()
        .find(|&count| widths[..count].iter().map(|width| width + 2).sum::<usize>() <= width + 2)
        .unwrap_or(1);
    ansi.end_line();
    for (column, title) in TITLES.iter().enumerate().take(fit) {
        ansi.bold(&cell(title, column, widths[column]));
    }
    ansi.end_line();
    for (line, shift) in lines.iter().zip(&comparison.shifts) {
        for (column, text) in line.iter().enumerate().take(fit) {
            let text = cell(text, column, widths[column]);
            if shift.differs.is_some() && column == 3 {
                ansi.bold(&text);
            } else {
                ansi.plain(&text);
            }
        }
        ansi.end_line();
    }
}

/// The table as texts: its headings, then its rows.
pub(crate) fn rows(comparison: &Comparison) -> Vec<Vec<String>> {
    let heads = TITLES.map(str::to_owned).to_vec();
    let lines = comparison.shifts.iter().map(|shift| line(comparison, shift).to_vec());
    std::iter::once(heads).chain(lines).collect()
}

/// Names and remarks stand left in their column, numbers right.
fn cell(text: &str, column: usize, width: usize) -> String {
    match column {
        0 => format!("{text:<width$}"),
        5 => format!("  {text:<width$}"),
        _ => format!("  {text:>width$}"),
    }
}

fn line(comparison: &Comparison, shift: &Shift) -> [String; 6] {
    let moved = match shift.moved {
        Some(Direction::More) => "more",
        Some(Direction::Less) => "less",
        // That these runs differ is clear, that others would is not: the interval holds 1.
        None if shift.differs.is_some() => "in these runs only",
        None if shift.measure == Measure::MAX => "not judged",
        None if shift.interval.is_none() => "too little to tell",
        None => "",
    };
    let of = |one| value(comparison, shift.measure, one);
    let chance = shift.interval.map(interval).unwrap_or_default();
    [
        name(shift.measure),
        of(shift.a),
        of(shift.b),
        known_ratio(comparison, shift),
        chance,
        moved.to_owned(),
    ]
}
