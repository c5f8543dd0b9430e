//! Text reports: columns as wide as the dashes under their heads.

use std::borrow::Cow;

use super::names;
use super::statspack;
use super::table::{At, Row, Table};

/// Titles that begin a section even where nothing else on the line says so.
const TITLES: [&str; 12] = [
    "Load Profile",
    "Top 5 Timed Events",
    "Top 5 Timed Foreground Events",
    "Top 10 Foreground Events by Total Wait Time",
    "Wait Events",
    "Foreground Wait Events",
    "Background Wait Events",
    "Wait Event Histogram",
    "Key Instance Activity Stats",
    "Instance Activity Stats",
    "IOStat by Function summary",
    "Instance Efficiency Percentages",
];

/// The most lines that heads take.
const HEAD_LINES: usize = 5;

/// A line without noise.
#[derive(Clone, Debug)]
struct Line {
    text: Vec<char>,
    at: At,
}

/// Every table of a text report.
pub(super) fn tables(text: &str) -> Vec<Table> {
    let mut reader = Reader::default();
    for line in lines(text) {
        reader.line(line);
    }
    if let Some(table) = &mut reader.table {
        table.unended = true;
    }
    reader.close();
    reader.tables
}

/// The lines without what SQL*Plus puts between them: an empty line, the name of the column
/// and its underline, at every page.
fn lines(text: &str) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::new();
    let mut byte = 0;
    let mut after_head = false;
    for (number, raw) in text.split_inclusive('\n').enumerate() {
        let at = At { line: number as u64 + 1, byte };
        byte += raw.len() as u64;
        let line = raw.trim_end().trim_start_matches('\u{c}');
        let underline = after_head && line.len() >= 20 && line.bytes().all(|byte| byte == b'-');
        after_head = line == "OUTPUT";
        if after_head && kept.last().is_some_and(|last| last.text.is_empty()) {
            kept.pop();
        }
        if !after_head && !underline {
            kept.push(Line { text: expanded(line), at });
        }
    }
    kept
}

/// The characters of a line, with tabs (SQL*Plus's `set tab on`) as the blanks they stand for.
fn expanded(line: &str) -> Vec<char> {
    let mut chars = Vec::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => chars.resize((chars.len() / 8 + 1) * 8, ' '),
            c => chars.push(c),
        }
    }
    chars
}

#[derive(Default)]
struct Reader {
    tables: Vec<Table>,
    title: String,
    /// Lines since the last table or empty line: heads, perhaps.
    above: Vec<Vec<char>>,
    /// The columns of the table being read, as first and behind-the-last character.
    columns: Vec<(usize, usize)>,
    table: Option<Table>,
}

impl Reader {
    fn line(&mut self, line: Line) {
        let whole: String = line.text.iter().collect();
        if let Some(title) = title(&whole) {
            self.close();
            self.above.clear();
            self.title = title;
            return;
        }
        if let Some(cells) = labelled(&whole, &self.title) {
            self.labelled(Row { cells, at: line.at });
            return;
        }
        if let Some(cells) = statspack::host(&whole) {
            self.row_of(&statspack::HOST_HEADS, Row { cells, at: line.at });
            return;
        }
        if let Some(columns) = rule(&line.text) {
            self.open(columns, line.at);
            return;
        }
        let ends = whole.trim().is_empty() || whole.trim().bytes().all(|b| b == b'-' || b == b'~');
        if ends {
            self.close();
            self.above.clear();
        } else if let Some(table) = &mut self.table {
            let cells = self.columns.iter().map(|column| slice(&line.text, *column));
            let mut cells: Vec<String> = cells.collect();
            let width = self.columns.first().map_or(0, |(start, end)| end - start);
            if let Some(whole) = cells.first().and_then(|name| names::whole(name, width)) {
                whole.clone_into(&mut cells[0]);
            }
            table.rows.push(Row { cells, at: line.at });
        } else {
            self.above.push(line.text);
        }
    }

