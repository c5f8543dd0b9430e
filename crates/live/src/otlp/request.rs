//! HTTP as exporters of OpenTelemetry speak it: posts with a body.

use std::io::{self, BufRead, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use isotherm_frame::SharedMemory;

use crate::feed::Stopped;
use crate::held::Held;

/// How long a whole request may take, from its first byte on.
const LONGEST_TIME: Duration = Duration::from_secs(30);
/// How many bytes of bodies are held at the same time, of all connections.
pub(super) const HELD: usize = 48 << 20;

/// The body of a request.
#[derive(Debug)]
pub(super) enum Body {
    Json(Held),
    Protobuf(Held),
}

impl Body {
    /// What it is called in a head.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Body::Json(_) => JSON,
            Body::Protobuf(_) => PROTOBUF,
        }
    }
}

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/x-protobuf";
/// When a request has to be there; none before its first byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadline(Arc<Mutex<Option<Instant>>>);

impl Deadline {
    fn set(&self, end: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }

    fn is_over(&self) -> bool {
        let end = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        end.is_some_and(|end| Instant::now() >= end)
    }
}

/// What requests may take.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// Room for the bodies of all connections: who finds none is told to try again.
    pub(super) room: SharedMemory,
    pub(super) deadline: Deadline,
}

/// The longest body, with and without its compression.
const LONGEST: u64 = 16 << 20;
/// The longest line of a head, and the most lines.
const LONGEST_LINE: u64 = 16 << 10;
const MOST_LINES: usize = 100;

/// A request: its body, or the status that it is answered with.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) body: Result<Body, u16>,
    /// Whether the connection ends after it.
    pub(super) closes: bool,
}

/// How long a body is.
#[derive(Copy, Clone, Debug, Default)]
enum Length {
    #[default]
    Missing,
    Known(u64),
    Chunked,
}

/// How a body is packed.
#[derive(Copy, Clone, Debug, Default)]
enum Encoding {
    #[default]
    Plain,
    Gzip,
    Other,
}

/// What a head says.
#[derive(Debug, Default)]
struct Head {
    post: bool,
    path: String,
    length: Length,
    encoding: Encoding,
    kind: String,
    closes: bool,
    continues: bool,
}

/// A connection that is read until the receiver is stopped, however long nothing comes between two requests.
pub(super) struct Patient {
    pub(super) stream: TcpStream,
    pub(super) stopped: Stopped,
    pub(super) deadline: Deadline,
}

impl Read for Patient {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(into) {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) && !self.stopped.is_set()
                        && !self.deadline.is_over() => {}
                Ok(_) if self.deadline.is_over() => return Err(io::ErrorKind::TimedOut.into()),
                other => return other,
            }
        }
    }
}

/// Reads the next request; `None` where the connection has ended. Who waits to be asked for the body
/// is asked through `answers`.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    answers: &mut dyn Write,
    limits: &Limits,
) -> io::Result<Option<Request>> {
    limits.deadline.set(None);
    if input.fill_buf()?.is_empty() {
        return Ok(None);
    }
    limits.deadline.set(Some(Instant::now() + LONGEST_TIME));
    let Some(head) = head(input)? else { return Ok(None) };
    if head.continues {
        answers.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let refused = |status| Ok(Some(Request { body: Err(status), closes: true }));
    let mut body = Held::none(&limits.room);
    let is_there = match head.length {
        Length::Chunked => chunks(input, &mut body)?,
        Length::Known(length) if length <= LONGEST => {
            body.reserve(length);
            whole(input, length, &mut body)?
        }
        Length::Known(_) => return refused(413),
        Length::Missing if head.post => return refused(411),
        Length::Missing => true,
    };
    if !is_there {
        return refused(503);
    }
    let body = match unpacked(body, head.encoding) {
        Ok(body) => body,
        Err(status) => return refused(status),
    };
    let kind = head.kind.split(';').next().unwrap_or_default().trim();
    let body = match kind {
        _ if head.path != "/v1/metrics" => Err(404),
        _ if !head.post => Err(405),
        JSON => Ok(Body::Json(body)),
        PROTOBUF => Ok(Body::Protobuf(body)),
        _ => Err(415),
    };
    Ok(Some(Request { body, closes: head.closes }))
}

fn head(input: &mut (dyn BufRead + Send)) -> io::Result<Option<Head>> {
    let mut first = line(input)?;
    // Blank lines before a request are allowed.
    while first.as_deref() == Some("") {
        first = line(input)?;
    }
    let Some(first) = first else { return Ok(None) };
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let old = words.next() == Some("HTTP/1.0");
    let mut head = Head { post: method == "POST", path, closes: old, ..Head::default() };
    for _ in 0..MOST_LINES {
        let Some(field) = line(input)? else { return Ok(None) };
        if field.is_empty() {
            return Ok(Some(head));
        }
        head.field(&field);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "the head is too long"))
}

