//! Amounts over time: a row for each kind, a column for each moment, darker for more.

use std::fmt::Write as _;

use isotherm_frame::numbers::grouped;
use schemars::JsonSchema;
use serde::Serialize;

use crate::grid::cut;

/// Rows of amounts at moments that are equally far apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HeatGrid {
    /// What it shows.
    pub title: String,
    /// What is counted: `buffers`.
    pub unit: String,
    /// What the columns are: `seconds since 14:45:10 UTC`.
    pub x_label: String,
    /// Seconds from one column to the next.
    pub column_s: f64,
    /// Its rows, from top to bottom.
    pub rows: Vec<HeatRow>,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HeatRow {
    /// Its name.
    pub name: String,
    /// An amount for each column; null where nothing is known.
    pub cells: Vec<Option<u64>>,
}

/// Steps of shades, each for four times the amounts of the one before.
pub const HEAT_STEPS: usize = 5;
const FACTOR: u64 = 4;
/// What stands for each step, for none and for a gap: in a terminal, and where there is only ASCII.
const GLYPHS: [char; HEAT_STEPS + 2] = [' ', '·', '░', '▒', '▓', '█', '╱'];
const LETTERS: [char; HEAT_STEPS + 2] = [' ', '.', ':', '+', '#', '@', '/'];
/// The longest name of a row, and the fewest columns.
const LONGEST: usize = 28;
const LEAST: usize = 10;

