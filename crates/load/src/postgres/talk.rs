//! A conversation with a server, message by message, where speed does not matter: logging on,
//! setting up, asking.

use std::time::{Duration, Instant};

use super::address::{Logon, TlsMode};
use super::logon::Proof;
use super::stream::Stream;
use super::trouble::Trouble;
use super::wire::{Fields, ServerFault, split, write};

/// The longest message taken: rows of a few short texts.
const MOST: usize = 1 << 20;
/// How long to wait before looking whether to go on waiting.
const GLANCE: Duration = Duration::from_millis(100);
/// Settings with which every connection begins.
const ENCODING: (&str, &str) = ("client_encoding", "UTF8");

/// A server we are logged on to.
#[derive(Debug)]
pub struct Talk {
    stream: Stream,
    /// Bytes that came and are not read yet, from `at` on.
    input: Vec<u8>,
    at: usize,
    /// The server's process for us, and what lets us cancel what it does.
    pub process: i32,
    secret: i32,
}

/// A message in our own memory.
#[derive(Debug)]
pub struct Said {
    /// Its type.
    pub tag: u8,
    /// What follows its head.
    pub body: Vec<u8>,
}

impl Said {
    /// The fields of its body.
    pub fn fields(&self) -> Fields<'_> {
        Fields::of(&self.message())
    }

    /// The error it tells of.
    pub fn fault(&self) -> ServerFault {
        ServerFault::read(&self.message())
    }

    fn message(&self) -> super::wire::Message<'_> {
        super::wire::Message { tag: self.tag, body: &self.body, length: self.body.len() + 5 }
    }
}

impl Talk {
    /// Connects and logs on.
    pub fn open(logon: &Logon) -> Result<Talk, Trouble> {
        let stream = Stream::connect(&logon.place, logon.timeout)?;
        stream.patience(GLANCE)?;
        if matches!(logon.tls, TlsMode::Require | TlsMode::VerifyFull) {
            return Err(Trouble::Logon(WITHOUT_TLS.to_owned()));
        }
        let mut talk = Talk { stream, input: Vec::new(), at: 0, process: 0, secret: 0 };
        talk.log_on(logon)?;
        Ok(talk)
    }

    fn log_on(&mut self, logon: &Logon) -> Result<(), Trouble> {
        let deadline = Instant::now() + logon.timeout;
        let mut out = Vec::new();
        let mut parameters = vec![
            ("user", logon.user.as_str()),
            ("database", logon.database.as_str()),
            ("application_name", logon.application.as_str()),
            ENCODING,
        ];
        parameters.extend(logon.options.as_deref().map(|options| ("options", options)));
        write::startup(&mut out, &parameters);
        self.say(&out)?;
        let mut proof = Proof::new(logon);
        loop {
            let said = self.hear(&mut || {
                let late = Instant::now() > deadline;
                if late { Err(Trouble::Late(logon.timeout.as_secs())) } else { Ok(()) }
            })?;
            match said.tag {
                b'R' => self.say(&proof.answer(&said)?)?,
                b'K' => {
                    let mut fields = said.fields();
                    (self.process, self.secret) = (fields.int32()?, fields.int32()?);
                }
                b'E' => return Err(Trouble::Server(said.fault())),
                b'Z' => return proof.complete(),
                _ => {}
            }
        }
    }

    /// Says something.
    pub fn say(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.stream.write_now(rest)? {
                0 => self.wait_to_write()?,
                sent => rest = rest.get(sent..).unwrap_or_default(),
            }
        }
        Ok(())
    }

    fn wait_to_write(&self) -> Result<(), Trouble> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let second = Timespec { tv_sec: 1, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.stream, PollFlags::OUT)], Some(&second))?;
        Ok(())
    }

    /// Waits for the next message; `idle` is asked a few times a second whether to go on waiting.
    pub fn hear(&mut self, idle: &mut dyn FnMut() -> Result<(), Trouble>) -> Result<Said, Trouble> {
        loop {
            let unread = self.input.get(self.at..).unwrap_or_default();
            if let Some(message) = split(unread, MOST)? {
                self.at += message.length;
                return Ok(Said { tag: message.tag, body: message.body.to_vec() });
            }
            self.input.drain(..self.at);
            self.at = 0;
            if !self.fill()? {
                idle()?;
            }
        }
    }

    /// Reads more bytes; false when none came in time.
    fn fill(&mut self) -> Result<bool, Trouble> {
        let mut room = [0; 8_192];
        match self.stream.read(&mut room) {
            Ok(0) => Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
            Ok(read) => {
                self.input.extend_from_slice(room.get(..read).unwrap_or_default());
                Ok(true)
            }
            Err(rustix::io::Errno::AGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Asks the server to cancel what it does for us.
    pub fn cancel(&self, logon: &Logon) -> Result<(), Trouble> {
        let mut stream = Stream::connect(&logon.place, logon.timeout)?;
        let mut out = Vec::new();
        write::cancel(&mut out, self.process, self.secret);
        Ok(stream.write_all(&out)?)
    }

    /// The stream, for somebody who reads faster. All that was said has been heard.
    pub fn into_stream(self) -> Stream {
        self.stream
    }
}

const WITHOUT_TLS: &str = "this isotherm speaks no TLS to PostgreSQL: connect without \
    (sslmode=disable) where that is safe, through an ssh tunnel, or on the server's unix socket";