    /// A table begins: its heads are the lines above the rule.
    fn open(&mut self, columns: Vec<(usize, usize)>, start: At) {
        self.close();
        let first = self.above.len().saturating_sub(HEAD_LINES);
        let above: Vec<_> = self.above.drain(..).skip(first).collect();
        let heads = above.iter().filter(|line| !line.starts_with(&['-', '>']));
        let heads: Vec<Vec<char>> = heads.map(|line| statspack::without_groups(line)).collect();
        let head = |column: &(usize, usize)| {
            let parts = heads.iter().map(|line| slice(line, *column));
            let parts: Vec<String> = parts.filter(|part| !is_line(part)).collect();
            parts.join(" ")
        };
        let heads = columns.iter().map(head).collect();
        self.columns = columns;
        self.table = Some(Table { title: self.title.clone(), heads, start, ..Table::default() });
    }

    fn close(&mut self) {
        self.tables.extend(self.table.take());
    }

    /// A row that says itself what it is; these make tables of their own.
    fn labelled(&mut self, row: Row) {
        self.close();
        let snapshots = row.cells.first().is_some_and(|label| is_snapshot_label(label));
        let heads: &[&str] = if snapshots {
            &["", "Snap Id", "Snap Time", "Sessions"]
        } else {
            &["", "Per Second", "Per Transaction", "Per Exec", "Per Call"]
        };
        self.row_of(heads, row);
    }

    /// A row below heads that the report does not print.
    fn row_of(&mut self, heads: &[&str], row: Row) {
        let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
        match self.tables.last_mut() {
            Some(last) if last.heads == heads && last.title == self.title => last.rows.push(row),
            _ => {
                let (title, start) = (self.title.clone(), row.at);
                let rows = vec![row];
                self.tables.push(Table { title, heads, start, rows, ..Table::default() });
            }
        }
    }
}

/// Whether a part of a head is only a line drawn above a group of columns or below a title.
fn is_line(part: &str) -> bool {
    part.is_empty() || part.chars().all(|c| matches!(c, '-' | '~' | ' '))
}

/// The title that a line is: what stands before the names of database and snapshots, or one of
/// those that are known.
fn title(line: &str) -> Option<String> {
    let marked = ["DB/Inst:", "  Snaps:"].iter().find_map(|mark| line.find(mark));
    let known =
        |text: &str| TITLES.iter().any(|title| text.strip_prefix(title).is_some_and(ends_a_title));
    match marked {
        Some(end) if end > 0 && !line.starts_with(' ') => {
            let title = line.get(..end).unwrap_or_default().trim();
            Some(statspack::without_database(title).to_owned())
        }
        _ if known(line) => {
            let end = line.find("  ").unwrap_or(line.len());
            Some(line.get(..end).unwrap_or_default().trim().to_owned())
        }
        _ => None,
    }
}

/// Whether what follows a known title leaves it a title: nothing, wide blanks, a bracket.
fn ends_a_title(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with("  ") || rest.starts_with(" (")
}

fn is_snapshot_label(label: &str) -> bool {
    matches!(label, "Begin Snap:" | "End Snap:" | "Elapsed:" | "DB Time:" | "DB time:")
}

/// The cells of a row that begins with what it is: of the snapshots, and of the load profile.
fn labelled(line: &str, title: &str) -> Option<Vec<String>> {
    let (label, rest) = line.trim().split_once(':')?;
    let label = format!("{label}:");
    if is_snapshot_label(&label) {
        return Some(snapshot_cells(label, rest));
    }
    if title != "Load Profile" {
        return None;
    }
    let values: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
    let number = |value: &String| value.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let sane = (1..=4).contains(&values.len()) && values.iter().all(number);
    sane.then(|| std::iter::once(label).chain(values).collect())
}

