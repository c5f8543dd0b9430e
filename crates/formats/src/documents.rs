//! JSON documents that a tool prints one after the other, perhaps with a line for the time before each.

use std::io::BufRead;

use isotherm_frame::Place;
use serde_json::Value;

use crate::number;
use crate::sink::reject;
use crate::stamp::{Stamp, StampReader};
use crate::{Context, DecodeError, Sink};

/// One thing that is printed.
pub(crate) enum Document {
    /// A document and where it begins, about.
    Json(Place, Value),
    /// The time of what follows, as `date +%s` prints it.
    Time(Stamp),
}

/// Reads documents to the end of the input, or to the first that is damaged.
pub(crate) fn each(
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
    take: &mut dyn FnMut(Document, &mut dyn Sink),
) -> Result<(), DecodeError> {
    let mut stamps = StampReader::new(context);
    let mut values = serde_json::Deserializer::from_reader(input).into_iter::<Value>();
    let mut place = Place { line: 1, byte: 0 };
    while let Some(value) = values.next() {
        match value {
            Ok(Value::Number(number)) => match stamps.read(&number.to_string(), sink) {
                Some(stamp) => take(Document::Time(stamp), sink),
                None => reject(sink, place, "a number that is not a time", 0),
            },
            Ok(value) => take(Document::Json(place, value), sink),
            Err(error) if error.is_io() => {
                return Err(DecodeError::Read { place, source: error.into() });
            }
            Err(error) => {
                reject(sink, place, format!("not a JSON document: {error}"), 0);
                break;
            }
        }
        place = Place { line: place.line + 1, byte: values.byte_offset() as u64 };
    }
    Ok(())
}

/// A count, however it is written: `12`, `"12"`, `{"$numberLong":"12"}`.
pub(crate) fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number::whole_float(number.to_string().as_bytes()).ok(),
        Value::String(text) => number::digits(text.as_bytes()),
        Value::Object(object) if object.len() == 1 => {
            let (key, inner) = object.iter().next()?;
            key.starts_with("$number").then(|| count(inner)).flatten()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_however_they_are_written() {
        let of = |json: &str| count(&serde_json::from_str(json).unwrap());
        assert_eq!(of("12"), Some(12));
        assert_eq!(of("12.0"), Some(12));
        assert_eq!(of(r#"{"$numberLong":"12"}"#), Some(12));
        for none in ["-1", "1.5", "null", "\"x\"", "{}", r#"{"n":1}"#] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
