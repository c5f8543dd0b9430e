//! What text and HTML reports have in common: tables with a title.

use schemars::JsonSchema;
use serde::Serialize;

use super::statspack::Shortening;

/// Where in a report something is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct At {
    /// The line, from 1.
    pub line: u64,
    /// The byte at which the line or row begins, from 0.
    pub byte: u64,
}

/// One table of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    /// The heading before it, without what names database and snapshots.
    pub title: String,
    /// The `summary=` of an HTML table; empty in text.
    pub summary: String,
    /// The heads of the columns; text over several lines is joined by blanks.
    pub heads: Vec<String>,
    /// Where it begins: in text with the line below its heads.
    pub start: At,
    /// The rows under the heads.
    pub rows: Vec<Row>,
    /// Whether every row has a cell for each head, be it empty: in HTML, not in text.
    pub cells_marked: bool,
    /// Whether the report ends before the table does.
    pub unended: bool,
    /// Rows beyond the most that are read.
    pub beyond: u64,
    /// How its counts are shortened.
    pub shortening: Shortening,
}

/// One row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    /// The cells from left to right, trimmed; empty where nothing is printed.
    pub cells: Vec<String>,
    /// Where the row begins.
    pub at: At,
}

impl Table {
    /// The column whose head, in lower case and without blanks, satisfies `fits`.
    pub fn column(&self, fits: impl Fn(&str) -> bool) -> Option<usize> {
        self.heads.iter().position(|head| fits(&squeezed(head)))
    }

    /// The column of that head; `name` in lower case and without blanks.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.column(|head| head == name)
    }

    /// Whether the title is `title`, in whatever case.
    pub fn is_titled(&self, title: &str) -> bool {
        self.title.eq_ignore_ascii_case(title)
    }

    /// Whether the title begins like this, in whatever case.
    pub fn title_begins(&self, beginning: &str) -> bool {
        let start = self.title.get(..beginning.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    }
}

impl Table {
    /// Where its last row is, or the table itself if it has none.
    pub fn at(&self) -> At {
        self.rows.last().map_or(self.start, |row| row.at)
    }
}

impl Row {
    /// The cell of a column; empty if the row is too short or there is no such column.
    pub fn cell(&self, column: Option<usize>) -> &str {
        column.and_then(|column| self.cells.get(column)).map_or("", String::as_str)
    }
}

/// A head for comparison: lower case, no blanks.
pub(super) fn squeezed(head: &str) -> String {
    head.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase()
}
