//! The lines of a poll, taken apart.

use std::borrow::Cow;

use isotherm_frame::{Nanos, Timestamp, Unit};

use crate::number::{shown, whole};

use super::polled_time::PolledTime;

/// Which counters a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Owner {
    /// The instance's number.
    pub(super) instance: u32,
    /// The container's number, if counters are kept per container.
    pub(super) container: Option<u32>,
}

/// One line of a stream.
#[derive(Debug, PartialEq)]
pub(super) enum Record<'a> {
    /// `isotherm-oracle 1`: a stream begins, in this version of the format.
    Begin(&'a str),
    /// `T`: a poll begins; the counters were read at this moment.
    At(PolledTime),
    /// `D`: whose counters they are, where a history holds those of several databases.
    Database(u64),
    /// `I`: an instance and when it was started.
    Instance { instance: u32, startup: Timestamp },
    /// `H`: buckets of a wait event.
    Buckets { owner: Owner, unit: Unit, buckets: Vec<(u64, u64)>, event: Cow<'a, str> },
    /// `S`: its exact totals.
    Totals { owner: Owner, waits: u64, time: Option<Nanos>, event: Cow<'a, str> },
    /// `V`: what one session waits for, or last waited for.
    Session(Seen<'a>),
    /// `Y`: one of the last waits of a session.
    Past { instance: u32, sid: u64, rank: u8, length: Nanos, event: Cow<'a, str> },
    /// `X`: an error met while this poll was made.
    Failed(Cow<'a, str>),
    /// `.`: the poll is complete.
    End,
    /// Something else: the client's own words.
    Noise,
}

/// One session as a sample finds it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen<'a> {
    /// The instance, the session and its serial number.
    pub(super) session: (u32, u64, u64),
    /// The number of its present or last wait; it has 16 bits and begins anew.
    pub(super) seq: u16,
    /// Whether that wait is still going on, and if not, whether its length is known.
    pub(super) state: State,
    /// How long it lasted, or has lasted so far.
    pub(super) length: Nanos,
    /// What is waited for.
    pub(super) event: Cow<'a, str>,
}

/// The state of a session's present or last wait.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It goes on.
    Waiting,
    /// It is over, and its length known.
    Waited,
    /// It is over; times were not taken.
    Untimed,
}

/// Buckets in one line at most: twice what the finest view has.
const BUCKETS: usize = 128;
/// Bytes of a name at most: four times what the views hold.
const NAME: usize = 512;

/// Takes a line apart; an error says what is wrong with it.
pub(super) fn parse(line: &[u8]) -> Result<Record<'_>, String> {
    match line {
        b"." => Ok(Record::End),
        [kind, b'|', rest @ ..] if b"TDIHSVYX".contains(kind) => fields(*kind, rest),
        _ => Ok(begin(line).map_or(Record::Noise, Record::Begin)),
    }
}

/// The version of a stream that begins here.
pub(super) fn begin(line: &[u8]) -> Option<&str> {
    let version = line.strip_prefix(b"isotherm-oracle ")?.trim_ascii_end();
    std::str::from_utf8(version).ok().filter(|version| !version.is_empty())
}

fn fields(kind: u8, rest: &[u8]) -> Result<Record<'_>, String> {
    match kind {
        b'T' => at(rest),
        b'D' => {
            let [id, _] = split::<2>(rest)?;
            Ok(Record::Database(number("database id", id)?))
        }
        b'I' => {
            let [instance, startup, _] = split::<3>(rest)?;
            Ok(Record::Instance {
                instance: small("instance", instance)?,
                startup: moment(startup)?.as_utc(),
            })
        }
        b'H' => buckets(rest),
        b'S' => totals(rest),
        b'V' => session(rest),
        b'Y' => past(rest),
        _ => Ok(Record::Failed(String::from_utf8_lossy(rest))),
    }
}

fn at(rest: &[u8]) -> Result<Record<'_>, String> {
    moment(rest).map(Record::At)
}

