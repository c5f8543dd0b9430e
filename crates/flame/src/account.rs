//! What was read, and what could not be.

use crate::counts::Counts;

/// How many rejections are kept to show.
const SHOWN: usize = 5;
/// How much of a rejected line is kept, in characters.
const QUOTED: usize = 80;

/// What was read of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Bytes.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Stacks read, of every event: samples of `perf script`, entries of a map, folded lines.
    pub records: u64,
    /// Lines that are neither part of a stack nor known: messages, headings.
    pub ignored_lines: u64,
    /// Stacks, or parts of them, that could not be read.
    pub rejected: u64,
    /// The first of them.
    pub rejections: Vec<Rejection>,
    /// Entries of a map that were printed before: their counts are added up.
    pub repeated: u64,
    /// Samples that the tool says it lost.
    pub lost: u64,
    /// Events, or maps, other than the one that is shown.
    pub other_events: Vec<OtherEvent>,
    /// Samples outside of the part of time that is wanted.
    pub outside: u64,
    /// The count of stacks without any frame: shown as their program alone.
    pub without_frames: u64,
}

/// An event, or a map, that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherEvent {
    /// What it is called.
    pub name: String,
    /// The sum of its counts.
    pub count: u64,
    /// What they are of.
    pub counts: Counts,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The line, from 1.
    pub line: u64,
    /// Why.
    pub why: &'static str,
    /// How the line begins.
    pub text: String,
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}: '{}'", self.line, self.why, self.text)
    }
}

impl Account {
    /// Counts what could not be read in the line at hand.
    pub(crate) fn reject(&mut self, why: &'static str, line: &[u8]) {
        self.rejected += 1;
        if self.rejections.len() < SHOWN {
            let head = &line[..line.len().min(4 * QUOTED)];
            let text = String::from_utf8_lossy(head).trim().chars().take(QUOTED).collect();
            self.rejections.push(Rejection { line: self.lines, why, text });
        }
    }

    /// Counts what is of an event that is not shown.
    pub(crate) fn other_event(&mut self, name: &str, count: u64, counts: Counts) {
        let Some(other) = self.other_events.iter_mut().find(|other| other.name == name) else {
            self.other_events.push(OtherEvent { name: name.to_owned(), count, counts });
            return;
        };
        match other.count.checked_add(count) {
            Some(sum) => other.count = sum,
            None => self.reject("with it the counts of what is left out exceed 64 bits", b""),
        }
    }
}
