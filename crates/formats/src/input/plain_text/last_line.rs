//! The last line of a text, where nothing ends it.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

use crate::Source;
use crate::lines::{decimals, usual_decimals};

/// What is said of a last line that may be cut: pasted texts and `$(...)` have no last line end, and
/// so have files that were cut.
const MAY_BE_CUT: &str = "the last line has no line end: it is read as it is, and if the input was cut \
    there, its last value is too small";

/// The same of the last row of a histogram whose rows end with a bar: the tools print none behind the last one that
/// counts something.
const MAY_LACK_ROWS: &str = "the last line has no line end: if the input was cut there, buckets behind the last one \
    are missing";

/// Ends the last line of a text that lacks its line end, if it looks like the lines above it. One that
/// looks cut is left to the decoder.
pub struct LastLine<R> {
    reader: R,
    /// The last bytes given.
    tail: VecDeque<u8>,
    /// Whether nothing is added, or nothing any more.
    ended: bool,
    said: Said,
}

/// What there is to say of a last line, known once the input has ended.
pub type Said = Arc<OnceLock<&'static str>>;

impl<R: Read> LastLine<R> {
    /// Bytes that are looked at: some lines.
    const TAIL: usize = 4 << 10;

    /// The text that `source` reads, and where to look for what there is to say of it.
    pub fn of(source: &dyn Source, reader: R) -> (LastLine<R>, Said) {
        // They read such a line and say so themselves; the others may be binary.
        const BY_THEMSELVES: [&str; 4] = ["columns", "logs", "prompb", "otlp"];
        let said = Said::default();
        let ended = BY_THEMSELVES.contains(&source.meta().name);
        (LastLine { reader, tail: VecDeque::new(), ended, said: said.clone() }, said)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(Self::TAIL)..];
        let over = (self.tail.len() + kept.len()).saturating_sub(Self::TAIL);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(kept);
    }
}

impl<R: Read> Read for LastLine<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        if read > 0 {
            self.keep(&into[..read]);
            return Ok(read);
        }
        if into.is_empty() || std::mem::replace(&mut self.ended, true) {
            return Ok(0);
        }
        match ending(self.tail.make_contiguous()) {
            Ending::Whole => {}
            Ending::MayBeCut => {
                let _ = self.said.set(MAY_BE_CUT);
            }
            Ending::LastRow => {
                let _ = self.said.set(MAY_LACK_ROWS);
            }
            Ending::Ended | Ending::Cut => return Ok(0),
        }
        into[0] = b'\n';
        self.keep(b"\n");
        Ok(1)
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Ending {
    /// There is a line end.
    Ended,
    /// Without a line end, but nothing can be missing: a bracket or a bar is closed.
    Whole,
    /// The same of a row of a histogram, behind which others may have stood.
    LastRow,
    /// It has all the words of a line above it; the last one may be shorter than it was.
    MayBeCut,
    /// It is like no line above it.
    Cut,
}

fn ending(tail: &[u8]) -> Ending {
    if tail.is_empty() || tail.ends_with(b"\n") || tail.contains(&0) {
        return Ending::Ended;
    }
    let mut lines = tail.rsplit(|byte| *byte == b'\n');
    let last = lines.next().unwrap_or_default();
    let is_drawn = memchr::memmem::find(tail, b"|@").is_some();
    if is_drawn && is_within_drawn_histogram(last) || is_beside_drawn_histogram(tail, last) {
        return Ending::Cut;
    }
    if lines.clone().next().is_some_and(|above| is_cut_below(above, last)) {
        return Ending::Cut;
    }
    let form = form_of(last);
    let mut above = lines.filter(|line| !line.trim_ascii().is_empty()).take(16);
    let is_like = above.any(|line| form_of(line) == form || is_head_of(line, form.0));
    let closed = last.trim_ascii_end().last().is_some_and(|byte| b")]}>|".contains(byte));
    let above_it = tail.rsplit(|byte| *byte == b'\n').skip(1).filter(|line| form_of(line) == form);
    let usual = usual_decimals(above_it.take(16).map(<[u8]>::trim_ascii_end));
    if usual.is_some_and(|usual| decimals(last.trim_ascii_end()) < usual) {
        return Ending::Cut;
    }
    match (is_like, closed) {
        (true, true) if is_row_with_bar(last) && has_bars(tail) => Ending::LastRow,
        (true, true) => Ending::Whole,
        (true, false) => Ending::MayBeCut,
        (false, _) => Ending::Cut,
    }
}