fn moment(text: &[u8]) -> Result<PolledTime, String> {
    let read = std::str::from_utf8(text).ok().and_then(|text| PolledTime::read(text.trim()));
    read.ok_or_else(|| {
        format!("'{}' is not a time such as 2026-11-21T10:00:00.123456Z", shown(text))
    })
}

fn buckets(rest: &[u8]) -> Result<Record<'_>, String> {
    let [instance, container, unit, list, event] = split::<5>(rest)?;
    let unit = match unit {
        b"us" => Unit::Micros,
        b"ms" => Unit::Millis,
        other => return Err(format!("'{}' is not a unit: us or ms", shown(other))),
    };
    let mut buckets = Vec::new();
    for pair in list.split(|byte| *byte == b',').filter(|pair| !pair.is_empty()) {
        let colon = pair.iter().position(|byte| *byte == b':');
        let (bound, count) = colon
            .map(|colon| (&pair[..colon], &pair[colon + 1..]))
            .ok_or_else(|| format!("'{}' is not bound:count", shown(pair)))?;
        buckets.push((number("bound", bound)?, number("count", count)?));
        if buckets.len() > BUCKETS {
            return Err(format!("more than {BUCKETS} buckets"));
        }
    }
    let owner = owner(instance, container)?;
    Ok(Record::Buckets { owner, unit, buckets, event: name(event)? })
}

fn totals(rest: &[u8]) -> Result<Record<'_>, String> {
    let [instance, container, waits, time, event] = split::<5>(rest)?;
    Ok(Record::Totals {
        owner: owner(instance, container)?,
        waits: number("number of waits", waits)?,
        time: number("time waited", time)?.checked_mul(1_000).map(Nanos::new),
        event: name(event)?,
    })
}

fn session(rest: &[u8]) -> Result<Record<'_>, String> {
    let [instance, sid, serial, seq, state, length, event] = split::<7>(rest)?;
    let session =
        (small("instance", instance)?, number("sid", sid)?, number("serial number", serial)?);
    let state = match state {
        b"WAITING" => State::Waiting,
        b"WAITED KNOWN TIME" | b"WAITED SHORT TIME" => State::Waited,
        b"WAITED UNKNOWN TIME" => State::Untimed,
        other => return Err(format!("'{}' is not a state of a session", shown(other))),
    };
    // Modulo 2^16, should a release count on without beginning anew.
    let seq = u16::try_from(number("wait number", seq)? & 0xffff).unwrap_or_default();
    let (length, event) = (micros("length of the wait", length)?, name(event)?);
    Ok(Record::Session(Seen { session, seq, state, length, event }))
}

fn past(rest: &[u8]) -> Result<Record<'_>, String> {
    let [instance, sid, rank, length, event] = split::<5>(rest)?;
    let rank = number("place in the history", rank)?;
    Ok(Record::Past {
        instance: small("instance", instance)?,
        sid: number("sid", sid)?,
        rank: u8::try_from(rank).map_err(|_| format!("place {rank} in a history of 10 waits"))?,
        length: micros("length of the wait", length)?,
        event: name(event)?,
    })
}

fn owner(instance: &[u8], container: &[u8]) -> Result<Owner, String> {
    let container =
        if container.is_empty() { None } else { Some(small("container", container)?) };
    Ok(Owner { instance: small("instance", instance)?, container })
}

/// Exactly `N` fields, of which the last one is all that is left.
fn split<const N: usize>(rest: &[u8]) -> Result<[&[u8]; N], String> {
    let fields: Vec<&[u8]> = rest.splitn(N, |byte| *byte == b'|').collect();
    let found = fields.len();
    fields.try_into().map_err(|_| format!("{found} fields where there must be {N}"))
}

fn number(what: &str, text: &[u8]) -> Result<u64, String> {
    whole(text).map_err(|wrong| wrong.about(what, text))
}

