//! All statements, in bounded memory.

use std::sync::Arc;

use super::cardinality::Distinct;
use super::events::EventId;
use super::quick_hash::{QuickMap, of_bytes};
use super::statement::{Statement, StatementId, StatementKey};
use crate::trace::Parsing;

/// The place of a statement in the list, until [`Statements::tidy`] moves it.
pub(super) type Slot = u32;

/// All statements.
#[derive(Clone, Debug)]
pub struct Statements {
    list: Vec<Statement>,
    index: QuickMap<StatementKey, Slot>,
    /// The number of different statements seen, beyond those kept.
    distinct: Distinct,
    limits: Limits,
}

/// How much of the statements is kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of statements distinguished; the least costly beyond it are summed.
    pub statements: usize,
    /// The largest number of bytes kept of a statement's text.
    pub text: usize,
}

impl Default for Limits {
    /// 20,000 statements with 1,000 bytes each: 40 MB at most.
    fn default() -> Limits {
        Limits { statements: 20_000, text: 1_000 }
    }
}

impl Statements {
    pub(super) fn new(limits: Limits) -> Statements {
        let (list, index) = (Vec::new(), QuickMap::default());
        Statements { list, index, distinct: Distinct::default(), limits }
    }

    /// Every statement, in no particular order, with the rows for what has none.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Statement> {
        self.list.iter()
    }

    /// The statement with this key, if it was kept.
    pub fn get(&self, key: StatementKey) -> Option<&Statement> {
        self.index.get(&key).and_then(|&slot| self.list.get(slot as usize))
    }

    /// About how many different statements there were; exact as long as all were kept.
    pub fn distinct(&self) -> (u64, bool) {
        let named = |statement: &&Statement| {
            use StatementId::{Hash, SqlId, Text};
            matches!(statement.key.id, SqlId(_) | Hash(_) | Text(_))
        };
        let kept = self.list.iter().filter(named).count() as u64;
        let exact = self.list.iter().all(|statement| statement.folded == 1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let estimate = self.distinct.estimate().round() as u64;
        (if exact { kept } else { estimate.max(kept) }, exact)
    }

    /// The place of a statement, made if it is new.
    pub(super) fn slot(&mut self, key: StatementKey) -> Slot {
        if let Some(&slot) = self.index.get(&key) {
            return slot;
        }
        #[expect(clippy::cast_possible_truncation, reason = "twice the limit at most")]
        let slot = self.list.len() as Slot;
        self.list.push(Statement::new(key));
        self.index.insert(key, slot);
        slot
    }

    /// The statement of a `PARSING IN CURSOR`.
    pub(super) fn parsed(&mut self, parsing: &Parsing<'_>, module: Option<&Arc<str>>) -> Slot {
        let key = StatementKey { id: StatementId::of(parsing), recursive: parsing.depth > 0 };
        let hash = match key.id {
            StatementId::SqlId(padded) => of_bytes(&padded),
            StatementId::Hash(hash) | StatementId::Text(hash) => hash,
            _ => 0,
        };
        self.distinct.add(hash.rotate_left(1) ^ u64::from(key.recursive));
        let slot = self.slot(key);
        let most = self.limits.text;
        let statement = &mut self.list[slot as usize];
        if statement.text.is_empty() {
            let kept = &parsing.text[..parsing.text.len().min(most)];
            statement.text = String::from_utf8_lossy(kept).trim_end_matches('\u{fffd}').into();
            statement.depth = parsing.depth;
            statement.module = module.cloned();
        }
        slot
    }

    /// The statement at a place.
    pub(super) fn at(&mut self, slot: Slot) -> &mut Statement {
        &mut self.list[slot as usize]
    }

    /// The key of the statement at a place.
    pub(super) fn key_at(&self, slot: Slot) -> StatementKey {
        self.list[slot as usize].key
    }

    /// Whether there are more than are to be kept.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() > self.limits.statements
    }

    /// Keeps the costliest half and the newest eighth, and adds the others up. Returns the new
    /// place of each old one.
    pub(super) fn tidy(&mut self) -> Vec<Slot> {
        let kept = self.worth_keeping();
        let mut others = [false, true].map(|recursive| self.take_others(recursive));
        let mut places: Vec<Result<Slot, bool>> = Vec::with_capacity(kept.len());
        let mut next: Slot = 0;
        for (statement, keep) in self.list.iter().zip(&kept) {
            if *keep {
                places.push(Ok(next));
                next += 1;
                continue;
            }
            let sum = &mut others[usize::from(statement.key.recursive)];
            sum.folded += statement.folded;
            sum.absorb(statement, |event| event);
            places.push(Err(statement.key.recursive));
        }
        let mut kept = kept.into_iter();
        self.list.retain(|_| kept.next().unwrap_or(true));
        self.index.clear();
        self.index.extend(self.list.iter().map(|statement| statement.key).zip(0..));
        let others = others.map(|sum| {
            let slot = self.slot(sum.key);
            *self.at(slot) = sum;
            slot
        });
        let moved = places.into_iter();
        moved.map(|place| place.unwrap_or_else(|kind| others[usize::from(kind)])).collect()
    }

    /// Takes the sum of the statements not kept out of the list; what is left there costs nothing.
    fn take_others(&mut self, recursive: bool) -> Statement {
        let key = StatementKey { id: StatementId::Others, recursive };
        let fresh = Statement { folded: 0, ..Statement::new(key) };
        match self.index.get(&key) {
            Some(&slot) => std::mem::replace(&mut self.list[slot as usize], fresh),
            None => fresh,
        }
    }

    /// For each statement whether it is to be kept.
    fn worth_keeping(&self) -> Vec<bool> {
        let (all, limit) = (self.list.len(), self.limits.statements);
        let newest = all.saturating_sub(limit / 8);
        let mut older: Vec<(u64, usize)> = self.list[..newest]
            .iter()
            .enumerate()
            .map(|(place, statement)| (statement.cost_ns(), place))
            .collect();
        let least = older.len().saturating_sub(limit / 2);
        if least < older.len() {
            older.select_nth_unstable(least);
        }
        let mut kept = vec![false; all];
        let costly = older.iter().skip(least).map(|&(_, place)| place);
        for place in costly.chain(newest..all) {
            kept[place] = true;
        }
        for (keep, statement) in kept.iter_mut().zip(&self.list) {
            *keep = match statement.key.id {
                StatementId::Missing | StatementId::None | StatementId::Lob => true,
                StatementId::Others => false,
                _ => *keep,
            };
        }
        kept
    }

    /// Adds what `other` has; `events` says where its events are here.
    pub(super) fn merge(&mut self, other: &Statements, events: &[EventId]) {
        self.distinct.merge(&other.distinct);
        for theirs in &other.list {
            let known = self.index.contains_key(&theirs.key);
            let slot = self.slot(theirs.key);
            let mine = self.at(slot);
            mine.absorb(theirs, |event| events.get(event as usize).copied().unwrap_or(event));
            if !known {
                mine.depth = theirs.depth;
                mine.folded = theirs.folded;
            } else if theirs.key.id == StatementId::Others {
                mine.folded += theirs.folded;
            }
            if mine.text.is_empty() {
                mine.text.clone_from(&theirs.text);
                mine.module.clone_from(&theirs.module);
            }
        }
        if self.is_full() {
            self.tidy();
        }
    }
}
