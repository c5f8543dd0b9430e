//! Statements where speed does not matter.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::address::Logon;
use super::error::PgError;
use super::server_message::ServerMessage;
use super::talk::Talk;
use super::wire::write;
use crate::leave;
use crate::row_memory::row_memory;

/// The most memory that the rows of an answer may take, bytes, and the most that a server may say
/// before an answer ends.
const MOST: usize = 128 << 20;

/// The longest that an answer may take where nobody can ask to stop.
const UNSTOPPABLE: Duration = Duration::from_secs(30);

/// The longest that a server may take to end what it was asked to cancel.
const CANCELLING: Duration = Duration::from_millis(60);

/// A row: a text for each column, `None` for SQL's null.
pub type Row = Vec<Option<String>>;

/// A connection for statements of any kind.
#[derive(Debug)]
pub struct Control<'a> {
    talk: Talk,
    logon: &'a Logon,
    stop: Option<&'a AtomicBool>,
    /// The longest that an answer may take.
    most: Option<Duration>,
}

impl<'a> Control<'a> {
    /// Logs on. What runs is cancelled when `stop` is set; without it, no answer may take longer than
    /// 30 s.
    pub fn open(logon: &'a Logon, stop: Option<&'a AtomicBool>) -> Result<Control<'a>, PgError> {
        let Some(asked) = stop else {
            return Ok(Control { talk: Talk::open(logon)?, logon, stop, most: Some(UNSTOPPABLE) });
        };
        // Nothing runs yet that would have to be cancelled.
        let own = logon.clone();
        let mut left = || asked.load(Ordering::Relaxed).then_some(());
        let talk = leave::unless(move || Talk::open(&own), &mut left)?;
        let talk = talk.unwrap_or(Err(PgError::Stopped))?;
        Ok(Control { talk, logon, stop, most: None })
    }

    /// A conversation that is quiet at the moment; no answer may take longer than `most`.
    pub fn over(talk: Talk, logon: &'a Logon, most: Duration) -> Control<'a> {
        Control { talk, logon, stop: None, most: Some(most) }
    }

    /// The conversation, quiet again.
    pub fn into_talk(self) -> Talk {
        self.talk
    }

    /// Whether we were asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Runs statements and gives the rows of all of them.
    pub fn rows(&mut self, sql: &str) -> Result<Vec<Row>, PgError> {
        self.ask(sql)?;
        let (mut rows, mut size) = (Vec::new(), 0);
        self.answer(&mut |_, said| {
            if said.tag == b'D' {
                let row = row(said)?;
                size += row_memory(row.len());
                rows.push(row);
            }
            // Some of the rows are not the answer.
            if size > MOST { Err(PgError::TooLong { most: MOST }) } else { Ok(()) }
        })?;
        Ok(rows)
    }

    /// The first column of the first row; `None` if there is none.
    pub fn value(&mut self, sql: &str) -> Result<Option<String>, PgError> {
        let rows = self.rows(sql)?;
        Ok(rows.into_iter().next().and_then(|row| row.into_iter().next()).flatten())
    }

    /// The same as a number; 0 if there is none.
    pub fn number(&mut self, sql: &str) -> Result<u64, PgError> {
        let value = self.value(sql)?;
        Ok(value.and_then(|value| value.parse().ok()).unwrap_or(0))
    }

    /// Copies rows in: `data` is one message's worth at most a few megabytes long.
    pub fn copy(&mut self, sql: &str, data: &[u8]) -> Result<(), PgError> {
        self.ask(sql)?;
        let mut out = Vec::with_capacity(data.len() + data.len() / 1_000 + 64);
        for piece in data.chunks(64 << 10) {
            write::copy_data(&mut out, piece);
        }
        write::copy_done(&mut out);
        self.answer(&mut |talk, said| match said.tag {
            b'G' => talk.say(&out),
            _ => Ok(()),
        })
    }

    fn ask(&mut self, sql: &str) -> Result<(), PgError> {
        let mut out = Vec::with_capacity(sql.len() + 8);
        write::query(&mut out, sql);
        self.talk.say(&out)
    }

    /// Hears the server out; its error, if there was one, is the result.
    fn answer(
        &mut self,
        each: &mut dyn FnMut(&mut Talk, &ServerMessage) -> Result<(), PgError>,
    ) -> Result<(), PgError> {
        let (mut fault, mut cancelled, began) = (None, None::<Instant>, Instant::now());
        let mut received_bytes = 0;
        loop {
            let (stop, most) = (self.stop, self.most);
            let received = self.talk.hear(&mut || match (cancelled, stop, most) {
                (Some(since), ..) if since.elapsed() > CANCELLING => Err(PgError::Stopped),
                (None, Some(stop), _) if stop.load(Ordering::Relaxed) => Err(PgError::Stopped),
                (_, _, Some(most)) if began.elapsed() > most => Err(PgError::Late(most.as_secs())),
                _ => Ok(()),
            });
            if matches!(received, Err(PgError::Stopped)) && cancelled.is_none() {
                self.talk.cancel(self.logon)?;
                cancelled = Some(Instant::now());
                continue;
            }
            let said = received?;
            received_bytes += size_of::<ServerMessage>() + said.body.len();
            if received_bytes > MOST {
                return Err(PgError::TooLong { most: MOST });
            }
            match said.tag {
                b'E' => fault = Some(PgError::Server(said.fault())),
                b'Z' => break,
                _ => each(&mut self.talk, &said)?,
            }
        }
        match fault {
            Some(fault) if cancelled.is_some() && fault.is("57014") => Err(PgError::Stopped),
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

fn row(said: &ServerMessage) -> Result<Row, PgError> {
    let mut fields = said.fields();
    let columns = usize::try_from(fields.int16()?).unwrap_or(0);
    let mut row = Vec::with_capacity(columns.min(64));
    for _ in 0..columns {
        let value = fields.value()?;
        row.push(value.map(|value| String::from_utf8_lossy(value).into_owned()));
    }
    Ok(row)
}

/// A text as SQL writes it, where a backslash is a character like others: every connection says so.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A name as SQL writes it.
pub fn named(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
