//! The plain text of an input, as decoders read it: what editors, terminals, tickets and the rotation
//! of logs put around a text is taken away here, once for all formats.

mod candidates;
mod last_line;
mod line_stages;
mod stage;
mod staged;

use std::io::{self, Cursor, Read};

use self::candidates::candidates;
pub use self::last_line::{LastLine, Said};
pub(crate) use self::stage::{Change, IS_UTF16};
use self::staged::Staged;
use crate::recognise::judge;
use crate::unread_options::check;
use crate::{Context, HEAD, Message, Note, SOURCES, Sink, Source, Verdict};

/// An input without what is no part of its text.
pub struct PlainText {
    reader: Box<dyn Read + Send>,
    /// The first bytes of the reader, which are given first.
    head: Vec<u8>,
    /// What was taken away, in the order in which it was.
    pub(crate) changes: Vec<Change>,
}

/// How well a decoder reads the beginning of a text: what it is worth to take something away.
struct Fit {
    verdict: Verdict,
    records: u64,
    rejected: u64,
}

impl Fit {
    /// Whether a change may be worth it: a line is left out only where nothing could be read with it.
    fn may_gain_from(&self, change: &Change) -> bool {
        !matches!(change, Change::Foreword(_)) || self.records == 0 && self.rejected == 0
    }

    /// Whether a change was worth it.
    fn is_better(&self, now: &Fit) -> bool {
        let (one, other) = ((self.verdict, self.records), (now.verdict, now.records));
        one > other || one == other && self.rejected < now.rejected
    }
}

impl PlainText {
    /// Takes away what is no text in any format: zero bytes before it, byte order marks, the encoding
    /// UTF-16 and the colours of a terminal. A binary input stays as it is.
    pub fn new(reader: Box<dyn Read + Send>) -> io::Result<PlainText> {
        let mut text = PlainText { reader, head: Vec::new(), changes: Vec::new() };
        text.fill_head()?;
        for change in [
            Change::LeadingZeros,
            Change::Utf16Little,
            Change::Utf16Big,
            Change::ByteOrderMark,
            Change::CarriageReturns,
        ] {
            if change.concerns(&text.head) {
                text.apply(change)?;
            }
        }
        if !text.head.contains(&0) && Change::Colours.concerns(&text.head) {
            text.apply(Change::Colours)?;
        }
        Ok(text)
    }

    /// Takes away the margin of a quoted text, a line before a table and the like, where that makes a
    /// decoder read more of the beginning. `named` is the decoder that the user names.
    pub fn fit(
        mut self,
        named: Option<&'static dyn Source>,
        context: &Context,
    ) -> io::Result<PlainText> {
        /// A quoted text may be indented within its quotation marks, and begin with a prompt.
        const ROUNDS: usize = 3;
        let context = Context { threads: 1, arrival: None, ..context.clone() };
        for _ in 0..ROUNDS {
            if self.head.contains(&0) {
                break;
            }
            let better = {
                // The beginning of a row that was cut gives no reason to take its blanks away.
                let head = without_unended_blanks(&self.head);
                let is_whole = self.head.len() < HEAD;
                let mut tried = candidates(head);
                // Most inputs are known at first sight, and then nothing more is asked of them.
                let others = tried.iter().any(|change| !matches!(change, Change::Foreword(_)));
                let is_sure =
                    || taken_by(head, named).is_some_and(|(verdict, _)| verdict == Verdict::Yes);
                if tried.is_empty() || !others && is_sure() {
                    break;
                }
                let now = fit_of(head, is_whole, named, &context);
                tried.retain(|change| now.may_gain_from(change));
                let fits = |change: &Change| {
                    let mut changed = Vec::new();
                    let mut staged = Staged::new(Box::new(Cursor::new(head.to_vec())), change);
                    let read = staged.read_to_end(&mut changed).is_ok();
                    read && change.is_fit(&changed)
                        && fit_of(&changed, is_whole, named, &context).is_better(&now)
                };
                tried.into_iter().find(fits)
            };
            let Some(change) = better else { break };
            self.apply(change)?;
        }
        Ok(self)
    }

    /// The first bytes, at most [`HEAD`].
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The whole text, and what there is to say of it.
    pub fn into_parts(self) -> (Box<dyn Read + Send>, Vec<Note>) {
        let notes = self.changes.iter().filter_map(Change::note).collect();
        (Box::new(Cursor::new(self.head).chain(self.reader)), notes)
    }

