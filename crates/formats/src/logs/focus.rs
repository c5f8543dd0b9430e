//! The one name whose lengths of time are wanted of a line, once it is known.

use memchr::memmem::Finder;

use super::access;
use super::duration::{is_coarse, unit_named};

/// A name of which no part of a line can be told that stands before its first occurrence.
#[derive(Debug)]
pub(super) struct Focus {
    name: String,
    finder: Finder<'static>,
}

/// Where to begin to look for lengths of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// At this byte.
    At(usize),
    /// Nowhere: the name does not occur.
    Nowhere,
}

impl Focus {
    /// A name that is a word and cannot be a part of a length of time itself; `None` of any other, and of
    /// the names that numbers of access logs are given.
    pub(super) fn new(name: &str) -> Option<Focus> {
        let is_word = name.len() > 1
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_part = name == "and" || unit_named(name).is_some() || is_coarse(name);
        let is_given = access::is_number(name);
        let finder = Finder::new(name).into_owned();
        (is_word && !is_part && !is_given).then(|| Focus { name: name.to_owned(), finder })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Where the first length of time behind the name may stand in a line. What stands before the name
    /// neither is one of it nor reaches beyond it, unless it is glued to it.
    pub(super) fn begin(&self, line: &str) -> Begin {
        let Some(at) = self.finder.find(line.as_bytes()) else { return Begin::Nowhere };
        let before = at.checked_sub(1).and_then(|before| line.as_bytes().get(before));
        let is_apart = before
            .is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'(' | b'[' | b'{' | b'|'));
        Begin::At(if is_apart { at } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::LineParser;
    use super::super::request::FieldChoice;
    use super::*;

    /// The lengths of time of a name, as they are written.
    fn named(parser: &mut LineParser, line: &str, name: &str) -> Vec<String> {
        let wanted = FieldChoice::default();
        let parsed = parser.parse(line, &wanted);
        let of_name = parsed.candidates.iter().filter(|found| found.name == name);
        of_name.map(|found| format!("{} {:?} {:?}", found.number, found.ns, parsed.time)).collect()
    }

    #[test]
    fn what_has_the_name_is_found_whether_it_is_looked_for_or_everything() {
        let lines = [
            "2026-11-21 05:15:14 request 7 took 5 ms",
            "2026-11-21 05:15:14 took=5ms took 7",
            "2026-11-21 05:15:14 mistook 5ms, took 6ms",
            "2026-11-21 05:15:14 x1:took:5ms took 6ms",
            "2026-11-21 05:15:14 5 s took 5 min and 3 s took <7ms",
            "2026-11-21 05:15:14 http.took=5ms",
            "2026-11-21 05:15:14 wait 3 s 100 ms took -4ms (took 1 200 ms)",
            "2026-11-21 05:15:14 nothing 5ms",
            r#"{"ts":"2026-11-21T05:15:14Z","took":"5ms","elapsed":"7ms"}"#,
            r#"{"ts":"2026-11-21T05:15:14Z","msg":"a took 5ms","elapsed":"7ms"}"#,
            r#"{"ts":"2026-11-21T05:15:15Z","msg":"b took 6ms","elapsed":"8ms"}"#,
            r#"h - - [21/Nov/2026:05:15:14 +0000] "GET /took HTTP/1.1" 200 612 "-" "curl/8" 0.123 took=4ms"#,
        ];
        for name in ["took", "elapsed", "duration"] {
            let mut focused = LineParser::focused_on(name);
            for line in lines {
                let all = named(&mut LineParser::default(), line, name);
                assert_eq!(named(&mut focused, line, name), all, "{name}: {line}");
            }
        }
    }

    #[test]
    fn parts_of_a_length_of_time_are_no_names_to_look_for() {
        for name in ["", "s", "ms", "min", "and", "number1", "latency (ms)", "http.took", "-"] {
            assert!(Focus::new(name).is_none(), "{name}");
        }
        assert_eq!(Focus::new("took").map(|focus| focus.begin("x took 5")), Some(Begin::At(2)));
        assert_eq!(Focus::new("took").map(|focus| focus.begin("x 5")), Some(Begin::Nowhere));
    }
}
