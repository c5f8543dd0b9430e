//! The records of a trace in order, in bounded memory.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memchr2, memchr3, memrchr};

use super::keyword::{self, CALLS, behind, glued, without_return};
use super::stars::Stars;
use super::{CallKind, Damage, Visitor, Wants, bind, call, head, stars, statement, wait};

/// What was read of a trace. Records that the visitor does not want are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Bytes.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Waits, all with the time they took.
    pub waits: u64,
    /// Database calls.
    pub calls: u64,
    /// LOB calls.
    pub lobs: u64,
    /// Statements, with and without errors.
    pub statements: u64,
    /// What looks like a record and could not be read.
    pub damaged: u64,
    /// The first of them, at most [`Account::SHOWN`].
    pub examples: Vec<Damage>,
    /// Lines that belong to no record: other dumps, messages.
    pub ignored: u64,
}

impl Account {
    /// How many damaged records are kept to show.
    pub const SHOWN: usize = 20;

    /// Adds the account of what follows.
    pub(super) fn add(&mut self, next: &Account) {
        let room = Account::SHOWN.saturating_sub(self.examples.len());
        let examples = next.examples.iter().take(room);
        let lines = self.lines;
        self.examples
            .extend(examples.map(|damage| Damage { line: damage.line + lines, ..*damage }));
        self.bytes += next.bytes;
        self.lines += next.lines;
        self.waits += next.waits;
        self.calls += next.calls;
        self.lobs += next.lobs;
        self.statements += next.statements;
        self.damaged += next.damaged;
        self.ignored += next.ignored;
    }
}

/// How much is read at once: as much as the nearest caches hold.
const CHUNK: usize = 256 << 10;

/// The most that is held: the longest statement waited for, and room for the lines around it.
const MOST: usize = statement::LONGEST + 2 * CHUNK;

/// Reads a trace to its end. Memory is bounded by 2 MiB whatever the input is.
pub fn scan<R, V>(input: &mut R, visitor: &mut V) -> Result<Account, io::Error>
where
    R: Read + ?Sized,
    V: Visitor,
{
    let mut account = Account::default();
    scan_into(input, visitor, &mut account)?;
    Ok(account)
}

/// The same with an account that is kept if reading fails, and to which more is added.
pub fn scan_into<R, V>(
    input: &mut R,
    visitor: &mut V,
    account: &mut Account,
) -> Result<(), io::Error>
where
    R: Read + ?Sized,
    V: Visitor,
{
    drive(input, &mut Scanner::new(visitor, account), Room::End)
}

/// Feeds a scanner all there is; `end` is what follows that.
pub(super) fn drive<R, V>(
    input: &mut R,
    scanner: &mut Scanner<'_, V>,
    end: Room,
) -> Result<(), io::Error>
where
    R: Read + ?Sized,
    V: Visitor,
{
    let mut buffer = vec![0; CHUNK];
    let mut filled = 0;
    loop {
        let read = match input.read(buffer.get_mut(filled..).unwrap_or_default()) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        filled += read;
        let full = filled == buffer.len() && buffer.len() >= MOST;
        let room = if full { Room::Full } else { Room::More };
        let room = if read == 0 { end } else { room };
        let used = scanner.feed(buffer.get(..filled).unwrap_or_default(), room);
        if read == 0 {
            return Ok(());
        }
        buffer.copy_within(used..filled, 0);
        filled -= used;
        if filled == buffer.len() {
            buffer.resize((buffer.len() * 2).min(MOST), 0);
        }
    }
}

/// Reads a trace that is all there.
pub fn scan_slice<V: Visitor>(bytes: &[u8], visitor: &mut V) -> Account {
    let mut account = Account::default();
    Scanner::new(visitor, &mut account).feed(bytes, Room::End);
    account
}

/// What may follow the bytes at hand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// More bytes, and there is room for them.
    More,
    /// More bytes, but no room: what is unfinished must be done with.
    Full,
    /// Nothing.
    End,
}

/// The end of the line at `at`, behind its line end; `None` at the end of `text`.
pub(super) fn line_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    Some(at + memchr(b'\n', rest).map_or(rest.len(), |end| end + 1))
}