    fn apply(&mut self, change: Change) -> io::Result<()> {
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        let head = std::mem::take(&mut self.head);
        self.reader = Box::new(Staged::new(Box::new(Cursor::new(head).chain(rest)), &change));
        self.changes.push(change);
        self.fill_head()
    }

    fn fill_head(&mut self) -> io::Result<()> {
        let missing = u64::try_from(HEAD - self.head.len().min(HEAD)).unwrap_or(0);
        self.reader.by_ref().take(missing).read_to_end(&mut self.head).map(drop)
    }
}

/// A text without a last line of nothing but blanks that nothing ends.
fn without_unended_blanks(text: &[u8]) -> &[u8] {
    let last = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
    if text[last..].trim_ascii().is_empty() { &text[..last] } else { text }
}

/// The decoder of a text, and how sure it is.
fn taken_by(
    head: &[u8],
    named: Option<&'static dyn Source>,
) -> Option<(Verdict, &'static dyn Source)> {
    match named {
        Some(source) => Some((source.sniff(head), source)),
        None => judge(SOURCES, head),
    }
}

/// How well the beginning of a text is read.
fn fit_of(
    head: &[u8],
    is_whole: bool,
    named: Option<&'static dyn Source>,
    context: &Context,
) -> Fit {
    let Some((verdict, source)) = taken_by(head, named) else {
        return Fit { verdict: Verdict::No, records: 0, rejected: 0 };
    };
    let mut text = if is_whole { head } else { crate::lines::whole_lines(head) };
    let mut fit = Fit { verdict, records: 0, rejected: 0 };
    // What is asked of the input is said when it is read: here only its records count.
    let mut discarded = Fit { verdict, records: 0, rejected: 0 };
    if check(source, context, &mut discarded).is_ok() {
        let _ = source.decode(&mut text, context, &mut fit);
    }
    fit
}

impl Sink for Fit {
    fn take(&mut self, message: Message) {
        match message {
            Message::Record => self.records += 1,
            Message::Rejected(_) => self.rejected += 1,
            _ => {}
        }
    }
}

