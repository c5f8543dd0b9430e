//! A log line taken apart: its time, what may be its latency, and its attributes.

use super::access;
use super::candidate::Candidates;
use super::focus::{Begin, Focus};
use super::json;
use super::kinds::Kinds;
use super::moment::Written;
use super::names::{Moment, time_rank};
use super::parsed::{Parsed, moment_of};
use super::request::FieldChoice;
use super::shape::Shapes;
use super::text::in_text_from;
use super::values::value_of;

/// Takes lines apart, and remembers what it found out about the names and the forms of those before.
#[derive(Default)]
pub(super) struct LineParser {
    kinds: Kinds,
    shapes: Shapes,
    focus: Option<Focus>,
}

impl LineParser {
    /// Finds of lengths of time at least those of one name; all of them where the user names the latency,
    /// since that name is also one of longer names.
    pub(super) fn of(name: &str, wanted: &FieldChoice) -> LineParser {
        if wanted.latency.is_some() { LineParser::default() } else { LineParser::focused_on(name) }
    }

    /// Finds of lengths of time at least those of one name.
    pub(super) fn focused_on(name: &str) -> LineParser {
        LineParser { focus: Focus::new(name), ..LineParser::default() }
    }

    /// Takes a line apart, with what the user asks for, which is the same for all lines.
    pub(super) fn parse<'l>(&'l mut self, line: &'l str, wanted: &'l FieldChoice) -> Parsed<'l> {
        let line = line.trim();
        if !line.starts_with('{') {
            return self.text(line, wanted);
        }
        let exact = !wanted.attributes.is_empty();
        if let Some(known) = self.shapes.recognise(line, exact) {
            return json::of_fields(&self.shapes.fields(known, line), wanted, &self.kinds);
        }
        match json::fields(line) {
            Some(fields) => {
                let name = self.focus.as_ref().map(Focus::name);
                self.shapes.learn(line, &fields, (wanted, name));
                json::of_values(&fields, wanted, &self.kinds)
            }
            None => self.text(line, wanted),
        }
    }

    fn text<'l>(&'l self, line: &'l str, wanted: &'l FieldChoice) -> Parsed<'l> {
        match self.focus.as_ref().map_or(Begin::At(0), |focus| focus.begin(line)) {
            Begin::At(from) => {
                Parsed::of_text(line, in_text_from(from, line, wanted, &self.kinds), wanted)
            }
            Begin::Nowhere => Parsed::default(),
        }
    }
}

