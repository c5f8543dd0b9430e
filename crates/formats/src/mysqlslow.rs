//! Slow query logs of `MySQL` and `MariaDB`: every statement is an event.

use std::io::BufRead;

use isotherm_frame::{Clock, Nanos, Place, Timestamp, Unit};
use jiff::civil::DateTime;
use memchr::memmem::Finder;

use crate::fingerprint::{Dialect, KEPT, fingerprint};
use crate::grouping::Grouping;
use crate::longest::TextEvent;
use crate::number;
use crate::sink::reject;
use crate::calendar::{self, WrittenZone};
use crate::stamp::{Stamp, StampReader};
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads slow query logs.
pub(crate) struct MySqlSlow;

pub(crate) static SOURCE: MySqlSlow = MySqlSlow;

static META: Meta = Meta {
    name: "mysqlslow",
    address: "FILE or -",
    about: "Slow query logs of MySQL and MariaDB: Query_time, or Lock_time if you ask for it, by \
        normalized statement (literals become ?)",
    needs: &[Need {
        what: "the slow query log",
        how: "set global slow_query_log = 1, global long_query_time = 0 (or a threshold in \
            seconds); with log_output = FILE",
    }],
    command: "isotherm show /var/lib/mysql/HOST-slow.log",
    overhead: "The server writes 150-700 bytes for each logged statement; log_slow_rate_limit \
        (MariaDB, Percona) logs only a sample. Reading the file does not touch the server.",
    loses: "Statements below long_query_time are missing. MySQL logs the end of a statement in \
        microseconds. MariaDB logs only the second in which it began (SET timestamp); isotherm \
        adds Query_time to find the end. Statements with the same fingerprint are one series: the \
        normalized text of the first 8 KiB, cut to 1,000 bytes. After 1,000 different statements, \
        all further ones share one series. Query_time includes Lock_time; --where time=lock shows \
        Lock_time alone. The longest call of each statement is an example, with its values and its line in \
        the log: statistics and reports show those of ten statements. Attributes for --by and --where: statement, user, database.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
# Time: 2026-11-21T05:13:44.512345Z
# User@Host: root[root] @ localhost []  Id:     8
# Query_time: 0.000364  Lock_time: 0.000139 Rows_sent: 1  Rows_examined: 44
SET timestamp=1795238024;
select b from t where a = 5;
",
    interpretation: "One statement, which took 0.364 ms, including 0.139 ms of waiting for a lock; \
        it ended at 05:13:44.512345 UTC. Its series is 'select b from t where a = ?'.",
};

/// What statements can be told apart by.
const ATTRIBUTES: &[&str] = &["statement", "user", "database", "time"];

impl Source for MySqlSlow {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let mine = has(b"# Query_time: ") && (has(b"# User@Host:") || has(b"Lock_time: "));
        if mine { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit, ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut decoder = Decoder::new(context)?;
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.give(sink);
        decoder.grouping.finish(sink);
        Ok(())
    }
}

/// An entry of which lines may still come.
#[derive(Default)]
struct Entry {
    place: Place,
    user: Vec<u8>,
    query: Option<Nanos>,
    lock: Option<Nanos>,
    /// `SET timestamp=`: when it began, in seconds since 1970.
    began: Option<u64>,
    statement: Vec<u8>,
    /// Why it cannot be used.
    damage: Option<String>,
}

struct Decoder {
    grouping: Grouping,
    /// Which time of a statement is asked for.
    time: &'static str,
    stamps: StampReader,
    entry: Entry,
    /// The last `# Time:` with a zone: when entries from there on ended.
    ended: Option<Timestamp>,
    /// The last `# Time:` without a zone, as servers before 5.7 wrote it.
    local: Option<DateTime>,
    /// The second of the last time in UTC, as it is written, and when it was.
    second: (Vec<u8>, Option<Timestamp>),
    lock_time: Finder<'static>,
    database: Vec<u8>,
    fingerprint: Vec<u8>,
    reported: bool,
}

impl Decoder {
    const NO_TIME: &'static str =
        "the entry has neither a time (# Time:) nor SET timestamp";
    const CUT: &'static str = "nothing follows the Query_time: the line is cut short";
    const NO_LOCK_TIME: &'static str = "the entry has no Lock_time";

