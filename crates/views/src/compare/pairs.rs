//! Every kind of event of both sides, most changed first.

use isotherm_analysis::Measure;
use isotherm_frame::shortened;

use super::figures::{interval, ratio, verdict_word};
use super::summary::{PairLine, Presence};
use crate::ansi::Ansi;
use crate::numbers::{quantity, seconds};

/// The most lines of the table.
const MOST: usize = 20;

/// Paints the table.
pub(crate) fn paint(ansi: &mut Ansi, pairs: &[PairLine], width: usize) {
    let name = width.saturating_sub(72).clamp(16, 40);
    ansi.end_line();
    ansi.bold(&format!(
        "{:<name$} {:>8} {:>8} {:>9} {:>8} {:>8} {:>17}  ",
        "most changed first", "A ev/s", "B ev/s", "A waiting", "B", "change", "p99 by chance"
    ));
    ansi.end_line();
    for pair in pairs.iter().take(MOST) {
        let ([rate_a, rate_b], [waiting_a, waiting_b]) = (pair.rates(), pair.waiting());
        let p99 = pair.shift(Measure::Quantile(0.99));
        let p99 = p99.map(|shift| shift.interval.map_or(ratio(shift.ratio), interval));
        let verdict = match (pair.presence, pair.verdict) {
            (Presence::OnlyA, _) => "only in A",
            (Presence::OnlyB, _) => "only in B",
            (Presence::Both, verdict) => verdict.map_or("", verdict_word),
        };
        ansi.plain(&format!(
            "{:<name$} {:>8} {:>8} {:>9} {:>8} {:>8} {:>17}  {verdict}",
            shortened(&pair.label, name),
            quantity(rate_a),
            quantity(rate_b),
            seconds(waiting_a),
            seconds(waiting_b),
            signed(pair.change()),
            p99.unwrap_or("-".to_owned()),
        ));
        ansi.end_line();
    }
    if pairs.len() > MOST {
        ansi.faint(&format!("and {} more", pairs.len() - MOST));
        ansi.end_line();
    }
}

fn signed(value: f64) -> String {
    let text = quantity(value);
    if value > 0.0 { format!("+{text}") } else { text }
}
