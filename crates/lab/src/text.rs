//! A run, a lesson and the list of labs as text.

use std::fmt::Write as _;

use isotherm_views::section::Table;
use isotherm_views::span;

use crate::{LABS, Lab, Length, Run};

/// A run as text of this width.
#[derive(Copy, Clone, Debug)]
pub struct LabText {
    /// The number of characters in a line.
    pub width: usize,
    /// Whether charts are drawn in ASCII.
    pub ascii: bool,
}

/// Lines of a chart.
const CHART: usize = 18;
/// The widest a chart or a line of words is.
const WIDEST: usize = 100;

impl LabText {
    /// The verdict, pictures, tables and remarks.
    pub fn of(self, run: &Run<'_>) -> String {
        let finding = &run.finding;
        let mut text = String::new();
        self.words(&format!("{}: {}", finding.verdict.word(), finding.sentence), &mut text);
        self.words(&finding.uncertainty, &mut text);
        for chart in &finding.charts {
            let _ = write!(text, "\n{}", chart.text(self.room(), CHART, self.ascii));
        }
        finding.tables.iter().for_each(|sheet| table(sheet, &mut text));
        text.push('\n');
        finding.remarks.iter().for_each(|remark| self.words(remark, &mut text));
        self.words(&run.origin(), &mut text);
        self.words(&format!("The lesson: isotherm lab {} --explain", run.lab.name), &mut text);
        text
    }

    fn room(self) -> usize {
        self.width.clamp(40, WIDEST)
    }

    fn words(self, words: &str, text: &mut String) {
        wrapped(words, self.room(), "", text);
    }
}

impl Run<'_> {
    /// What makes this run again.
    pub(crate) fn origin(&self) -> String {
        let length = match self.length {
            Length::Short => "short form",
            Length::Full => "full form",
        };
        match &self.input {
            Some(input) => format!("Lab {}, {length}, events of {input}.", self.lab.name),
            None => format!("Lab {}, {length}, seed {}.", self.lab.name, self.seed),
        }
    }
}

/// The lesson of a lab, without running it.
pub fn explanation(lab: &Lab, width: usize) -> String {
    let width = width.clamp(40, WIDEST);
    let mut text = String::new();
    wrapped(lab.question, width, "", &mut text);
    for paragraph in lab.lesson {
        text.push('\n');
        wrapped(paragraph, width, "", &mut text);
    }
    text.push('\n');
    wrapped(&format!("The lab: {}.", lower_first(lab.method)), width, "", &mut text);
    let (short, full) = lab.takes;
    let needs = if lab.needs.is_empty() { "nothing" } else { lab.needs };
    let costs = format!(
        "It takes about {} (--short: {}), needs {needs}, and {}.",
        span(full),
        span(short),
        lab.writes()
    );
    wrapped(&costs, width, "", &mut text);
    text
}

/// Every lab with its question, what it needs and how long it takes.
pub fn list(width: usize) -> String {
    let mut text = String::new();
    for lab in LABS {
        let (short, full) = lab.takes;
        let _ =
            writeln!(text, "{}  (about {}, --short about {})", lab.name, span(full), span(short));
        wrapped(lab.question, width.clamp(40, WIDEST), "    ", &mut text);
    }
    text.push_str(
        "\n`isotherm lab NAME --explain` prints the lesson, `isotherm lab NAME` runs it.\n",
    );
    text
}

/// A sentence's beginning within another sentence.
fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn wrapped(words: &str, width: usize, indent: &str, text: &mut String) {
    let mut line = indent.to_owned();
    for word in words.split(' ') {
        let is_begun = line.len() > indent.len();
        if is_begun && line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(text, "{line}");
            indent.clone_into(&mut line);
        } else if is_begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
}

/// A table: names to the left, numbers to the right.
fn table(sheet: &Table, text: &mut String) {
    let cell =
        |row: &[String], column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let rows = || std::iter::once(&sheet.head).chain(&sheet.rows);
    let widths: Vec<usize> = (0..sheet.head.len())
        .map(|column| rows().map(|row| cell(row, column)).max().unwrap_or(0))
        .collect();
    let _ = writeln!(text, "\n{}", sheet.caption);
    for row in rows() {
        let mut line = String::new();
        for (column, (value, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "  {value:<width$}"),
                _ => write!(line, "  {value:>width$}"),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}
