//! One connection, from the greeting to the end.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::encode::Writer;
use crate::packet::{self, Framing};
use crate::reply::{self, Open};
use crate::request::{self, Request};
use crate::room::Room;
use crate::script::{Answer, Greeting};
use crate::verifier::Verifier;

/// Markers: a call is given up; the wire is clear again; a client wants to give up its call.
const BREAK: u8 = 1;
const RESET: u8 = 2;
const INTERRUPT: u8 = 3;
/// What a break by the client makes of a statement.
const CANCELLED: u32 = 1013;

/// What is answered to a password that is not the one there is.
const WRONG_PASSWORD: u32 = 1017;
/// The password of a server that lets in everybody: clients that demand the server's proof of
/// knowing the password as well need this one.
const ANY_PASSWORD: &str = "any";
/// What a client is told about its session.
const SESSION: [(&str, &str); 8] = [
    ("AUTH_VERSION_NO", reply::VERSION.1),
    ("AUTH_SESSION_ID", "42"),
    ("AUTH_SERIAL_NUM", "4711"),
    ("AUTH_SC_DBUNIQUE_NAME", "FAKE"),
    ("AUTH_SC_SERVICE_NAME", "FAKE"),
    ("AUTH_INSTANCENAME", "fake1"),
    ("AUTH_MAX_OPEN_CURSORS", "300"),
    ("AUTH_MAX_IDEN_LENGTH", "128"),
];

/// The drivers that read the scale of a NUMBER as a number with a length of its own, where others
/// read one byte. What they agree on with a real server that makes the difference is not known here.
const LONG_SCALES: [&str; 2] = ["Java_TTC", "OracleClientGo"];

/// Cursors of a session; the next one replaces the first.
const MOST_CURSORS: u64 = 60_000;

/// A connection and what is known about it.
struct Session<'a> {
    stream: &'a TcpStream,
    room: &'a Room,
    framing: Framing,
    greeting: Greeting,
    descriptor: String,
    /// The statement of each cursor, and its rows once it was executed.
    cursors: HashMap<u64, (String, Option<Open>)>,
    /// The cursor of the statement that was parsed last.
    parsed: u64,
    /// How the client sends names and statements: see [`request::Logon`].
    bare: bool,
    /// How it reads the scale of a column: see [`LONG_SCALES`].
    long_scales: bool,
    /// The number of the call that is being answered.
    call_number: u8,
}

/// Talks until the client leaves.
pub(crate) fn hold(stream: &TcpStream, room: &Room) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut session = Session {
        stream,
        room,
        framing: Framing { long: false, largest: 8192, marks_end: false },
        greeting: room.script.greeting(),
        descriptor: String::new(),
        cursors: HashMap::new(),
        parsed: 0,
        bare: false,
        long_scales: false,
        call_number: 0,
    };
    if session.greet()? { session.serve() } else { Ok(()) }
}

