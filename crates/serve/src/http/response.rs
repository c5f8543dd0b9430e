//! Answers: what every one of them says, and writing them in bounded time.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::refusal::Refusal;

/// What every answer says: no script but our own, no frame, no guessing of types, nothing kept.
const FIELDS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; \
style-src 'self'; connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; \
frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cache-Control: no-store\r\n\
Connection: close\r\n";

/// So many bytes are written before the time is looked at.
const AT_ONCE: usize = 64 << 10;

/// What an answer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Body {
    /// All of it.
    Whole(Vec<u8>),
    /// Events that follow as they happen.
    Stream,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    status: (u16, &'static str),
    content_type: &'static str,
    fields: Vec<(&'static str, String)>,
    body: Body,
}

impl Response {
    /// What was asked for.
    pub fn of(content_type: &'static str, body: Vec<u8>) -> Response {
        let (status, fields) = ((200, "OK"), Vec::new());
        Response { status, content_type, fields, body: Body::Whole(body) }
    }

    /// The beginning of a stream of events.
    pub fn stream() -> Response {
        let content_type = "text/event-stream";
        // A proxy in between is not to wait for more.
        let fields = vec![("X-Accel-Buffering", "no".to_owned())];
        Response { status: (200, "OK"), content_type, fields, body: Body::Stream }
    }

    /// Something was made.
    pub fn created(body: Vec<u8>) -> Response {
        Response { status: (201, "Created"), ..Response::of("application/json", body) }
    }

    /// Why there is no answer.
    pub fn refused(refusal: &Refusal) -> Response {
        let body = json!({ "error": refusal.to_string() }).to_string();
        let field = refusal.field().map(|(name, value)| (name, value.to_owned()));
        Response {
            status: refusal.status(),
            fields: field.into_iter().collect(),
            ..Response::of("application/json", body.into_bytes())
        }
    }

    /// The same with one more field. Values are ours, or text without line ends.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.fields.push((name, value.into()));
        self
    }

    /// Writes the head, and the body unless only the head is wanted.
    pub fn write(&self, stream: &mut TcpStream, head_only: bool, time: Duration) -> io::Result<()> {
        let (code, words) = self.status;
        let kind = self.content_type;
        let mut head = format!("HTTP/1.1 {code} {words}\r\nContent-Type: {kind}\r\n{FIELDS}");
        for (name, value) in &self.fields {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let body = match &self.body {
            Body::Whole(body) => {
                let _ = write!(head, "Content-Length: {}\r\n", body.len());
                body.as_slice()
            }
            Body::Stream => &[],
        };
        head.push_str("\r\n");
        let body = if head_only { &[] } else { body };
        write_all_within(stream, &[head.as_bytes(), body].concat(), time)
    }
}

/// Writes everything, or fails when that takes longer: a client that reads slowly must not hold a
/// thread for ever.
pub fn write_all_within(stream: &mut TcpStream, bytes: &[u8], time: Duration) -> io::Result<()> {
    let deadline = Instant::now() + time;
    let mut rest = bytes;
    while !rest.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(&rest[..rest.len().min(AT_ONCE)]) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    stream.flush()
}
