//! `SLOWLOG GET` as text: newest first.

use isotherm_frame::{Clock, Nanos, Place, Timestamp};

use super::token::{is_number, token};
use crate::grouping::Grouping;
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

/// Entries that are kept until they can be told in the order of time.
const MOST: usize = 1 << 20;

/// Whether a number is a second since 1970, from 2001 on.
fn is_second(number: u64) -> bool {
    (1_000_000_000..4_294_967_296).contains(&number)
}

/// Where an answer begins that is a slow log: an identifier, a second and microseconds.
pub(super) fn begins(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut values = lines.filter_map(token).take(4).map(|value| (number(value), value));
    let mut next = || values.next().unwrap_or((None, b""));
    let (id, second, us, command) = (next(), next(), next(), next());
    let is_command = !command.1.is_empty() && command.0.is_none() && command.1.is_ascii();
    id.0.is_some() && second.0.is_some_and(is_second) && us.0.is_some() && is_command
}

fn number(value: &[u8]) -> Option<u64> {
    is_number(value).then(|| crate::number::whole(value).ok()).flatten()
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
    while let Some(line) = lines.next_line()? {
        let Some(value) = token(line.bytes) else { continue };
        if let Some(entry) = &mut open
            && entry.command.is_empty()
        {
            entry.command.extend_from_slice(value);
        }
        last.rotate_left(1);
        last[2] = (line.place, number(value));
        let [(place, Some(id)), (_, Some(second)), (_, Some(us))] = last else { continue };
        let follows = open.as_ref().is_none_or(|entry| entry.id == id + 1);
        if follows && is_second(second) && entries.len() < MOST {
            entries.extend(open.take());
            open = Some(Entry { place, id, second, us, command: Vec::new() });
        }
    }
    entries.extend(open);
    entries.sort_by_key(|entry| (entry.second, entry.id));
    let mut grouping = Grouping::new(context, "commands", ATTRIBUTES, &["command"]);
    sink.note(Note::Clock(Clock::Epoch));
    for Entry { place, second, us, command, .. } in &entries {
        if command.is_empty() {
            reject(sink, *place, CUT, 1);
            continue;
        }
        sink.record();
        let command = command.to_ascii_lowercase();
        let began = Timestamp::new(0).plus(Nanos::new(second.saturating_mul(1_000_000_000)));
        let latency = Nanos::from_micros(*us);
        sink.reading(grouping.event(&[&command], began.plus(latency), latency));
    }
    grouping.finish(sink);
    Ok(())
}
