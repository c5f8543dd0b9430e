//! Every kind of event of both sides, most changed first.

use isotherm_analysis::{Difference, Measure, Shift, SideNumbers};
use isotherm_frame::shortened;

use super::figures::{interval, ratio};
use super::sentences::verdict_word;
use crate::ansi::Ansi;
use crate::numbers::{quantity, seconds};

/// Which sides have a kind of event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Both.
    Both,
    /// A alone.
    OnlyA,
    /// B alone.
    OnlyB,
}

/// A kind of event and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PairLine {
    /// What it is called.
    pub label: String,
    /// Which sides have it.
    pub presence: Presence,
    /// A in numbers; all zero where it does not have it.
    pub a: SideNumbers,
    /// B in numbers.
    pub b: SideNumbers,
    /// What to make of it; `None` where a side does not have it.
    pub verdict: Option<Difference>,
    /// The measures that both sides have.
    pub shifts: Vec<Shift>,
}

impl PairLine {
    /// Seconds waited per second of both sides.
    pub fn waiting(&self) -> [f64; 2] {
        [&self.a, &self.b].map(SideNumbers::waiting)
    }

    /// Events per second of both sides.
    pub fn rates(&self) -> [f64; 2] {
        [&self.a, &self.b].map(SideNumbers::rate)
    }

    /// By how many seconds per second the time waited has changed.
    pub fn change(&self) -> f64 {
        let [a, b] = self.waiting();
        b - a
    }

    pub(crate) fn shift(&self, measure: Measure) -> Option<&Shift> {
        self.shifts.iter().find(|shift| shift.measure == measure)
    }
}

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
