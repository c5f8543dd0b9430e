//! Tables for spreadsheets: RFC 4180, one number a cell, units in the headings.

use std::io::{self, Write};

use isotherm_frame::csv_text;
use schemars::JsonSchema;
use serde::Serialize;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// Not known, or does not apply.
    Empty,
    /// Words.
    Text(String),
    /// A number; one that is not finite is not known.
    Number(f64),
    /// A number of things.
    Count(u64),
}

/// A table: headings, and rows of as many cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csv {
    /// What each column holds, with its unit.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// Rows whose columns are named one by one, put together into a table.
pub(crate) type NamedRow = Vec<(String, Cell)>;

impl Csv {
    /// The table of these rows. A column that some rows lack is empty there; columns stand in the
    /// order in which they are first named, each after the one it follows in its row.
    pub fn of(rows: Vec<Vec<(String, Cell)>>) -> Csv {
        let mut heads: Vec<String> = Vec::new();
        for row in &rows {
            let mut after = 0;
            for (name, _) in row {
                let known = heads.iter().position(|head| head == name);
                if known.is_none() {
                    heads.insert(after, name.clone());
                }
                after = known.unwrap_or(after) + 1;
            }
        }
        let cells = |row: NamedRow| {
            let mut cells = vec![Cell::Empty; heads.len()];
            for (name, cell) in row {
                if let Some(place) = heads.iter().position(|head| *head == name)
                    && let Some(place) = cells.get_mut(place)
                {
                    *place = cell;
                }
            }
            cells
        };
        let rows = rows.into_iter().map(cells).collect();
        Csv { heads, rows }
    }

    /// Writes the table as RFC 4180 has it. Fails only when `out` does.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads: Vec<String> = self.heads.iter().map(|head| text_cell(head)).collect();
        write!(out, "{}\r\n", heads.join(","))?;
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::written).collect();
            write!(out, "{}\r\n", cells.join(","))?;
        }
        Ok(())
    }
}

impl Cell {
    /// A number that may not be known.
    pub fn number(value: Option<f64>) -> Cell {
        value.filter(|value| value.is_finite()).map_or(Cell::Empty, Cell::Number)
    }

    /// Words that may be missing.
    pub fn text(text: impl Into<String>) -> Cell {
        let text = text.into();
        if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
    }

    /// Yes, no, or not known.
    pub fn yes(value: Option<bool>) -> Cell {
        value.map_or(Cell::Empty, |yes| Cell::Text(if yes { "yes" } else { "no" }.to_owned()))
    }

    fn written(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Number(value) if !value.is_finite() => String::new(),
            Cell::Text(text) => text_cell(text),
            Cell::Number(value) => nine_digits(*value),
            Cell::Count(count) => count.to_string(),
        }
    }
}

/// Words as a cell of a table for spreadsheets: what a spreadsheet would run as a formula has an
/// apostrophe before it, which makes it words.
pub fn text_cell(text: &str) -> String {
    if text.starts_with([
        '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]) {
        return csv_text(&format!("'{text}"));
    }
    csv_text(text)
}

/// A number with nine significant digits, without an exponent.
fn nine_digits(value: f64) -> String {
    let rounded = format!("{value:.8e}").parse().unwrap_or(value);
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_lack_a_column_are_empty_there() {
        let named = |cells: &[(&str, u64)]| {
            cells.iter().map(|(name, count)| ((*name).to_owned(), Cell::Count(*count))).collect()
        };
        let csv =
            Csv::of(vec![named(&[("a", 1), ("z", 2)]), named(&[("a", 3), ("b", 4), ("z", 5)])]);
        let mut out = Vec::new();
        csv.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a,b,z\r\n1,,2\r\n3,4,5\r\n");
    }

    #[test]
    fn cells_are_quoted_and_numbers_are_plain() {
        let written = |cell: Cell| cell.written();
        assert_eq!(written(Cell::Text("a, \"b\"\n".to_owned())), "\"a, \"\"b\"\"\n\"");
        assert_eq!(written(Cell::Text("=1+1".to_owned())), "'=1+1");
        assert_eq!(text_cell("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
        assert_eq!(text_cell("\tx"), "'\tx");
        assert_eq!(text_cell("a-b=c"), "a-b=c");
        assert_eq!(written(Cell::Number(1.0 / 3.0)), "0.333333333");
        assert_eq!(written(Cell::Number(1e15)), "1000000000000000");
        assert_eq!(written(Cell::Number(2.5e-7)), "0.00000025");
        assert_eq!(written(Cell::Number(f64::NAN)), "");
        assert_eq!(written(Cell::number(Some(f64::INFINITY))), "");
        assert_eq!(written(Cell::yes(Some(false))), "no");
    }
}