impl HeatGrid {
    /// Columns.
    pub fn columns(&self) -> usize {
        self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0)
    }

    /// The least amount of each step, from 1 up: a quarter of the next one's, the last holds the largest
    /// amount of all.
    pub fn thresholds(&self) -> [u64; HEAT_STEPS] {
        let most = self.rows.iter().flat_map(|row| row.cells.iter().flatten()).max();
        let mut least = [1; HEAT_STEPS];
        let mut upper = most.copied().unwrap_or(0);
        for step in (1..HEAT_STEPS).rev() {
            upper /= FACTOR;
            least[step] = upper + 1;
        }
        least
    }

    /// The step of an amount; 0 of none.
    pub fn step(thresholds: &[u64; HEAT_STEPS], amount: u64) -> usize {
        thresholds.iter().rposition(|&least| amount >= least).map_or(0, |at| at + 1)
    }

    /// From where to where each step goes that some amount can have.
    pub fn legend(&self) -> Vec<(usize, String)> {
        let thresholds = self.thresholds();
        let most = self.rows.iter().flat_map(|row| row.cells.iter().flatten()).max().copied();
        let ends = thresholds.iter().skip(1).copied().chain([most.unwrap_or(0) + 1]);
        let steps = thresholds.iter().zip(ends).enumerate();
        let possible = steps.filter(|(_, (least, end))| *least < end);
        possible
            .map(|(at, (&least, end))| {
                let range = if least == end - 1 {
                    grouped(least)
                } else {
                    format!("{}–{}", grouped(least), grouped(end - 1))
                };
                (at + 1, range)
            })
            .collect()
    }

    /// The same with at most this many columns: each is the mean of those that it is made of, as far as
    /// they are known.
    #[must_use]
    pub fn narrowed(&self, most: usize) -> HeatGrid {
        let each = self.columns().div_ceil(most.max(1)).max(1);
        let merged = |cells: &[Option<u64>]| {
            let known: Vec<u64> = cells.iter().flatten().copied().collect();
            let sum = known.iter().fold(0_u64, |sum, &amount| sum.saturating_add(amount));
            (!known.is_empty()).then(|| sum.div_ceil(known.len() as u64))
        };
        let rows = self.rows.iter().map(|row| HeatRow {
            name: row.name.clone(),
            cells: row.cells.chunks(each).map(merged).collect(),
        });
        HeatGrid { rows: rows.collect(), column_s: self.column_s * each as f64, ..self.clone() }
    }

    /// The grid in characters, in lines of at most `width`.
    pub fn text(&self, width: usize, ascii: bool) -> String {
        let names = self.rows.iter().map(|row| row.name.chars().count());
        let left = names.max().unwrap_or(0).min(LONGEST);
        let grid = self.narrowed(width.saturating_sub(left + 2).max(LEAST));
        let (glyphs, edge) = if ascii { (LETTERS, '|') } else { (GLYPHS, '│') };
        let thresholds = grid.thresholds();
        let mut text = format!("{}\n", self.title);
        for row in &grid.rows {
            let cell = |cell: &Option<u64>| match cell {
                None => glyphs[HEAT_STEPS + 1],
                Some(amount) => glyphs[HeatGrid::step(&thresholds, *amount)],
            };
            let cells: String = row.cells.iter().map(cell).collect();
            let _ = writeln!(text, "{:>left$} {edge}{}", cut(&row.name, LONGEST), cells.trim_end());
        }
        grid.foot(left, ascii, &mut text);
        let _ = write!(text, "{:left$}  {}:", "", self.unit);
        for (step, range) in grid.legend() {
            let _ = write!(text, "  {} {range}", glyphs[step]);
        }
        if grid.rows.iter().any(|row| row.cells.contains(&None)) {
            let _ = write!(text, "  {} not known", glyphs[HEAT_STEPS + 1]);
        }
        text.push('\n');
        if ascii { text.replace('–', "-").replace(['…', '≈'], "~") } else { text }
    }

    /// The axis: a number of seconds at every tenth column, and what it is.
    fn foot(&self, left: usize, ascii: bool, text: &mut String) {
        let columns = self.columns();
        let (mut line, mut at) = (String::new(), 0);
        while at < columns {
            // Whole milliseconds: products of fractions have digits that mean nothing.
            let label = format!("{}", (at as f64 * self.column_s * 1e3).round() / 1e3);
            let _ = write!(line, "{label:<10}");
            at += 10;
        }
        let dash = if ascii { "-" } else { "─" };
        let corner = if ascii { '+' } else { '└' };
        let _ = writeln!(text, "{:left$} {corner}{}", "", dash.repeat(columns));
        let _ = writeln!(text, "{:left$}  {}", "", line.trim_end());
        let _ = writeln!(text, "{:left$}  {}", "", self.x_label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[(&str, &[Option<u64>])]) -> HeatGrid {
        let row = |&(name, cells): &(&str, &[Option<u64>])| HeatRow {
            name: name.to_owned(),
            cells: cells.to_vec(),
        };
        HeatGrid {
            title: "Buffers".to_owned(),
            unit: "buffers".to_owned(),
            x_label: "seconds".to_owned(),
            column_s: 1.0,
            rows: rows.iter().map(row).collect(),
        }
    }

    #[test]
    fn every_amount_is_in_the_range_of_its_step() {
        for most in [1, 2, 3, 5, 16, 17, 255, 256, 1_000_000] {
            let grid = grid(&[("a", &[Some(most)])]);
            let thresholds = grid.thresholds();
            let legend = grid.legend();
            assert_eq!(HeatGrid::step(&thresholds, 0), 0);
            assert_eq!(HeatGrid::step(&thresholds, most), HEAT_STEPS);
            for amount in 1..=most.min(300) {
                let step = HeatGrid::step(&thresholds, amount);
                let (_, range) = legend.iter().find(|(at, _)| *at == step).unwrap();
                let range = range.replace(',', "");
                let (from, to) = range.split_once('–').unwrap_or((&range, &range));
                let within = from.parse::<u64>().unwrap()..=to.parse().unwrap();
                assert!(within.contains(&amount), "{amount} of {most}: {range}");
            }
        }
    }

    #[test]
    fn gaps_are_drawn_and_none_is_blank() {
        let grid = grid(&[("5", &[Some(256), None, Some(0), Some(63)]), ("free", &[Some(1); 4])]);
        let text = grid.text(80, true);
        // The steps end at 256, 64, 16, 4 and 1.
        let expected = "Buffers\n   5 |@/ #\nfree |....\n     +----\n      0\n      seconds\n      \
                        buffers:  . 1  : 2-4  + 5-16  # 17-64  @ 65-256  / not known\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn merged_columns_are_means_of_what_is_known() {
        let narrow = grid(&[("a", &[Some(2), Some(4), None, Some(10), None, None])]).narrowed(3);
        assert_eq!(narrow.rows[0].cells, [Some(3), Some(10), None]);
        assert!((narrow.column_s - 2.0).abs() < 1e-12);
    }
}
