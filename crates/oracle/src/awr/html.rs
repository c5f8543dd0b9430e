//! HTML reports: a reader of tables that forgives whatever browsers forgive.

use super::table::{At, Row, Table};

/// The most cells read of one row, and the most rows of one table: reports stay far below.
const MOST_CELLS: usize = 64;
const MOST_ROWS: usize = 1 << 20;

/// Every table of an HTML report.
pub(super) fn tables(html: &str) -> Vec<Table> {
    let mut reader = Reader::default();
    let mut places = Places { html, line: 1, byte: 0 };
    let mut rest = html;
    let mut at = 0;
    while let Some(open) = rest.find('<') {
        let (text, tag) = rest.split_at(open);
        reader.text(text);
        let Some(end) = end_of_tag(tag) else { break };
        let (tag, after) = tag.split_at(end);
        let begins = at + open;
        let is =
            |name: &str| tag.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
        let is_placed = is("<tr") || is("<table");
        reader.tag(tag, if is_placed { places.of(begins) } else { places.last() });
        at = begins + end;
        rest = after;
    }
    // A row that the end of the file cuts may lack cells, or digits.
    reader.row = None;
    if let Some(table) = &mut reader.table {
        table.unended = true;
    }
    reader.close_table();
    reader.tables
}

/// Where the tag that `text` begins with ends: behind its `>`, or behind a whole comment. A `<` that begins
/// no tag (`a < b`, `<1ms`) is text.
fn end_of_tag(text: &str) -> Option<usize> {
    if text.starts_with("<!--") {
        return text.find("-->").map(|end| end + 3);
    }
    let name = text.strip_prefix("</").or_else(|| text.strip_prefix('<'))?;
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
        return Some(1);
    }
    let mut at = text.len() - name.len();
    while let Some(found) = text.get(at..)?.find(['<', '>', '=']) {
        at += found;
        match text.as_bytes().get(at) {
            Some(b'>') => return Some(at + 1),
            // A tag that lacks its end must not swallow the next one.
            Some(b'<') => return Some(at),
            _ => at = after_value(text, at + 1),
        }
    }
    None
}

/// Where the attribute's value that begins at `at` ends, if it is in quotation marks, as in
/// `id=">=512us"`: its signs are no ends of tags. Where tags lie between two marks, one is missing.
fn after_value(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let value = rest.trim_start();
    let Some(quote @ ('"' | '\'')) = value.chars().next() else { return at };
    let value = value.get(1..).unwrap_or_default();
    let Some(inside) = value.find(quote).and_then(|end| value.get(..end)) else { return at };
    let begins_tag = |after: &str| after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if inside.split('<').skip(1).any(begins_tag) {
        return at;
    }
    text.len() - value.len() + inside.len() + 1
}

/// Counts lines forward through the text.
struct Places<'a> {
    html: &'a str,
    line: u64,
    byte: usize,
}

impl Places<'_> {
    fn of(&mut self, byte: usize) -> At {
        let passed = self.html.as_bytes().get(self.byte..byte).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.byte = byte;
        self.last()
    }

    fn last(&self) -> At {
        At { line: self.line, byte: self.byte as u64 }
    }
}

/// The two kinds of cells.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Cell {
    Head,
    Value,
}

#[derive(Default)]
struct Reader {
    tables: Vec<Table>,
    /// The last heading, or line of text between tables: the title of the next table.
    title: String,
    /// The text since the last tag that ends a piece of text.
    piece: String,
    table: Option<Table>,
    row: Option<Row>,
    /// The cells of the row that are heads, and the others that hold anything.
    heads: usize,
    values: usize,
    /// The cell being read.
    cell: Option<Cell>,
    /// How deep in tables within tables; those inside are read as text of their cell.
    depth: usize,
    /// Inside a style or a script.
    silent: bool,
    /// Inside a list: notes and links, no titles.
    in_list: bool,
}

impl Reader {
    fn text(&mut self, text: &str) {
        if !self.silent && (self.table.is_none() || self.cell.is_some()) {
            self.piece.push_str(text);
        }
    }