/// Whether a line ends with a bar, full or empty, between two signs.
fn is_row_with_bar(line: &[u8]) -> bool {
    let mut parts = line.trim_ascii_end().rsplit(|byte| *byte == b'|');
    let is_closed = parts.next().is_some_and(<[u8]>::is_empty);
    let is_ink = |byte: &u8| matches!(byte, b'@' | b'*' | b'#' | b' ');
    let bar = parts.next().filter(|_| parts.next().is_some());
    is_closed && bar.is_some_and(|bar| !bar.is_empty() && bar.iter().all(is_ink))
}

/// Whether bars are drawn in a text; tables have the same signs around their cells.
fn has_bars(text: &[u8]) -> bool {
    [&b"|@"[..], b"|*", b"|#"].iter().any(|bar| memchr::memmem::find(text, bar).is_some())
}

/// Whether a line is a row of a histogram that DTrace or SystemTap draws, and more rows follow: the last
/// one counts nothing, or all that is longer.
fn is_within_drawn_histogram(line: &[u8]) -> bool {
    let Some(bar) = memchr::memrchr(b'|', line) else { return false };
    let (label, rest) = (line[..bar].trim_ascii(), line[bar + 1..].trim_ascii());
    let bar_length = rest.iter().take_while(|byte| matches!(byte, b'@' | b' ')).count();
    let count = &rest[bar_length..];
    let is_count = !count.is_empty() && count.iter().all(u8::is_ascii_digit);
    let is_label = !label.is_empty()
        && label.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'<' | b' '));
    is_count && count != b"0" && is_label
}

/// Whether a line stands between histograms that DTrace or SystemTap draws and is neither a row nor a total: its decoder
/// says whether it may be the beginning of a title.
fn is_beside_drawn_histogram(text: &[u8], line: &[u8]) -> bool {
    let heads = [&b"--- Distribution ---"[..], b"value |---"];
    !line.iter().any(|byte| matches!(byte, b'|' | b'='))
        && heads.iter().any(|head| memchr::memmem::find(text, head).is_some())
}

/// Whether a line right below a row with a bar is the beginning of another one: it has fewer of the signs
/// that begin and end a bar.
fn is_cut_below(above: &[u8], line: &[u8]) -> bool {
    let signs = |line: &[u8]| memchr::memchr_iter(b'|', line).count();
    let is_bar = |byte: &u8| matches!(byte, b'@' | b'*' | b'#' | b' ');
    let mut parts = above.trim_ascii_end().split(|byte| *byte == b'|').skip(1);
    let has_bar = parts.next().is_some_and(|bar| bar.len() > 1 && bar.iter().all(is_bar));
    has_bar && signs(line) < signs(above)
}

/// Whether a line without a number heads a table of so many columns: the only row of a table is whole if
/// it has all of them.
fn is_head_of(line: &[u8], columns: usize) -> bool {
    const LEAST: usize = 3;
    let has_number = || {
        let mut words = line.split(u8::is_ascii_whitespace);
        words.any(|word| word.first().is_some_and(u8::is_ascii_digit))
    };
    columns >= LEAST && form_of(line).0 == columns && !has_number()
}

