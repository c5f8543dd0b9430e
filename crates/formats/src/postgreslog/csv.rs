//! Logs as CSV (`log_destination = csvlog`).

use isotherm_frame::Place;

use super::durations::{Durations, Entry};
use super::moment::MomentReader;
use crate::sink::reject;
use crate::{Context, DecodeError, LineReader, Sink};

/// The columns that matter, by their numbers.
const TIME: usize = 0;
const USER: usize = 1;
const DATABASE: usize = 2;
const PROCESS: usize = 3;
const MESSAGE: usize = 13;
const APPLICATION: usize = 22;

/// The fields of one entry: those that matter, without quotation marks.
#[derive(Default)]
struct Fields([Vec<u8>; 6]);

impl Fields {
    const WANTED: [usize; 6] = [TIME, USER, DATABASE, PROCESS, MESSAGE, APPLICATION];

    /// Takes an entry apart; whether it has a message.
    fn split(&mut self, entry: &[u8]) -> bool {
        self.0.iter_mut().for_each(Vec::clear);
        let (mut rest, mut number) = (entry, 0);
        loop {
            let mut unused = Vec::new();
            let slot = Fields::WANTED.iter().position(|wanted| *wanted == number);
            let into = slot.and_then(|slot| self.0.get_mut(slot)).unwrap_or(&mut unused);
            rest = field(rest, slot.is_some().then_some(into));
            number += 1;
            match rest.split_first() {
                Some((b',', after)) => rest = after,
                _ => return number > MESSAGE,
            }
        }
    }
}

/// Reads one field, and copies it where it is wanted; gives what is behind it.
fn field<'t>(text: &'t [u8], mut into: Option<&mut Vec<u8>>) -> &'t [u8] {
    let mut copy = |bytes: &[u8]| {
        if let Some(into) = &mut into {
            into.extend_from_slice(bytes);
        }
    };
    let Some(mut rest) = text.strip_prefix(b"\"") else {
        let end = memchr::memchr(b',', text).unwrap_or(text.len());
        copy(&text[..end]);
        return &text[end..];
    };
    loop {
        let end = memchr::memchr(b'"', rest).unwrap_or(rest.len());
        copy(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
        let Some(after) = rest.strip_prefix(b"\"") else { return rest };
        copy(b"\"");
        rest = after;
    }
}

pub(super) fn read(
    lines: &mut LineReader<'_>,
    context: &Context,
    durations: &mut Durations,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    const OPEN: &str = "a quotation mark is not closed: the entry is cut short";
    const SHORT: &str = "an entry without a message: fewer than 14 columns";
    let mut moments = MomentReader::new(context);
    let (mut entry, mut place, mut is_open) = (Vec::new(), Place::default(), false);
    let mut fields = Fields::default();
    while let Some(line) = lines.next_line()? {
        if is_open {
            entry.push(b'\n');
        } else {
            entry.clear();
            place = line.place;
        }
        entry.extend_from_slice(line.bytes);
        is_open ^= memchr::memchr_iter(b'"', line.bytes).count() % 2 == 1;
        if is_open && entry.len() < LineReader::LONGEST && line.ended {
            continue;
        }
        if is_open {
            is_open = false;
            reject(sink, place, OPEN, 1);
        } else if fields.split(&entry) {
            let [time, user, database, process, message, application] = &fields.0;
            let at = moments.read(time, sink);
            let entry = Entry { place, at, message, database, user, process, application };
            durations.entry(entry, sink);
        } else if !entry.trim_ascii().is_empty() {
            reject(sink, place, SHORT, 0);
        }
    }
    if is_open {
        reject(sink, place, OPEN, 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lose_their_quotation_marks() {
        let mut fields = Fields::default();
        let entry = b"2026-11-21 05:15:14.312 UTC,\"u\",\"d\",7,,x,1,,,,0,LOG,00000,\"say \"\"a, b\"\"\nx\",,,,,,,,,\"psql\"";
        assert!(fields.split(entry));
        assert_eq!(fields.0[4], b"say \"a, b\"\nx");
        assert_eq!((&fields.0[1][..], &fields.0[5][..]), (&b"u"[..], &b"psql"[..]));
        assert!(!fields.split(b"a,b,c"));
    }
}
