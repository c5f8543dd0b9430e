//! `biolatency -j` prints Python's form of a dictionary, which is not JSON.

use serde_json::Value;

/// What one printed dictionary says.
#[derive(Debug, PartialEq)]
pub(super) struct Record {
    /// When it was printed: local time without its zone.
    pub(super) time: Option<String>,
    /// The unit.
    pub(super) heading: String,
    /// Inclusive bounds and counts; a dictionary always has both bounds.
    pub(super) rows: Vec<(u64, Option<u64>, u64)>,
    /// What it is about: disk, flags.
    pub(super) labels: Vec<(String, String)>,
}

/// Whether a line is such a dictionary.
pub(super) fn is_record(line: &[u8]) -> bool {
    let marks: [&[u8]; 2] = [b"'interval-start'", b"'val_type'"];
    let line = line.trim_ascii_start();
    line.starts_with(b"{'") && marks.iter().any(|mark| memchr::memmem::find(line, mark).is_some())
}

/// Reads a dictionary; an error says what is wrong with it.
pub(super) fn record(line: &str) -> Result<Record, String> {
    let json = as_json(line.trim());
    let value: Value =
        serde_json::from_str(&json).map_err(|error| format!("not a Python dictionary: {error}"))?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let data = value.get("data").and_then(Value::as_array).ok_or("it has no list of buckets")?;
    let rows: Option<Vec<_>> = data.iter().map(row).collect();
    let fields = value.as_object().into_iter().flatten();
    Ok(Record {
        time: text("ts"),
        heading: text("val_type").ok_or("no 'val_type' in it")?,
        rows: rows.ok_or("a bucket without whole numbers in it")?,
        labels: fields.filter_map(|(name, value)| label(name, value)).collect(),
    })
}

fn row(bucket: &Value) -> Option<(u64, Option<u64>, u64)> {
    let number = |name: &str| bucket.get(name).map(Value::as_u64);
    let count = number("count")??;
    Some((number("interval-start")??, Some(number("interval-end")??), count))
}

/// Everything that is not the measurement itself tells what it is about. Older versions call the
/// disk a pointer to a bucket.
fn label(name: &str, value: &Value) -> Option<(String, String)> {
    if ["ts", "val_type", "data"].contains(&name) {
        return None;
    }
    let name = if name == "Bucket ptr" { "disk" } else { name };
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some((name.to_owned(), value))
}

/// The same literal in JSON: other quotes, escapes and names of constants.
fn as_json(python: &str) -> String {
    let mut json = String::with_capacity(python.len());
    let mut rest = python.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' | '"' => quoted(c, &mut rest, &mut json),
            'b' | 'u' if matches!(rest.peek(), Some('\'' | '"')) => {}
            'N' | 'T' | 'F' => {
                let mut word = String::from(c);
                while let Some(letter) = rest.next_if(char::is_ascii_alphabetic) {
                    word.push(letter);
                }
                json.push_str(match word.as_str() {
                    "None" => "null",
                    "True" => "true",
                    "False" => "false",
                    other => other,
                });
            }
            other => json.push(other),
        }
    }
    json
}

/// Copies a string literal that begins with `quote`.
fn quoted(quote: char, rest: &mut impl Iterator<Item = char>, json: &mut String) {
    json.push('"');
    while let Some(c) = rest.next() {
        match c {
            _ if c == quote => {
                json.push('"');
                return;
            }
            '\\' => match rest.next() {
                Some('\'') => json.push('\''),
                // JSON has no \x escape; what it stood for is not shown in any name.
                Some('x') => json.push_str("\\\\x"),
                Some(escaped) => json.extend(['\\', escaped]),
                None => {}
            },
            '"' => json.push_str("\\\""),
            _ => json.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_read() {
        let line = "{'ts': '2026-11-21 05:02:37', 'val_type': 'usecs', 'data': [{'interval-start': \
                    16, 'interval-end': 31, 'count': 59}], 'disk': b'vda', 'flags': 'Sync-Read'}";
        assert!(is_record(line.as_bytes()));
        let record = record(line).unwrap();
        assert_eq!(record.time.as_deref(), Some("2026-11-21 05:02:37"));
        assert_eq!(record.heading, "usecs");
        assert_eq!(record.rows, [(16, Some(31), 59)]);
        let label = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(record.labels, [label("disk", "vda"), label("flags", "Sync-Read")]);
    }

    #[test]
    fn quotes_and_constants_are_turned_into_json() {
        assert_eq!(as_json(r#"{'a': "it's", 'b': None}"#), r#"{"a": "it's", "b": null}"#);
        assert_eq!(as_json(r"{'it\'s': True}"), r#"{"it's": true}"#);
        assert_eq!(as_json(r#"{'a"b': b'\x00'}"#), r#"{"a\"b": "\\x00"}"#);
    }

    #[test]
    fn a_broken_dictionary_says_what_is_wrong() {
        assert!(record("{'ts': 'x', 'val_type': 'usecs', 'data': [{'interval-st").is_err());
        assert!(record("{'ts': 'x', 'val_type': 'usecs', 'data': [{'count': 1}]}").is_err());
        assert!(record("{'ts': 'x', 'val_type': 'usecs'}").is_err());
    }
}
