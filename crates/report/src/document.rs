//! The document inside the page: a header in JSON and blocks of numbers, compressed, as text.

use std::io::{self, Write};

use base64ct::{Base64, Encoding};
use flate2::Compression;
use flate2::write::GzEncoder;
use isotherm_frame::{shortened, visible};
use serde_json::Value;

use crate::error::ReportError;
use crate::header;
use crate::packed::{Body, Packed};
use crate::report::Report;

/// The document as it stands in the page: the header's length, the header and the body, compressed
/// and in base64.
pub(super) fn data(report: &Report, packed: &[(usize, &Packed)]) -> Result<String, ReportError> {
    let mut body = Body::default();
    let header: Value = header::header(report, packed, &mut body);
    Ok(compressed(&[&whole(header, &body)?])?)
}

/// The header's length, the header and the body.
pub(super) fn whole(mut header: Value, body: &Body) -> Result<Vec<u8>, ReportError> {
    make_visible(&mut header);
    let header = serde_json::to_vec(&header)?;
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    Ok([&length.to_le_bytes(), header.as_slice(), &body.bytes].concat())
}

/// The most characters of a text in the page's document.
const LONGEST_TEXT: usize = 4_000;

/// What the page shows, it shows to people: every character of its texts is visible, and what is
/// very long loses its middle. The report as JSON has all of it.
pub(super) fn make_visible(value: &mut Value) {
    let shown = |text: &str| visible(&shortened(text, LONGEST_TEXT)).into_owned();
    match value {
        Value::String(text) => *text = shown(text),
        Value::Array(values) => values.iter_mut().for_each(make_visible),
        Value::Object(object) => {
            for (key, mut value) in std::mem::take(object) {
                make_visible(&mut value);
                object.insert(shown(&key), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// These parts one after the other, compressed, as text.
pub(super) fn compressed(parts: &[&[u8]]) -> io::Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(7));
    for part in parts {
        gzip.write_all(part)?;
    }
    Ok(Base64::encode_string(&gzip.finish()?))
}
