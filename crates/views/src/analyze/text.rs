//! An analysis for terminals: tables, a curve, sentences.

use isotherm_frame::shown_name;

use crate::chart::Chart;
use crate::section::Table;

/// The columns that give way in a narrow terminal, the first one first.
const GIVES_WAY: [&str; 7] =
    ["range of p99", "CPU each", "MB/s", "range", "waiting", "steady", "p50"];
/// The narrowest curve.
const LEAST: usize = 40;
/// The fewest and the most lines of a curve.
const LINES: (usize, usize) = (14, 26);

/// An analysis for a terminal.
#[derive(Copy, Clone, Debug)]
pub struct AnalyzeText {
    /// The number of characters in a line.
    pub width: usize,
    /// The number of lines of the curve.
    pub lines: usize,
    /// Whether there is nothing but ASCII.
    pub ascii: bool,
}

impl AnalyzeText {
    /// The lines of a curve on a terminal of this height.
    pub fn lines_in(height: usize) -> usize {
        (height / 2).clamp(LINES.0, LINES.1)
    }

    /// Tables, a curve and sentences on one page.
    pub fn page(&self, tables: &[Table], chart: &Chart, said: &[String]) -> String {
        let width = self.width;
        let mut text = String::new();
        for table in tables {
            text.push_str(&lines_of(table, width));
            text.push('\n');
        }
        text.push_str(&chart.text(width.clamp(LEAST, 140), self.lines, self.ascii));
        text.push('\n');
        for sentence in said {
            text.push_str(&wrapped(sentence, width.clamp(LEAST, 110)));
        }
        if self.ascii { ascii(&text) } else { text }
    }
}

/// What has no place in ASCII, in other words.
fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'µ' => plain.push('u'),
            '–' => plain.push('-'),
            '×' => plain.push('x'),
            '≈' => plain.push('~'),
            '·' => plain.push('*'),
            '≤' => plain.push_str("<="),
            other if other.is_ascii() => plain.push(other),
            _ => plain.push('?'),
        }
    }
    plain
}

/// A table in aligned columns, narrow enough if that is possible.
fn lines_of(table: &Table, width: usize) -> String {
    let short = |cells: &Vec<String>| -> Vec<String> {
        cells.iter().map(|cell| shown_name(cell)).collect()
    };
    let rows = table.rows.iter().map(short).collect();
    let table = &Table { caption: table.caption.clone(), head: short(&table.head), rows };
    let mut shown: Vec<usize> = (0..table.head.len()).collect();
    shown.retain(|&column| table.rows.iter().any(|row| is_filled(row, column)) || column == 0);
    let mut gone: Vec<&str> = Vec::new();
    for name in GIVES_WAY {
        if line_width(table, &shown) <= width {
            break;
        }
        let found = shown
            .iter()
            .position(|&column| table.head.get(column).is_some_and(|head| head == name));
        if let Some(at) = found {
            shown.remove(at);
            gone.push(name);
        }
    }
    let mut text = format!("{}\n", table.caption);
    line(&table.head, table, &shown, &mut text);
    for row in &table.rows {
        line(row, table, &shown, &mut text);
    }
    if !gone.is_empty() {
        let words = format!("the terminal is narrow: without {}", gone.join(", "));
        text.push_str(&wrapped(&words, width.max(LEAST)));
    }
    text
}

fn is_filled(row: &[String], column: usize) -> bool {
    row.get(column).is_some_and(|cell| !cell.is_empty() && cell != "-")
}

fn column_width(table: &Table, column: usize) -> usize {
    let rows = std::iter::once(&table.head).chain(&table.rows);
    rows.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
}

fn line_width(table: &Table, shown: &[usize]) -> usize {
    let gaps = shown.len().saturating_sub(1) * 2;
    shown.iter().map(|&column| column_width(table, column)).sum::<usize>() + gaps
}

/// Words stand to the left, numbers to the right.
fn line(cells: &[String], table: &Table, shown: &[usize], text: &mut String) {
    let mut row = String::new();
    for &column in shown {
        let width = column_width(table, column);
        let cell = cells.get(column).map_or("", String::as_str);
        let left = column == 0 || matches!(table.head[column].as_str(), "steady" | "warnings");
        let cell = if left { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
        if !row.is_empty() {
            row.push_str("  ");
        }
        row.push_str(&cell);
    }
    text.push_str(row.trim_end());
    text.push('\n');
}

/// A sentence on as many lines as it needs, behind a dot.
fn wrapped(sentence: &str, width: usize) -> String {
    let (mut text, mut line) = (String::new(), String::from("·"));
    for word in sentence.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > width {
            text.push_str(&line);
            text.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
    text
}