impl Head {
    fn field(&mut self, field: &str) {
        let Some((name, value)) = field.split_once(':') else { return };
        let value = value.trim().to_ascii_lowercase();
        match name.trim().to_ascii_lowercase().as_str() {
            "content-length" => {
                self.length = value.parse().map_or(Length::Missing, Length::Known);
            }
            "transfer-encoding" if value.contains("chunked") => self.length = Length::Chunked,
            "content-encoding" => {
                self.encoding = match value.as_str() {
                    "gzip" => Encoding::Gzip,
                    "identity" | "" => Encoding::Plain,
                    _ => Encoding::Other,
                };
            }
            "content-type" => self.kind = value,
            "connection" => self.closes = value.contains("close"),
            "expect" => self.continues = value.contains("100-continue"),
            _ => {}
        }
    }
}

/// A line without its end; `None` at the end of the connection.
fn line(input: &mut (dyn BufRead + Send)) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long or cut"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()))
}

/// Reads so many bytes; `false` where there is no room for them.
fn whole(input: &mut (dyn BufRead + Send), length: u64, body: &mut Held) -> io::Result<bool> {
    let before = body.len() as u64;
    if !body.read(&mut *input, length)? {
        return Ok(false);
    }
    if body.len() as u64 - before < length {
        Err(io::ErrorKind::UnexpectedEof.into())
    } else {
        Ok(true)
    }
}

/// Reads one chunk after the other; `false` where there is no room for them.
fn chunks(input: &mut (dyn BufRead + Send), body: &mut Held) -> io::Result<bool> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "no chunk");
    loop {
        let size = line(input)?.ok_or_else(wrong)?;
        let size = u64::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16);
        let size = size.map_err(|_| wrong())?;
        if size.saturating_add(body.len() as u64) > LONGEST {
            return Err(wrong());
        }
        if !whole(input, size, body)? {
            return Ok(false);
        }
        // After the last chunk there may be more fields.
        while !line(input)?.ok_or_else(wrong)?.is_empty() {
            if size > 0 {
                return Err(wrong());
            }
        }
        if size == 0 {
            return Ok(true);
        }
    }
}

/// The body without its compression, or the status that the request is answered with.
fn unpacked(body: Held, encoding: Encoding) -> Result<Held, u16> {
    match encoding {
        Encoding::Plain => return Ok(body),
        Encoding::Other => return Err(400),
        Encoding::Gzip => {}
    }
    let mut plain = Held::none(body.room());
    let read = plain.read(&mut GzDecoder::new(&*body), LONGEST + 1).map_err(|_| 400_u16)?;
    match read {
        false => Err(503),
        true if plain.len() as u64 > LONGEST => Err(400),
        true => Ok(plain),
    }
}

