//! Response time by any grouping.
//!
//! What is grouped are waits, each with its whole time, and database calls, each with its time that
//! is neither a wait nor of a deeper call: processor time and what is not accounted for. Without
//! conditions and idle waits the groups add up to the response time, whatever they are made by.

mod dimension;
mod grouper;
mod pending;
mod tally;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) use grouper::{Called, Grouper, Waited};
pub use tally::Tally;

use self::tally::{LONGEST, keep_longest};

/// By what to group which waits and calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupBy {
    /// Attributes, as a user calls them.
    pub by: Vec<String>,
    /// What is wanted of attributes.
    pub only: Vec<Condition>,
    /// Whether idle waits are wanted, too.
    pub idle: bool,
}

/// A condition on an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The attribute.
    pub attribute: String,
    /// Its value, in which `*` and `%` stand for any text.
    pub pattern: String,
    /// Whether only other values are wanted.
    pub other: bool,
}

/// A wait or call, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Longest {
    /// How long, in nanoseconds.
    pub ns: i64,
    /// What was waited for; of a call [`Groups::OUTSIDE_WAITS`].
    pub event: Box<str>,
    /// The statement.
    pub sql: Box<str>,
    /// The call that it is part of.
    pub call: &'static str,
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
}

/// Waits and calls with the same values of the attributes.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Their times.
    pub tally: Tally,
    /// The longest of them, in order.
    pub longest: Vec<Longest>,
}

/// Values of attributes; none where a wait or call has no such attribute.
pub type Values = Vec<Option<Box<str>>>;

/// Response time by groups.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The attributes, as the user called them.
    pub by: Vec<String>,
    /// Groups by the values of the attributes.
    pub groups: BTreeMap<Values, Group>,
    /// What there was no room to tell apart.
    pub others: Group,
    /// How many waits and calls were not asked for.
    pub unwanted: u64,
    /// Whether idle waits take part.
    pub idle: bool,
    /// The longest waits of all groups, in order.
    pub longest: Vec<Longest>,
    /// Attributes asked for that some wait or call had.
    met: BTreeSet<String>,
    /// Attributes asked for.
    asked: BTreeSet<String>,
    /// Names of parameters, for who asks for one there is not.
    parameters: BTreeSet<String>,
}

/// How many of the longest waits are kept.
const LONGEST_OF_ALL: usize = 20;

impl Groups {
    /// The most groups told apart.
    pub const MOST: usize = 20_000;

    /// What the time of a call is called that is no wait.
    pub const OUTSIDE_WAITS: &'static str = "(CPU and not accounted for)";

    /// The groups, most time first.
    pub fn by_time(&self) -> Vec<(&Values, &Group)> {
        let mut sorted: Vec<_> = self.groups.iter().collect();
        sorted.sort_by_key(|&(values, group)| (std::cmp::Reverse(group.tally.total_ns), values));
        sorted
    }

    /// All groups together.
    pub fn all(&self) -> Tally {
        let mut all = self.others.tally.clone();
        self.groups.values().for_each(|group| all.add(&group.tally));
        all
    }

    /// Attributes asked for that no wait and no call had, and the parameters that there are.
    pub fn never_met(&self) -> (Vec<&str>, Vec<&str>) {
        let never = self.asked.difference(&self.met).map(String::as_str).collect();
        (never, self.parameters.iter().map(String::as_str).collect())
    }

    /// Adds those of another file, grouped by the same attributes.
    pub(super) fn merge(&mut self, other: &Groups) {
        for (values, group) in &other.groups {
            if self.groups.len() < Groups::MOST || self.groups.contains_key(values) {
                self.groups.entry(values.clone()).or_default().add(group);
            } else {
                self.others.add(group);
            }
        }
        self.others.add(&other.others);
        self.unwanted += other.unwanted;
        for one in &other.longest {
            keep_longest(&mut self.longest, one.clone(), LONGEST_OF_ALL, |one| one.ns);
        }
        self.met.extend(other.met.iter().cloned());
        self.parameters.extend(other.parameters.iter().cloned());
    }
}

impl Group {
    fn add(&mut self, other: &Group) {
        self.tally.add(&other.tally);
        for one in &other.longest {
            keep_longest(&mut self.longest, one.clone(), LONGEST, |one| one.ns);
        }
    }
}
