//! The lines `bpftrace -f json` prints, one object each.

use isotherm_frame::Place;
use serde_json::{Map, Value};

use super::block::{Block, Printed};

/// What a line says.
#[derive(Debug)]
pub(super) enum Message {
    /// Histograms of one map.
    Histograms(Vec<Block>),
    /// Text the program printed.
    Text(String),
    /// The tracer dropped so many events.
    Lost(u64),
    /// Anything else.
    Other,
}

/// Whether a line is meant as one of bpftrace's objects.
pub(super) fn is_message(line: &[u8]) -> bool {
    let after_key = line.strip_prefix(b"{\"type\"").map(<[u8]>::trim_ascii_start);
    after_key.is_some_and(|rest| rest.starts_with(b":"))
}

/// Reads one line; an error says what is wrong with it.
pub(super) fn message(line: &[u8], place: Place) -> Result<Message, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
    let data = value.get("data");
    Ok(match value.get("type").and_then(Value::as_str) {
        Some("hist" | "lhist") => {
            let maps = data.and_then(Value::as_object).ok_or("a histogram without its data")?;
            Message::Histograms(histograms(maps, place)?)
        }
        Some("time" | "printf") => {
            let text = data.and_then(Value::as_str).unwrap_or_default();
            Message::Text(text.to_owned())
        }
        Some("lost_events") => {
            let events = data.and_then(|data| data.get("events")).and_then(Value::as_u64);
            Message::Lost(events.ok_or("lost events without their number")?)
        }
        _ => Message::Other,
    })
}

fn histograms(maps: &Map<String, Value>, place: Place) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    for (name, content) in maps {
        match content {
            Value::Array(rows) => blocks.push(block(name, None, rows, place)),
            Value::Object(keyed) => {
                for (key, rows) in keyed {
                    let rows = rows.as_array().ok_or_else(|| no_rows(name))?;
                    // Text separates the parts of a key by ", ", JSON by ",".
                    let key = key.replace(", ", ",");
                    blocks.push(block(name, Some(key), rows, place));
                }
            }
            _ => return Err(no_rows(name)),
        }
    }
    Ok(blocks)
}

fn no_rows(name: &str) -> String {
    format!("the histogram {name} has no list of buckets")
}

fn block(name: &str, key: Option<String>, rows: &[Value], place: Place) -> Block {
    let mut block = Block { name: name.to_owned(), key, place, ..Block::default() };
    for row in rows {
        match printed(row) {
            Some(printed) => block.push(printed, place),
            None => block.damage(place, format!("a bucket of {name} is not one of bpftrace's")),
        }
    }
    block
}

/// A bucket as a range with an exclusive end: JSON's ranges are closed.
fn printed(row: &Value) -> Option<Printed> {
    let bound = |name: &str| match row.get(name) {
        None => Some(None),
        Some(value) => integer(value).map(Some),
    };
    let (min, max) = (bound("min")?, bound("max")?);
    let count = row.get("count")?.as_u64()?;
    if min == Some(i128::from(i32::MIN)) && max == Some(0) {
        // Before 0.20 the bound of the 32nd bucket overflowed where it is printed.
        return Some(Printed { lo: Some(1 << 31), hi: Some(1 << 32), count });
    }
    (min.is_some() || max.is_some()).then_some(Printed { lo: min, hi: max.map(|max| max + 1), count })
}

fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(line: &str) -> Vec<(String, Option<String>, usize, u64)> {
        match message(line.as_bytes(), Place::default()) {
            Ok(Message::Histograms(blocks)) => {
                let part = |b: Block| (b.name, b.key, b.rows.len(), b.negatives);
                blocks.into_iter().map(part).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn closed_ranges_become_half_open_ones() {
        let row: Value = serde_json::from_str(r#"{"min": 16, "max": 31, "count": 75}"#).unwrap();
        assert_eq!(printed(&row), Some(Printed { lo: Some(16), hi: Some(32), count: 75 }));
        let row: Value = serde_json::from_str(r#"{"min": 100, "count": 2}"#).unwrap();
        assert_eq!(printed(&row), Some(Printed { lo: Some(100), hi: None, count: 2 }));
        let row: Value = serde_json::from_str(r#"{"count": 2}"#).unwrap();
        assert_eq!(printed(&row), None);
        let row: Value =
            serde_json::from_str(r#"{"min": -2147483648, "max": 0, "count": 4}"#).unwrap();
        let overflowed = Printed { lo: Some(1 << 31), hi: Some(1 << 32), count: 4 };
        assert_eq!(printed(&row), Some(overflowed));
    }

    #[test]
    fn plain_and_keyed_histograms_are_read() {
        let plain = r#"{"type": "hist", "data": {"@h": [{"max": -1, "count": 3}]}}"#;
        assert_eq!(rows(plain), [("@h".to_owned(), None, 0, 3)]);
        let keyed = r#"{"type": "hist", "data": {"@k": {"a,b c,1": [{"min": 4, "max": 7, "count": 1}], "2": []}}}"#;
        let (name, key) = ("@k".to_owned(), |key: &str| Some(key.to_owned()));
        assert_eq!(rows(keyed), [(name.clone(), key("a,b c,1"), 1, 0), (name, key("2"), 0, 0)]);
    }

    #[test]
    fn broken_lines_say_what_is_wrong() {
        for bad in [
            r#"{"type": "hist", "data": {"@h": [{"mi"#,
            r#"{"type": "hist"}"#,
            r#"{"type": "hist", "data": {"@h": 5}}"#,
            r#"{"type": "lost_events", "data": {}}"#,
        ] {
            assert!(message(bad.as_bytes(), Place::default()).is_err(), "{bad}");
        }
    }
}