fn small(what: &str, text: &[u8]) -> Result<u32, String> {
    let value = number(what, text)?;
    u32::try_from(value).map_err(|_| format!("the {what} {value} is too large to be true"))
}

fn micros(what: &str, text: &[u8]) -> Result<Nanos, String> {
    let value = number(what, text)?.checked_mul(1_000).map(Nanos::new);
    value.ok_or_else(|| format!("the {what} '{}' is too large to be true", shown(text)))
}

fn name(text: &[u8]) -> Result<Cow<'_, str>, String> {
    let text = text.trim_ascii();
    match text.len() {
        0 => Err("the wait event has no name".into()),
        length if length > NAME => Err(format!("a wait event with a name of {length} bytes")),
        _ => Ok(String::from_utf8_lossy(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(instance: u32, container: Option<u32>) -> Owner {
        Owner { instance, container }
    }

    #[test]
    fn a_line_is_taken_apart_and_its_last_field_may_hold_anything() {
        let Ok(Record::Buckets { owner: whose, unit, buckets, event }) =
            parse(b"H|2|3|us|1:5,2:6,4294967295:1|a|b, c:d")
        else {
            panic!("not read");
        };
        assert_eq!((whose, unit), (owner(2, Some(3)), Unit::Micros));
        assert_eq!(buckets, [(1, 5), (2, 6), (4_294_967_295, 1)]);
        assert_eq!(event, "a|b, c:d");
        let totals = Record::Totals {
            owner: owner(1, None),
            waits: 12,
            time: Some(Nanos::from_micros(99)),
            event: "log file sync".into(),
        };
        assert_eq!(parse(b"S|1||12|99|log file sync"), Ok(totals));
    }

    #[test]
    fn what_is_not_a_line_of_the_format_is_noise() {
        for line in ["", "..", "SQL> .", "Connected.", "H", "Z|1", "h|1", "T 2026", "isotherm-oracle"]
        {
            assert_eq!(parse(line.as_bytes()), Ok(Record::Noise), "{line}");
        }
        assert_eq!(parse(b"isotherm-oracle 1 "), Ok(Record::Begin("1")));
    }

    #[test]
    fn what_is_damaged_is_reported_in_words() {
        for (line, word) in [
            ("T|yesterday", "is not a time"),
            ("D|x|prod", "database id"),
            ("I|1|2026-11-21T06:00:00", "2 fields"),
            ("I|1|soon|19|orcl", "is not a time"),
            ("H|1||us|1:5", "4 fields"),
            ("H|1||s|1:5|e", "us or ms"),
            ("H|1||us|1=5|e", "bound:count"),
            ("H|1||us|1:-5|e", "negative"),
            ("H|1||us|1:1.2E+11|e", "not a number"),
            ("H|1||us|1:5|", "no name"),
            ("H|x||us|1:5|e", "instance"),
            ("S|1||1,5|7|e", "comma"),
            ("S|1||1|99999999999999999999|e", "too large"),
            ("V|1|2|3|4|SLEEPING|5|e", "state"),
            ("Y|1|2|900|5|e", "place 900"),
            ("S|4294967296||1|1|e", "too large"),
        ] {
            let wrong = parse(line.as_bytes()).expect_err(line);
            assert!(wrong.contains(word), "{line}: {wrong}");
        }
        let many = format!("H|1||us|{}|e", "1:1,".repeat(129));
        assert!(parse(many.as_bytes()).is_err());
    }

    #[test]
    fn a_session_is_read_with_its_state() {
        let Ok(Record::Session(seen)) = parse(b"V|1|70|9|65537|WAITED SHORT TIME|812|db file read")
        else {
            panic!("not read");
        };
        assert_eq!((seen.session, seen.seq, seen.state), ((1, 70, 9), 1, State::Waited));
        assert_eq!((seen.length, seen.event.as_ref()), (Nanos::from_micros(812), "db file read"));
    }
}