    fn new(context: &Context) -> Result<Decoder, DecodeError> {
        let grouping = Grouping::new(context, "statements", ATTRIBUTES, &["statement"]);
        Ok(Decoder {
            time: grouping.choice("time", &["query", "lock"])?.unwrap_or("query"),
            grouping,
            stamps: StampReader::new(context),
            entry: Entry::default(),
            ended: None,
            local: None,
            second: (Vec::new(), None),
            lock_time: Finder::new(LOCK_TIME),
            database: Vec::new(),
            fingerprint: Vec::new(),
            reported: false,
        })
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.bytes;
        if let Some(time) = text.strip_prefix(b"# Time: ") {
            self.give(sink);
            self.time(time, sink);
        } else if let Some(user) = text.strip_prefix(b"# User@Host: ") {
            self.give(sink);
            let end = user.iter().position(|byte| matches!(byte, b'[' | b' '));
            self.entry.user.extend_from_slice(&user[..end.unwrap_or(user.len())]);
        } else if let Some(times) = text.strip_prefix(b"# Query_time: ") {
            if self.entry.query.is_some() || self.entry.damage.is_some() {
                self.give(sink);
            }
            self.entry.place = line.place;
            self.durations(times);
        } else if let Some(schema) = schema(text) {
            self.database.clear();
            self.database.extend_from_slice(schema);
        } else if is_banner(text) {
            self.give(sink);
            sink.note(Note::Ignored);
        } else if let Some(command) = text.strip_prefix(b"# administrator command") {
            self.statement(&[b"administrator command", command].concat(), sink);
        } else if !text.starts_with(b"# ") {
            self.statement(text, sink);
        }
    }

    /// `2026-11-21T05:13:44.123456Z`; of one without a zone, as `MariaDB` writes it, `SET timestamp`
    /// tells more.
    fn time(&mut self, text: &[u8], sink: &mut dyn Sink) {
        let utc = utc(text);
        if let Some((_, part)) = utc.filter(|(second, _)| self.second.0 == *second) {
            self.ended = self.second.1.map(|at| at.plus(part));
            return;
        }
        let text = String::from_utf8_lossy(text);
        let date = calendar::date(&text);
        let unzoned = date.as_ref().filter(|date| date.zone == WrittenZone::None);
        self.local = unzoned.map(|date| date.local).or_else(|| six_digits(&text));
        let zoned = date.filter(|date| date.zone != WrittenZone::None);
        let stamp = zoned.and_then(|date| self.stamps.date(&date, sink));
        self.ended = stamp.and_then(|stamp| match stamp {
            Stamp::Running(at, _) => Some(at),
            Stamp::TimeOfDay(_) => None,
        });
        if let Some((second, part)) = utc {
            self.second.0.clear();
            self.second.0.extend_from_slice(second);
            self.second.1 = self.ended.map(|at| at.minus(part));
        }
    }

    /// The moment of the last time without a zone: the user's zone, or UTC is assumed.
    fn local_time(&mut self, sink: &mut dyn Sink) -> Option<Timestamp> {
        match self.stamps.local(self.local?, sink)? {
            Stamp::Running(at, _) => Some(at),
            Stamp::TimeOfDay(_) => None,
        }
    }

    /// What is behind `# Query_time: `. The server writes how many rows there were behind the times: a
    /// number that nothing follows may lack its last digits.
    fn durations(&mut self, text: &[u8]) {
        if is_last(text) {
            self.entry.damage = Some(Decoder::CUT.to_owned());
            return;
        }
        let nanos = |name: &str, text: &[u8]| {
            let ns = number::latency(text, Unit::Seconds).map(Nanos::new);
            ns.map_err(|wrong| wrong.about(name, text))
        };
        match nanos("Query_time", first_word(text)) {
            Ok(query) => self.entry.query = Some(query),
            Err(reason) => self.entry.damage = Some(reason),
        }
        let lock = self.lock_time.find(text).map(|at| &text[at + LOCK_TIME.len()..]);
        let lock = lock.filter(|text| !is_last(text)).map(first_word);
        if let Some(Ok(lock)) = lock.map(|text| nanos("Lock_time", text)) {
            self.entry.lock = Some(lock);
        }
    }

    /// A line of the statement, or what the server writes before it.
    fn statement(&mut self, text: &[u8], sink: &mut dyn Sink) {
        if self.entry.query.is_none() && self.entry.damage.is_none() {
            // The banner of a server that was started.
            return sink.note(Note::Ignored);
        }
        if self.entry.statement.is_empty() {
            if let Some(rest) = text.strip_prefix(b"SET timestamp=") {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                self.entry.began = number::whole(&rest[..digits]).ok();
                return;
            }
            if let Some(name) = text.strip_prefix(b"use ") {
                self.database.clear();
                self.database.extend_from_slice(name.strip_suffix(b";").unwrap_or(name));
                return;
            }
        }
        let room = KEPT.saturating_sub(self.entry.statement.len());
        self.entry.statement.extend_from_slice(&text[..text.len().min(room)]);
        self.entry.statement.push(b'\n');
    }

    /// Gives the entry that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        let entry = std::mem::take(&mut self.entry);
        if let Some(reason) = entry.damage {
            return reject(sink, entry.place, reason, 1);
        }
        let Some(query) = entry.query else { return };
        let second = |began: u64| Timestamp::new(0).plus(Nanos::from_millis(began.saturating_mul(1_000)));
        let began = entry.began.map(|began| second(began).plus(query));
        let Some(at) = self.ended.or(began).or_else(|| self.local_time(sink)) else {
            return reject(sink, entry.place, Decoder::NO_TIME, 1);
        };
        if !std::mem::replace(&mut self.reported, true) {
            sink.note(Note::Clock(Clock::Epoch));
        }
        sink.record();
        fingerprint(&entry.statement, Dialect::MySql, &mut self.fingerprint);
        let Some(latency) = (if self.time == "lock" { entry.lock } else { Some(query) }) else {
            return reject(sink, entry.place, Decoder::NO_LOCK_TIME, 1);
        };
        let time = self.time.as_bytes();
        let values = [&self.fingerprint, &entry.user[..], &self.database, time];
        let event = TextEvent { at, latency, place: entry.place, text: &entry.statement };
        self.grouping.tell_text(&values, event, sink);
    }
}