/// How many words a line has and how the last one ends: a digit, a letter or that sign.
fn form_of(line: &[u8]) -> (usize, u8) {
    let drawn = |byte: &u8| matches!(byte, b'@' | b'*' | b'#' | b'|');
    let words = line
        .split(u8::is_ascii_whitespace)
        // The length of a bar says nothing of the form of its line.
        .filter(|word| !word.is_empty() && !word.iter().all(drawn))
        .count();
    let end = match line.trim_ascii_end().last() {
        Some(byte) if byte.is_ascii_digit() => b'0',
        Some(byte) if byte.is_ascii_alphabetic() => b'a',
        Some(byte) => *byte,
        None => b' ',
    };
    (words, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_like_those_above_it_is_ended_and_a_cut_one_is_not() {
        let dtrace = "  value  --- Distribution --- count\n   32 |@@@@@  8\n   64 |  ";
        assert_eq!(ending(format!("{dtrace}0").as_bytes()), Ending::MayBeCut);
        assert_eq!(ending(dtrace.as_bytes()), Ending::Cut);
        // 160 events, of which one digit is there: behind them stands a row without any.
        assert_eq!(ending(format!("{dtrace}0\n  128 |@@   1").as_bytes()), Ending::Cut);
        assert_eq!(ending(format!("  read\n{dtrace}0\n\n  writ").as_bytes()), Ending::Cut);
        let total = format!("  read\n{dtrace}0\n\ncount=8 sum=300");
        assert_eq!(ending(total.as_bytes()), Ending::MayBeCut);
        let bars = "[16, 32)    2 |@   |\n[32, 64)  198 |@@@@|";
        assert_eq!(ending(bars.as_bytes()), Ending::LastRow);
        let empty = "2 -> 4 : 9 |*   |\n4 -> 8 : 1 |    |";
        assert_eq!(ending(empty.as_bytes()), Ending::LastRow);
        assert_eq!(ending(b"| a |   |\n| b |   |"), Ending::Whole);
        assert_eq!(ending(&bars.as_bytes()[..bars.len() - 3]), Ending::Cut);
        // What stands between the signs may look like an empty bar.
        let empty_bar = "[16, 32)    2 |@   |\n[32, 64)  1 |    ";
        assert_eq!(ending(empty_bar.as_bytes()), Ending::Cut);
        assert_eq!(ending(&empty_bar.as_bytes()[..empty_bar.len() - 4]), Ending::Cut);
        // A bound looks like a number, and two counts look like three words.
        assert_eq!(ending(b"10:00:00\n[16, 32)    2 |@   |\n[32"), Ending::Cut);
        assert_eq!(ending(b"four words are here\n2 -> 4 : 9 27 |#   |\n4 -> 8 : 9"), Ending::Cut);
        assert_eq!(ending(b"sda 1.0 2.0\nsdb 1.0"), Ending::Cut);
        assert_eq!(ending(b"sda 1.0 2.0\nsdb 1.0 2"), Ending::MayBeCut);
        assert_eq!(ending(b"Device r/s r_await\nsda 1.0 2.0"), Ending::MayBeCut);
        assert_eq!(ending(b"Device r/s r_await\nsda 1.0"), Ending::Cut);
        let rows = "1795 0.125\n".repeat(20);
        assert_eq!(ending(format!("{rows}1796 0.12").as_bytes()), Ending::Cut);
        assert_eq!(ending(format!("{rows}1796 0.120").as_bytes()), Ending::MayBeCut);
        assert_eq!(ending(b"1795 0.125\n1796 0.12"), Ending::MayBeCut);
        for whole in [&b""[..], b"a 1\n", b"\0\0"] {
            assert_eq!(ending(whole), Ending::Ended);
        }
    }

    #[test]
    fn the_line_end_comes_once_and_only_at_the_end() {
        let text = format!("{}7 8", "1 2\n".repeat(5_000));
        let (mut reader, said) = LastLine::of(&crate::dtrace::SOURCE, text.as_bytes());
        let mut read = String::new();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, format!("{text}\n"));
        assert_eq!(said.get(), Some(&MAY_BE_CUT));
        assert_eq!(reader.read(&mut [0]).unwrap(), 0);
    }
}
