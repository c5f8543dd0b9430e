//! The answer to a poll of the active session history.

use std::collections::BTreeMap;
use std::sync::Arc;

use isotherm_formats::printable;
use isotherm_frame::{ActiveSession, CurrentWait, ON_CPU};
use jiff::civil::DateTime;

use crate::activity::oracle::escape::unescaped;

/// What a poll gave.
#[derive(Debug)]
pub(super) struct Reading {
    /// The database's clock, without a zone.
    pub(super) now: DateTime,
    /// The session that asked: `instance:sid`.
    pub(super) own: Arc<str>,
    /// The samples that each instance keeps at all, if that was asked.
    pub(super) kept: BTreeMap<u32, Kept>,
    /// The samples of each instance by number.
    pub(super) samples: BTreeMap<(u32, u64), Sample>,
}

/// The oldest and the newest sample that an instance keeps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) oldest: Numbered,
    pub(super) newest: Numbered,
}

/// `SAMPLE_ID` and `SAMPLE_TIME`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) number: u64,
    pub(super) time: DateTime,
}

/// What the sessions of an instance did at one moment.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) time: DateTime,
    pub(super) sessions: Vec<SampledSession>,
}

/// A row. The session has no name of a user yet.
#[derive(Clone, Debug)]
pub(super) struct SampledSession {
    /// `instance:sid`.
    pub(super) id: Arc<str>,
    pub(super) session: ActiveSession,
    pub(super) wait: CurrentWait,
    /// The number of the user; none of a background process.
    pub(super) user: Option<u64>,
}

/// Reads an answer; one without its clock or its end, or with something else, is none.
pub(super) fn reading(text: &str) -> Result<Reading, String> {
    let mut lines = text.lines();
    let unreadable = |line: &str| {
        let line = printable(line.as_bytes(), 100);
        format!("V$ACTIVE_SESSION_HISTORY: not what was asked for: {line}")
    };
    let first = lines.next().unwrap_or_default();
    let (now, own) = clock(first).ok_or_else(|| unreadable(first))?;
    let (mut kept, mut samples) = (BTreeMap::new(), BTreeMap::new());
    for line in lines {
        let read = match line.split_once('|') {
            None if line == "." => return Ok(Reading { now, own, kept, samples }),
            Some(("O", rest)) => {
                kept_of(rest).map(|(instance, found)| kept.extend([(instance, found)]))
            }
            Some(("H", rest)) => row(rest).map(|(key, time, session)| {
                let sample =
                    samples.entry(key).or_insert_with(|| Sample { time, sessions: Vec::new() });
                sample.sessions.push(session);
            }),
            _ => None,
        };
        read.ok_or_else(|| unreadable(line))?;
    }
    Err("V$ACTIVE_SESSION_HISTORY: the answer has no end".to_owned())
}

/// `T|2026-03-01 12:00:00.000|1:70`
fn clock(line: &str) -> Option<(DateTime, Arc<str>)> {
    let (now, own) = line.strip_prefix("T|")?.split_once('|')?;
    Some((now.parse().ok()?, own.into()))
}

/// `1|4711|2026-03-01 11:00:00.000|8311|2026-03-01 12:00:00.000`
fn kept_of(rest: &str) -> Option<(u32, Kept)> {
    let mut fields = rest.split('|');
    let instance = fields.next()?.parse().ok()?;
    let mut numbered = || {
        let number = fields.next()?.parse().ok()?;
        Some(Numbered { number, time: fields.next()?.parse().ok()? })
    };
    Some((instance, Kept { oldest: numbered()?, newest: numbered()? }))
}

/// The instance and number of a sample, its time, and one of its sessions.
fn row(rest: &str) -> Option<((u32, u64), DateTime, SampledSession)> {
    let mut fields = rest.splitn(12, '|');
    let instance = fields.next()?;
    let key = (instance.parse().ok()?, fields.next()?.parse().ok()?);
    let time = fields.next()?.parse().ok()?;
    let (sid, serial) = (fields.next()?, fields.next()?);
    let mut text = || Some(Arc::<str>::from(printable(unescaped(fields.next()?).as_bytes(), 200)));
    let (class, event, sql, blocker) = (text()?, text()?, text()?, text()?);
    let (number, user, program) = (text()?, text()?, text()?);
    let event = if &*class == ON_CPU { ON_CPU.into() } else { event };
    let session = format!("{instance}:{sid},{serial}").into();
    let session =
        ActiveSession { session, class, event, sql, user: Arc::default(), program, blocker };
    let wait = CurrentWait { number: number.parse().unwrap_or(0), lasted: None };
    let id = format!("{instance}:{sid}").into();
    Some((key, time, SampledSession { id, session, wait, user: user.parse().ok() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: &str = "\
T|2026-03-01 12:00:00.250|1:70
O|1|100|2026-03-01 11:00:00.000|161|2026-03-01 11:59:59.500
H|1|161|2026-03-01 11:59:59.500|71|9|User I/O|db file sequential read|7h35uxf5uhmm1||31|104|a|b
H|1|161|2026-03-01 11:59:59.500|72|3|CPU|CPU|||9||oracle@db1 (LGWR)
H|1|160|2026-03-01 11:59:58.500|71|9|Application|enq: TX - row lock contention||1:81|30|104|app
.
";

    #[test]
    fn rows_are_put_together_to_samples() {
        let reading = reading(POLL).unwrap();
        assert_eq!(
            (reading.now.to_string().as_str(), &*reading.own),
            ("2026-03-01T12:00:00.25", "1:70")
        );
        assert_eq!((reading.kept[&1].oldest.number, reading.kept[&1].newest.number), (100, 161));
        let numbers: Vec<(u32, u64)> = reading.samples.keys().copied().collect();
        assert_eq!(numbers, [(1, 160), (1, 161)]);
        let sessions = &reading.samples[&(1, 161)].sessions;
        let read = &sessions[0];
        assert_eq!((&*read.id, &*read.session.session), ("1:71", "1:71,9"));
        assert_eq!(
            (&*read.session.event, &*read.session.program),
            ("db file sequential read", "a|b")
        );
        assert_eq!((read.user, read.wait.number, read.wait.lasted), (Some(104), 31, None));
        assert_eq!((sessions[1].user, &*sessions[1].session.event), (None, "CPU"));
        assert_eq!(&*reading.samples[&(1, 160)].sessions[0].session.blocker, "1:81");
    }

    #[test]
    fn a_bar_in_the_name_of_an_event_does_not_shift_the_columns() {
        let poll = POLL.replace("db file sequential read", "db file\u{1f}read");
        let read = reading(&poll).unwrap().samples[&(1, 161)].sessions[0].clone();
        assert_eq!((&*read.session.event, &*read.session.sql), ("db file|read", "7h35uxf5uhmm1"));
        assert_eq!((&*read.session.program, read.user), ("a|b", Some(104)));
    }

    #[test]
    fn an_answer_that_is_cut_off_or_damaged_is_none() {
        let cut = POLL.strip_suffix(".\n").unwrap();
        assert!(reading(cut).unwrap_err().contains("no end"));
        for bad in ["", ".\n", "T|yesterday|1:70\n.\n", "T|2026-03-01 12:00:00|1:70\nH|1|160\n.\n"]
        {
            assert!(reading(bad).is_err(), "{bad}");
        }
    }
}
