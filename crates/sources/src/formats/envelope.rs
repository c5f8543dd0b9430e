//! What container runtimes, syslog and other programs write around the lines of a log.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::lines::first_lines;

/// What stands around each line of an input.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Envelope {
    /// An object of JSON for each line, as Docker keeps them (json-file).
    Docker,
    /// Text before each line: its place among the patterns.
    Prefix(usize),
}

/// Text before lines. A group `time` is when the line was written.
const PREFIXES: [&str; 9] = [
    // syslog of RFC 5424
    r"^<\d{1,3}>1 (?<time>\S+) \S+ \S+ \S+ \S+ (?:-|(?:\[[^\]]*\])+) (?:\xEF\xBB\xBF)?",
    // syslog of RFC 3164, and journalctl
    r"^(?:<\d{1,3}>)?(?<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) \S+ [^\s:\[]+(?:\[\d+\])?: ",
    // containers of Kubernetes (CRI)
    r"^(?<time>\d{4}-\d\d-\d\dT\S+) std(?:out|err) [FP] ",
    // kubectl logs --prefix, docker compose
    r"^(?:\[[\w./-]+\] |[\w.-]+ +\| )",
    // while read line; do echo "$(date): $line"; done
    r"^(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?\d{4}):? +",
    // ts
    r"^(?<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) +",
    // kubectl logs --timestamps, docker logs -t
    r"^\[?(?<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)\]?[:,]? +",
    // ping --apple-time
    r"^(?<time>\d\d:\d\d:\d\d(?:\.\d+)?):? +",
    r"^(?<time>1\d{9}(?:\.\d+)?):? +",
];

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let pattern = |text: &&str| {
        regex::bytes::RegexBuilder::new(text).unicode(false).build().ok()
    };
    PREFIXES.iter().filter_map(pattern).collect()
});

/// A line without what was around it.
pub(super) struct Opened<'l> {
    pub(super) text: Cow<'l, [u8]>,
    /// When it was written, if that stood there.
    pub(super) time: Option<Cow<'l, str>>,
}

#[derive(Deserialize)]
struct DockerLine<'l> {
    #[serde(borrow)]
    log: Cow<'l, str>,
    #[serde(borrow)]
    time: Option<Cow<'l, str>>,
}

impl Envelope {
    pub(super) fn all() -> impl Iterator<Item = Envelope> {
        std::iter::once(Envelope::Docker).chain((0..PREFIXES.len()).map(Envelope::Prefix))
    }

    /// The line within a line; none where there is nothing around it.
    pub(super) fn open(self, line: &[u8]) -> Option<Opened<'_>> {
        match self {
            Envelope::Docker => {
                let line: DockerLine<'_> = serde_json::from_slice(line).ok()?;
                let text = match line.log {
                    Cow::Borrowed(text) => Cow::Borrowed(text.trim_end().as_bytes()),
                    Cow::Owned(text) => Cow::Owned(text.trim_end().as_bytes().to_vec()),
                };
                Some(Opened { text, time: line.time })
            }
            Envelope::Prefix(index) => {
                let found = PATTERNS.get(index)?.captures(line)?;
                let text = line.get(found.get(0)?.end()..)?;
                let time = found.name("time").map(|time| String::from_utf8_lossy(time.as_bytes()));
                Some(Opened { text: Cow::Borrowed(text), time })
            }
        }
    }

    /// The beginning of an input without what is around its lines, if that is around most of them.
    pub(super) fn inside(self, head: &[u8]) -> Option<Vec<u8>> {
        /// Lines that tell.
        const ENOUGH: usize = 20;
        let (mut opened, mut text) = (0, Vec::new());
        let mut seen = 0;
        for line in first_lines(head) {
            let inner = self.open(line);
            if seen < ENOUGH {
                seen += 1;
                opened += usize::from(inner.is_some());
            } else if opened * 2 <= seen {
                return None;
            }
            text.extend_from_slice(inner.as_ref().map_or(line, |inner| &inner.text));
            text.push(b'\n');
        }
        (opened * 2 > seen).then_some(text)
    }
}
