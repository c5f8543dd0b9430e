//! What stands in a line where its latency should be, and is none.

use super::names::{Kind, kind};

/// What stands for a value in lines that have none. A word such as `N/A` stands there because somebody
/// could not write the latency of an event: that is a value that cannot be read.
const NOTHING: [&str; 3] = ["", "-", "null"];

/// The text that stands behind the name of the latency and may be meant as one; `None` if nothing
/// does.
pub(super) fn at_name<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let name = if line.starts_with('{') { name.rsplit('.').next().unwrap_or(name) } else { name };
    if name.is_empty() {
        return None;
    }
    let mut places = line.match_indices(name).filter(|(at, _)| is_whole(line, *at, name.len()));
    places.find_map(|(at, _)| value(&line[at + name.len()..], name))
}

/// Whether a name is not a part of a longer one.
fn is_whole(line: &str, at: usize, length: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let longer = line[..at].ends_with(|c: char| is_part(c) || c == '.');
    !longer && !line[at + length..].starts_with(is_part)
}

fn value<'l>(behind: &'l str, name: &str) -> Option<&'l str> {
    let unquoted = behind.trim_start_matches(['"', '\'', ' ', '\t']);
    let assigned = unquoted.starts_with(['=', ':']);
    let value = unquoted.trim_start_matches(['=', ':', '"', '\'', ' ', '\t']);
    let end = value.find([' ', '\t', ',', ';', '}', ')', ']', '"', '\'', '|']).unwrap_or(value.len());
    let value = &value[..end];
    let nothing = NOTHING.iter().any(|word| word.eq_ignore_ascii_case(value));
    let certain = assigned && !unquoted.starts_with("://");
    let said = matches!(kind(name, true), Kind::Latency(_)) && looks_numeric(value);
    (!nothing && (certain || said)).then_some(value)
}

/// Whether a word begins as a number does, or is one of those that are none.
fn looks_numeric(word: &str) -> bool {
    let word = word.trim_start_matches(['<', '>', '=', '~', '+', '-', '\u{2248}', '\u{2264}', '\u{2265}']);
    let small = word.to_ascii_lowercase();
    let not_finite = ["nan", "inf"].iter().any(|start| {
        let rest = small.strip_prefix(start);
        rest.is_some_and(|rest| matches!(rest, "" | "s" | "ms" | "us" | "ns" | "inity"))
    });
    not_finite || word.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_at_the_place_of_the_latency_is_found() {
        for (line, name, expected) in [
            ("05:15:14 took NaNms", "took", Some("NaNms")),
            ("05:15:14 took infms", "took", Some("infms")),
            ("05:15:14 took 1_200 ms", "took", Some("1_200")),
            ("05:15:14 elapsed=soon x", "elapsed", Some("soon")),
            (r#"{"ts":"x","duration":"PT0.1S"}"#, "duration", Some("PT0.1S")),
            (r#"{"http":{"dur":"<1ms"}}"#, "http.dur", Some("<1ms")),
            (r#"{"ts":"x","duration":null}"#, "duration", None),
            ("05:15:14 took over the lead", "took", None),
            ("05:15:14 mistook 5 things", "took", None),
            ("05:15:14 dur=- x", "dur", None),
            (r#"{"ts":"x","duration":"N/A"}"#, "duration", Some("N/A")),
            ("05:15:14 dur=none x", "dur", Some("none")),
            ("05:15:14 started in 5 steps", "in", None),
            ("05:15:14 informing all", "took", None),
        ] {
            assert_eq!(at_name(line, name), expected, "{line}");
        }
    }
}
