//! What is said of an input that no decoder knows.

use thiserror::Error;

use crate::HEAD;
use crate::columns::name_columns;
use crate::counter_log;
use crate::foreign::Foreign;
use crate::formats;
use crate::logs::refusal;

/// What to do with an input of this format that begins with `head`.
fn advice(known: &Foreign, head: &[u8]) -> String {
    counter_log::advice(head).unwrap_or_else(|| known.advice())
}

/// What an input that no decoder knows looks like, and what to do about it.
#[derive(Debug, Error)]
#[error("'{input}' is {looks}, which no decoder knows: {advice}")]
pub struct Unrecognised {
    /// The address or file.
    pub input: String,
    /// What it looks like: the format of another tool, its first line, or a word about what is not
    /// text.
    pub looks: String,
    /// What to do next.
    pub advice: String,
}

impl Unrecognised {
    /// Looks at the beginning of the input named `input`.
    pub fn of(input: &str, head: &[u8]) -> Unrecognised {
        let (looks, advice) = match Foreign::of(input, head) {
            Some(known) => (known.name.to_owned(), advice(&known, head)),
            None => Unrecognised::describe(head),
        };
        Unrecognised { input: input.to_owned(), looks, advice }
    }

    /// An input whose name tells that it holds no latencies, although it looks like a log of them.
    pub(crate) fn without_latencies(input: &str, head: &[u8]) -> Option<Unrecognised> {
        let known = Foreign::without_latencies(input, head)?;
        let (input, looks) = (input.to_owned(), known.name.to_owned());
        Some(Unrecognised { input, looks, advice: known.advice() })
    }

    /// An input in which no number is that of a single event, although columns can be named.
    pub(crate) fn without_events(input: &str, head: &[u8]) -> Option<Unrecognised> {
        let known = Foreign::without_events(head)?;
        let (input, looks) = (input.to_owned(), known.name.to_owned());
        Some(Unrecognised { input, looks, advice: advice(&known, head) })
    }

    fn describe(head: &[u8]) -> (String, String) {
        // Of these, gzip and zstd come this far only through a pipe.
        const COMPRESSED: [(&[u8], &str, &str); 4] = [
            (b"\x1f\x8b", "gzip", "zcat FILE | isotherm stats -"),
            (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat FILE | isotherm stats -"),
            (b"\xfd7zXZ\0", "xz", "xzcat FILE | isotherm stats -"),
            (b"BZh", "bzip2", "bzcat FILE | isotherm stats -"),
        ];
        const BINARY: &str =
            "no decoder knows this format (isotherm sources lists those that are read)";
        let compressed = COMPRESSED.iter().find(|(magic, ..)| head.starts_with(magic));
        if let Some((_, name, command)) = compressed {
            return (format!("compressed with {name}"), (*command).to_owned());
        }
        if head.iter().take(4_096).any(|byte| *byte == 0) {
            let bytes: Vec<String> =
                head.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            return (format!("binary (it begins with {})", bytes.join(" ")), BINARY.to_owned());
        }
        let line = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let first = printable(line.unwrap_or_default(), 60);
        let advice = formats::advice(head).or_else(|| refusal(head));
        let advice = advice.unwrap_or_else(|| name_columns(head) + beyond(head));
        (format!("text beginning '{first}'"), advice)
    }
}

/// What to do where a known format begins behind all that is looked at.
fn beyond(head: &[u8]) -> &'static str {
    const _: () = assert!(HEAD == 64 << 10, "the sentence has the number");
    match head.len() {
        HEAD.. => {
            ". Only its first 64 KiB were searched: if a known format begins later, --as NAME reads it"
        }
        _ => "",
    }
}

/// The first `longest` characters of a text, safe to show in a terminal.
pub fn printable(bytes: &[u8], longest: usize) -> String {
    let text = String::from_utf8_lossy(bytes.get(..longest * 4).unwrap_or(bytes));
    let text = text.trim_end();
    let shown: String =
        text.chars().take(longest).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > longest || bytes.len() > longest * 4 {
        format!("{shown}...")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_is_described() {
        let message = |head: &[u8]| Unrecognised::of("x", head).to_string();
        assert!(message(b"\n\nhello\x1b[31m world\r\nmore").contains("'hello [31m world'"));
        assert!(message(b"\x7fELF\0\0").starts_with("'x' is binary (it begins with 7f 45 4c 46)"));
        assert!(message(b"\x1f\x8b\x08\0").contains("compressed with gzip"));
        assert!(message("é".repeat(100).as_bytes()).contains(&format!("'{}...'", "é".repeat(60))));
    }

    #[test]
    fn how_much_was_searched_is_said_where_there_is_more() {
        const SEARCHED: &str = "Only its first 64 KiB were searched: if a known format begins later, --as NAME reads it";
        let line = "a line of a diary without numbers\n";
        let text = line.repeat(HEAD / line.len() + 1);
        let message = |head: &str| Unrecognised::of("x", head.as_bytes()).to_string();
        assert!(message(&text[..HEAD]).ends_with(SEARCHED), "{}", message(&text[..HEAD]));
        assert!(!message(&text[..HEAD - 1]).contains("searched"));
        // What is known already is not to be looked for.
        let gatling = "REQUEST\t\tHome\t1795253272365\t1795253272407\tOK\t \n";
        let text = gatling.to_owned() + &text;
        let message = message(&text[..HEAD]);
        assert!(
            message.contains("--as gatling reads them") && !message.contains("searched"),
            "{message}"
        );
    }

    #[test]
    fn a_format_of_which_some_line_is_is_named() {
        let other = "2026-11-21 10:00:00 order 17 of somebody was taken\n";
        for (line, expected) in [
            (
                "REQUEST\t\tHome\t1795253272365\t1795253272407\tOK\t \n",
                "a simulation log of Gatling: --as gatling reads them",
            ),
            ("p 0 512 33000\n", "the output of mtr --raw: --as mtr reads them"),
            ("web1 : 0.12 0.34\n", "the output of fping (-C): --as fping-count reads them"),
            (
                "http_req_waiting..............: avg=42.1ms\nhttp_req_duration..............: avg=42.1ms min=38ms\n",
                "a summary of k6 (text): it has percentiles",
            ),
        ] {
            let text = other.repeat(100) + line;
            let message = Unrecognised::of("x", text.as_bytes()).to_string();
            assert!(
                message.contains(&format!("some of its lines look like {expected}")),
                "{message}"
            );
        }
        let message = Unrecognised::of("x", other.as_bytes()).to_string();
        assert!(!message.contains("some of its lines"), "{message}");
    }
}
