//! The log of slow commands of a server that is asked live: each entry once.

use isotherm_client::redis::replies::Reply;
use isotherm_frame::{Nanos, Series, Timestamp};

use crate::polling::{PolledEvent, Totals};

/// Asks for more entries than a log usually has (128).
pub(super) const QUESTION: [&[u8]; 3] = [b"SLOWLOG", b"GET", b"1024"];

/// What of the log is known.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Known {
    /// It was never read.
    #[default]
    Nothing,
    /// It was empty.
    Empty,
    /// Up to the entry with this number.
    UpTo(u64),
}

/// An entry of the log.
struct Entry {
    number: u64,
    second: u64,
    us: u64,
    command: String,
}

/// The entries of an answer that are not known yet, and what is known then. What was there before the first answer is
/// left out. Numbers that begin anew are those of a server that was started anew.
pub(super) fn new_entries(answer: &Reply<'_>, known: Known) -> Result<(Totals, Known), String> {
    let Reply::Array(entries) = answer else {
        return Err("SLOWLOG GET has no list of entries".to_owned());
    };
    let entries: Option<Vec<Entry>> = entries.iter().map(entry).collect();
    let mut entries =
        entries.ok_or("SLOWLOG GET has another form than that of Redis 4 and later")?;
    entries.sort_by_key(|entry| entry.number);
    let (Some(oldest), Some(newest)) =
        (entries.first().map(|one| one.number), entries.last().map(|one| one.number))
    else {
        return Ok((Totals::default(), if known == Known::Nothing { Known::Empty } else { known }));
    };
    let mut found = Totals::default();
    let from = match known {
        Known::Nothing => newest + 1,
        Known::UpTo(last) if newest >= last => {
            found.lost = oldest.saturating_sub(last + 1);
            last + 1
        }
        Known::Empty | Known::UpTo(_) => 0,
    };
    found.events = entries.iter().filter(|one| one.number >= from).map(event).collect();
    Ok((found, Known::UpTo(newest)))
}

fn event(entry: &Entry) -> PolledEvent {
    let second = Nanos::new(entry.second.saturating_mul(1_000_000_000));
    PolledEvent {
        series: Series::named(entry.command.to_ascii_lowercase()),
        ended: Timestamp::new(0).plus(second),
        latency: Nanos::from_micros(entry.us),
    }
}

/// Number, second, microseconds and the words of the command, of which the first is its name.
fn entry(reply: &Reply<'_>) -> Option<Entry> {
    let Reply::Array(parts) = reply else { return None };
    let number = |at: usize| match parts.get(at)? {
        Reply::Integer(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    let Some(Reply::Array(words)) = parts.get(3) else { return None };
    let Some(Reply::Bulk(name)) = words.first() else { return None };
    let command = String::from_utf8_lossy(name).into_owned();
    Some(Entry { number: number(0)?, second: number(1)?, us: number(2)?, command })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(numbers: &[i64]) -> Reply<'static> {
        let entry = |&number: &i64| {
            let words = Reply::Array(vec![Reply::Bulk(b"SET"), Reply::Bulk(b"k")]);
            let numbers = [number, 1_700_000_000 + number, 100 * number].map(Reply::Integer);
            let client = [Reply::Bulk(b"127.0.0.1:5"), Reply::Bulk(b"")];
            Reply::Array(numbers.into_iter().chain([words]).chain(client).collect())
        };
        Reply::Array(numbers.iter().map(entry).collect())
    }

    /// The lengths of the new entries in microseconds, how many are lost, and what is known then.
    fn read(numbers: &[i64], known: Known) -> (Vec<u64>, u64, Known) {
        let (found, known) = new_entries(&log(numbers), known).unwrap();
        assert!(found.events.iter().all(|event| event.series.name() == "set"));
        let us = found.events.iter().map(|event| event.latency.as_nanos() / 1_000).collect();
        (us, found.lost, known)
    }

    #[test]
    fn each_entry_is_read_once() {
        // The newest comes first; what was there is left out.
        assert_eq!(read(&[7, 6, 5], Known::Nothing), (vec![], 0, Known::UpTo(7)));
        assert_eq!(read(&[9, 8, 7, 6], Known::UpTo(7)), (vec![800, 900], 0, Known::UpTo(9)));
        assert_eq!(read(&[9, 8, 7], Known::UpTo(9)), (vec![], 0, Known::UpTo(9)));
        // 10 and 11 left the log; SLOWLOG RESET looks alike.
        assert_eq!(read(&[13, 12], Known::UpTo(9)), (vec![1_200, 1_300], 2, Known::UpTo(13)));
        // An empty log, and what comes then.
        assert_eq!(read(&[], Known::Nothing), (vec![], 0, Known::Empty));
        assert_eq!(read(&[57], Known::Empty), (vec![5_700], 0, Known::UpTo(57)));
        assert_eq!(read(&[], Known::UpTo(57)), (vec![], 0, Known::UpTo(57)));
        // A server that was started anew.
        assert_eq!(read(&[1, 0], Known::UpTo(57)), (vec![0, 100], 0, Known::UpTo(1)));
    }

    #[test]
    fn what_is_no_log_is_an_error() {
        for answer in [
            Reply::Nil,
            Reply::Array(vec![Reply::Nil]),
            Reply::Array(vec![Reply::Array(vec![Reply::Integer(1)])]),
            Reply::Array(vec![Reply::Array(vec![
                Reply::Integer(-1),
                Reply::Integer(2),
                Reply::Integer(3),
                Reply::Array(vec![Reply::Bulk(b"GET")]),
            ])]),
        ] {
            assert!(new_entries(&answer, Known::Nothing).is_err(), "{answer:?}");
        }
    }
}
