//! `iostat -x -t -o JSON` and `sadf -j`: the objects of devices and of times in them, as they come, so
//! that nothing waits for the end of the document.

use std::io::BufRead;

use isotherm_frame::{Clock, Nanos, Place};
use serde_json::{Map, Value};

use super::dates::Dates;
use super::rates::{Intervals, OPERATIONS, Rates};
use crate::number::shown;
use crate::sink::reject;
use crate::{Context, DecodeError, Sink};

/// Whether an input begins as sysstat begins its JSON.
pub(super) fn begins(head: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
    head.trim_ascii_start().starts_with(b"{") && has(b"\"sysstat\"") && has(b"\"hosts\"")
}

/// Reads the objects to the end of the input.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let mut reports = Reports::new(context);
    let mut objects = Objects::default();
    let mut place = Place { line: 1, byte: 0 };
    loop {
        let bytes = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(source) => return Err(DecodeError::Read { place, source }),
        };
        let length = bytes.len();
        for byte in bytes {
            place.byte += 1;
            place.line += u64::from(*byte == b'\n');
            if let Some(found) = objects.next(*byte, place) {
                reports.found(&found, objects.at, sink);
            }
        }
        input.consume(length);
    }
    if objects.is_device() {
        reject(sink, objects.at, "the input ends within a device", 0);
    }
    reports.verdict()
}

/// What stands between braces without others in it, or before them.
enum Found {
    /// An object without others in it.
    Object(Map<String, Value>),
    /// Text that is none.
    Damaged(String),
    /// The moment before the objects of a report.
    Moment(String),
}

/// Finds objects in a document, however it is laid out.
#[derive(Default)]
struct Objects {
    /// What follows the last opening brace.
    text: Vec<u8>,
    /// Where that is.
    at: Place,
    is_open: bool,
    in_string: bool,
    is_escaped: bool,
}

impl Objects {
    /// Longer than the object of any device.
    const LONGEST: usize = 64 << 10;

    fn next(&mut self, byte: u8, place: Place) -> Option<Found> {
        if self.in_string {
            self.in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            self.keep(byte);
            return None;
        }
        match byte {
            b'{' => {
                let moment = self.is_open.then(|| moment_in(&self.text)).flatten();
                self.text.clear();
                self.text.push(b'{');
                (self.is_open, self.at) = (true, place);
                moment.map(Found::Moment)
            }
            b'}' if std::mem::take(&mut self.is_open) => {
                self.text.push(b'}');
                Some(serde_json::from_slice(&self.text).map_or_else(
                    |error| Found::Damaged(format!("'{}': {error}", shown(&self.text))),
                    Found::Object,
                ))
            }
            _ => {
                self.in_string = byte == b'"';
                self.keep(byte);
                None
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.text.len() < Objects::LONGEST {
            self.text.push(byte);
        }
    }

    /// Whether what was not closed is about a device.
    fn is_device(&self) -> bool {
        self.is_open && DEVICES.iter().any(|key| memchr::memmem::find(&self.text, key.as_bytes()).is_some())
    }
}

/// What the name of a device is called.
const DEVICES: [&str; 2] = ["disk_device", "disk-device"];

/// The moment of a report of iostat: `"timestamp": "11/23/26 05:49:55", "avg-cpu": `.
fn moment_in(text: &[u8]) -> Option<String> {
    let at = memchr::memmem::rfind(text, b"\"timestamp\"")? + b"\"timestamp\"".len();
    let text = text[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let text = text.strip_prefix(b"\"")?;
    let end = memchr::memchr(b'"', text)?;
    // Slashes may be escaped.
    Some(String::from_utf8_lossy(&text[..end]).replace("\\/", "/"))
}

/// What was read so far.
struct Reports {
    dates: Dates,
    intervals: Intervals,
    is_dated: bool,
    devices: u64,
    undated: u64,
}

impl Reports {
    fn new(context: &Context) -> Reports {
        let (dates, intervals) = (Dates::new(context), Intervals::default());
        Reports { dates, intervals, is_dated: false, devices: 0, undated: 0 }
    }

    fn found(&mut self, found: &Found, place: Place, sink: &mut dyn Sink) {
        let taken = match found {
            Found::Moment(text) => self.moment(text, None, sink),
            Found::Damaged(why) => Err(why.clone()),
            Found::Object(object) => self.object(object, sink),
        };
        if let Err(reason) = taken {
            reject(sink, place, reason, 0);
        }
    }

    fn object(&mut self, object: &Map<String, Value>, sink: &mut dyn Sink) -> Result<(), String> {
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        // The moments of restarts and comments have no interval.
        let is_report = object.contains_key("interval");
        if let (Some(date), Some(time), true) = (text("date"), text("time"), is_report) {
            // Releases before 12.7 say only whether it is UTC.
            let is_utc = object.get("utc").and_then(Value::as_u64) == Some(1);
            let zone = text("tz").unwrap_or(if is_utc { "UTC" } else { "" });
            let length = object.get("interval").and_then(Value::as_u64);
            return self.moment(&format!("{date} {time} {zone}"), length, sink);
        }
        let Some(device) = DEVICES.iter().find_map(|key| text(key)) else { return Ok(()) };
        self.devices += 1;
        if !self.is_dated {
            self.undated += 1;
            return Ok(());
        }
        let operations = operations(object)?;
        if operations.is_empty() {
            return Err(format!("no times of '{}': use iostat -x", shown(device.as_bytes())));
        }
        self.intervals.row(&Rates { device: device.to_owned(), operations }, sink)
    }

    /// A report up to this moment; sadf says over how many seconds.
    fn moment(&mut self, text: &str, length: Option<u64>, sink: &mut dyn Sink) -> Result<(), String> {
        let at = self.dates.whole_line(text, sink);
        let at = at.ok_or_else(|| format!("'{}' is no time", shown(text.as_bytes())))?;
        sink.note(crate::Note::Clock(Clock::Epoch));
        self.is_dated = true;
        self.intervals.begin(at, sink);
        if let Some(seconds) = length.filter(|seconds| *seconds > 0) {
            self.intervals.begins_at(at.minus(Nanos::from_millis(seconds.saturating_mul(1_000))));
        }
        Ok(())
    }

    fn verdict(&self) -> Result<(), DecodeError> {
        const UNDATED: &str = "the reports have no times before their devices: use iostat -x -t -o JSON";
        const NO_DEVICES: &str = "no block device is in it: use iostat -x -t -o JSON or sadf -j -- -d";
        match (self.devices, self.undated) {
            (0, _) => Err(DecodeError::Nothing(NO_DEVICES.to_owned())),
            (_, 0) => Ok(()),
            _ => Err(DecodeError::Nothing(UNDATED.to_owned())),
        }
    }
}

/// The operations of a device, with their rate and their mean time in milliseconds.
fn operations(object: &Map<String, Value>) -> Result<Vec<(&'static str, f64, f64)>, String> {
    let number = |key: &str| -> Result<Option<f64>, String> {
        let Some(value) = object.get(key) else { return Ok(None) };
        let number = value.as_f64().filter(|number| *number >= 0.0);
        number.map(Some).ok_or_else(|| format!("{key} is '{}', not a number", shown(value.to_string().as_bytes())))
    };
    let mut found = Vec::new();
    for (name, rate, mean) in OPERATIONS {
        if let (Some(rate), Some(mean)) = (number(rate)?, number(mean)?) {
            found.push((name, rate, mean));
        }
    }
    if found.len() > 1 {
        found.retain(|(name, ..)| *name != "all");
    }
    Ok(found)
}
