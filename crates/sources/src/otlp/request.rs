//! HTTP as exporters of OpenTelemetry speak it: posts with a body.

use std::io::{self, BufRead, Read, Write};
use std::net::TcpStream;

use flate2::read::GzDecoder;

use crate::feed::Stopped;

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Json(Vec<u8>),
    Protobuf(Vec<u8>),
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
/// The longest body, with and without its compression.
const LONGEST: u64 = 16 << 20;
/// The longest line of a head, and the most lines.
const LONGEST_LINE: u64 = 16 << 10;
const MOST_LINES: usize = 100;

/// A request: its body, or the status that it is answered with.
#[derive(Debug, PartialEq, Eq)]
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

/// A connection that is read until the receiver is stopped, however long nothing comes.
pub(super) struct Patient {
    pub(super) stream: TcpStream,
    pub(super) stopped: Stopped,
}

impl Read for Patient {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(into) {
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
                        && !self.stopped.is_set() => {}
                other => return other,
            }
        }
    }
}

/// Reads the next request; `None` where the connection has ended. Who waits to be asked for the body
/// is asked through `answers`.
pub(super) fn read(input: &mut (dyn BufRead + Send), answers: &mut dyn Write) -> io::Result<Option<Request>> {
    let Some(head) = head(input)? else { return Ok(None) };
    if head.continues {
        answers.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let refused = |status| Ok(Some(Request { body: Err(status), closes: true }));
    let body = match head.length {
        Length::Chunked => chunks(input)?,
        Length::Known(length) if length <= LONGEST => whole(input, length)?,
        Length::Known(_) => return refused(413),
        Length::Missing if head.post => return refused(411),
        Length::Missing => Vec::new(),
    };
    let Some(body) = unpacked(body, head.encoding) else { return refused(400) };
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

fn whole(input: &mut (dyn BufRead + Send), length: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(body) }
}

fn chunks(input: &mut (dyn BufRead + Send)) -> io::Result<Vec<u8>> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "no chunk");
    let mut body = Vec::new();
    loop {
        let size = line(input)?.ok_or_else(wrong)?;
        let size = u64::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16);
        let size = size.map_err(|_| wrong())?;
        if size.saturating_add(body.len() as u64) > LONGEST {
            return Err(wrong());
        }
        body.extend(whole(input, size)?);
        // After the last chunk there may be more fields.
        while !line(input)?.ok_or_else(wrong)?.is_empty() {
            if size > 0 {
                return Err(wrong());
            }
        }
        if size == 0 {
            return Ok(body);
        }
    }
}

fn unpacked(body: Vec<u8>, encoding: Encoding) -> Option<Vec<u8>> {
    match encoding {
        Encoding::Plain => return Some(body),
        Encoding::Other => return None,
        Encoding::Gzip => {}
    }
    let mut plain = Vec::new();
    GzDecoder::new(body.as_slice()).take(LONGEST + 1).read_to_end(&mut plain).ok()?;
    (plain.len() as u64 <= LONGEST).then_some(plain)
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
    format!("HTTP/1.1 {status} {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8]) -> io::Result<Option<Request>> {
        read(&mut &text[..], &mut Vec::new())
    }

    #[test]
    fn bodies_are_read_however_they_are_sent() {
        let plain = b"POST /v1/metrics HTTP/1.1\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}";
        let expected = Request { body: Ok(Body::Json(b"{}".to_vec())), closes: false };
        assert_eq!(of(plain).unwrap(), Some(expected));
        let chunked = b"POST /v1/metrics HTTP/1.1\r\ncontent-type: application/x-protobuf\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let expected = Request { body: Ok(Body::Protobuf(b"abcde".to_vec())), closes: true };
        assert_eq!(of(chunked).unwrap(), Some(expected));
        // gzip of "{}", made with Python's gzip.
        let packed = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xab\xae\x05\x00C\xbf\xa6\xa3\x02\x00\x00\x00";
        let mut gzip = b"POST /v1/metrics HTTP/1.1\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 22\r\n\r\n".to_vec();
        gzip.extend(packed);
        assert_eq!(of(&gzip).unwrap().unwrap().body, Ok(Body::Json(b"{}".to_vec())));
    }

    #[test]
    fn what_is_not_taken_has_a_status() {
        let status = |text: &str| of(text.as_bytes()).unwrap().unwrap().body.unwrap_err();
        assert_eq!(status("POST /v1/traces HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), 404);
        assert_eq!(status("GET /v1/metrics HTTP/1.1\r\n\r\n"), 405);
        assert_eq!(status("POST /v1/metrics HTTP/1.1\r\n\r\n"), 411);
        assert_eq!(status("POST /v1/metrics HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"), 413);
        assert_eq!(status("POST /v1/metrics HTTP/1.1\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"), 415);
        assert!(of(b"").unwrap().is_none());
        assert!(of(b"POST /v1/metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nab").is_err());
    }
}
