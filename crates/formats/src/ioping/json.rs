//! What `ioping -J` prints: one object for each request, and statistics at the end.

use std::io::BufRead;

use isotherm_frame::{Nanos, Place, Timestamp, Unit};
use serde::Deserialize;
use serde_json::Number;

use super::request::{Ended, Request, Requests};
use crate::number;
use crate::sink::reject;
use crate::{DecodeError, LineReader, Note, Sink};

/// The longest object that is kept, in bytes.
const LONGEST: usize = 64 << 10;

pub(super) fn looks_like(head: &[u8]) -> bool {
    let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
    let keys: [&[u8]; 4] = [b"\"localtime\"", b"\"device_size\"", b"\"io\"", b"\"request\""];
    keys.into_iter().all(has)
}

#[derive(Deserialize)]
struct Printed {
    timestamp: Number,
    target: Target,
    io: Option<Io>,
}

#[derive(Deserialize)]
struct Target {
    path: String,
}

#[derive(Deserialize)]
struct Io {
    request: u64,
    operation: String,
    size: u64,
    time: u64,
    #[serde(default)]
    ignored: bool,
}

/// Objects begin with `[{`, `},{` or `{` on a line of their own, and end with the next of these or
/// with `}]`.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    requests: &mut Requests<'_>,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let mut lines = LineReader::new(input);
    let (mut object, mut from) = (String::new(), None);
    while let Some(line) = lines.next_line()? {
        let text = line.text();
        let text = text.trim_end();
        let ends = matches!(text, "},{" | "}]" | "}," | "}");
        let begins = matches!(text, "[{" | "},{" | "{");
        if ends && let Some(place) = from.take() {
            object.push('}');
            one(&object, place, requests, sink);
        }
        if begins {
            object.clear();
            object.push('{');
            from = Some(line.place);
        } else if from.is_some() && object.len() + text.len() < LONGEST {
            object.push_str(text);
        }
    }
    if let Some(place) = from {
        reject(sink, place, "the input ends in the middle of this object", 0);
    }
    Ok(())
}

fn one(object: &str, place: Place, requests: &mut Requests<'_>, sink: &mut dyn Sink) {
    let printed: Printed = match serde_json::from_str(object) {
        Ok(printed) => printed,
        Err(error) => return reject(sink, place, format!("not an object of ioping: {error}"), 0),
    };
    let Some(io) = printed.io else { return sink.note(Note::Ignored) };
    let seconds = printed.timestamp.to_string();
    let ns = number::nanos(seconds.as_bytes(), Unit::Seconds).ok();
    let Some(at) = ns.and_then(|ns| i64::try_from(ns).ok()).map(Timestamp::new) else {
        return reject(sink, place, format!("the timestamp '{seconds}' is no time"), 1);
    };
    let request = Request {
        operation: io.operation,
        size: format!("{} bytes", io.size),
        target: printed.target.path,
        state: if io.ignored { "ignored".to_owned() } else { String::new() },
        number: io.request,
        latency: Nanos::new(io.time),
        ended: Some(Ended::At(at)),
    };
    requests.take(request, sink);
}
