//! What was bound to the variables of statements.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::quick_hash::{QuickHasher, QuickMap, of_bytes};
use super::statement::StatementKey;
use super::statements::Statements;
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
    different: HashSet<u64, BuildHasherDefault<QuickHasher>>,
    /// Whether there were more than are told apart.
    more: bool,
    /// Values with how often they were bound, where they are wanted: the first of them.
    known: Vec<(Box<str>, u64)>,
}

/// The bind variables of all statements.
#[derive(Clone, Debug, Default)]
pub struct Binds {
    /// The place of each statement's variables.
    places: QuickMap<StatementKey, usize>,
    /// Variables by their positions, in order.
    variables: Vec<Vec<(u32, BindVariable)>>,
    /// Variables kept, and hashes of their values.
    kept: usize,
    hashes: usize,
    /// Whether values are kept.
    keeps_values: bool,
    /// The statement and the variable that the next lines are about, by their places.
    now: Option<(usize, Option<usize>)>,
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

    /// Counts a value; whether it is kept apart.
    fn count_value(&mut self, value: &[u8], has_room: bool) -> bool {
        self.values += 1;
        self.put(of_bytes(value), has_room)
    }

    /// Counts a different value, if there is room.
    fn put(&mut self, hash: u64, has_room: bool) -> bool {
        if self.different.contains(&hash) {
            return false;
        }
        let fits = has_room && self.different.len() < MOST_DIFFERENT;
        self.more |= !fits;
        fits && self.different.insert(hash)
    }

    fn merge(&mut self, other: &BindVariable, has_room: bool) {
        self.kind = self.kind.or(other.kind);
        self.count += other.count;
        self.values += other.values;
        self.more |= other.more;
        for &hash in &other.different {
            self.put(hash, has_room);
        }
        other.known.iter().for_each(|(text, count)| self.keep(text, *count));
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
        let variables = self.places.get(&key).and_then(|&place| self.variables.get(place));
        let variables = variables.map(Vec::as_slice).unwrap_or_default();
        variables.iter().map(|(position, variable)| (*position, variable))
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
        self.now = key.map(|key| (self.place(key), None));
    }

    /// A line of the section.
    pub(super) fn line(&mut self, line: BindLine<'_>) {
        let Some((place, known)) = self.now else { return };
        if let BindLine::Variable(position, kind) = line {
            let found = self.variable(place, position);
            self.now = Some((place, found));
            if let Some(variable) = self.at(place, found) {
                variable.count += 1;
                variable.kind = kind.or(variable.kind);
            }
            return;
        }
        let (has_room, keeps) = (self.hashes < MOST_HASHES, self.keeps_values);
        let Some(variable) = self.at(place, known) else { return };
        match line {
            BindLine::Type(kind) => variable.kind = Some(kind),
            BindLine::Value(value) => {
                let added = variable.count_value(value, has_room);
                if keeps {
                    let text = String::from_utf8_lossy(value);
                    let text: String = text.chars().take(MOST_CHARACTERS).collect();
                    variable.keep(&text, 1);
                }
                self.hashes += usize::from(added);
            }
            BindLine::Variable(..) => {}
        }
    }

    /// The place of a statement's variables, made if it is new.
    fn place(&mut self, key: StatementKey) -> usize {
        let next = self.variables.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.variables.push(Vec::new());
        }
        place
    }

    /// The place of a variable among those of its statement, made if it is new; `None` if there is no
    /// room.
    fn variable(&mut self, place: usize, position: u32) -> Option<usize> {
        let variables = self.variables.get_mut(place)?;
        match variables.binary_search_by_key(&position, |&(known, _)| known) {
            Ok(found) => Some(found),
            Err(_) if self.kept >= MOST_VARIABLES => None,
            Err(free) => {
                self.kept += 1;
                variables.insert(free, (position, BindVariable::default()));
                Some(free)
            }
        }
    }

    fn at(&mut self, place: usize, variable: Option<usize>) -> Option<&mut BindVariable> {
        let variables = self.variables.get_mut(place)?;
        variables.get_mut(variable?).map(|(_, variable)| variable)
    }

    /// Drops those of statements that are not kept.
    pub(super) fn keep(&mut self, statements: &Statements) {
        let all = std::mem::take(self);
        self.keeps_values = all.keeps_values;
        let mut variables = all.variables;
        let is_kept = |&(key, _): &(StatementKey, usize)| statements.get(key).is_some();
        for (key, place) in all.places.into_iter().filter(is_kept) {
            let kept = variables.get_mut(place).map(std::mem::take).unwrap_or_default();
            self.kept += kept.len();
            self.hashes += kept.iter().map(|(_, variable)| variable.different.len()).sum::<usize>();
            self.places.insert(key, self.variables.len());
            self.variables.push(kept);
        }
    }

    /// Adds those of another file, whose statements have been added already.
    pub(super) fn merge(&mut self, other: &Binds, statements: &Statements) {
        self.keeps_values |= other.keeps_values;
        for &key in other.places.keys() {
            let place = self.place(key);
            for (position, more) in other.of(key) {
                let has_room = self.hashes < MOST_HASHES;
                let found = self.variable(place, position);
                let Some(variable) = self.at(place, found) else { continue };
                let before = variable.different.len();
                variable.merge(more, has_room);
                let added = variable.different.len() - before;
                self.hashes += added;
            }
        }
        self.keep(statements);
    }
}
