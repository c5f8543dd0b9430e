//! The text bpftrace prints: `@name[keys]:` and rows of `[lo, hi)   count |@@@ |`.

use super::block::{Block, Printed};
use crate::printed::{CUT_BUCKET, is_whole};

/// What a line of text is.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// Nothing.
    Blank,
    /// A histogram begins.
    Header { name: String, key: Option<String> },
    /// One of its buckets.
    Row(Printed),
    /// It looks like a bucket and is none, for this reason.
    BadRow(&'static str),
    /// The tracer dropped so many events.
    Lost(u64),
    /// Anything else.
    Other,
}

/// What `line` is.
pub(super) fn line(line: &[u8]) -> Line {
    let line = line.trim_ascii_end();
    match line.first() {
        None => Line::Blank,
        Some(b'@') => header(line).unwrap_or(Line::Other),
        Some(b'[' | b'(') if line.contains(&b'|') => {
            row(line).map_or_else(Line::BadRow, Line::Row)
        }
        Some(b'L') => lost(line).map_or(Line::Other, Line::Lost),
        Some(_) => Line::Other,
    }
}

/// `@name:` or `@name[key, key]:` with nothing behind the colon.
fn header(line: &[u8]) -> Option<Line> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix(':')?;
    let end = text[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let (name, keys) = text.split_at(end.map_or(text.len(), |end| end + 1));
    let key = match keys {
        "" => None,
        _ => Some(keys.strip_prefix('[')?.strip_suffix(']')?.replace(", ", ",")),
    };
    Some(Line::Header { name: name.to_owned(), key })
}

fn lost(line: &[u8]) -> Option<u64> {
    let number = line.strip_prefix(b"Lost ")?.strip_suffix(b" events")?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// A bucket: `(..., 0)`, `[5]`, `[2, 4)` or `[100, ...)`, then its count and its bar.
fn row(line: &[u8]) -> Result<Printed, &'static str> {
    const LABEL: &str = "the bucket's label is not one of bpftrace's";
    let close = line.iter().position(|byte| b")]".contains(byte)).ok_or(LABEL)?;
    let (label, rest) = line.split_at(close);
    let label = std::str::from_utf8(label).map_err(|_| LABEL)?;
    let (lo, hi) = label_bounds(label).ok_or(LABEL)?;
    let rest = rest.get(1..).unwrap_or_default();
    if !is_whole(line) {
        return Err(CUT_BUCKET);
    }
    let bar = rest.iter().position(|&byte| byte == b'|').unwrap_or(rest.len());
    let count = std::str::from_utf8(rest[..bar].trim_ascii()).ok().and_then(|n| n.parse().ok());
    let count = count.ok_or("the bucket's count is not a whole number")?;
    Ok(Printed { lo, hi, count })
}

/// The bounds of a label without its closing bracket; `None` in place of `...`.
fn label_bounds(label: &str) -> Option<(Option<i128>, Option<i128>)> {
    if let Some(hi) = label.strip_prefix("(..., ") {
        return Some((None, Some(number(hi)?)));
    }
    let label = label.strip_prefix('[')?;
    let Some((lo, hi)) = label.split_once(", ") else {
        let only = number(label)?;
        return Some((Some(only), Some(only + 1)));
    };
    let hi = if hi == "..." { None } else { Some(number(hi)?) };
    Some((Some(number(lo)?), hi))
}

/// An integer with bpftrace's suffixes, powers of 1024.
fn number(text: &str) -> Option<i128> {
    let (digits, power) = match text.char_indices().last()? {
        (end, suffix) if suffix.is_ascii_uppercase() => {
            (text.get(..end)?, "KMGTPE".find(suffix)? + 1)
        }
        _ => (text, 0),
    };
    let plain = digits.trim_start_matches('-');
    if plain.is_empty() || plain.len() > 20 || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i128 = digits.parse().ok()?;
    value.checked_mul(1_i128 << (10 * power))
}

impl Block {
    /// A block that begins at a header.
    pub(super) fn headed(name: String, key: Option<String>, place: isotherm_frame::Place) -> Block {
        Block { name, key, place, ..Block::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(Option<i128>, Option<i128>, u64)> {
        match line(text.as_bytes()) {
            Line::Row(Printed { lo, hi, count }) => Some((lo, hi, count)),
            _ => None,
        }
    }

    #[test]
    fn every_form_of_a_label_is_read() {
        assert_eq!(parsed("(..., 0)               1 |@ |"), Some((None, Some(0), 1)));
        assert_eq!(parsed("[0]                    2 |@ |"), Some((Some(0), Some(1), 2)));
        assert_eq!(parsed("[512, 1K)              3 |@ |"), Some((Some(512), Some(1_024), 3)));
        assert_eq!(parsed("[512M, 1G) 123456789012 |@|"), {
            Some((Some(536_870_912), Some(1_073_741_824), 123_456_789_012))
        });
        assert_eq!(parsed("[4P, 8P) 1 |@|"), Some((Some(1 << 52), Some(1 << 53), 1)));
        assert_eq!(parsed("[8E, 16E) 1 |@|"), Some((Some(1 << 63), Some(1 << 64), 1)));
        assert_eq!(parsed("[100, ...)             2 |@ |"), Some((Some(100), None, 2)));
        assert_eq!(parsed("[-10, 0)               2 |@ |"), Some((Some(-10), Some(0), 2)));
        assert_eq!(parsed("[10, 12)               2 |@ |"), Some((Some(10), Some(12), 2)));
    }

    #[test]
    fn what_looks_like_a_row_and_is_none_says_why() {
        assert_eq!(line(b"[16, 32)   12 |@@@ "), Line::BadRow(CUT_BUCKET));
        assert_eq!(line(b"[16, 32)   12 |      "), Line::BadRow(CUT_BUCKET));
        for bad in ["[16, 32)   1.234 |@|", "[16; 32)   1 |@|", "[16, 32 1 |@|", "[4X, 8X) 1 |@|"] {
            assert!(matches!(line(bad.as_bytes()), Line::BadRow(_)), "{bad}");
        }
        assert_eq!(line(b"[05:03:08]"), Line::Other);
    }

    #[test]
    fn headers_keep_their_keys_as_json_writes_them() {
        let header = |name: &str, key: Option<&str>| Line::Header {
            name: name.to_owned(),
            key: key.map(str::to_owned),
        };
        assert_eq!(line(b"@usecs: "), header("@usecs", None));
        assert_eq!(line(b"@usecs:"), header("@usecs", None));
        assert_eq!(line(b"@k[254, 0, RS]: "), header("@k", Some("254,0,RS")));
        assert_eq!(line(b"@[q\"x], 2]:"), header("@", Some("q\"x],2")));
        let probe = "@all[fio, tracepoint:syscalls:sys_exit_read]: ";
        assert_eq!(
            line(probe.as_bytes()),
            header("@all", Some("fio,tracepoint:syscalls:sys_exit_read"))
        );
        assert_eq!(line(b"@n: 123"), Line::Other);
        assert_eq!(line(b"@st[k]: count 10, average 76, total 765"), Line::Other);
        assert_eq!(line("@µ: ".as_bytes()), Line::Other);
    }

    #[test]
    fn lost_events_are_counted() {
        assert_eq!(line(b"Lost 56 events"), Line::Lost(56));
        assert_eq!(line(b"Lost many events"), Line::Other);
    }
}
