//! Where decoders put what they read.

use std::borrow::Cow;
use std::fmt;

use isotherm_frame::{Clock, Nanos, Reading, Timestamp};

/// Receives what a decoder reads, in the order of the input.
pub trait Sink {
    /// A measurement.
    fn reading(&mut self, reading: Reading);

    /// One record of the input is complete: what the input calls a record, print or line.
    fn record(&mut self);

    /// Something that looked like data and could not be used.
    fn reject(&mut self, rejection: Rejection);

    /// Something to tell the user that is not a fault of the data.
    fn note(&mut self, note: Note);
}

/// Where in an input something is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The byte at which the line begins, from 0.
    pub byte: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str("the input as a whole");
        }
        write!(f, "line {} (byte {})", self.line, self.byte)
    }
}

/// Something that looked like data and could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Where it is.
    pub place: Place,
    /// What is wrong with it.
    pub reason: Cow<'static, str>,
    /// How many events it stood for; 0 when that is unknown or not a number.
    pub events: u64,
}

impl fmt::Display for Rejection {
    /// Where, if that is known, and why.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.line > 0 {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.reason)
    }
}

/// Something to tell the user that is not a fault of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The clock the timestamps count from.
    Clock(Clock),
    /// The source itself says that it lost so many events.
    Lost(u64),
    /// A line outside the data.
    Ignored,
    /// Something assumed or noticed, in words for the user.
    Said(Cow<'static, str>),
    /// Something that is assumed of every such input and only sometimes matters: not worth a warning,
    /// but a line in the account.
    Assumed(Cow<'static, str>),
    /// Waits that take no part because nobody waited for the database.
    LeftOut(LeftOut),
    /// An attribute the user names and no event of the input has.
    NoAttribute(NoAttribute),
    /// A moment the input itself marks.
    Mark {
        /// When.
        at: Timestamp,
        /// What to call it.
        text: String,
    },
}

/// Idle waits that take no part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What was waited for.
    pub event: String,
    /// How many waits.
    pub waits: u64,
    /// How long they were altogether; `None` if nothing tells.
    pub time: Option<Nanos>,
    /// Whether that is measured, not estimated from buckets.
    pub exact: bool,
}

impl LeftOut {
    /// Adds waits for the same event.
    pub fn add(&mut self, more: &LeftOut) {
        self.waits = self.waits.saturating_add(more.waits);
        let sum = |(one, two): (Nanos, Nanos)| one.as_nanos().saturating_add(two.as_nanos());
        self.time = self.time.zip(more.time).map(|both| Nanos::new(sum(both)));
        self.exact &= more.exact;
    }
}

/// An attribute that no event has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAttribute {
    /// As the user calls it.
    pub name: String,
    /// Those there are.
    pub known: Vec<String>,
}

/// The account of an input: what was read, rejected, lost and ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Records read.
    pub records: u64,
    /// Rejections: places that looked like data and could not be used.
    pub rejected: u64,
    /// Events those rejections stood for, where that is known.
    pub rejected_events: u64,
    /// Events the source says it lost itself.
    pub lost: u64,
    /// Lines outside the data.
    pub ignored_lines: u64,
    /// The clock of the timestamps.
    pub clock: Clock,
    /// The first rejections, to show.
    pub examples: Vec<Rejection>,
    /// What was assumed or noticed, each once.
    pub said: Vec<Cow<'static, str>>,
    /// What is assumed of every such input, each once.
    pub assumed: Vec<Cow<'static, str>>,
    /// Idle waits that take no part, by event.
    pub left_out: Vec<LeftOut>,
    /// Attributes that no event has.
    pub no_attribute: Vec<NoAttribute>,
}

/// Keeps a sentence once.
fn keep(sentences: &mut Vec<Cow<'static, str>>, words: Cow<'static, str>) {
    if sentences.len() < Tally::SHOWN && !sentences.contains(&words) {
        sentences.push(words);
    }
}

impl Tally {
    /// How many rejections and sayings are kept to show.
    pub const SHOWN: usize = 20;

    /// Accounts for a rejection.
    pub fn reject(&mut self, rejection: Rejection) {
        self.rejected += 1;
        self.rejected_events = self.rejected_events.saturating_add(rejection.events);
        if self.examples.len() < Tally::SHOWN {
            self.examples.push(rejection);
        }
    }

    /// Adds the account of another input; the clock is that of the first.
    pub fn add(&mut self, other: Tally) {
        if self.records == 0 && self.rejected == 0 {
            self.clock = other.clock;
        }
        self.records = self.records.saturating_add(other.records);
        self.rejected = self.rejected.saturating_add(other.rejected);
        self.rejected_events = self.rejected_events.saturating_add(other.rejected_events);
        self.lost = self.lost.saturating_add(other.lost);
        self.ignored_lines = self.ignored_lines.saturating_add(other.ignored_lines);
        let room = Tally::SHOWN.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
        for waits in other.left_out {
            self.leave_out(waits);
        }
        self.no_attribute.extend(other.no_attribute);
        other.said.into_iter().for_each(|words| keep(&mut self.said, words));
        other.assumed.into_iter().for_each(|words| keep(&mut self.assumed, words));
    }

    /// Accounts for a note.
    pub fn note(&mut self, note: &Note) {
        match note {
            Note::Clock(clock) => self.clock = *clock,
            Note::Lost(events) => self.lost = self.lost.saturating_add(*events),
            Note::Ignored => self.ignored_lines += 1,
            Note::Said(words) => keep(&mut self.said, words.clone()),
            Note::Assumed(words) => keep(&mut self.assumed, words.clone()),
            Note::LeftOut(waits) => self.leave_out(waits.clone()),
            Note::NoAttribute(name) => self.no_attribute.push(name.clone()),
            Note::Mark { .. } => {}
        }
    }

    /// Accounts for idle waits that take no part.
    pub fn leave_out(&mut self, waits: LeftOut) {
        match self.left_out.iter_mut().find(|known| known.event == waits.event) {
            Some(known) => known.add(&waits),
            None => self.left_out.push(waits),
        }
    }
}
