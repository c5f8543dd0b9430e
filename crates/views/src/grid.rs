//! Lines and aligned columns on a page of some width.

use std::io::{self, Write};

use isotherm_frame::{LONGEST_NAME, shortened};

use crate::Style;
use crate::ansi::Ansi;
use crate::description;

/// What is written.
pub(crate) struct Page {
    ansi: Ansi,
    width: usize,
}

/// A column: its title, and how soon it gives way in a narrow page; 0 never does.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Column {
    pub title: &'static str,
    pub gives_way: u8,
}

/// A row: a name, its values, and words to be written below it.
pub(crate) struct Row {
    pub name: String,
    pub values: Vec<String>,
    /// On one line, cut at its end.
    pub text: String,
    /// On as many lines as they need.
    pub details: String,
}

/// Rows under titles; the first column holds names and is as wide as there is room.
pub(crate) struct Grid {
    pub title: &'static str,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

/// The least width of the names, if there are longer ones.
const LEAST_NAME: usize = 28;
/// How far lines below a row stand in.
const INDENT: usize = 4;
/// The widest a line of text is where the page has no width.
const WIDEST_TEXT: usize = 120;

impl Row {
    pub fn new(name: impl Into<String>, values: Vec<String>) -> Row {
        Row { name: name.into(), values, text: String::new(), details: String::new() }
    }
}

impl Page {
    pub fn new(style: Style, width: Option<usize>) -> Page {
        Page { ansi: Ansi::new(style), width: width.unwrap_or(usize::MAX).max(40) }
    }

    pub fn write_to(self, out: &mut dyn Write) -> io::Result<()> {
        self.ansi.write_to(out)
    }

    /// The lines there are so far.
    pub fn lines(&self) -> usize {
        self.ansi.lines()
    }

    /// The lines that words take.
    pub fn lines_of(&self, words: &str) -> usize {
        wrapped(words, self.text_width(), 2).len()
    }

    /// The width of running text.
    pub fn text_width(&self) -> usize {
        self.width.min(WIDEST_TEXT)
    }

    /// A title with an empty line above it, and a remark behind it.
    pub fn title(&mut self, title: &str, remark: &str) {
        self.ansi.end_line();
        self.ansi.bold(title);
        if !remark.is_empty() {
            let words = format!("{title}: {remark}");
            self.rest_of(&words, title.chars().count());
        }
        self.ansi.end_line();
    }

    /// What follows the first `done` characters of the words, which are on the line already.
    fn rest_of(&mut self, words: &str, done: usize) {
        let lines = wrapped(words, self.text_width(), 2);
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                self.ansi.end_line();
            }
            let skipped = if number == 0 { done } else { 0 };
            self.ansi.plain(&line.chars().skip(skipped).collect::<String>());
        }
    }

    /// Words on as many lines as they need, in bold if they are the answer.
    pub fn words(&mut self, words: &str, bold: bool) {
        for line in wrapped(words, self.text_width(), 2) {
            let look = if bold { Ansi::bold } else { Ansi::plain };
            look(&mut self.ansi, &line);
            self.ansi.end_line();
        }
    }

    /// Lines that are laid out already.
    pub fn as_is(&mut self, text: &str) {
        text.lines().for_each(|line| self.ansi.line(line));
    }

    /// Secondary words.
    pub fn remark(&mut self, words: &str) {
        for line in wrapped(words, self.text_width(), 2) {
            self.ansi.faint(&line);
            self.ansi.end_line();
        }
    }

    /// Secondary words that belong to the line above.
    pub fn indented(&mut self, words: &str) {
        for line in wrapped(words, self.text_width() - INDENT, 2) {
            self.ansi.faint(&" ".repeat(INDENT));
            self.ansi.faint(&line);
            self.ansi.end_line();
        }
    }

    /// A line as it is, however long: a part of a drawing.
    pub fn verbatim(&mut self, line: &str) {
        self.ansi.plain(line);
        self.ansi.end_line();
    }

    /// A table.
    pub fn grid(&mut self, grid: &Grid) {
        let (shown, widths, names) = self.layout(grid);
        self.ansi.plain(&" ".repeat(2));
        self.ansi.bold(&format!("{:<names$}", grid.title));
        for (&column, &width) in shown.iter().zip(&widths) {
            self.ansi.bold(&format!("  {:>width$}", grid.columns[column].title));
        }
        self.ansi.end_line();
        for row in &grid.rows {
            self.ansi.plain(&format!("  {:<names$}", shortened(&row.name, names)));
            for (&column, &width) in shown.iter().zip(&widths) {
                let value = row.values.get(column).map_or("", String::as_str);
                let value = shortened(value, width);
                self.ansi.plain(&format!("  {value:>width$}"));
            }
            self.ansi.end_line();
            self.below(row);
        }
    }

    fn below(&mut self, row: &Row) {
        let room = self.text_width() - INDENT;
        let text = cut(&row.text, room);
        if !text.is_empty() {
            self.ansi.faint(&" ".repeat(INDENT));
            self.ansi.faint(&text);
            self.ansi.end_line();
        }
        if !row.details.is_empty() {
            self.indented(&row.details);
        }
    }

    /// The columns that fit, their widths, and the width of the names.
    fn layout(&self, grid: &Grid) -> (Vec<usize>, Vec<usize>, usize) {
        let longest = |column: usize| {
            let values = grid.rows.iter().filter_map(|row| row.values.get(column));
            let title = grid.columns[column].title.chars().count();
            values
                .map(|value| value.chars().count())
                .max()
                .unwrap_or(0)
                .max(title)
                .min(LONGEST_NAME)
        };
        let names = grid.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        let names = names.max(grid.title.chars().count());
        let said = |row: &Row, column: usize| {
            row.values.get(column).is_some_and(|value| !value.is_empty())
        };
        let mut shown: Vec<usize> = (0..grid.columns.len())
            .filter(|&column| grid.rows.iter().any(|row| said(row, column)))
            .collect();
        loop {
            let widths: Vec<usize> = shown.iter().map(|&column| longest(column)).collect();
            let taken = 2 + widths.iter().map(|width| width + 2).sum::<usize>();
            let room = self.width.saturating_sub(taken);
            let last = shown.iter().copied().filter(|&column| grid.columns[column].gives_way > 0);
            match last.max_by_key(|&column| grid.columns[column].gives_way) {
                Some(column) if room < names.min(LEAST_NAME) => shown.retain(|&one| one != column),
                _ => return (shown, widths, names.min(room.max(8)).min(LONGEST_NAME)),
            }
        }
    }
}

/// The text, at most `most` characters wide; `…` at its end if there is more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The words in lines of at most `width` characters, units with their numbers; lines after the first
/// stand in by `indent`.
fn wrapped(words: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in description::words(words).iter().filter(|word| !word.is_empty()) {
        let long = word.chars().count();
        if length > 0 && length + 1 + long > width {
            lines.push(" ".repeat(indent));
            length = indent;
        } else if length > 0 {
            length += 1;
            lines.iter_mut().last().into_iter().for_each(|line| line.push(' '));
        }
        length += long;
        lines.iter_mut().last().into_iter().for_each(|line| line.push_str(word));
    }
    lines
}