impl Session<'_> {
    /// Meets the connection; whether it goes on.
    fn greet(&mut self) -> io::Result<bool> {
        let mut stream = self.stream;
        match self.greeting {
            Greeting::Hangup => return Ok(false),
            Greeting::Silence => return swallow(stream),
            Greeting::Stranger => {
                stream.write_all(b"SSH-2.0-OpenSSH_9.6\r\n")?;
                return swallow(stream);
            }
            _ => {}
        }
        self.read_connect()?;
        if let Greeting::Refuse(code) = self.greeting {
            self.framing.send(&mut stream, packet::REFUSE, &reply::refuse(code))?;
            return Ok(false);
        }
        let version = match self.greeting {
            Greeting::OldProtocol => 314,
            Greeting::Modern => 319,
            _ => 318,
        };
        let required = self.greeting == Greeting::EncryptionRequired;
        let flags = if self.greeting == Greeting::Modern { 0x0200_0000 } else { 0 };
        let sdu = u32::try_from(self.framing.largest).unwrap_or(8192);
        let body = reply::accept(version, required, flags, sdu);
        self.framing.send(&mut stream, packet::ACCEPT, &body)?;
        self.framing.long = true;
        Ok(true)
    }

    /// Reads the CONNECT packet: the size of packets and the descriptor, which comes in a packet
    /// of its own if it is long.
    fn read_connect(&mut self) -> io::Result<()> {
        let connect = self.framing.receive(&mut self.stream)?;
        let field = |at: usize| connect.body.get(at..at + 4)?.try_into().ok();
        let sdu = field(50).map_or(8192, u32::from_be_bytes);
        self.framing.largest = usize::try_from(sdu).unwrap_or(8192).clamp(512, 2 << 20);
        let length = field(16).map_or(0, |bytes| u32::from_be_bytes(bytes) >> 16);
        let inside = connect.body.get(66..).unwrap_or_default();
        self.descriptor = String::from_utf8_lossy(inside).into_owned();
        if connect.kind == packet::CONNECT && inside.is_empty() && length > 0 {
            let more = self.framing.receive(&mut self.stream)?;
            self.descriptor = String::from_utf8_lossy(&more.body).into_owned();
        }
        Ok(())
    }

    fn serve(&mut self) -> io::Result<()> {
        let mut call = Vec::new();
        loop {
            let packet = self.framing.receive(&mut self.stream)?;
            match packet.kind {
                packet::MARKER => self.mark(packet.body.get(2).copied())?,
                packet::DATA if packet.last => return Ok(()),
                packet::DATA => call.extend(packet.body),
                _ => {}
            }
            if let Some(received) = request::read(&call, self.bare) {
                call.clear();
                self.call_number = received.call_number;
                self.room.keep_attributes(received.attributes);
                if !self.answer(received.request)? {
                    return Ok(());
                }
            }
        }
    }

    /// Gives up the call when the client wants that. What the call comes to is said once the
    /// client has cleared the wire.
    fn mark(&mut self, marker: Option<u8>) -> io::Result<()> {
        match marker {
            Some(BREAK | INTERRUPT) => self.send_marker(BREAK),
            Some(RESET) => self.cancel(),
            _ => Ok(()),
        }
    }

    fn send_marker(&mut self, marker: u8) -> io::Result<()> {
        self.framing.send(&mut self.stream, packet::MARKER, &[1, 0, marker])
    }

    /// Clears the wire after a break.
    fn cancel(&mut self) -> io::Result<()> {
        self.send_marker(RESET)?;
        let mut answer = self.writer();
        let text = "user requested cancel of current operation";
        reply::end(&mut answer, CANCELLED, text, 0);
        self.send(answer)
    }

    /// Answers one call; whether the connection goes on.
    fn answer(&mut self, request: Request) -> io::Result<bool> {
        let mut answer = self.writer();
        match request {
            Request::Protocol(driver) => {
                self.long_scales = LONG_SCALES.iter().any(|name| driver.starts_with(name));
                answer.raw(&reply::protocol(self.greeting == Greeting::Malformed, self.verifier()));
            }
            Request::DataTypes => _ = answer.raw(&reply::data_types()),
            Request::LogonBegin(logon) => return self.begin_logon(logon),
            Request::LogonProof(logon) => return self.end_logon(&logon),
            call => return self.call(call),
        }
        self.send(answer)?;
        Ok(true)
    }

    fn begin_logon(&mut self, mut logon: request::Logon) -> io::Result<bool> {
        if self.greeting == Greeting::SilenceAtLogon {
            return swallow(self.stream);
        }
        self.bare = logon.bare;
        logon.descriptor.clone_from(&self.descriptor);
        self.room.logged_on(logon);
        self.framing.marks_end = self.greeting == Greeting::Modern;
        let password = self.room.script.wanted_password().unwrap_or(ANY_PASSWORD);
        let mut answer = self.writer();
        reply::parameters(&mut answer, &self.verifier().challenge(password));
        self.succeed(answer)
    }

    fn verifier(&self) -> Verifier {
        if self.greeting == Greeting::OldVerifier { Verifier::Sha1 } else { Verifier::Pbkdf2 }
    }

    fn end_logon(&mut self, logon: &request::Logon) -> io::Result<bool> {
        if let Greeting::RefuseLogon(code) = self.greeting {
            return self.refuse_logon(code);
        }
        let wanted = self.room.script.wanted_password();
        let said = |name| logon.said(name).unwrap_or_default();
        let password = wanted.unwrap_or(ANY_PASSWORD);
        let proof = self.verifier().proof(password, said("AUTH_SESSKEY"), said("AUTH_PASSWORD"));
        if proof.is_none() && wanted.is_some() {
            return self.refuse_logon(WRONG_PASSWORD);
        }
        let mut pairs = proof.into_iter().collect::<Vec<_>>();
        pairs.extend(SESSION.map(|(name, value)| (name, value.to_owned(), 0)));
        let mut answer = self.writer();
        reply::parameters(&mut answer, &pairs);
        self.succeed(answer)
    }

    fn refuse_logon(&mut self, code: u32) -> io::Result<bool> {
        let mut answer = self.writer();
        reply::end(&mut answer, code, logon_refusal(code), 0);
        self.send(answer)?;
        Ok(true)
    }

    fn call(&mut self, request: Request) -> io::Result<bool> {
        if request == Request::Logoff {
            let answer = self.writer();
            return self.succeed(answer);
        }
        self.room.round_trips.fetch_add(1, Ordering::AcqRel);
        match request {
            Request::Execute { sql, rows, binds } => {
                self.room.parses.fetch_add(1, Ordering::AcqRel);
                self.parsed = self.parsed % MOST_CURSORS + 1;
                let cursor = self.parsed;
                self.cursors.insert(cursor, (sql, None));
                self.execute(cursor, rows, binds)
            }
            Request::Again { cursor, rows, binds } => self.execute(cursor, rows, binds),
            Request::Fetch { cursor, rows } => self.fetch(cursor, rows, false),
            Request::Define { cursor, rows } => self.fetch(cursor, rows, true),
            Request::Version => {
                let mut answer = self.writer();
                reply::version(&mut answer);
                self.succeed(answer)
            }
            Request::Unknown(code) => {
                let mut answer = self.writer();
                let text = format!("two-task conversion routine: function {code} is not faked");
                reply::end(&mut answer, 3115, &text, 0);
                self.send(answer)?;
                Ok(true)
            }
            _ => {
                let answer = self.writer();
                self.succeed(answer)
            }
        }
    }

    fn execute(&mut self, cursor: u64, rows: u64, binds: Vec<Vec<u8>>) -> io::Result<bool> {
        let Some((sql, _)) = self.cursors.get(&cursor) else {
            return self.fetch(cursor, rows, true);
        };
        let sql = sql.clone();
        self.room.executed(&sql, binds);
        let answer = self.room.script.answer(&sql);
        self.give(answer, cursor, rows)
    }

    fn give(&mut self, answer: Answer, cursor: u64, most: u64) -> io::Result<bool> {
        let mut writer = self.writer();
        match answer {
            Answer::Rows(columns, rows) => {
                let mut open = Open { columns, rows: rows.into_iter() };
                reply::describe(&mut writer, &open.columns, self.long_scales);
                reply::rows(&mut writer, &mut open, most, cursor, true);
                if let Some((_, rows)) = self.cursors.get_mut(&cursor) {
                    *rows = Some(open);
                }
            }
            Answer::Done(rows) => reply::done(&mut writer, cursor, rows),
            Answer::Error(code, text) => reply::end(&mut writer, code, &text, 0),
            Answer::Later(wait, answer) => {
                return if self.wait(wait)? { self.give(*answer, cursor, most) } else { Ok(true) };
            }
            Answer::Silence => return swallow(self.stream),
            Answer::Garbage => {
                self.stream.write_all(&[0; 64])?;
                return swallow(self.stream);
            }
            Answer::Hangup => return Ok(false),
        }
        self.send(writer)?;
        Ok(true)
    }

    fn fetch(&mut self, cursor: u64, most: u64, executed: bool) -> io::Result<bool> {
        let mut answer = self.writer();
        match self.cursors.get_mut(&cursor) {
            Some((_, Some(open))) => reply::rows(&mut answer, open, most, cursor, executed),
            _ => reply::end(&mut answer, 1001, "invalid cursor", 0),
        }
        self.send(answer)?;
        Ok(true)
    }

    /// Waits before an answer; whether the client waited as well. If it sends anything
    /// meanwhile, that is a break.
    fn wait(&mut self, wait: Duration) -> io::Result<bool> {
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.peek(&mut [0]) {
                Err(error) if is_timeout(&error) => {}
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                other => {
                    self.stream.set_read_timeout(None)?;
                    return other.map(|_| false);
                }
            }
        }
        self.stream.set_read_timeout(None)?;
        Ok(true)
    }

    /// An answer to the call.
    fn writer(&self) -> Writer {
        Writer::answer(self.call_number)
    }

    fn succeed(&mut self, mut answer: Writer) -> io::Result<bool> {
        reply::end(&mut answer, 0, "", 0);
        self.send(answer)?;
        Ok(true)
    }

    fn send(&mut self, mut answer: Writer) -> io::Result<()> {
        if self.framing.marks_end {
            reply::mark_end(&mut answer);
        }
        self.framing.send_data(&mut self.stream, &answer.into_bytes())
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Reads until the client gives up, without a word.
fn swallow(mut stream: &TcpStream) -> io::Result<bool> {
    let mut bytes = [0; 4096];
    while stream.read(&mut bytes)? > 0 {}
    Ok(false)
}

fn logon_refusal(code: u32) -> &'static str {
    match code {
        1005 => "null password given; logon denied",
        1017 => "invalid username/password; logon denied",
        1033 => "ORACLE initialization or shutdown in progress",
        1045 => "user lacks CREATE SESSION privilege; logon denied",
        28000 => "The account is locked.",
        28001 => "the password has expired",
        28009 => "connection as SYS should be as SYSDBA or SYSOPER",
        _ => "logon denied",
    }
}
