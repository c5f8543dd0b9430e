//! A connection to a Redis server on which one waits for each answer.

use std::io::{self, Write};
use std::time::Instant;

use isotherm_client::redis::inbox::Inbox;
use isotherm_client::redis::replies::{NOT_PONG, PONG, Reply, UNASKED, code, command};
use isotherm_client::redis::stream::{ANSWER, Stream};
use isotherm_client::used;

use super::address::RedisAddress;

/// The longest answer, bytes: the histograms of all commands have some 100 KiB.
const LONGEST: usize = 16 << 20;

/// What the server has to say to the questions of one poll.
pub(super) const QUESTIONS: [&[&[u8]]; 5] = [
    &[b"INFO", b"server"],
    &[b"MULTI"],
    &[b"LATENCY", b"HISTOGRAM"],
    &[b"INFO", b"commandstats"],
    &[b"EXEC"],
];

/// A connection that is logged on.
pub(super) struct Session {
    stream: Stream,
    inbox: Inbox,
    target: String,
    user: String,
}

/// Why the server cannot be asked.
#[derive(Debug)]
pub(super) enum RedisError {
    /// The server wants a password, and none is known.
    Password(String),
    /// The server does not let us do what is needed: the words say what helps.
    Refused(String),
    /// There is no connection, or none any more.
    Lost(String),
}

impl Session {
    /// Connects and logs on.
    pub(super) fn open(
        address: &RedisAddress,
        password: Option<&str>,
    ) -> Result<Session, RedisError> {
        let target = address.target();
        let connected = Stream::connect(&address.place);
        let (stream, _) = connected.map_err(|error| lost(&target, &error))?;
        let user = address.user.clone().unwrap_or_else(|| "default".to_owned());
        let mut session = Session { stream, inbox: Inbox::new(LONGEST), target, user };
        if let Some(password) = password {
            used::remember(password, &[&session.user]);
            let allowed = session.stream.takes_password(address.clear_text);
            allowed.map_err(|why| RedisError::Refused(format!("{}: {why}", session.target)))?;
            let words: [&[u8]; 3] = [b"AUTH", session.user.as_bytes(), password.as_bytes()];
            // Redis before 6 knows no users.
            let words =
                if address.user.is_some() { words.to_vec() } else { vec![words[0], words[2]] };
            let mut bytes = Vec::new();
            command(&mut bytes, &words);
            session.send(&bytes)?;
            session.answer(&mut |_| Ok(()))?;
        }
        let mut ping = Vec::new();
        command(&mut ping, &[b"PING"]);
        session.send(&ping)?;
        session.answer(&mut |reply| match reply {
            Reply::Simple(text) if *text == PONG.as_bytes() => Ok(()),
            _ => Err(format!("the server is not Redis: {NOT_PONG}")),
        })?;
        if !session.inbox.is_empty() {
            let words = format!("{}: the server is not Redis: {UNASKED}", session.target);
            return Err(RedisError::Refused(words));
        }
        Ok(session)
    }

    /// Asks what a poll needs; gives the first answer and the last to `take`.
    pub(super) fn poll<T>(
        &mut self,
        take: impl Fn(&Reply<'_>, &Reply<'_>) -> Result<T, String>,
    ) -> Result<T, RedisError> {
        let mut bytes = Vec::new();
        for words in QUESTIONS {
            command(&mut bytes, words);
        }
        self.send(&bytes)?;
        let mut server = Vec::new();
        self.answer(&mut |reply| {
            if let Reply::Bulk(text) = reply {
                server = text.to_vec();
            }
            Ok(())
        })?;
        let mut refused = None;
        for _ in 0..QUESTIONS.len() - 2 {
            match self.answer(&mut |_| Ok(())) {
                Err(RedisError::Refused(why)) => {
                    refused.get_or_insert(why);
                }
                other => other?,
            }
        }
        let mut taken = None;
        let last = self.answer(&mut |reply| {
            taken = Some(take(&Reply::Bulk(&server), reply)?);
            Ok(())
        });
        match (refused, last, taken) {
            (Some(why), ..) => Err(RedisError::Refused(why)),
            (None, Err(error), _) => Err(error),
            (None, Ok(()), Some(taken)) => Ok(taken),
            (None, Ok(()), None) => Err(RedisError::Lost(format!("{}: no answer", self.target))),
        }
    }

    /// Asks one question; gives the answer to `take`.
    pub(super) fn ask<T>(
        &mut self,
        words: &[&[u8]],
        take: impl Fn(&Reply<'_>) -> Result<T, String>,
    ) -> Result<T, RedisError> {
        let mut bytes = Vec::new();
        command(&mut bytes, words);
        self.send(&bytes)?;
        let mut taken = None;
        self.answer(&mut |reply| {
            taken = Some(take(reply)?);
            Ok(())
        })?;
        taken.ok_or_else(|| RedisError::Lost(format!("{}: no answer", self.target)))
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), RedisError> {
        self.stream.write_all(bytes).map_err(|error| lost(&self.target, &error))
    }

    /// Waits for one answer.
    fn answer(
        &mut self,
        take: &mut dyn FnMut(&Reply<'_>) -> Result<(), String>,
    ) -> Result<(), RedisError> {
        let due = Instant::now() + ANSWER;
        loop {
            let first = self.inbox.first().map_err(|error| {
                let words = format!("{}: the server is not Redis: {error}", self.target);
                RedisError::Refused(words)
            })?;
            if let Some((reply, length)) = first {
                let taken = match &reply {
                    Reply::Error(error) => Err(self.refusal(error)),
                    reply => take(reply)
                        .map_err(|why| RedisError::Refused(format!("{}: {why}", self.target))),
                };
                self.inbox.drop_first(length);
                return taken;
            }
            if Instant::now() > due {
                let late = format!("no whole answer within {} s", ANSWER.as_secs());
                return Err(RedisError::Lost(format!("{}: {late}", self.target)));
            }
            match self.inbox.fill(&mut self.stream) {
                Ok(0) => {
                    let words = format!("{}: the server closed the connection", self.target);
                    return Err(RedisError::Lost(words));
                }
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(lost(&self.target, &error));
                }
                _ => {}
            }
        }
    }

    /// What to do about a refusal.
    fn refusal(&self, error: &[u8]) -> RedisError {
        let (target, user) = (&self.target, &self.user);
        let words = String::from_utf8_lossy(error);
        let words = used::hide(&words);
        let words = match code(error) {
            b"NOAUTH" => {
                return RedisError::Password(format!(
                    "{target} wants a password: set REDISCLI_AUTH, or give \
                     redis://...?password_file=FILE"
                ));
            }
            // A script that runs too long, like a start, passes.
            b"LOADING" | b"BUSY" => return RedisError::Lost(format!("{target}: {words}")),
            b"WRONGPASS" => format!("{target} does not know user {user} by this password"),
            b"NOPERM" => format!(
                "{target}: user {user} may not do what is needed ({words}). These rights are \
                 enough: ACL SETUSER {user} +ping +info +multi +exec +latency|histogram"
            ),
            _ if words.contains("nknown subcommand") || words.contains("unknown command") => {
                format!("{target}: {words}: LATENCY HISTOGRAM needs Redis 7.0 or later")
            }
            _ => format!("{target}: {words}"),
        };
        RedisError::Refused(words)
    }
}

fn lost(target: &str, error: &io::Error) -> RedisError {
    let why = match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => {
            "nothing listens there".into()
        }
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "no answer in time".into(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "the connection was lost".into()
        }
        _ => error.to_string(),
    };
    RedisError::Lost(format!("{target}: {why}"))
}