    fn tag(&mut self, tag: &str, at: At) {
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        let closing = inner.starts_with('/');
        let name = inner.trim_start_matches('/');
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default().to_ascii_lowercase();
        match (name.as_str(), closing) {
            ("", _) if !inner.starts_with(['!', '?']) => self.text(tag),
            ("style" | "script", closing) => self.silent = !closing,
            ("ul" | "ol", closing) if self.table.is_none() => {
                self.end_piece();
                self.in_list = !closing;
            }
            ("table", false) => self.open_table(tag, at),
            ("table", true) => self.end_table(),
            ("tr", false) if self.depth == 1 => self.open_row(at),
            ("tr", true) if self.depth == 1 => self.close_row(),
            ("td", false) if self.depth == 1 => self.open_cell(Cell::Value),
            ("th", false) if self.depth == 1 => self.open_cell(Cell::Head),
            ("td" | "th", true) if self.depth == 1 => self.close_cell(),
            ("a" | "b" | "i" | "font" | "span" | "u" | "em" | "strong", _) => {}
            _ if self.table.is_some() => self.text(" "),
            _ => self.end_piece(),
        }
    }

    /// A piece of text between tables ends: it may be the title of the next one.
    fn end_piece(&mut self) {
        let piece = cleaned(&std::mem::take(&mut self.piece));
        if !piece.is_empty() && !self.in_list && !piece.starts_with("Back to ") {
            self.title = piece;
        }
    }

    fn open_table(&mut self, tag: &str, start: At) {
        self.depth += 1;
        if self.depth == 1 {
            self.end_piece();
            self.in_list = false;
            let summary = attribute(tag, "summary").map(|text| cleaned(&text)).unwrap_or_default();
            let title = self.title.clone();
            let table = Table { title, summary, start, ..Table::default() };
            self.table = Some(Table { cells_marked: true, ..table });
        }
    }

    fn end_table(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.close_table();
        }
    }

    fn close_table(&mut self) {
        self.close_row();
        self.piece.clear();
        self.depth = 0;
        self.tables.extend(self.table.take());
    }

    fn open_row(&mut self, at: At) {
        self.close_row();
        (self.heads, self.values) = (0, 0);
        self.row = Some(Row { cells: Vec::new(), at });
    }

    fn close_row(&mut self) {
        self.close_cell();
        let (Some(row), Some(table)) = (self.row.take(), &mut self.table) else { return };
        if row.cells.is_empty() {
            return;
        }
        if self.heads > 0 && self.values == 0 && table.rows.is_empty() {
            table.heads = row.cells;
        } else if table.rows.len() < MOST_ROWS {
            table.rows.push(row);
        } else {
            table.beyond += 1;
        }
    }

    fn open_cell(&mut self, cell: Cell) {
        self.close_cell();
        self.cell = self.row.is_some().then_some(cell);
    }

    fn close_cell(&mut self) {
        if let (Some(cell), Some(row)) = (self.cell.take(), &mut self.row)
            && row.cells.len() < MOST_CELLS
        {
            let text = cleaned(&self.piece);
            self.heads += usize::from(cell == Cell::Head);
            self.values += usize::from(cell == Cell::Value && !text.is_empty());
            row.cells.push(text);
        }
        self.piece.clear();
    }
}

/// The value of an attribute of a tag, with or without quotation marks.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let start = lower.find(&format!("{name}="))? + name.len() + 1;
    let value = tag.get(start..)?;
    let text = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split(quote).next()?,
        _ => value.split([' ', '>']).next()?,
    };
    Some(text.to_owned())
}