/// What is written before the time a statement waited for locks.
const LOCK_TIME: &[u8] = b"Lock_time:";

/// The first word of a text.
fn first_word(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    &text[..memchr::memchr(b' ', text).unwrap_or(text.len())]
}

/// Whether nothing follows the first word of a text.
fn is_last(text: &[u8]) -> bool {
    first_word(text).len() == text.trim_ascii().len()
}

/// A time in the form of `2026-11-21T05:13:44.123456Z`: what is written of its second, and the rest.
fn utc(text: &[u8]) -> Option<(&[u8], Nanos)> {
    let (second, rest) = text.split_at_checked(b"2026-11-21T05:13:44".len())?;
    let digits = rest.strip_prefix(b".")?.strip_suffix(b"Z").filter(|digits| digits.len() == 6)?;
    Some((second, Nanos::from_micros(number::digits(digits)?)))
}

/// A time as servers before 5.7 and `MariaDB` write it: `260301  9:05:02`.
fn six_digits(text: &str) -> Option<DateTime> {
    let mut words = text.split_whitespace();
    let (date, clock) = (words.next()?, words.next()?);
    let digits = date.len() == 6 && date.bytes().all(|byte| byte.is_ascii_digit());
    let number: i32 = date.parse().ok().filter(|_| digits && words.next().is_none())?;
    let part = |divisor: i32| i8::try_from(number / divisor % 100).ok();
    // The format ended with version 5.7, long before 2070.
    let year = i16::try_from(2_000 + number / 10_000).ok()?;
    let parts: Vec<i8> = clock.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [hour, minute, second] = parts[..] else { return None };
    let date = jiff::civil::Date::new(year, part(100)?, part(1)?).ok()?;
    Some(date.to_datetime(jiff::civil::Time::new(hour, minute, second, 0).ok()?))
}

/// Whether this is the first line of what a server writes when it begins.
fn is_banner(line: &[u8]) -> bool {
    let has = |words: &[u8]| memchr::memmem::find(line, words).is_some();
    line.trim_ascii_end().ends_with(b"started with:") && has(b", Version: ")
}

/// The database of `# Thread_id: 8  Schema: shop  QC_hit: No`.
fn schema(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"# ").filter(|rest| {
        rest.starts_with(b"Thread_id: ") || rest.starts_with(b"Schema: ")
    })?;
    let start = memchr::memmem::find(rest, b"Schema: ")? + b"Schema: ".len();
    let end = memchr::memmem::find(&rest[start..], b"  ").map_or(rest.len(), |end| start + end);
    Some(rest[start..end].trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_second_are_those_of_a_calendar() {
        let mut sink = isotherm_frame::Account::default();
        let mut decoder = Decoder::new(&Context::default()).unwrap();
        let second = 1_795_238_024_000_000_000_i64;
        for (text, expected) in [
            ("2026-11-21T05:13:44.123456Z", Some(second + 123_456_000)),
            ("2026-11-21T05:13:44.000001Z", Some(second + 1_000)),
            ("2026-11-21T05:13:44.5Z", Some(second + 500_000_000)),
            ("2026-11-21T05:13:44.999999Z", Some(second + 999_999_000)),
            ("2026-11-21T05:13:45.000000Z", Some(second + 1_000_000_000)),
            ("2026-13-21T05:13:45.000000Z", None),
            ("2026-13-21T05:13:45.000001Z", None),
            ("2026-11-21T05:13:44.000002Z", Some(second + 2_000)),
        ] {
            decoder.time(text.as_bytes(), &mut sink);
            assert_eq!(decoder.ended.map(Timestamp::as_nanos), expected, "{text}");
        }
    }

    #[test]
    fn times_of_old_servers_have_six_digits_and_the_hour_may_be_padded() {
        let expected = |hour| jiff::civil::date(2026, 3, 1).at(hour, 5, 2, 0);
        assert_eq!(six_digits("260301 10:05:02"), Some(expected(10)));
        assert_eq!(six_digits("260301  9:05:02"), Some(expected(9)));
        for text in ["26031 10:05:02", "261301 10:05:02", "260301", "260301 10:05", "260301 10:05:02 x"] {
            assert_eq!(six_digits(text), None, "{text}");
        }
    }

    #[test]
    fn the_database_may_be_empty() {
        assert_eq!(schema(b"# Thread_id: 8  Schema: shop  QC_hit: No"), Some(&b"shop"[..]));
        assert_eq!(schema(b"# Thread_id: 8  Schema:   QC_hit: No"), Some(&b""[..]));
        assert_eq!(schema(b"# Rows_affected: 0"), None);
    }
}