/// The last line of `text`, which ends with a line.
fn last_line(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.get(memrchr(b'\n', text).map_or(0, |end| end + 1)..).unwrap_or_default()
}

/// The line that `text` begins with, without its line end, and its length with it.
pub(super) fn first_line(text: &[u8]) -> (&[u8], usize) {
    let end = line_end(text, 0).unwrap_or(0);
    let line = text.get(..end).unwrap_or_default();
    (without_return(line.strip_suffix(b"\n").unwrap_or(line)), end)
}

/// What the scanner remembers between chunks.
pub(super) struct Scanner<'a, V> {
    pub(super) visitor: &'a mut V,
    pub(super) account: &'a mut Account,
    /// The length that the line before a value of a bind variable gives.
    value_length: Option<u64>,
    /// Inside something too long to be held.
    within: Within,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Within {
    Nothing,
    Statement,
    Line,
}

/// Where in a chunk the scanner is.
#[derive(Copy, Clone)]
pub(super) struct Spot<'t> {
    /// Whole lines.
    pub lines: &'t [u8],
    /// The beginning of the record.
    pub at: usize,
    /// What may follow.
    pub room: Room,
}

impl<'t> Spot<'t> {
    /// The record and all that follows it.
    pub(super) fn rest(self) -> &'t [u8] {
        self.lines.get(self.at..).unwrap_or_default()
    }

    /// The same spot, a few bytes on.
    pub(super) fn on(self, by: usize) -> Spot<'t> {
        Spot { at: self.at + by, ..self }
    }
}

