//! Logs as text (`log_destination = stderr`).

use isotherm_frame::{Place, Timestamp};

use super::durations::{Durations, Entry};
use super::message::MARK;
use super::moment::MomentReader;
use super::server_work::may_be_work;
use crate::fingerprint::KEPT;
use crate::{Context, DecodeError, LineReader, Note, Sink};

/// What is between the prefix and the message of an entry of the log.
pub(super) const LOG: &[u8] = b"LOG:  ";

/// An entry that tells something, of which further lines may come.
#[derive(Default)]
struct Pending {
    open: bool,
    place: Place,
    at: Option<Timestamp>,
    message: Vec<u8>,
    prefix: Vec<u8>,
}

impl Pending {
    fn give(&mut self, durations: &mut Durations, sink: &mut dyn Sink) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let (user, database) = user_and_database(&self.prefix);
        let entry = Entry {
            place: self.place,
            at: self.at,
            message: &self.message,
            database,
            user,
            process: process(&self.prefix),
            application: b"",
        };
        durations.entry(entry, sink);
    }
}

pub(super) fn read(
    lines: &mut LineReader<'_>,
    context: &Context,
    durations: &mut Durations,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let mut moments = MomentReader::new(context);
    let mut pending = Pending::default();
    let mark = memchr::memmem::Finder::new(LOG);
    while let Some(line) = lines.next_line()? {
        // PostgreSQL indents the further lines of an entry; syslog numbers them.
        let further = if line.bytes.starts_with(b"\t") { Some(line.bytes) } else { further(line.bytes) };
        if let Some(further) = further {
            let room = KEPT.saturating_sub(pending.message.len());
            if pending.open && room > 0 {
                pending.message.push(b'\n');
                pending.message.extend_from_slice(&further[..further.len().min(room)]);
            }
            continue;
        }
        pending.give(durations, sink);
        let entry = mark.find(line.bytes).map(|at| line.bytes.split_at(at));
        let entry = entry.map(|(prefix, rest)| (prefix, &rest[LOG.len()..]));
        let is_used = |message: &[u8]| message.starts_with(MARK) || may_be_work(message);
        let Some((prefix, message)) = entry.filter(|(_, message)| is_used(message)) else {
            if !line.bytes.trim_ascii().is_empty() {
                sink.note(Note::Ignored);
            }
            continue;
        };
        pending.open = true;
        pending.place = line.place;
        pending.at = moments.read(prefix, sink);
        pending.prefix.clear();
        pending.prefix.extend_from_slice(prefix);
        pending.message.clear();
        pending.message.extend_from_slice(&message[..message.len().min(KEPT)]);
    }
    pending.give(durations, sink);
    Ok(())
}

/// What `Mar  1 10:00:00 db1 postgres[90]: [7-2] #011from t` adds to its entry; `None` of a first line.
fn further(line: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(line, b": [")?;
    let rest = &line[at + 3..];
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let entry = digits(rest);
    let part = rest[entry..].strip_prefix(b"-").filter(|_| entry > 0)?;
    let length = digits(part);
    let text = part[length..].strip_prefix(b"] ")?;
    let is_first = &part[..length] == b"1" || length == 0;
    (!is_first).then(|| text.strip_prefix(b"#011").unwrap_or(text))
}

/// The number in square brackets: `%p` as the standard prefix has it.
fn process(prefix: &[u8]) -> &[u8] {
    let mut rest = prefix;
    while let Some(start) = memchr::memchr(b'[', rest) {
        rest = &rest[start + 1..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && matches!(rest.get(digits), Some(b']' | b'-')) {
            return &rest[..digits];
        }
    }
    b""
}

/// `%u@%d` or `user=%u,db=%d`, if it is there.
fn user_and_database(prefix: &[u8]) -> (&[u8], &[u8]) {
    let Some(at) = memchr::memchr(b'@', prefix) else {
        let named = |name: &[u8]| {
            let start = memchr::memmem::find(prefix, name)? + name.len();
            let rest = &prefix[start..];
            let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']');
            Some(&rest[..rest.iter().position(ends).unwrap_or(rest.len())])
        };
        return (named(b"user=").unwrap_or_default(), named(b"db=").unwrap_or_default());
    };
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$');
    let start = prefix[..at].iter().rposition(|byte| !name(byte)).map_or(0, |start| start + 1);
    let length = prefix[at + 1..].iter().take_while(|byte| name(byte)).count();
    (&prefix[start..at], &prefix[at + 1..at + 1 + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syslog_numbers_the_lines_of_an_entry() {
        let line = |number: &str, text: &str| format!("Mar  1 10:00:00 db1 postgres[90]: [{number}] {text}");
        assert_eq!(further(line("7-2", "#011from t").as_bytes()), Some(&b"from t"[..]));
        assert_eq!(further(line("7-12", "where a: [1-2] b").as_bytes()), Some(&b"where a: [1-2] b"[..]));
        for first in [line("7-1", "LOG:  duration: 1 ms"), "2026-11-21 05:15:14 UTC [7] LOG:  x: [a]".to_owned()] {
            assert_eq!(further(first.as_bytes()), None, "{first}");
        }
    }

    #[test]
    fn prefixes_tell_process_user_and_database() {
        let of = |prefix: &str| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (user, database) = user_and_database(prefix.as_bytes());
            (text(process(prefix.as_bytes())), text(user), text(database))
        };
        let strings = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        let standard = "2026-11-21 05:15:14.312 UTC [18134] app@shop ";
        assert_eq!(of(standard), strings("18134", "app", "shop"));
        let rds = "2026-11-21 05:15:14 UTC:10.0.0.1(5000):app@shop:[5]:";
        assert_eq!(of(rds), strings("5", "app", "shop"));
        assert_eq!(of("2026-11-21 05:15:14 UTC [7-1] "), strings("7", "", ""));
        let syslog = "Mar  1 10:00:00 db1 postgres[90]: [7-1] user=app,db=shop ";
        assert_eq!(of(syslog), strings("90", "app", "shop"));
    }
}
