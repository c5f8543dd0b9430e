//! `SLOWLOG GET` as text: newest first.

use isotherm_frame::{Clock, Nanos, Place, Timestamp};

use super::token::token;
use crate::grouping::Grouping;
use crate::number::{digits, is_epoch_second};
use crate::sink::reject;
use crate::{Context, DecodeError, LineReader, Note, Sink};

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

/// Entries that are kept until they can be reported in the order of time.
const MOST: usize = 1 << 20;

/// Where an answer begins that is a slow log: an identifier, a second and microseconds.
pub(super) fn begins(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut values = lines.filter_map(token).take(4).map(|value| (digits(value), value));
    let mut next = || values.next().unwrap_or((None, b""));
    let (id, second, us, command) = (next(), next(), next(), next());
    let is_command = !command.1.is_empty() && command.0.is_none() && command.1.is_ascii();
    id.0.is_some() && second.0.is_some_and(is_epoch_second) && us.0.is_some() && is_command
}

pub(super) fn read(
    lines: &mut LineReader<'_>,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    const CUT: &str = "the entry has no command: it is cut short";
    let mut entries: Vec<Entry> = Vec::new();
    // The last values: an entry begins where the next identifier, a second and a number follow.
    let mut last: [(Place, Option<u64>); 3] = Default::default();
    let mut open: Option<Entry> = None;
    let mut newest = (0, 0);
    while let Some(line) = lines.next_line()? {
        let Some(value) = token(line.bytes) else { continue };
        if let Some(entry) = &mut open
            && entry.command.is_empty()
        {
            entry.command.extend_from_slice(value);
        }
        last.rotate_left(1);
        last[2] = (line.place, digits(value));
        let [(place, Some(id)), (_, Some(second)), (_, Some(us))] = last else { continue };
        // Of a later answer, too, the newest comes first.
        let (newest_id, newest_second) = newest;
        let begins = id >= newest_id && second >= newest_second;
        let follows = begins || open.as_ref().is_some_and(|entry| entry.id == id + 1);
        if follows && is_epoch_second(second) && entries.len() < MOST {
            newest = newest.max((id, second));
            entries.extend(open.take());
            open = Some(Entry { place, id, second, us, command: Vec::new() });
        }
    }
    entries.extend(open);
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
