//! `SLOWLOG GET` as text: newest first.

use isotherm_frame::{Clock, Nanos, Place, Timestamp};

use super::token::token;
use crate::grouping::Grouping;
use crate::number::{digits, is_epoch_second};
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// One entry.
struct Entry {
    place: Place,
    id: u64,
    second: u64,
    us: u64,
    command: Vec<u8>,
}

/// What commands can be told apart by.
const ATTRIBUTES: &[&str] = &["command"];

/// What is said of a line without a number among those that have one.
const NO_PART: &str = "a line that is no part of an entry";

/// Entries that are kept until they can be reported in the order of time.
const MOST: usize = 1 << 20;

/// Where an answer begins that is a slow log: an identifier, a second and microseconds.
pub(super) fn begins(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut values = lines.filter_map(token).take(4).map(|value| (digits(value), value));
    let mut next = || values.next().unwrap_or((None, b""));
    let (id, second, us, command) = (next(), next(), next(), next());
    let is_command = !command.1.is_empty() && command.0.is_none() && command.1.is_ascii();
    // redis-cli numbers its lines, so that an entry is known below a line of other text, too.
    let mut numbered = head.split(|byte| *byte == b'\n').skip_while(|line| !begins_entry(line)).map(token);
    let mut next_number = || numbered.next().flatten().and_then(digits);
    let (id_below, second_below) = (next_number(), next_number());
    id_below.is_some() && second_below.is_some_and(is_epoch_second) || id.0.is_some() && second.0.is_some_and(is_epoch_second) && us.0.is_some() && is_command
}

pub(super) fn read(
    lines: &mut LineReader<'_>,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    const CUT: &str = "the entry has no command: it is cut short";
    const TOO_MANY: &str = "more than 1,048,576 entries: the others are not read";
    let mut reader = Reader::default();
    while let Some(line) = lines.next_line()? {
        reader.line(line, sink);
    }
    reader.lose(1, None, sink);
    let Reader { mut entries, open, is_full, .. } = reader;
    entries.extend(open);
    if is_full {
        sink.note(Note::Said(TOO_MANY.into()));
    }
    entries.sort_by_key(|entry| (entry.second, entry.id, entry.us, entry.command.is_empty()));
    // Answers that follow each other repeat what was slow before.
    entries.dedup_by_key(|entry| (entry.second, entry.id, entry.us));
    let mut grouping = Grouping::new(context, "commands", ATTRIBUTES, &["command"]);
    sink.note(Note::Clock(Clock::Epoch));
    for Entry { place, second, us, command, .. } in &entries {
        if command.is_empty() {
            reject(sink, *place, CUT, 1);
            continue;
        }
        sink.record();
        let command = command.to_ascii_lowercase();
        // Redis writes an entry when the command has ended.
        let at = Timestamp::new(0).plus(Nanos::new(second.saturating_mul(1_000_000_000)));
        grouping.tell(&[&command], (at, Nanos::from_micros(*us)), sink);
    }
    grouping.finish(sink);
    Ok(())
}

/// Finds the entries of answers.
#[derive(Default)]
struct Reader {
    entries: Vec<Entry>,
    open: Option<Entry>,
    /// The last values: an entry begins where the next identifier, a second and a number follow.
    last: [(Place, Option<u64>); 3],
    newest: (u64, u64),
    /// Where an entry begins, as it seems, of which the second or the microseconds cannot be read.
    suspect: Option<Place>,
    is_full: bool,
    /// The line at which the last entry begins, if redis-cli numbers the lines: behind the first ones of an
    /// entry each line has a number.
    numbered_from: Option<u64>,
}

impl Reader {
    /// An entry has at least so many values, each on its own line: three numbers and a command.
    const LEAST: u64 = 4;

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let Some(value) = token(line.bytes) else { return };
        self.numbered_from = if begins_entry(line.bytes) { Some(line.place.line) } else { self.numbered_from };
        let is_behind = self.numbered_from.is_some_and(|from| line.place.line >= from + Reader::LEAST);
        if is_behind && numbered(line.bytes.trim_ascii()).is_none() {
            if is_prompt(line.bytes) {
                sink.note(Note::Ignored);
            } else {
                reject(sink, line.place, NO_PART, 0);
            }
            return;
        }
        if let Some(entry) = &mut self.open
            && entry.command.is_empty()
        {
            entry.command.extend_from_slice(value);
        }
        self.last.rotate_left(1);
        self.last[2] = (line.place, digits(value));
        self.suspect(line);
        let [(place, Some(id)), (_, Some(second)), (_, Some(us))] = self.last else { return };
        if !is_epoch_second(second) {
            return;
        }
        // Of a later answer, too, the newest comes first.
        let is_new_answer = id >= self.newest.0 && second >= self.newest.1;
        let left_out = if is_new_answer { Some(0) } else { self.entries_between(id, second, place) };
        let Some(left_out) = left_out else { return };
        if self.entries.len() >= MOST {
            self.is_full = true;
            return;
        }
        self.suspect = self.suspect.filter(|suspect| suspect.line < place.line);
        if is_new_answer {
            self.lose(1, None, sink);
        } else {
            self.lose(left_out, Some(place), sink);
        }
        self.newest = self.newest.max((id, second));
        self.entries.extend(self.open.take());
        self.open = Some(Entry { place, id, second, us, command: Vec::new() });
    }

    /// How many entries were between the open one and what seems to be another; `None` if that is no
    /// entry: arguments of a command may be numbers too.
    fn entries_between(&self, id: u64, second: u64, place: Place) -> Option<u64> {
        let open = self.open.as_ref()?;
        let steps = open.id.checked_sub(id).filter(|steps| *steps > 0)?;
        let room = place.line.saturating_sub(open.place.line) / Reader::LEAST;
        let is_next = steps == 1;
        (is_next || steps <= room && second <= open.second).then_some(steps - 1)
    }

    /// Remembers where the next entry begins, if that is seen from less than three numbers.
    fn suspect(&mut self, line: Line<'_>) {
        let Some(open) = self.open.as_ref().filter(|open| !open.command.is_empty()) else { return };
        let next = open.id.checked_sub(1);
        let [_, (place, id), (_, second)] = self.last;
        let is_next = id.is_some() && id == next;
        let seen = match second {
            _ if begins_entry(line.bytes) => Some(line.place),
            Some(second) if is_next && is_epoch_second(second) => Some(place),
            _ => None,
        };
        self.suspect = self.suspect.or(seen);
    }

    /// Rejects entries that could not be read: at the suspicious line, or else before `next`, where the
    /// numbers of entries show that some are missing.
    fn lose(&mut self, entries: u64, next: Option<Place>, sink: &mut dyn Sink) {
        const ODD: &str = "the number, second or microseconds of an entry cannot be read";
        let Some(place) = self.suspect.take().or(next).filter(|_| entries > 0) else { return };
        reject(sink, place, ODD, entries);
    }
}

/// Whether redis-cli numbers a line as the first of an entry: `12) 1) (integer) 14`.
fn begins_entry(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    numbered(text).is_some_and(|rest| rest.starts_with(b"1) (integer)"))
}

/// Whether a line is what redis-cli waits with, and a command behind it: `127.0.0.1:6379> slowlog get`.
fn is_prompt(line: &[u8]) -> bool {
    let end = line.iter().position(|byte| matches!(byte, b'>' | b' '));
    end.is_some_and(|end| line[end] == b'>' && line[..end].contains(&b':'))
}

/// What follows the number of a line that redis-cli numbers.
fn numbered(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text[digits..].strip_prefix(b") ").filter(|_| digits > 0)
}