/// The answer to what was taken: a message without fields.
pub(super) fn accepted(kind: &str) -> String {
    let body = if kind == JSON { "{}" } else { "" };
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// The answer to what was not taken.
pub(super) fn refused(status: u16) -> String {
    let reason = match status {
        404 => "Not Found: metrics go to /v1/metrics",
        405 => "Method Not Allowed: metrics are sent with POST",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type: application/x-protobuf or application/json",
        503 => "Service Unavailable",
        _ => "Bad Request",
    };
    // Who sends metrics tries again then.
    let again = if status == 503 { "Retry-After: 1\r\n" } else { "" };
    format!("HTTP/1.1 {status} {reason}\r\n{again}Content-Length: 0\r\nConnection: close\r\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8]) -> io::Result<Option<Request>> {
        read(
            &mut &text[..],
            &mut Vec::new(),
            &Limits { room: SharedMemory::of_bytes(HELD), deadline: Deadline::default() },
        )
    }

    /// What a request holds, and whether the connection ends after it.
    fn shown(request: Option<Request>) -> (&'static str, Vec<u8>, bool) {
        let Request { body, closes } = request.unwrap();
        let body = body.unwrap();
        let kind = body.kind();
        let (Body::Json(held) | Body::Protobuf(held)) = body;
        (kind, held.to_vec(), closes)
    }

    #[test]
    fn bodies_are_read_however_they_are_sent() {
        let plain = b"POST /v1/metrics HTTP/1.1\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(shown(of(plain).unwrap()), (JSON, b"{}".to_vec(), false));
        let chunked = b"POST /v1/metrics HTTP/1.1\r\ncontent-type: application/x-protobuf\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        assert_eq!(shown(of(chunked).unwrap()), (PROTOBUF, b"abcde".to_vec(), true));
        // gzip of "{}", made with Python's gzip.
        let packed = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xab\xae\x05\x00C\xbf\xa6\xa3\x02\x00\x00\x00";
        let mut gzip = b"POST /v1/metrics HTTP/1.1\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 22\r\n\r\n".to_vec();
        gzip.extend(packed);
        assert_eq!(shown(of(&gzip).unwrap()).1, b"{}");
    }

    #[test]
    fn what_is_not_taken_has_a_status() {
        let status = |text: &str| of(text.as_bytes()).unwrap().unwrap().body.unwrap_err();
        assert_eq!(status("POST /v1/traces HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), 404);
        assert_eq!(status("GET /v1/metrics HTTP/1.1\r\n\r\n"), 405);
        assert_eq!(status("POST /v1/metrics HTTP/1.1\r\n\r\n"), 411);
        assert_eq!(status("POST /v1/metrics HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"), 413);
        assert_eq!(
            status(
                "POST /v1/metrics HTTP/1.1\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
            ),
            415
        );
        assert!(of(b"").unwrap().is_none());
        assert!(of(b"POST /v1/metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nab").is_err());
    }
    #[test]
    fn bodies_of_all_connections_share_one_room_and_give_it_back() {
        let room = SharedMemory::of_bytes(200 << 10);
        let limits = Limits { room, deadline: Deadline::default() };
        let sent = |length: usize| {
            let head =
                "POST /v1/metrics HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length:";
            let mut request = format!("{head} {length}\r\n\r\n").into_bytes();
            request.resize(request.len() + length, b' ');
            read(&mut request.as_slice(), &mut Vec::new(), &limits).unwrap().unwrap().body
        };
        let first = sent(150 << 10).unwrap();
        assert_eq!(sent(100 << 10).unwrap_err(), 503);
        // What was read of the second is not held.
        let small = sent(40 << 10).unwrap();
        drop((first, small));
        assert!(sent(180 << 10).is_ok());
        // A body of zeros that is small as long as it is packed.
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&vec![b' '; 300 << 10]).unwrap();
        let packed = packed.finish().unwrap();
        let head = "POST /v1/metrics HTTP/1.1\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length:";
        let request = [format!("{head} {}\r\n\r\n", packed.len()).as_bytes(), &packed].concat();
        let answer = read(&mut request.as_slice(), &mut Vec::new(), &limits).unwrap().unwrap();
        assert_eq!(answer.body.unwrap_err(), 503);
        assert!(refused(503).contains("Retry-After: 1\r\n") && !refused(400).contains("Retry"));
    }

    #[test]
    fn a_request_has_to_be_there_in_time() {
        let deadline = Deadline::default();
        assert!(!deadline.is_over());
        // wall clock: a moment that is over by the next line.
        deadline.set(Some(Instant::now()));
        assert!(deadline.is_over());
        deadline.set(None);
        assert!(!deadline.is_over());
    }
}