/// `37 12-Feb-17 12:16:04  25  1.6`: the date may hold blanks, so the time of day ends it.
fn snapshot_cells(label: String, rest: &str) -> Vec<String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let clock = |word: &&str| word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit());
    let end = words.iter().position(clock);
    match (words.split_first(), end) {
        (Some((id, _)), Some(end)) if end > 0 => {
            let time = words.get(1..=end).unwrap_or_default().join(" ");
            let rest = words.get(end + 1..).unwrap_or_default().iter().map(|w| (*w).to_owned());
            [label, (*id).to_owned(), time].into_iter().chain(rest).collect()
        }
        _ => vec![label, String::new(), rest.trim().to_owned()],
    }
}

/// The columns of a rule: two or more runs of dashes and nothing else; the first may be of tildes.
fn rule(line: &[char]) -> Option<Vec<(usize, usize)>> {
    let line: Cow<'_, [char]> = match line.first() {
        Some('-') => Cow::Borrowed(line),
        Some('~') if statspack::underlines_header(line) => {
            line.iter().map(|c| if *c == '~' { '-' } else { *c }).collect()
        }
        _ => return None,
    };
    if line.iter().any(|c| !matches!(c, '-' | ' ')) {
        return None;
    }
    let mut columns = Vec::new();
    let mut start = None;
    for (index, c) in line.iter().chain(&[' ']).enumerate() {
        match (c, start) {
            ('-', None) => start = Some(index),
            (' ', Some(first)) => {
                columns.push((first, index));
                start = None;
            }
            _ => {}
        }
    }
    (columns.len() >= 2).then_some(columns)
}

/// The text of a line in a column, trimmed.
fn slice(line: &[char], (start, end): (usize, usize)) -> String {
    let end = end.min(line.len());
    let text: String = line.get(start.min(end)..end).unwrap_or_default().iter().collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_empty_cells_and_heads_join() {
        let text = "\
Wait Event Histogram                DB/Inst: X/x  Snaps: 1-2
-> a note

                           Waits
                           64ms
Event                      to 2s <32ms <64ms
-------------------------- ----- ----- -----
quick                          9        33.3
          ---------------------------------
";
        let tables = tables(text);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].title, "Wait Event Histogram");
        assert_eq!(tables[0].heads, ["Event", "Waits 64ms to 2s", "<32ms", "<64ms"]);
        assert_eq!(tables[0].rows[0].cells, ["quick", "9", "", "33.3"]);
        assert_eq!(tables[0].rows[0].at, At { line: 8, byte: text.find("quick").unwrap() as u64 });
    }

    #[test]
    fn noise_of_sqlplus_is_dropped_even_inside_rows() {
        let text = "\
Wait Events  DB/Inst: X/x  Snaps: 1-2
Event          Waits

OUTPUT
--------------------------------------------------------------------------------
---------- ---------
one                1

OUTPUT
two                2
";
        let tables = tables(text);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].heads, ["Event", "Waits"]);
        let names: Vec<_> = tables[0].rows.iter().map(|row| row.cells[0].as_str()).collect();
        assert_eq!(names, ["one", "two"]);
    }

    #[test]
    fn snapshots_and_load_are_read_by_their_labels() {
        let text = "\
Begin Snap:        37 16-2月 -13 05:00:50        25       1.6
  End Snap:        38 16-2月 -13 06:00:50        25       1.6
   Elapsed:                6.03 (mins)

Load Profile              Per Second    Per Transaction
~~~~~~~~~~~~         ---------------    ---------------
       Redo size:           56,890.1            2,287.8
    Transactions:               24.9
";
        let tables = tables(text);
        assert_eq!(tables[0].rows[0].cells[..3], ["Begin Snap:", "37", "16-2月 -13 05:00:50"]);
        assert_eq!(tables[0].rows[2].cells, ["Elapsed:", "", "6.03 (mins)"]);
        assert_eq!(tables[1].title, "Load Profile");
        assert_eq!(tables[1].rows[0].cells, ["Redo size:", "56,890.1", "2,287.8"]);
        assert_eq!(tables[1].rows[1].cells, ["Transactions:", "24.9"]);
    }
}
