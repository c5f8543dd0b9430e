//! The account of an input: what was read, what was not, and why.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::{Clock, CountedTotals, Nanos, Series, Timestamp};

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

/// The longest event of a series, as its input has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// When it ended.
    pub at: Timestamp,
    /// How long it took.
    pub latency: Nanos,
    /// The name of its input; `None` where that has none.
    pub input: Option<String>,
    /// Where it begins in the input.
    pub place: Place,
    /// What was done, such as a statement with its values; cut where it is long.
    pub text: String,
}

impl fmt::Display for Example {
    /// `postgresql.log:1204`, as editors open it, or `line 1204` of what has no name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.input {
            Some(input) => write!(f, "{input}:{}", self.place.line),
            None => write!(f, "line {}", self.place.line),
        }
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

/// Idle waits that take no part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleWaits {
    /// What was waited for.
    pub event: String,
    /// How many waits.
    pub waits: u64,
    /// How long they were altogether; `None` if nothing tells.
    pub time: Option<Nanos>,
    /// Whether that is measured, not estimated from buckets.
    pub exact: bool,
}

impl IdleWaits {
    /// Adds waits for the same event.
    pub fn add(&mut self, more: &IdleWaits) {
        self.waits = self.waits.saturating_add(more.waits);
        let sum = |(one, two): (Nanos, Nanos)| one.as_nanos().saturating_add(two.as_nanos());
        self.time = self.time.zip(more.time).map(|both| Nanos::new(sum(both)));
        self.exact &= more.exact;
    }
}

/// An attribute that no event has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingAttribute {
    /// As the user calls it.
    pub name: String,
    /// Those there are.
    pub known: Vec<String>,
}

/// An attribute that the user names, that events of such an input may have, and that none of this one has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetAttribute {
    /// As the user calls it.
    pub name: String,
    /// A word for an event of the input, such as `wait`.
    pub event: &'static str,
}

impl fmt::Display for UnmetAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} has the attribute '{}'", self.event, self.name)
    }
}

/// The account of an input: what was read, rejected, lost and ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
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
    pub rejections: Vec<Rejection>,
    /// What was assumed or noticed, each once.
    pub notices: Vec<Cow<'static, str>>,
    /// What is assumed of every such input, each once.
    pub assumptions: Vec<Cow<'static, str>>,
    /// Idle waits that take no part, by event.
    pub idle: Vec<IdleWaits>,
    /// Attributes that no event has.
    pub missing_attributes: Vec<MissingAttribute>,
    /// Attributes that no event of some input has, although events of its source may, each once.
    pub unmet_attributes: Vec<UnmetAttribute>,
    /// Series of running totals. Other inputs may hold totals of the same events.
    pub running_totals: Vec<CountedTotals>,
    /// The longest event of each series, where the source gives it.
    pub examples: BTreeMap<Series, Example>,
}

/// Keeps a sentence once; whether it is new.
fn keep(sentences: &mut Vec<Cow<'static, str>>, words: Cow<'static, str>) -> bool {
    let is_new = sentences.len() < Account::SHOWN && !sentences.contains(&words);
    if is_new {
        sentences.push(words);
    }
    is_new
}

impl Account {
    /// How many rejections and sentences are kept to show.
    pub const SHOWN: usize = 20;

    /// Accounts for a rejection.
    pub fn reject(&mut self, rejection: Rejection) {
        self.rejected += 1;
        self.rejected_events = self.rejected_events.saturating_add(rejection.events);
        if self.rejections.len() < Account::SHOWN {
            self.rejections.push(rejection);
        }
    }

    /// Adds the account of another input; the clock is that of the first.
    pub fn add(&mut self, other: Account) {
        if self.records == 0 && self.rejected == 0 {
            self.clock = other.clock;
        }
        self.records = self.records.saturating_add(other.records);
        self.rejected = self.rejected.saturating_add(other.rejected);
        self.rejected_events = self.rejected_events.saturating_add(other.rejected_events);
        self.lost = self.lost.saturating_add(other.lost);
        self.ignored_lines = self.ignored_lines.saturating_add(other.ignored_lines);
        let room = Account::SHOWN.saturating_sub(self.rejections.len());
        self.rejections.extend(other.rejections.into_iter().take(room));
        for waits in other.idle {
            self.leave_out(waits);
        }
        self.missing_attributes.extend(other.missing_attributes);
        for unmet in other.unmet_attributes {
            self.unmet(unmet);
        }
        self.running_totals.extend(other.running_totals);
        for (series, example) in other.examples {
            self.exemplify(series, example);
        }
        other.notices.into_iter().for_each(|words| {
            self.notice(words);
        });
        other.assumptions.into_iter().for_each(|words| self.assume(words));
    }

    /// Keeps something assumed or noticed, once; whether it is new.
    pub fn notice(&mut self, words: Cow<'static, str>) -> bool {
        keep(&mut self.notices, words)
    }

    /// Keeps an attribute that no event has, once.
    pub fn unmet(&mut self, attribute: UnmetAttribute) {
        if !self.unmet_attributes.contains(&attribute) {
            self.unmet_attributes.push(attribute);
        }
    }

    /// Whether some input has no event with this attribute.
    pub fn lacks(&self, name: &str) -> bool {
        let is_missing = |missing: &MissingAttribute| missing.name.eq_ignore_ascii_case(name);
        let is_unmet = |unmet: &UnmetAttribute| unmet.name.eq_ignore_ascii_case(name);
        self.missing_attributes.iter().any(is_missing) || self.unmet_attributes.iter().any(is_unmet)
    }

    /// Keeps something that is assumed of every such input, once.
    pub fn assume(&mut self, words: Cow<'static, str>) {
        keep(&mut self.assumptions, words);
    }

    /// Keeps the longest event of a series as its example.
    pub fn exemplify(&mut self, series: Series, example: Example) {
        let known = self.examples.get(&series);
        if known.is_none_or(|known| known.latency < example.latency) {
            self.examples.insert(series, example);
        }
    }

    /// Accounts for idle waits that take no part.
    pub fn leave_out(&mut self, waits: IdleWaits) {
        match self.idle.iter_mut().find(|known| known.event == waits.event) {
            Some(known) => known.add(&waits),
            None => self.idle.push(waits),
        }
    }
}
