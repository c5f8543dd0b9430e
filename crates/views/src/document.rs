//! What a command found, before it is a text, a page or Markdown.

use std::fmt::Write as _;

use crate::description::wrapped_to;
use crate::section::{Section, Table};

/// What a command found. A text shows its first section; a page and Markdown show all of them.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What it is called; a text does without it.
    pub title: String,
    /// Its parts, the one with the point first.
    pub sections: Vec<Section>,
    /// Sentences of the first section that a text has above its charts; the others follow its tables.
    pub lead: usize,
    /// Sentences that end a text, in the place of the sections that it leaves out.
    pub closing: Vec<String>,
}

/// Lines of a chart.
const CHART: usize = 18;
/// The widest a chart or a line of words is, and the narrowest.
const WIDTHS: (usize, usize) = (40, 100);

impl Document {
    /// A document of one section whose first sentence has the point.
    pub fn of(title: String, section: Section) -> Document {
        Document { title, sections: vec![section], lead: 1, closing: Vec::new() }
    }

    /// The text, in lines of at most this many characters: without titles, and without what opens only when it
    /// is asked for.
    pub fn text(&self, width: usize, ascii: bool) -> String {
        let Some(section) = self.sections.first() else { return String::new() };
        let room = width.clamp(WIDTHS.0, WIDTHS.1);
        let mut text = String::new();
        let (lead, others) = section.sentences.split_at(section.sentences.len().min(self.lead));
        for sentence in lead {
            words(sentence, room, &mut text);
        }
        for chart in &section.charts {
            let _ = write!(text, "\n{}", chart.text(room, CHART, ascii));
        }
        for bars in &section.bars {
            let _ = write!(text, "\n{}", bars.text(room, ascii));
        }
        for grid in &section.grids {
            let _ = write!(text, "\n{}", grid.text(room, ascii));
        }
        section.tables.iter().for_each(|sheet| table(sheet, &mut text));
        if others.len() + self.closing.len() > 0 {
            text.push('\n');
        }
        for sentence in others.iter().chain(&self.closing) {
            words(sentence, room, &mut text);
        }
        text
    }
}

fn words(sentence: &str, room: usize, text: &mut String) {
    for line in wrapped_to(sentence, room) {
        let _ = writeln!(text, "{line}");
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
        let closing = words(&["The end."]);
        let text =
            Document { closing, ..Document::of("Caches".to_owned(), section) }.text(80, false);
        let expected = "The point.\n\nSizes\n  size   misses\n  8 KiB    100%\n  1 MiB      2%\n\nThe method.\nThe end.\n";
        assert_eq!(text, expected);
    }
}
