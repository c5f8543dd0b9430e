//! A connection on which one waits for each answer: for all that is not measured.

use std::io::{self, Write};
use std::time::Instant;

use super::inbox::Inbox;
use super::replies::{Reply, code, command};
use super::stream::{ANSWER, Endpoint, Stream};
use super::target::Target;
use crate::LoadError;
use isotherm_client::redis::replies::{NOT_PONG, PONG, UNASKED};
use isotherm_client::used;

/// Replies to what is not measured are at most so long, values apart.
const LONGEST_ANSWER: usize = 1 << 20;

/// A connection that is logged on.
pub struct Session {
    stream: Stream,
    inbox: Inbox,
    /// Where it is connected to.
    pub endpoint: Endpoint,
    user: String,
    place: String,
}

/// A reply that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `OK`, or other words.
    Text(String),
    /// A number.
    Number(i64),
    /// A value.
    Value(Vec<u8>),
    /// No value.
    Nothing,
    /// Several.
    List(Vec<Answer>),
    /// What the server does not do, in its words.
    Refused(String),
}

impl Session {
    /// Connects and logs on.
    pub fn open(target: &Target) -> Result<Session, LoadError> {
        let (stream, endpoint) = Stream::connect(&target.place)
            .map_err(|error| unreachable(&target.place.to_string(), &error))?;
        let most = LONGEST_ANSWER + target.value_bytes as usize;
        let user = target.user.clone().unwrap_or_else(|| "default".to_owned());
        let place = target.place.to_string();
        let mut session = Session { stream, inbox: Inbox::new(most), endpoint, user, place };
        if let Some(password) = &target.password {
            used::remember(password, &[&session.user]);
            let allowed = session.stream.takes_password(target.clear_text);
            allowed.map_err(|why| LoadError::Unreachable(format!("{}: {why}", session.place)))?;
        }
        let (greeting, replies) = greeting(target);
        for answer in session.exchange(&greeting, replies)? {
            if let Answer::Refused(error) = answer {
                return Err(session.refused("log on", &error));
            }
        }
        // Without a password, the server first says so at a command.
        match session.ask("PING", &[b"PING"])? {
            Answer::Text(text) if text == PONG => Ok(session),
            _ => Err(not_redis(&session.place, NOT_PONG)),
        }
    }

    /// Sends one command and waits for its answer; `what` says in a word or two what it is for.
    pub fn ask(&mut self, what: &str, words: &[&[u8]]) -> Result<Answer, LoadError> {
        let mut bytes = Vec::new();
        command(&mut bytes, words);
        match self.exchange(&bytes, 1)?.pop() {
            Some(Answer::Refused(error)) => Err(self.refused(what, &error)),
            Some(answer) => Ok(answer),
            None => Err(LoadError::Failed(format!("{what}: no answer"))),
        }
    }

    /// Sends commands and waits for so many answers, refusals among them. One more than that shows that it
    /// is no Redis server: which of them belongs to what is not known.
    pub fn exchange(&mut self, bytes: &[u8], replies: usize) -> Result<Vec<Answer>, LoadError> {
        self.stream.write_all(bytes).map_err(|error| unreachable(&self.place, &error))?;
        let (mut answers, due) = (Vec::new(), Instant::now() + ANSWER);
        while answers.len() < replies {
            let first = self.inbox.first();
            let first = first.map_err(|error| not_redis(&self.place, &error.to_string()))?;
            if let Some((reply, length)) = first {
                answers.push(kept(&reply));
                self.inbox.drop_first(length);
                continue;
            }
            if Instant::now() > due {
                let late = format!("no whole answer within {} s", ANSWER.as_secs());
                return Err(not_redis(&self.place, &late));
            }
            match self.inbox.fill(&mut self.stream) {
                Ok(0) => {
                    return Err(not_redis(&self.place, "the connection was closed"));
                }
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(unreachable(&self.place, &error));
                }
                _ => {}
            }
        }
        if self.inbox.is_empty() { Ok(answers) } else { Err(not_redis(&self.place, UNASKED)) }
    }

    /// Words for an answer of a kind that a command does not have.
    pub fn unexpected(&self, what: &str) -> LoadError {
        not_redis(&self.place, &format!("{what}: an answer of another kind than was asked for"))
    }

    /// Whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        self.stream.is_local()
    }

    /// The connection itself, for a lane.
    pub fn into_stream(self) -> Stream {
        self.stream
    }

    /// What to do about a refusal.
    pub fn refused(&self, what: &str, error: &str) -> LoadError {
        let user = &self.user;
        let words = match code(error.as_bytes()) {
            b"NOAUTH" => {
                return LoadError::Password(format!(
                    "{} wants a password: set REDISCLI_AUTH, or give redis://...?password_file=FILE",
                    self.place
                ));
            }
            b"WRONGPASS" => format!("{} does not know user {user} by this password", self.place),
            b"NOPERM" => format!(
                "user {user} may not do what is needed to {what} ({error}). These rights are \
                 enough: ACL SETUSER {user} ~isotherm:* +get +set +exists +unlink +ping +select \
                 +info +config|get +dbsize"
            ),
            b"MOVED" | b"CLUSTERDOWN" | b"CROSSSLOT" => {
                return LoadError::Job(format!(
                    "{} is a node of a cluster: keys are spread over its nodes, and one server \
                     is what can be loaded ({error})",
                    self.place
                ));
            }
            _ => return LoadError::Failed(format!("{what}: {} says: {error}", self.place)),
        };
        LoadError::Unreachable(words)
    }
}

/// What is said first on each connection, and how many replies it brings.
pub fn greeting(target: &Target) -> (Vec<u8>, usize) {
    let (mut bytes, mut replies) = (Vec::new(), 0);
    let password = target.password.as_deref().unwrap_or_default().as_bytes();
    match &target.user {
        // A user without password is asked for one all the same; any will do.
        Some(user) => command(&mut bytes, &[b"AUTH", user.as_bytes(), password]),
        None if target.password.is_some() => command(&mut bytes, &[b"AUTH", password]),
        None => {}
    }
    replies += usize::from(!bytes.is_empty());
    if target.database != 0 {
        command(&mut bytes, &[b"SELECT", target.database.to_string().as_bytes()]);
        replies += 1;
    }
    (bytes, replies)
}

fn kept(reply: &Reply) -> Answer {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match reply {
        Reply::Simple(line) => Answer::Text(text(line)),
        Reply::Error(line) => Answer::Refused(used::hide(&text(line)).into_owned()),
        Reply::Integer(number) => Answer::Number(*number),
        Reply::Bulk(bytes) => Answer::Value(bytes.to_vec()),
        Reply::Nil => Answer::Nothing,
        Reply::Array(replies) => Answer::List(replies.iter().map(kept).collect()),
    }
}

fn unreachable(place: &str, error: &io::Error) -> LoadError {
    LoadError::Unreachable(match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("{place} does not answer within 10 seconds")
        }
        _ => format!("{place} cannot be reached: {error}. Is a Redis server listening there?"),
    })
}

fn not_redis(place: &str, why: &str) -> LoadError {
    LoadError::Unreachable(format!("{place} does not answer as a Redis server does: {why}"))
}
