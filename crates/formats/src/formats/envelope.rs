//! What container runtimes, syslog and other programs write around the lines of a log.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::lines::first_lines;

/// What stands around each line of an input.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Envelope {
    /// An object of JSON for each line, as Docker keeps them (json-file): what has no line end goes on in the
    /// next.
    Docker,
    /// The same where line ends are taken away.
    DockerWithoutEnds,
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
    r"^(?<time>\d{4}-\d\d-\d\dT\S+) (?<stream>stdout|stderr) (?<part>[FP]) ",
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
    is_of_stderr: bool,
    /// Whether the line goes on in the next one of its stream: runtimes divide long ones.
    is_divided: bool,
}

impl<'l> Opened<'l> {
    /// A line with nothing around it.
    fn bare(line: &'l [u8]) -> Opened<'l> {
        Opened { text: Cow::Borrowed(line), time: None, is_of_stderr: false, is_divided: false }
    }
}

/// Lines that a container runtime divided, by stream, as far as they were read.
#[derive(Default)]
pub(super) struct Pieces {
    streams: [Vec<u8>; 2],
}

/// What a line gives.
pub(super) enum Piece<'l> {
    /// A whole line: this one, or the one that it ends.
    Whole(Opened<'l>),
    /// More of it follows.
    Divided,
    /// The end of a line that is too long to be put together.
    TooLong,
}

impl Pieces {
    /// The longest line that is put together.
    const MOST: usize = 1 << 20;

    /// Takes off what is around a line.
    pub(super) fn open<'l>(&mut self, envelope: Option<Envelope>, line: &'l [u8]) -> Piece<'l> {
        match envelope.and_then(|envelope| envelope.open(line)) {
            Some(opened) => self.join(opened),
            None => Piece::Whole(Opened::bare(line)),
        }
    }

    /// The same without its time.
    fn open_untimed<'l>(&mut self, envelope: Envelope, line: &'l [u8]) -> Piece<'l> {
        match envelope.open_untimed(line) {
            Some(opened) => self.join(opened),
            None => Piece::Whole(Opened::bare(line)),
        }
    }

    fn join<'l>(&mut self, opened: Opened<'l>) -> Piece<'l> {
        let pieces = &mut self.streams[usize::from(opened.is_of_stderr)];
        if !opened.is_divided && pieces.is_empty() {
            return Piece::Whole(opened);
        }
        // Beyond the limit only that there is more is of interest.
        let room = (Pieces::MOST + 1).saturating_sub(pieces.len());
        pieces.extend_from_slice(&opened.text[..opened.text.len().min(room)]);
        if opened.is_divided {
            return Piece::Divided;
        }
        let text = std::mem::take(pieces);
        if text.len() > Pieces::MOST {
            return Piece::TooLong;
        }
        Piece::Whole(Opened { text: Cow::Owned(text), ..opened })
    }

    /// Whether a line is not whole at the end.
    pub(super) fn are_left(&self) -> bool {
        self.streams.iter().any(|stream| !stream.is_empty())
    }
}

#[derive(Deserialize)]
struct DockerLine<'l> {
    #[serde(borrow)]
    log: Cow<'l, str>,
    #[serde(borrow)]
    time: Option<Cow<'l, str>>,
    #[serde(borrow)]
    stream: Option<Cow<'l, str>>,
}

impl Envelope {
    /// The place of CRI among the patterns.
    const CRI: Envelope = Envelope::Prefix(2);

    /// Whether long lines are divided in it.
    pub(super) fn divides(self) -> bool {
        matches!(self, Envelope::Docker | Envelope::CRI)
    }

    pub(super) fn all() -> impl Iterator<Item = Envelope> {
        let docker = [Envelope::Docker, Envelope::DockerWithoutEnds];
        docker.into_iter().chain((0..PREFIXES.len()).map(Envelope::Prefix))
    }

    /// Those of syslog, which stand before some lines of a file that several programs write.
    pub(super) fn of_syslog() -> [Envelope; 2] {
        [Envelope::Prefix(0), Envelope::Prefix(1)]
    }

    /// The line within a line; none where there is nothing around it.
    pub(super) fn open(self, line: &[u8]) -> Option<Opened<'_>> {
        match self {
            Envelope::Docker | Envelope::DockerWithoutEnds => {
                let line: DockerLine<'_> = serde_json::from_slice(line).ok()?;
                let is_divided = self == Envelope::Docker && !line.log.ends_with('\n');
                let end = if is_divided { line.log.len() } else { line.log.trim_end().len() };
                let text = match line.log {
                    Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes().get(..end)?),
                    Cow::Owned(text) => Cow::Owned(text.as_bytes().get(..end)?.to_vec()),
                };
                let is_of_stderr = line.stream.is_some_and(|stream| stream == "stderr");
                Some(Opened { text, time: line.time, is_of_stderr, is_divided })
            }
            Envelope::Prefix(index) => {
                let found = PATTERNS.get(index)?.captures(line)?;
                let text = line.get(found.get(0)?.end()..)?;
                let time = found.name("time").map(|time| String::from_utf8_lossy(time.as_bytes()));
                let is_of_stderr = found.name("stream").is_some_and(|one| one.as_bytes() == b"stderr");
                let is_divided = found.name("part").is_some_and(|part| part.as_bytes() == b"P");
                Some(Opened { text: Cow::Borrowed(text), time, is_of_stderr, is_divided })
            }
        }
    }

    /// The same without its time, which is found sooner.
    fn open_untimed(self, line: &[u8]) -> Option<Opened<'_>> {
        let Envelope::Prefix(index) = self else { return self.open(line) };
        let end = PATTERNS.get(index)?.find(line)?.end();
        let (before, text) = line.split_at_checked(end)?;
        let is_cri = self == Envelope::CRI;
        let is_of_stderr = is_cri && memchr::memmem::find(before, b" stderr ").is_some();
        let is_divided = is_cri && before.ends_with(b"P ");
        Some(Opened { text: Cow::Borrowed(text), time: None, is_of_stderr, is_divided })
    }

    /// The beginning of an input without what is around its lines, if that is around most of them.
    pub(super) fn inside(self, head: &[u8]) -> Option<Vec<u8>> {
        /// Lines that tell.
        const ENOUGH: usize = 20;
        let (mut opened, mut text) = (0, Vec::new());
        let (mut seen, mut whole) = (0, 0);
        let mut pieces = Pieces::default();
        for line in first_lines(head) {
            if seen < ENOUGH {
                seen += 1;
                opened += usize::from(self.open_untimed(line).is_some());
            } else if opened * 2 <= seen {
                return None;
            }
            if let Piece::Whole(line) = pieces.open_untimed(self, line) {
                whole += 1;
                text.extend_from_slice(&line.text);
                text.push(b'\n');
            }
        }
        (opened * 2 > seen && whole > 0).then_some(text)
    }
}
