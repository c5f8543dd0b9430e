//! A conversation with a server, message by message, where speed does not matter: logging on,
//! setting up, asking.

use std::time::{Duration, Instant};

use super::address::{Logon, Place, TlsMode};
use super::error::PgError;
use super::logon::Proof;
use super::server_message::ServerMessage;
use super::stream::Stream;
use super::wire::{WireError, split, write};

/// The longest message taken: rows of a few short texts.
const MOST: usize = 1 << 20;
/// How long to wait before looking whether to go on waiting.
const GLANCE: Duration = Duration::from_millis(20);
/// The longest that a server may take no byte of what it is told.
const TAKING: Duration = Duration::from_secs(30);
/// Settings with which every connection begins: what texts are in, and that a backslash in one is a character.
const ENCODING: (&str, &str) = ("client_encoding", "UTF8");
const STRINGS: (&str, &str) = ("standard_conforming_strings", "on");

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

impl Talk {
    /// Connects and logs on.
    pub fn open(logon: &Logon) -> Result<Talk, PgError> {
        let mut stream = Stream::connect(&logon.place, logon.timeout)?;
        stream.patience(GLANCE)?;
        encrypt(&mut stream, logon)?;
        let mut talk = Talk { stream, input: Vec::new(), at: 0, process: 0, secret: 0 };
        talk.log_on(logon)?;
        Ok(talk)
    }

    fn log_on(&mut self, logon: &Logon) -> Result<(), PgError> {
        let deadline = Instant::now() + logon.timeout;
        let mut out = Vec::new();
        let mut parameters = vec![
            ("user", logon.user.as_str()),
            ("database", logon.database.as_str()),
            ("application_name", logon.application.as_str()),
            ENCODING,
            STRINGS,
        ];
        parameters.extend(logon.options.as_deref().map(|options| ("options", options)));
        write::startup(&mut out, &parameters);
        self.say(&out)?;
        let mut proof = Proof::new(logon, self.stream.is_private());
        loop {
            let said = self.hear(&mut || {
                let late = Instant::now() > deadline;
                if late { Err(PgError::Late(logon.timeout.as_secs())) } else { Ok(()) }
            })?;
            match said.tag {
                b'R' => self.say(&proof.answer(&said)?)?,
                b'K' => {
                    let mut fields = said.fields();
                    (self.process, self.secret) = (fields.int32()?, fields.int32()?);
                }
                b'E' => return Err(PgError::Server(said.fault())),
                b'Z' => return proof.complete(),
                _ => {}
            }
        }
    }

    /// Says something.
    pub fn say(&mut self, bytes: &[u8]) -> Result<(), PgError> {
        let mut rest = bytes;
        let mut since = Instant::now();
        while !rest.is_empty() {
            match self.stream.write_now(rest)? {
                0 => self.wait_to_write(since)?,
                sent => {
                    rest = rest.get(sent..).unwrap_or_default();
                    since = Instant::now();
                }
            }
        }
        while self.stream.is_behind()? {
            self.wait_to_write(since)?;
        }
        Ok(())
    }

    /// Waits until the server takes more, which it has not done `since` then.
    fn wait_to_write(&self, since: Instant) -> Result<(), PgError> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let second = Timespec { tv_sec: 1, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.stream, PollFlags::OUT)], Some(&second))?;
        let late = since.elapsed() > TAKING;
        if late { Err(PgError::Late(TAKING.as_secs())) } else { Ok(()) }
    }

    /// Waits for the next message; `idle` is asked before each read, at least ten times a second, whether
    /// to go on: a server that keeps talking is to be left as well as one that is silent.
    pub fn hear(
        &mut self,
        idle: &mut dyn FnMut() -> Result<(), PgError>,
    ) -> Result<ServerMessage, PgError> {
        loop {
            let unread = self.input.get(self.at..).unwrap_or_default();
            if let Some(message) = split(unread, MOST)? {
                self.at += message.length;
                return Ok(ServerMessage { tag: message.tag, body: message.body.to_vec() });
            }
            self.input.drain(..self.at);
            self.at = 0;
            idle()?;
            self.fill()?;
        }
    }

    /// Reads more bytes, if some come in time.
    fn fill(&mut self) -> Result<(), PgError> {
        let mut room = [0; 8_192];
        match self.stream.read(&mut room) {
            Ok(0) => Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
            Ok(read) => {
                self.input.extend_from_slice(room.get(..read).unwrap_or_default());
                Ok(())
            }
            Err(rustix::io::Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Asks the server to cancel what it does for us.
    pub fn cancel(&self, logon: &Logon) -> Result<(), PgError> {
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

/// Asks for TLS where it is wanted, and begins it. As with libpq, never on a unix socket.
fn encrypt(stream: &mut Stream, logon: &Logon) -> Result<(), PgError> {
    let required = matches!(logon.tls, TlsMode::Require | TlsMode::VerifyFull);
    let possible = cfg!(feature = "tls") || required;
    let remote = matches!(logon.place, Place::Host(..));
    if logon.tls == TlsMode::Disable || !remote || !possible {
        return Ok(());
    }
    let mut out = Vec::new();
    write::tls(&mut out);
    stream.write_all(&out)?;
    match offered(stream, logon.timeout)? {
        b'S' => stream.encrypt(logon).map_err(|words| PgError::Logon(format!("TLS: {words}"))),
        b'N' if required => Err(PgError::Logon(WITHOUT_TLS.to_owned())),
        b'N' => Ok(()),
        tag => Err(WireError::Unexpected { tag }.into()),
    }
}

/// The one byte a server answers with. No more is read: what follows is encrypted.
fn offered(stream: &mut Stream, most: Duration) -> Result<u8, PgError> {
    let (deadline, mut answer) = (Instant::now() + most, [0]);
    loop {
        match stream.read(&mut answer) {
            Ok(0) => return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
            Ok(_) => return Ok(answer[0]),
            Err(rustix::io::Errno::AGAIN) if Instant::now() < deadline => {}
            Err(error) => return Err(error.into()),
        }
    }
}

const WITHOUT_TLS: &str = "the server speaks no TLS: turn it on there (ssl = on), or connect \
    without (sslmode=disable) where that is safe";