/// A live input without byte order mark and colours. What needs to see more of it before it is given on
/// is left as it is.
pub fn live_text(reader: impl Read + Send + 'static) -> impl Read + Send + 'static {
    Staged::new(Box::new(reader), &Change::Live)
}

#[cfg(test)]
mod tests {
    use super::stage::Margin;
    use super::*;

    /// What is left of a text, and what was taken away.
    fn plain(bytes: &[u8]) -> (String, Vec<Change>) {
        let text = PlainText::new(Box::new(Cursor::new(bytes.to_vec()))).unwrap();
        let text = text.fit(None, &Context::default()).unwrap();
        let changes = text.changes.clone();
        let mut read = Vec::new();
        text.into_parts().0.read_to_end(&mut read).unwrap();
        (String::from_utf8(read).unwrap(), changes)
    }

    /// More than fits into the beginning that is looked at.
    fn table() -> String {
        let rows = (0..5_000).map(|row| format!("{}.5 {}", 1_772_359_200 + row, 100 + row % 7));
        rows.collect::<Vec<_>>().join("\n") + "\n"
    }

    #[test]
    fn what_is_no_text_is_taken_away_from_all_of_it() {
        let table = table();
        let utf16 = |to: fn(u16) -> [u8; 2], mark: bool| {
            let mark = mark.then_some(0xfeff);
            mark.into_iter().chain(table.encode_utf16()).flat_map(to).collect::<Vec<u8>>()
        };
        let (first, last) = table.split_at(table[..HEAD + 1_000].rfind('\n').unwrap());
        let both = first.replace('\n', "\r") + &last.replace('\n', "\r\n");
        let coloured = table.replace(".5", ".5\u{1b}[1;31m").replace('\n', "\u{1b}[0m\n");
        for (bytes, change) in [
            (format!("\u{feff}{table}").into_bytes(), Change::ByteOrderMark),
            (utf16(u16::to_le_bytes, true), Change::Utf16Little),
            (utf16(u16::to_be_bytes, true), Change::Utf16Big),
            (utf16(u16::to_le_bytes, false), Change::Utf16Little),
            (utf16(u16::to_be_bytes, false), Change::Utf16Big),
            ([vec![0; 3 * HEAD + 1], table.clone().into_bytes()].concat(), Change::LeadingZeros),
            (coloured.into_bytes(), Change::Colours),
            (table.replace('\n', "\r").into_bytes(), Change::CarriageReturns),
            // Behind the beginning of a text a line may end with both.
            (both.into_bytes(), Change::CarriageReturns),
        ] {
            let (text, changes) = plain(&bytes);
            assert_eq!(changes, std::slice::from_ref(&change));
            assert!(text == table, "{change:?}");
        }
        assert_eq!(plain(table.as_bytes()), (table, Vec::new()));
    }

    #[test]
    fn characters_beyond_sixteen_bits_are_read_in_two() {
        let text = "a \u{1f600} b and more of it\n".repeat(9_000);
        let bytes: Vec<u8> =
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert!(plain(&bytes).0 == text);
    }

    #[test]
    fn binary_inputs_stay_as_they_are() {
        let binary: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let text = PlainText::new(Box::new(Cursor::new(binary.clone()))).unwrap();
        let text = text.fit(None, &Context::default()).unwrap();
        assert!(text.changes.is_empty());
        let mut read = Vec::new();
        text.into_parts().0.read_to_end(&mut read).unwrap();
        assert!(read == binary);
    }

    const SLOW: &str = "# Time: 2026-03-03T10:00:00.000000Z\n# User@Host: a[a] @ localhost []  Id: 8\n\
        # Query_time: 0.001000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1\n\
        SET timestamp=1772532000;\nselect 1;\n";

    fn each_line(text: &str, before: &str) -> String {
        text.lines().flat_map(|line| [before, line, "\n"]).collect()
    }

    #[test]
    fn margins_are_taken_away_where_a_decoder_reads_more_without_them() {
        let blanks =
            |blanks: &str| vec![Change::Margin(Margin::Blanks(blanks.as_bytes().to_vec()))];
        assert_eq!(plain(each_line(SLOW, "    ").as_bytes()), (SLOW.to_owned(), blanks("    ")));
        assert_eq!(plain(each_line(SLOW, "\t").as_bytes()), (SLOW.to_owned(), blanks("\t")));
        let quoted = vec![Change::Margin(Margin::Quoted(1))];
        assert_eq!(plain(each_line(SLOW, "> ").as_bytes()), (SLOW.to_owned(), quoted.clone()));
        assert_eq!(plain(each_line(SLOW, ">").as_bytes()), (SLOW.to_owned(), quoted));
        let twice = vec![Change::Margin(Margin::Quoted(2))];
        assert_eq!(plain(each_line(SLOW, "> > ").as_bytes()), (SLOW.to_owned(), twice));
        let said = format!("He wrote:\n{}", each_line(SLOW, "> "));
        assert_eq!(plain(said.as_bytes()).0, format!("He wrote:\n{SLOW}"));
    }

    #[test]
    fn a_line_before_a_table_is_emptied_and_names_of_columns_are_not() {
        let table = "TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME\n\
            06:49:17 dd             3616   R 128     0          17.75 a\n\
            06:49:18 dd             3616   W 39552   0          11.34 b\n";
        for before in
            ["Tracing xfs operations slower than 10 ms\n", "$ sudo xfsslower-bpfcc\nTracing\n"]
        {
            let (text, changes) = plain(format!("{before}{table}").as_bytes());
            let lines = before.lines().count();
            assert_eq!(changes, [Change::Foreword(lines)]);
            assert_eq!(text, format!("{}{table}", "\n".repeat(lines)));
        }
        // Without these names nobody knows which column is which.
        let named = "when,size\n1772359200,5\n1772359201,6\n1772359202,7\n";
        assert_eq!(plain(named.as_bytes()), (named.to_owned(), Vec::new()));
    }

    #[test]
    fn quoted_cells_become_one_line_and_later_lines_keep_their_numbers() {
        let table = "ts,duration_ms,sql\n1772359200,5,\"select 1\nfrom t\"\n1772359201,6,x\n";
        let (text, changes) = plain(table.as_bytes());
        assert_eq!(changes, [Change::QuotedLineEnds]);
        assert_eq!(
            text,
            "ts,duration_ms,sql\n1772359200,5,\"select 1 from t\"\n\n1772359201,6,x\n"
        );
    }
}