impl<'l> Parsed<'l> {
    /// What a text with these lengths of time says.
    fn of_text(line: &'l str, candidates: Candidates<'l>, wanted: &'l FieldChoice) -> Parsed<'l> {
        let mut parsed = Parsed { candidates, ..Parsed::default() };
        if let Some(tail) = access::tail(line) {
            parsed.candidates.extend(access::numbers(tail));
        }
        // The rest is of use beside a latency only.
        if parsed.candidates.is_empty() {
            return parsed;
        }
        match wanted.time.as_deref() {
            Some(name) => parsed.set_time((name, moment_of(name)), value_of(line, name), wanted),
            None => match Written::first(line) {
                Some(written) => parsed.time = Some((written, Moment::Written)),
                None => parsed.find_time(line, wanted),
            },
        }
        let value = |name: &String| {
            let value = value_of(line, name).or_else(|| access::attribute(line, name));
            match value.unwrap_or_default() {
                escaped if escaped.contains("\\\"") => escaped.replace("\\\"", "\"").into(),
                plain => plain.into(),
            }
        };
        parsed.attributes = wanted.attributes.iter().map(value).collect();
        parsed
    }

    /// The time of a line of `key=value` that does not begin with one.
    fn find_time(&mut self, line: &'l str, wanted: &FieldChoice) {
        let pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
        let ranked = pairs.filter_map(|(name, _)| Some((time_rank(name)?, name)));
        let mut ranked: Vec<_> = ranked.collect();
        ranked.sort_unstable();
        for (_, name) in ranked {
            self.set_time((name, moment_of(name)), value_of(line, name), wanted);
            if self.time.is_some() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::candidate::{Candidate, nanos};
    use super::*;

    fn found(line: &str) -> Vec<(String, Option<u64>)> {
        let (mut lines, wanted) = (LineParser::default(), FieldChoice::default());
        let parsed = lines.parse(line, &wanted);
        let ns = |found: &Candidate<'_>| nanos(found, found.named_unit()).ok();
        parsed.candidates.iter().map(|found| (found.name.to_string(), ns(found))).collect()
    }

    fn one(line: &str, name: &str, expected: Option<u64>) {
        assert_eq!(found(line), [(name.to_owned(), expected)], "{line}");
    }

    #[test]
    fn latencies_are_found_in_lines_of_many_programs() {
        one("2026-11-21 05:15:14.312 INFO request took 45us", "took", Some(45_000));
        one("2026-11-21 05:15:14 request 7 took 5 ms", "took", Some(5_000_000));
        one("ts=2026-11-21T05:15:14Z dur=12ms path=/a", "dur", Some(12_000_000));
        one("ts=2026-11-21T05:15:14Z dur_ms=12.5", "dur_ms", Some(12_500_000));
        one("LOG:  duration: 0.123 s", "duration", Some(123_000_000));
        one("x latency (ms): 12", "latency (ms)", Some(12_000_000));
        one("[GIN] 2026/11/21 - 05:15:14 | 200 |     1.25ms | 127.0.0.1 | GET", "", Some(1_250_000));
        one(r#"{"ts":"2026-11-21T05:15:14Z","http":{"duration_ms":3,"status":200}}"#, "http.duration_ms", Some(3_000_000));
        one(r#"{"time":"2026-11-21T05:15:14Z","took":"1m2s"}"#, "took", Some(62_000_000_000));
        one(r#"{"time":"2026-11-21T05:15:14Z","msg":"done in 3 ms"}"#, "in", Some(3_000_000));
        one("h - - [21/Nov/2026:05:15:14 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"curl/8\" 0.123", "number1", Some(123_000_000));
    }

    #[test]
    fn a_number_without_a_unit_stays_without_one() {
        one("05:15:14 dur=12", "dur", None);
        one("05:15:14 took 12", "took", None);
        one(r#"{"time":"2026-11-21T05:15:14Z","duration":0.25}"#, "duration", None);
        one("h - - [21/Nov/2026:05:15:14 +0000] \"GET / HTTP/1.1\" 200 612 1234", "number1", None);
    }

    #[test]
    fn other_numbers_are_no_latencies() {
        for line in [
            "2026-11-21 05:15:14.312 listening on 10.0.0.1:8080, pid 45",
            "2026-11-21 05:15:14 read 12MB at 5 MB/s, 3 files, 99% idle",
            "2026-11-21 05:15:14 version 1.2.3s of abc12ms",
            r#"{"ts":1795238114.5,"status":200,"bytes":512}"#,
            "h - - [21/Nov/2026:05:15:14 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"Mozilla/5.0 (X11)\"",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }

    #[test]
    fn a_limit_is_not_exact() {
        for line in ["took <1ms", "took >=10ms", "took ~10ms", "took > 10 ms", "took=<10ms"] {
            one(line, "took", None);
        }
        one("05:15:14 latency<10ms", "latency", None);
        one("05:15:14 took <10ms>", "took", Some(10_000_000));
        one("05:15:14 GET /a -> 10ms", "", Some(10_000_000));
    }

    #[test]
    fn minutes_are_latencies_only_behind_a_name_that_says_so() {
        one("05:15:14 took 2 min", "took", Some(120_000_000_000));
        one("05:15:14 elapsed=1.5h size=12m", "elapsed", Some(5_400_000_000_000));
        one(r#"{"time":"05:15:14","elapsed":"3m","age":"5d"}"#, "elapsed", Some(180_000_000_000));
        one("05:15:14 took 2 minutes and 10 seconds", "took", None);
    }

    #[test]
    fn a_comma_or_a_minus_is_never_passed_over() {
        one("05:15:14 took 12,5ms", "took", None);
        one("05:15:14 took -5ms", "took", None);
    }

    #[test]
    fn attributes_are_values_of_names() {
        let of = |line: &str| {
            let attributes = vec!["path".to_owned(), "status".to_owned()];
            let wanted = FieldChoice { attributes, ..FieldChoice::default() };
            let mut lines = LineParser::default();
            let attributes = lines.parse(line, &wanted).attributes;
            attributes.into_iter().map(Cow::into_owned).collect::<Vec<_>>()
        };
        assert_eq!(of("05:15:14 path=\"/a b\" status=200 took 5ms"), ["/a b", "200"]);
        let event = |line: &str| {
            let wanted = FieldChoice { attributes: vec!["event".to_owned()], ..FieldChoice::default() };
            LineParser::default().parse(line, &wanted).attributes[0].to_string()
        };
        assert_eq!(event("05:15:14 event=db file sequential read ela=5ms"), "db file sequential read");
        assert_eq!(event(r#"05:15:14 event="the \"db\" file" ela=5ms"#), "the \"db\" file");
        assert_eq!(of(r#"{"http":{"path":"/a"},"status":200}"#), ["/a", "200"]);
        assert_eq!(of("h - - [21/Nov/2026:05:15:14 +0000] \"GET /x HTTP/1.1\" 404 6 0.1"), ["/x", "404"]);
    }
}
