//! Bars made of parts side by side, such as the buffers of a table by how often they were used.

use std::fmt::Write as _;

use isotherm_frame::numbers::grouped;
use schemars::JsonSchema;
use serde::Serialize;

use crate::grid::cut;

/// Bars, the longest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StackedBars {
    /// What they show.
    pub title: String,
    /// What is counted: `buffers`.
    pub unit: String,
    /// What the parts are: `usage count`.
    pub parts_are: String,
    /// The names of the parts, from left to right.
    pub parts: Vec<String>,
    /// What is marked below a part, such as `dirty`, and above it, such as `pinned`; empty for nothing.
    pub marks: [String; 2],
    /// The bars.
    pub bars: Vec<StackedBar>,
}

/// A bar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StackedBar {
    /// Its name.
    pub name: String,
    /// Its parts from left to right.
    pub parts: Vec<BarPart>,
}

/// A part of a bar.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BarPart {
    /// How much it is.
    pub amount: u64,
    /// How much of it is marked below and above.
    pub marked: [u64; 2],
}

/// The longest name of a bar in characters, and the shortest longest bar.
const LONGEST: usize = 36;
const LEAST: usize = 10;

impl StackedBar {
    /// How long it is.
    pub fn amount(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.amount))
    }
}

impl StackedBars {
    /// The longest bar.
    pub fn longest(&self) -> u64 {
        self.bars.iter().map(StackedBar::amount).max().unwrap_or(0)
    }

    /// The bars in characters, in lines of at most `width`: a character of a bar is the number of the
    /// part that it is in.
    pub fn text(&self, width: usize, ascii: bool) -> String {
        let names = self.bars.iter().map(|bar| bar.name.chars().count());
        let left = names.max().unwrap_or(0).min(LONGEST);
        let numbers = grouped(self.longest()).len();
        let room = width.saturating_sub(left + numbers + 6).max(LEAST);
        let mut text = format!("{}\n", self.title);
        for bar in &self.bars {
            let drawn = self.drawn(bar, room);
            let (name, amount) = (cut(&bar.name, LONGEST), grouped(bar.amount()));
            let _ = writeln!(text, "  {name:<left$}  {amount:>numbers$}  {drawn}");
        }
        let _ = write!(text, "  {} by {}:", self.unit, self.parts_are);
        for (at, name) in self.parts.iter().enumerate() {
            let sign = sign(at);
            let _ = if *name == sign.to_string() {
                write!(text, " {sign}")
            } else {
                write!(text, " {sign} = {name}")
            };
        }
        text.push('\n');
        if ascii { text.replace('…', "~").replace('–', "-") } else { text }
    }

    /// A bar of characters; each stands for the same amount, and for the part where its middle is.
    fn drawn(&self, bar: &StackedBar, room: usize) -> String {
        let longest = self.longest().max(1) as f64;
        let length = (bar.amount() as f64 / longest * room as f64).round().max(1.0);
        let each = bar.amount() as f64 / length;
        let ends: Vec<f64> = bar
            .parts
            .iter()
            .scan(0.0, |sum, part| {
                *sum += part.amount as f64;
                Some(*sum)
            })
            .collect();
        let mut drawn = String::new();
        let mut middle = each / 2.0;
        while middle < bar.amount() as f64 && drawn.chars().count() < room {
            let part = ends.iter().position(|&end| middle < end).unwrap_or(0);
            drawn.push(sign(part));
            middle += each;
        }
        drawn
    }
}

/// The character of a part.
fn sign(part: usize) -> char {
    let number = u32::try_from(part).unwrap_or(u32::MAX);
    char::from_digit(number, 36).unwrap_or('?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_as_many_characters_of_each_part_as_its_share() {
        let part = |amount| BarPart { amount, ..BarPart::default() };
        let bar = |name: &str, amounts: &[u64]| StackedBar {
            name: name.to_owned(),
            parts: amounts.iter().map(|&amount| part(amount)).collect(),
        };
        let bars = StackedBars {
            title: "Buffers".to_owned(),
            unit: "buffers".to_owned(),
            parts_are: "usage count".to_owned(),
            parts: ["0", "1", "two"].map(str::to_owned).to_vec(),
            marks: [String::new(), String::new()],
            bars: vec![bar("orders", &[50, 25, 25]), bar("rest", &[0, 10, 0]), bar("none", &[0])],
        };
        let text = bars.text(6 + 3 + 6 + 20, true);
        let expected = "Buffers\n  orders  100  00000000001111122222\n  rest     10  11\n  none      0\n  \
                        buffers by usage count: 0 1 2 = two\n";
        assert_eq!(text.replace(" \n", "\n").replace(" \n", "\n"), expected);
    }
}
