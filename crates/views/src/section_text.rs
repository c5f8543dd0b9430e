//! A section in characters.

use std::fmt::Write as _;

use crate::description::wrapped;
use crate::section::{Section, Table};

/// How sections are written as text.
#[derive(Copy, Clone, Debug)]
pub struct SectionText {
    /// The number of characters in a line.
    pub width: usize,
    /// Whether charts are drawn in ASCII.
    pub ascii: bool,
}

/// Lines of a chart.
const CHART: usize = 18;
/// The widest a chart or a line of words is, and the narrowest.
const WIDTHS: (usize, usize) = (40, 100);

impl SectionText {
    /// The first sentence, charts, tables, then what else there is to say; without its title and
    /// without what opens only when it is asked for.
    pub fn of(self, section: &Section) -> String {
        let mut text = String::new();
        let (first, others) = section.sentences.split_at(section.sentences.len().min(1));
        for sentence in first {
            self.words(sentence, &mut text);
        }
        for chart in &section.charts {
            let _ = write!(text, "\n{}", chart.text(self.room(), CHART, self.ascii));
        }
        for bars in &section.bars {
            let _ = write!(text, "\n{}", bars.text(self.room(), self.ascii));
        }
        for grid in &section.grids {
            let _ = write!(text, "\n{}", grid.text(self.room(), self.ascii));
        }
        section.tables.iter().for_each(|sheet| table(sheet, &mut text));
        if !others.is_empty() {
            text.push('\n');
        }
        for sentence in others {
            self.words(sentence, &mut text);
        }
        text
    }

    fn room(self) -> usize {
        self.width.clamp(WIDTHS.0, WIDTHS.1)
    }

    fn words(self, sentence: &str, text: &mut String) {
        for line in wrapped(sentence, Some(self.room())) {
            text.push_str(&line);
            text.push('\n');
        }
    }
}

/// A table: its first column to the left, all others to the right.
fn table(sheet: &Table, text: &mut String) {
    let _ = writeln!(text, "\n{}", sheet.caption);
    for line in table_lines(sheet) {
        let _ = writeln!(text, "{line}");
    }
}

/// The heads and rows of a table.
pub(crate) fn table_lines(sheet: &Table) -> Vec<String> {
    let rows = || std::iter::once(&sheet.head).chain(&sheet.rows);
    let length =
        |row: &[String], column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let columns = 0..sheet.head.len();
    let widths: Vec<usize> =
        columns.map(|column| rows().map(|row| length(row, column)).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "  {cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        line.trim_end().to_owned()
    };
    rows().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_comes_first_and_numbers_stand_to_the_right() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let sheet = Table {
            caption: "Sizes".to_owned(),
            head: words(&["size", "misses"]),
            rows: vec![words(&["8 KiB", "100%"]), words(&["1 MiB", "2%"])],
        };
        let sentences = words(&["The point.", "The method."]);
        let section = Section { sentences, tables: vec![sheet], ..Section::default() };
        let text = SectionText { width: 80, ascii: false }.of(&section);
        let expected = "The point.\n\nSizes\n  size   misses\n  8 KiB    100%\n  1 MiB      2%\n\nThe method.\n";
        assert_eq!(text, expected);
    }
}
