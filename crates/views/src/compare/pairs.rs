//! Every kind of event of both sides, most changed first.

use std::fmt::Write as _;

use isotherm_analysis::Measure;
use isotherm_frame::shortened;

use super::figures::{interval, ratio, verdict_word};
use super::summary::{PairLine, Presence};
use crate::ansi::Ansi;
use crate::numbers::{quantity, seconds};

/// The most lines of the table.
const MOST: usize = 20;

/// What stands above the columns.
const TITLES: [&str; 8] = [
    "most changed first",
    "A ev/s",
    "B ev/s",
    "A waiting",
    "B",
    "change",
    "p99, 95 % interval",
    "",
];
/// The characters of the columns between the first and the last.
const WIDTHS: [usize; 6] = [8, 8, 9, 8, 8, 18];

/// Paints the table.
pub(crate) fn paint(ansi: &mut Ansi, pairs: &[PairLine], width: usize) {
    let name = width.saturating_sub(73).clamp(16, 40);
    ansi.end_line();
    ansi.bold(&line(&TITLES.map(str::to_owned), name));
    ansi.end_line();
    for pair in pairs.iter().take(MOST) {
        ansi.plain(&line(&cells(pair), name));
        ansi.end_line();
    }
    if pairs.len() > MOST {
        ansi.faint(&format!("and {} more", pairs.len() - MOST));
        ansi.end_line();
    }
}

/// The table as texts: its headings, then its rows.
pub(crate) fn rows(pairs: &[PairLine]) -> Vec<Vec<String>> {
    let rows = pairs.iter().take(MOST).map(|pair| cells(pair).to_vec());
    std::iter::once(TITLES.map(str::to_owned).to_vec()).chain(rows).collect()
}

fn line([label, numbers @ .., verdict]: &[String; 8], name: usize) -> String {
    let mut line = format!("{:<name$}", shortened(label, name));
    for (number, width) in numbers.iter().zip(WIDTHS) {
        let _ = write!(line, " {number:>width$}");
    }
    line + "  " + verdict
}

fn cells(pair: &PairLine) -> [String; 8] {
    let ([rate_a, rate_b], [waiting_a, waiting_b]) = (pair.rates(), pair.waiting());
    let p99 = pair.shift(Measure::Quantile(0.99));
    let p99 = p99.map(|shift| shift.interval.map_or(ratio(shift.ratio), interval));
    let verdict = match (pair.presence, pair.verdict) {
        (Presence::OnlyA, _) => "only in A",
        (Presence::OnlyB, _) => "only in B",
        (Presence::Both, verdict) => verdict.map_or("", verdict_word),
    };
    [
        pair.label.clone(),
        quantity(rate_a),
        quantity(rate_b),
        seconds(waiting_a),
        seconds(waiting_b),
        signed(pair.change()),
        p99.unwrap_or("-".to_owned()),
        verdict.to_owned(),
    ]
}

fn signed(value: f64) -> String {
    let text = quantity(value);
    if value > 0.0 { format!("+{text}") } else { text }
}
