//! The records of a trace in order, in bounded memory.

use std::io::{self, Read};

use memchr::{memchr_iter, memrchr};

use super::keyword::{self, behind};
use super::lines::{first_line, last_line, line_end};
use super::{Damage, Visitor, bind, statement};

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

/// What to say of a file in which there is no record of event 10046.
pub const NO_SQL_TRACE: &str = "no record of a SQL trace. Expected are lines such as WAIT #, PARSE # \
     or FETCH # of event 10046.";

impl Account {
    /// How many damaged records are kept to show.
    pub const SHOWN: usize = 20;

    /// Whether there is no record of event 10046 at all, as in the trace files of background
    /// processes.
    pub fn is_no_sql_trace(&self) -> bool {
        self.waits + self.calls + self.lobs + self.statements + self.damaged == 0
    }

    /// Adds the account of what follows.
    pub fn add(&mut self, next: &Account) {
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

/// How much is read in search of the first record, bytes. What has none in so much is no trace, and may
/// have no end either: a device, a pipe.
const SEARCHED: u64 = 256 << 20;

/// Reads a trace to its end. Memory is bounded by 2 MiB whatever the input is. An input without a record
/// in its first 256 MiB is an error.
pub fn scan<R, V>(input: &mut R, visitor: &mut V) -> Result<Account, io::Error>
where
    R: Read + ?Sized,
    V: Visitor,
{
    scan_within(input, visitor, SEARCHED)
}

/// The same, with the first record among so many bytes.
fn scan_within<R, V>(input: &mut R, visitor: &mut V, searched: u64) -> Result<Account, io::Error>
where
    R: Read + ?Sized,
    V: Visitor,
{
    let mut account = Account::default();
    drive(input, &mut Scanner::new(visitor, &mut account), Room::End, searched)?;
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
    drive(input, &mut Scanner::new(visitor, account), Room::End, u64::MAX)
}

/// Feeds a scanner all there is; `end` is what follows that. The first record has to be among the first
/// `searched` bytes.
pub(super) fn drive<R, V>(
    input: &mut R,
    scanner: &mut Scanner<'_, V>,
    end: Room,
    searched: u64,
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
        let held = buffer.get(..filled).unwrap_or_default();
        let mut used = scanner.feed(held, if read == 0 { end } else { Room::More });
        // Only what is too long by itself is done with: where it lies in a chunk does not matter.
        if used == 0 && read > 0 && filled >= MOST {
            used = scanner.feed(held, Room::Full);
        }
        if read == 0 {
            return Ok(());
        }
        if scanner.account.bytes >= searched && scanner.account.is_no_sql_trace() {
            let words = format!("no record of a SQL trace in the first {} MiB", searched >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
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

/// What the scanner remembers between chunks.
pub(super) struct Scanner<'a, V> {
    pub(super) visitor: &'a mut V,
    pub(super) account: &'a mut Account,
    /// The length that the line before a value of a bind variable gives.
    pub(super) value_length: Option<u64>,
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
        let mut spot = Spot { lines, at: self.resume(chunk, lines, room), room };
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
        // The line before what is given again is still the same.
        if !used.is_empty() {
            self.value_length = bind::actual_length(last_line(used));
        }
    }

    /// Accounts for all lines of a record but the last.
    pub(super) fn count_lines(&mut self, record: &[u8]) {
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
        self.account.lines += memchr_iter(b'\n', chunk).count() as u64;
    }

    /// Passes over the rest of what was too long to be held.
    fn resume(&mut self, chunk: &[u8], lines: &[u8], room: Room) -> usize {
        let within = std::mem::replace(&mut self.within, Within::Nothing);
        let mut broken = false;
        let used = match within {
            Within::Nothing => return 0,
            _ if lines.is_empty() => {
                // No line ends here. Of a statement the end may still be coming in.
                self.within = within;
                let wait = within == Within::Statement && room == Room::More;
                if wait { 0 } else { chunk.len() }
            }
            Within::Line => line_end(lines, 0).unwrap_or(0),
            Within::Statement => match statement::statement(lines, None, room == Room::End) {
                statement::Extent::Ends { next, .. } => next,
                statement::Extent::Broken(at) => {
                    broken = true;
                    at
                }
                statement::Extent::More => {
                    self.within = Within::Statement;
                    lines.len()
                }
            },
        };
        let passed = chunk.get(..used).unwrap_or_default();
        self.account.lines += memchr_iter(b'\n', passed).count() as u64;
        if broken {
            self.damage(Spot { lines: chunk, at: used, room }, statement::UNENDED);
        }
        used
    }
}

#[cfg(test)]
mod tests;