impl<'a, V: Visitor> Scanner<'a, V> {
    pub(super) fn new(visitor: &'a mut V, account: &'a mut Account) -> Scanner<'a, V> {
        let within = Within::Nothing;
        Scanner { visitor, account, value_length: None, within }
    }

    /// Whether the scanner is inside something too long to be held.
    pub(super) fn is_within(&self) -> bool {
        self.within != Within::Nothing
    }

    /// Reads the records of `chunk` and says how many bytes it is done with; the rest is to be
    /// given again, with more behind it.
    pub(super) fn feed(&mut self, chunk: &[u8], room: Room) -> usize {
        let whole = memrchr(b'\n', chunk).map_or(0, |end| end + 1);
        let lines = if room == Room::End { chunk } else { chunk.get(..whole).unwrap_or_default() };
        let mut spot = Spot { lines, at: self.resume(lines, room), room };
        while spot.at < lines.len() {
            let Some(length) = self.record(spot) else { break };
            spot = spot.on(length.max(1));
            let ended = lines.get(spot.at - 1) == Some(&b'\n');
            self.account.lines += u64::from(ended);
        }
        if room == Room::Full && spot.at == 0 {
            self.give_up(chunk);
            spot.at = chunk.len();
        }
        self.pass(chunk, spot.at, room);
        spot.at
    }

    /// Accounts for the bytes that are done with.
    fn pass(&mut self, chunk: &[u8], used: usize, room: Room) {
        let open = room == Room::End && chunk.last().is_some_and(|&byte| byte != b'\n');
        self.account.lines += u64::from(open);
        self.account.bytes += used as u64;
        let used = chunk.get(..used).unwrap_or_default();
        self.value_length = bind::actual_length(last_line(used));
    }

    /// Accounts for all lines of a record but the last.
    fn count_lines(&mut self, record: &[u8]) {
        let but_last = record.len().saturating_sub(1);
        let lines = memchr_iter(b'\n', record.get(..but_last).unwrap_or_default());
        self.account.lines += lines.count() as u64;
    }

    /// Says that the record at `spot` cannot be read.
    #[cold]
    pub(super) fn damage(&mut self, spot: Spot<'_>, why: &'static str) {
        let byte = self.account.bytes + spot.at as u64;
        let wait = spot.rest().starts_with(b"WAIT #");
        let damage = Damage { byte, line: self.account.lines + 1, why, wait };
        self.account.damaged += 1;
        if self.account.examples.len() < Account::SHOWN {
            self.account.examples.push(damage);
        }
        self.visitor.damage(damage);
    }

    /// Something is longer than can be held: what it is decides where reading goes on.
    fn give_up(&mut self, chunk: &[u8]) {
        let spot = Spot { lines: chunk, at: 0, room: Room::Full };
        let (line, length) = first_line(chunk);
        if length < chunk.len() && behind(line, b"PARSING IN CURSOR ").is_some() {
            let body = chunk.get(length..).unwrap_or_default();
            self.parsing(spot, line, body);
            self.within = Within::Statement;
        } else {
            self.within = Within::Line;
            if keyword::begins_record(line) {
                self.damage(spot, "a line longer than a record can be");
            } else {
                self.account.ignored += 1;
            }
        }
    }

    /// Passes over the rest of what was too long to be held.
    fn resume(&mut self, lines: &[u8], room: Room) -> usize {
        let within = std::mem::replace(&mut self.within, Within::Nothing);
        let used = match within {
            Within::Nothing => return 0,
            Within::Line => line_end(lines, 0).unwrap_or(0),
            Within::Statement => match statement::statement(lines, None, room == Room::End) {
                statement::Extent::Ends { next, .. } => next,
                statement::Extent::Broken(at) => {
                    self.damage(Spot { lines, at, room }, statement::UNENDED);
                    at
                }
                statement::Extent::More => {
                    self.within = Within::Statement;
                    lines.len()
                }
            },
        };
        self.account.lines +=
            memchr_iter(b'\n', lines.get(..used).unwrap_or_default()).count() as u64;
        used
    }

    /// Reads one record, or a line that is none, and gives its length; `None` if more input is
    /// needed to know it.
    #[inline]
    fn record(&mut self, spot: Spot<'_>) -> Option<usize> {
        let rest = spot.rest();
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
        let whole = (call::call(kind, text(line.len())), length);
        // What cannot be read may be two records without a line end between them.
        let (read, length) = match (whole, glued(line)) {
            ((Err(_), _), Some(end)) => (call::call(kind, text(end)), end),
            (whole, _) => whole,
        };
        match read {
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
        let told = if let Some(text) = behind(line, b"STAT ") {
            self.told(Wants::STATS, || call::stat(text), |visitor, stat| visitor.stat(&stat))
        } else if let Some((kind, text)) = keyword::lob(line) {
            self.account.lobs += u64::from(V::WANTS.has(Wants::LOBS));
            self.told(Wants::LOBS, || call::lob(kind, text), |visitor, lob| visitor.lob(&lob))
        } else if let Some(text) = behind(line, b"ERROR ") {
            let tell = |visitor: &mut V, (cursor, error, tim)| visitor.error(cursor, error, tim);
            self.told(Wants::ERRORS, || call::error(text), tell)
        } else if let Some(text) = line.strip_prefix(b"XCTEND ") {
            let tell =
                |visitor: &mut V, (back, only, tim)| visitor.transaction_end(back, only, tim);
            self.told(Wants::TRANSACTIONS, || call::transaction_end(text), tell)
        } else if behind(line, b"BINDS ").is_some() {
            Ok(())
        } else {
            return self.outside(rest);
        };
        if let Err(why) = told {
            self.damage(spot, why);
        }
        length
    }

    /// Reads a record and tells it, if it is wanted.
    fn told<T>(
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
    fn parsing(&mut self, spot: Spot<'_>, line: &[u8], text: &[u8]) {
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
            self.damage(spot, "a statement whose first line is cut");
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
        let Some(open) = bind::opens(line) else { return Some(length) };
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
        self.count_lines(rest.get(..end).unwrap_or_default());
        Some(end)
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
        Some(b'S') => line.ends_with(b"'"),
        Some(b'B') => line.ends_with(b":"),
        _ => line.get(16..).is_none_or(|rest| memchr3(b':', b'#', b'*', rest).is_none()),
    };
    let next = if alone { None } else { glued(line) };
    match next {
        Some(at) => (line.get(..at).unwrap_or_default(), at),
        None => (line, length),
    }
}
