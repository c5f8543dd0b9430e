//! Records one by one: what each line is, and what it tells.

use isotherm_frame::plausible::TEN_YEARS;
use memchr::{memchr2, memchr3, memmem};

use super::keyword::{self, CALLS, behind, glued};
use super::lines::{first_line, last_line};
use super::scan::{Room, Scanner, Spot};
use super::stars::Stars;
use super::{BindLine, CallKind, Visitor, Wants, bind, call, digits, head, stars, statement, wait};

/// Ten years in microseconds: no wait and no call is longer.
const MOST_TICKS: u64 = TEN_YEARS.as_nanos() / 1_000;

impl<V: Visitor> Scanner<'_, V> {
    /// Reads one record, or a line that is none, and gives its length; `None` if more input is
    /// needed to know it.
    #[inline]
    pub(super) fn record(&mut self, spot: Spot<'_>) -> Option<usize> {
        let rest = spot.rest();
        self.visitor.at_line(self.account.lines + 1);
        if rest.starts_with(b"WAIT #") {
            return Some(self.wait(spot, rest));
        }
        self.other(spot, rest)
    }

    #[inline]
    fn wait(&mut self, spot: Spot<'_>, rest: &[u8]) -> usize {
        let read = wait::read(rest, V::WANTS.has(Wants::WAIT_TIMES));
        if !V::WANTS.has(Wants::WAITS) {
            return read.length;
        }
        match read.wait {
            Ok(wait) if wait.ela > MOST_TICKS => self.damage(spot, "a wait of more than ten years"),
            Ok(wait) => {
                self.account.waits += 1;
                self.visitor.wait(&wait);
            }
            Err(why) => self.damage(spot, why),
        }
        read.length
    }

    fn other(&mut self, spot: Spot<'_>, rest: &[u8]) -> Option<usize> {
        match rest.first()? {
            b'E' | b'F' | b'P' | b'C' | b'U' | b'S' | b'X' | b'L' | b'B' => {
                self.keyworded(spot, rest)
            }
            b' ' | b'\t' => self.indented(spot, rest),
            b'=' if rest.starts_with(keyword::SEPARATOR) => Some(first_line(rest).1),
            b'*' if rest.starts_with(b"*** ") => Some(self.stars(rest)),
            b'A' if rest.starts_with(b"APPNAME mod='") => Some(self.application(rest)),
            _ => Some(self.outside(rest)),
        }
    }

    /// Records that begin with a word, and lines that happen to begin like them.
    fn keyworded(&mut self, spot: Spot<'_>, rest: &[u8]) -> Option<usize> {
        let call = CALLS.iter().find_map(|(word, kind)| Some((*kind, behind(rest, word)?)));
        if let Some((kind, text)) = call {
            return Some(self.call(spot, kind, rest.len() - text.len()));
        }
        if behind(rest, b"PARSING IN CURSOR ").is_some() {
            return self.statement(spot, rest);
        }
        if behind(rest, b"PARSE ERROR ").is_some() {
            return self.failed(spot, rest);
        }
        Some(self.single(spot, rest))
    }

    /// A call. Unless calls are wanted only a quotation mark is looked for: that of a wait that
    /// was written without a line end before it.
    fn call(&mut self, spot: Spot<'_>, kind: CallKind, skip: usize) -> usize {
        let rest = spot.rest();
        if !V::WANTS.has(Wants::CALLS) {
            let end = memchr2(b'\n', b'\'', rest);
            if let Some(end) = end.filter(|&end| rest.get(end) == Some(&b'\n')) {
                return end + 1;
            }
        }
        let (line, length) = first_line(rest);
        if !V::WANTS.has(Wants::CALLS) {
            return glued(line).unwrap_or(length);
        }
        let text = |end| line.get(skip..end).unwrap_or_default();
        let whole = call::call(kind, text(line.len()));
        // What cannot be read may be two records without a line end between them.
        let next = if whole.is_err() { glued(line) } else { None };
        let (read, length) = match next {
            Some(end) => (call::call(kind, text(end)), end),
            None => (whole, length),
        };
        match read {
            Ok(call) if call.elapsed.max(call.cpu) > MOST_TICKS => {
                self.damage(spot, "a call of more than ten years");
            }
            Ok(call) => {
                self.account.calls += 1;
                self.visitor.call(&call);
            }
            Err(why) => self.damage(spot, why),
        }
        length
    }

    /// Other records of one line.
    fn single(&mut self, spot: Spot<'_>, rest: &[u8]) -> usize {
        let (line, length) = record_line(rest);
        let visited = if let Some(text) = behind(line, b"STAT ") {
            self.visited(Wants::STATS, || call::stat(text), |visitor, stat| visitor.stat(&stat))
        } else if let Some((kind, text)) = keyword::lob(line) {
            self.account.lobs += u64::from(V::WANTS.has(Wants::LOBS));
            self.visited(Wants::LOBS, || call::lob(kind, text), |visitor, lob| visitor.lob(&lob))
        } else if let Some(text) = behind(line, b"ERROR ") {
            let tell = |visitor: &mut V, (cursor, error, tim)| visitor.error(cursor, error, tim);
            self.visited(Wants::ERRORS, || call::error(text), tell)
        } else if let Some(text) = line.strip_prefix(b"XCTEND ") {
            let tell =
                |visitor: &mut V, (back, only, tim)| visitor.transaction_end(back, only, tim);
            self.visited(Wants::TRANSACTIONS, || call::transaction_end(text), tell)
        } else if let Some(text) = behind(line, b"BINDS ") {
            self.binds(text);
            Ok(())
        } else {
            return self.outside(rest);
        };
        if let Err(why) = visited {
            self.damage(spot, why);
        }
        length
    }

    /// Reads a record and tells it, if it is wanted.
    fn visited<T>(
        &mut self,
        kind: Wants,
        read: impl FnOnce() -> Result<T, &'static str>,
        tell: impl FnOnce(&mut V, T),
    ) -> Result<(), &'static str> {
        if V::WANTS.has(kind) {
            tell(self.visitor, read()?);
        }
        Ok(())
    }

    /// A statement with its text.
    fn statement(&mut self, spot: Spot<'_>, rest: &[u8]) -> Option<usize> {
        let (line, head) = first_line(rest);
        let body = rest.get(head..).unwrap_or_default();
        let length = call::named(line, b"len=");
        let (text, next) = match statement::statement(body, length, spot.room == Room::End) {
            statement::Extent::Ends { text, next } => (text, next),
            statement::Extent::Broken(at) => {
                self.damage(spot, statement::UNENDED);
                (at, at)
            }
            statement::Extent::More => return None,
        };
        self.parsing(spot, line, body.get(..text).unwrap_or_default());
        self.count_lines(rest.get(..head + next).unwrap_or_default());
        Some(head + next)
    }

    /// Tells a statement whose text is known.
    pub(super) fn parsing(&mut self, spot: Spot<'_>, line: &[u8], text: &[u8]) {
        if !V::WANTS.has(Wants::STATEMENTS) {
            return;
        }
        let head = behind(line, b"PARSING IN CURSOR ").and_then(statement::parsing);
        let Some((parsing, whole)) = head else {
            return self.damage(spot, "a statement without a cursor");
        };
        self.account.statements += 1;
        self.visitor.parsing(&super::Parsing { text, ..parsing });
        if !whole {
            self.damage(spot, "a statement with its first line cut");
        }
    }

    /// A statement with an error, and its text.
    fn failed(&mut self, spot: Spot<'_>, rest: &[u8]) -> Option<usize> {
        let (line, head) = first_line(rest);
        let body = rest.get(head..).unwrap_or_default();
        let read = behind(line, b"PARSE ERROR ").and_then(statement::parse_error);
        let length = read.as_ref().and_then(|(_, length)| *length);
        let (text, next) = match statement::failed(body, length, spot.room != Room::More) {
            statement::Extent::Ends { text, next } => (text, next),
            statement::Extent::Broken(at) => (at, at),
            statement::Extent::More => return None,
        };
        if V::WANTS.has(Wants::STATEMENTS) {
            if let Some((error, _)) = read {
                self.account.statements += 1;
                let text = body.get(..text).unwrap_or_default();
                self.visitor.parse_error(&super::ParseError { text, ..error });
            } else {
                self.damage(spot, "a statement with an error, without a cursor");
            }
        }
        self.count_lines(rest.get(..head + next).unwrap_or_default());
        Some(head + next)
    }

    /// What belongs to bind variables.
    fn indented(&mut self, spot: Spot<'_>, rest: &[u8]) -> Option<usize> {
        let (line, length) = first_line(rest);
        let Some(open) = bind::opens(line) else {
            self.bind(line);
            return Some(length);
        };
        let before = spot.lines.get(..spot.at).unwrap_or_default();
        let length = match spot.at {
            0 => self.value_length,
            _ => bind::actual_length(last_line(before)),
        };
        let end = match bind::extent(rest, open, length, spot.room != Room::More) {
            bind::Extent::Ends(end) => end,
            bind::Extent::Broken(end) => {
                self.damage(spot, "a value of a bind variable that does not end");
                end
            }
            bind::Extent::More => return None,
        };
        let value = rest.get(..end).unwrap_or_default();
        self.bind(value);
        self.count_lines(value);
        Some(end)
    }

    /// A section of bind variables begins.
    fn binds(&mut self, text: &[u8]) {
        if V::WANTS.has(Wants::BINDS)
            && let Some((cursor, _)) = digits::leading(text)
        {
            self.visitor.binds(cursor);
        }
    }

    /// A line of it.
    fn bind(&mut self, text: &[u8]) {
        if V::WANTS.has(Wants::BINDS)
            && let Some(line) = BindLine::read(text)
        {
            self.visitor.bind(line);
        }
    }

    /// Lines with asterisks.
    fn stars(&mut self, rest: &[u8]) -> usize {
        let (line, length) = first_line(rest);
        if !V::WANTS.has(Wants::STAMPS) {
            return length;
        }
        match stars::read(line) {
            Some(Stars::Stamp(stamp)) => self.visitor.stamp(stamp),
            Some(Stars::Label(label, value, stamp)) => {
                if let Some(stamp) = stamp {
                    self.visitor.stamp(stamp);
                }
                self.visitor.label(label, value);
            }
            Some(Stars::Notice(notice)) => self.visitor.notice(notice),
            Some(Stars::Process(process)) => self.visitor.header(b"Unix process pid:", process),
            None => self.account.ignored += 1,
        }
        length
    }

    /// `APPNAME mod='..' mh=.. act='..' ah=..`: what the labels say since 10g.
    fn application(&mut self, rest: &[u8]) -> usize {
        let (line, length) = first_line(rest);
        if V::WANTS.has(Wants::STAMPS) {
            let labels = [(&b"MODULE NAME"[..], &b" mod='"[..]), (b"ACTION NAME", b" act='")];
            for (label, name) in labels {
                if let Some(value) = statement::quoted(line, name) {
                    self.visitor.label(label, value);
                }
            }
        }
        length
    }

    /// Lines that are no record: the header, blank lines, other dumps.
    fn outside(&mut self, rest: &[u8]) -> usize {
        let (line, length) = first_line(rest);
        match head::read(line) {
            Some((key, value)) if V::WANTS.has(Wants::HEADER) => self.visitor.header(key, value),
            Some(_) => {}
            None => self.account.ignored += u64::from(!line.trim_ascii().is_empty()),
        }
        length
    }
}

/// The record that `rest` begins with, of one line or, if another follows it without a line end,
/// of a part of one; and its length.
fn record_line(rest: &[u8]) -> (&[u8], usize) {
    let (line, length) = first_line(rest);
    // Plan lines and binds end in one way only; the others have their one colon at the beginning.
    let alone = match line.first() {
        Some(b'S') => {
            let more = line.get(5..).and_then(|rest| memmem::find(rest, b"STAT #"));
            line.ends_with(b"'") && more.is_none()
        }
        Some(b'B') => line.ends_with(b":"),
        _ => {
            let rest = line.get(16..).unwrap_or_default();
            memchr3(b':', b'#', b'*', rest).is_none() && memmem::find(rest, b"XCTEND").is_none()
        }
    };
    let next = if alone { None } else { glued(line) };
    match next {
        Some(at) => (line.get(..at).unwrap_or_default(), at),
        None => (line, length),
    }
}
