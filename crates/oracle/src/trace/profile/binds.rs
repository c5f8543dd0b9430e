//! What was bound to the variables of statements.

use std::collections::{BTreeMap, HashSet};

use super::quick_hash::{QuickMap, of_bytes};
use super::statement::StatementKey;
use crate::trace::BindLine;

/// A bind variable of a statement.
#[derive(Clone, Debug, Default)]
pub struct BindVariable {
    /// The number of its type, where the trace says.
    pub kind: Option<u32>,
    /// How often it was bound.
    pub count: u64,
    /// How often its value was written; else it is null, or not known yet.
    pub values: u64,
    /// Hashes of different values.
    different: HashSet<u64>,
    /// Whether there were more than are told apart.
    more: bool,
    /// Values with how often they were bound, where they are wanted: the first of them.
    known: Vec<(Box<str>, u64)>,
}

/// The bind variables of all statements.
#[derive(Clone, Debug, Default)]
pub struct Binds {
    of: QuickMap<StatementKey, BTreeMap<u32, BindVariable>>,
    /// Hashes kept, of all variables.
    hashes: usize,
    /// Variables kept.
    variables: usize,
    /// Whether values are kept.
    keeps_values: bool,
    /// The variable that the next lines are about.
    now: Option<(StatementKey, Option<u32>)>,
}

/// How many different values of a variable are counted, and of all together.
const MOST_DIFFERENT: usize = 1_000;
const MOST_HASHES: usize = 500_000;
/// How many bind variables are kept.
const MOST_VARIABLES: usize = 20_000;
/// How many values of a variable are kept, and how many characters of each.
const MOST_VALUES: usize = 20;
const MOST_CHARACTERS: usize = 100;

impl BindVariable {
    /// How many different values it had, and whether there were more than that.
    pub fn different(&self) -> (u64, bool) {
        (self.different.len() as u64, self.more)
    }

    /// Values with how often they were bound, the most frequent first; empty unless they are wanted.
    pub fn known_values(&self) -> Vec<(&str, u64)> {
        let mut known: Vec<_> = self.known.iter().map(|(text, count)| (&**text, *count)).collect();
        known.sort_by_key(|&(text, count)| (std::cmp::Reverse(count), text));
        known
    }

    /// The name of its type: those of the numbers that Oracle documents.
    pub fn type_name(&self) -> Option<&'static str> {
        Some(match self.kind? {
            1 => "VARCHAR2",
            2 => "NUMBER",
            8 => "LONG",
            11 => "ROWID",
            12 => "DATE",
            23 => "RAW",
            24 => "LONG RAW",
            96 => "CHAR",
            100 => "BINARY_FLOAT",
            101 => "BINARY_DOUBLE",
            102 => "REF CURSOR",
            112 => "CLOB",
            113 => "BLOB",
            114 => "BFILE",
            180 => "TIMESTAMP",
            181 => "TIMESTAMP WITH TIME ZONE",
            182 => "INTERVAL YEAR TO MONTH",
            183 => "INTERVAL DAY TO SECOND",
            208 => "UROWID",
            231 => "TIMESTAMP WITH LOCAL TIME ZONE",
            252 => "BOOLEAN",
            _ => return None,
        })
    }

    fn keep(&mut self, text: &str, count: u64) {
        let has_room = self.known.len() < MOST_VALUES;
        match self.known.iter_mut().find(|(known, _)| **known == *text) {
            Some((_, sum)) => *sum += count,
            None if has_room => self.known.push((text.into(), count)),
            None => {}
        }
    }
}

impl Binds {
    /// The bind variables of a statement by their positions.
    pub fn of(&self, key: StatementKey) -> impl ExactSizeIterator<Item = (u32, &BindVariable)> {
        static NONE: BTreeMap<u32, BindVariable> = BTreeMap::new();
        self.of.get(&key).unwrap_or(&NONE).iter().map(|(&position, variable)| (position, variable))
    }

    /// Whether values are kept, not only counted.
    pub fn keeps_values(&self) -> bool {
        self.keeps_values
    }

    pub(super) fn keep_values(&mut self) {
        self.keeps_values = true;
    }

    /// A section begins; `None` if its statement is not known.
    pub(super) fn begin(&mut self, key: Option<StatementKey>) {
        self.now = key.map(|key| (key, None));
    }

    /// A line of the section.
    pub(super) fn line(&mut self, line: BindLine<'_>) {
        let Some((key, position)) = self.now else { return };
        if let BindLine::Variable(position, kind) = line {
            self.now = Some((key, Some(position)));
            if let Some(variable) = self.variable(key, position) {
                variable.count += 1;
                variable.kind = kind.or(variable.kind);
            }
            return;
        }
        let Some(position) = position else { return };
        match line {
            BindLine::Value(value) => self.value(key, position, value),
            BindLine::Type(kind) => {
                if let Some(variable) = self.variable(key, position) {
                    variable.kind = Some(kind);
                }
            }
            BindLine::Variable(..) => {}
        }
    }

    fn value(&mut self, key: StatementKey, position: u32, value: &[u8]) {
        let (room, keeps) = (self.hashes < MOST_HASHES, self.keeps_values);
        let Some(variable) = self.variable(key, position) else { return };
        variable.values += 1;
        let added = put(variable, of_bytes(value), room);
        if keeps {
            let text = String::from_utf8_lossy(value);
            let text: String = text.chars().take(MOST_CHARACTERS).collect();
            variable.keep(&text, 1);
        }
        self.hashes += usize::from(added);
    }

    fn variable(&mut self, key: StatementKey, position: u32) -> Option<&mut BindVariable> {
        let full = self.variables >= MOST_VARIABLES;
        let variables = self.of.get(&key);
        let known = variables.is_some_and(|variables| variables.contains_key(&position));
        if !known {
            if full {
                return None;
            }
            self.variables += 1;
        }
        Some(self.of.entry(key).or_default().entry(position).or_default())
    }

    /// Drops those of statements that are not kept.
    pub(super) fn keep(&mut self, is_kept: impl Fn(StatementKey) -> bool) {
        self.of.retain(|&key, _| is_kept(key));
        self.variables = self.of.values().map(BTreeMap::len).sum();
        let variables = self.of.values().flat_map(BTreeMap::values);
        self.hashes = variables.map(|variable| variable.different.len()).sum();
    }

    /// Adds those of another file.
    pub(super) fn merge(&mut self, other: &Binds) {
        self.keeps_values |= other.keeps_values;
        for (&key, variables) in &other.of {
            for (&position, more) in variables {
                let room = MOST_HASHES.saturating_sub(self.hashes);
                let Some(variable) = self.variable(key, position) else { continue };
                variable.kind = variable.kind.or(more.kind);
                variable.count += more.count;
                variable.values += more.values;
                variable.more |= more.more;
                let hashes = more.different.iter();
                let added = hashes.filter(|&&hash| put(variable, hash, room > 0)).count();
                more.known.iter().for_each(|(text, count)| variable.keep(text, *count));
                self.hashes += added;
            }
        }
    }
}

/// Counts a different value, if there is room.
fn put(variable: &mut BindVariable, hash: u64, room: bool) -> bool {
    if variable.different.contains(&hash) {
        return false;
    }
    let fits = room && variable.different.len() < MOST_DIFFERENT;
    variable.more |= !fits;
    fits && variable.different.insert(hash)
}