/// Text with its entities read and every run of blanks as one.
fn cleaned(text: &str) -> String {
    let text = if text.contains('&') { decoded(text) } else { text.to_owned() };
    text.split(|c: char| c.is_whitespace() || c == '\u{a0}')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        let (before, entity) = rest.split_at(start);
        out.push_str(before);
        let end = entity.bytes().take(12).position(|byte| byte == b';');
        let name = end.and_then(|end| entity.get(1..end));
        let (read, behind) = match (name.and_then(character), end) {
            (Some(c), Some(end)) => (c, end + 1),
            _ => ('&', 1),
        };
        out.push(read);
        rest = entity.get(behind..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']);
            let code = hex.map_or_else(|| number.parse(), |hex| u32::from_str_radix(hex, 16));
            char::from_u32(code.ok()?).map(|c| if c.is_control() { ' ' } else { c })?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_title_summary_heads_and_rows() {
        let html = "<html><style>td {x}</style><body><h3 class=\"awr\"><a name=\"7\"></a>Wait \
                    Event Histogram</h3><ul><li> Units for % of Waits</ul>\n<TABLE SUMMARY=\"This \
                    table\n displays\"><tr><td>&#160;</td><th>% of Waits</th></tr>\n<tr><th>Event\
                    </th><th>Total<br>Waits</th><th> &lt;1ms</th></tr>\n<tr><td scope='row'>db \
                    file&nbsp;read</td><td>35.9K</td><td>&#160;</td></tr></TABLE>";
        let tables = tables(html);
        assert_eq!(tables.len(), 1);
        let table = &tables[0];
        assert_eq!(table.title, "Wait Event Histogram");
        assert_eq!(table.summary, "This table displays");
        assert_eq!(table.heads, ["Event", "Total Waits", "<1ms"]);
        assert_eq!(table.rows[0].cells, ["db file read", "35.9K", ""]);
        assert_eq!(table.rows[0].at.line, 5);
        let byte = usize::try_from(table.rows[0].at.byte).unwrap();
        assert!(html[byte..].starts_with("<tr><td scope"));
    }

    #[test]
    fn missing_ends_and_stray_signs_are_forgiven() {
        let html = "<table><tr><td>a < b<td>1 &unknown; 2<tr><td>second<td>R&D</table><p>after";
        let tables = tables(html);
        let cells: Vec<_> = tables[0].rows.iter().map(|row| row.cells.clone()).collect();
        assert_eq!(cells, [vec!["a < b", "1 &unknown; 2"], vec!["second", "R&D"]]);
        assert!(!tables[0].unended);
        let cut = super::tables("<table><tr><td>whole<tr><td>cut <t");
        assert!(cut.len() == 1 && cut[0].unended && cut[0].rows.len() == 1);
        assert!(super::tables("no tables <").is_empty());
    }

    #[test]
    fn signs_within_quoted_attributes_end_no_tag() {
        let html = "<table summary='a > b'><tr><th id=\">=512us\">&gt;=512us<th title = '<1s>'>second\
                    <tr><td class=\"x>y\" id='a=\"b>\"'>1</td><td align=right>2</td></table>";
        let tables = tables(html);
        assert_eq!(tables[0].summary, "a > b");
        assert_eq!(tables[0].heads, [">=512us", "second"]);
        assert_eq!(tables[0].rows[0].cells, ["1", "2"]);
        // A mark that is missing takes no row with it.
        let open = super::tables("<table><tr><td id=\"a>1</td><td id=\"b\">2</td></table>");
        assert_eq!(open[0].rows[0].cells, ["1", "2"]);
        let never = super::tables("<table><tr><td id=\"a>1<td id='b>2</table>");
        assert_eq!(never[0].rows[0].cells, ["1", "2"]);
    }

    #[test]
    fn signs_that_begin_no_tag_are_text() {
        let html =
            "<table><tr><th><1ms</th><th><=1s<th>>1s</th></tr><tr><td>1 <2> 3<td>4<td>5</table>";
        let tables = tables(html);
        assert_eq!(tables[0].heads, ["<1ms", "<=1s", ">1s"]);
        assert_eq!(tables[0].rows[0].cells, ["1 <2> 3", "4", "5"]);
    }

    #[test]
    fn tables_inside_cells_are_their_text() {
        let html = "<table><tr><td>x<table><tr><td>inner</td></tr></table></td><td>y</td></tr>\
                    </table>";
        let tables = tables(html);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].rows[0].cells, ["x inner", "y"]);
    }
}
