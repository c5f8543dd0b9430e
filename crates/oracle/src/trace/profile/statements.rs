//! What each statement cost.

use std::sync::Arc;

use super::calls::{CallCosts, CostsByKind};
use super::cardinality::Distinct;
use super::events::EventId;
use super::quick_hash::{QuickMap, of_bytes};
use crate::trace::{CallKind, Parsing};

/// What tells statements apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementId {
    /// The `sqlid` of 11g and later, padded with zeros.
    SqlId([u8; 16]),
    /// The hash of the text, `hv`, of earlier versions.
    Hash(u64),
    /// A hash of our own, where the trace gives neither.
    Text(u64),
    /// Calls and waits of cursors whose statement is not in the file.
    Missing,
    /// LOB calls: the trace does not say whose.
    Lob,
    /// Waits that belong to no cursor.
    None,
    /// The statements that were not kept, together.
    Others,
}

/// A statement as the user called it, or as the database called it on its own: the same text may
/// be both.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementKey {
    /// Which.
    pub id: StatementId,
    /// Whether it was called from within other calls.
    pub recursive: bool,
}

/// Time of a statement in nanoseconds, beyond what its calls say.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnTime {
    /// Elapsed time of its calls less that of the calls below them. Rounding may leave it slightly
    /// below zero.
    pub elapsed_ns: i64,
    /// Processor time likewise.
    pub cpu_ns: i64,
    /// Waits for the database within its calls and not within deeper ones.
    pub waits_ns: u64,
    /// Idle waits likewise.
    pub idle_ns: u64,
    /// Idle waits within its calls and all deeper ones.
    pub idle_with_below_ns: u64,
    /// Waits for the database on its cursors outside of any call, such as a `log file sync`.
    pub between_ns: u64,
}

/// The waits of one statement for one event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EventShare {
    /// The place of the event in the profile's list.
    pub(super) event: EventId,
    /// The number of waits.
    pub count: u64,
    /// Their time in nanoseconds.
    pub ns: u64,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What tells it from others.
    pub key: StatementKey,
    /// How its text begins; empty if unknown.
    pub text: Box<str>,
    /// The least recursion depth it was called at.
    pub depth: u32,
    /// The module it was first parsed by.
    pub module: Option<Arc<str>>,
    /// What its calls cost, the work of deeper calls in it.
    pub calls: CostsByKind,
    /// Its own time.
    pub own: OwnTime,
    /// Its waits, in the order in which the events were first met. Those of deeper statements
    /// are not among them.
    pub waits: Vec<EventShare>,
    /// From which statements it was called, and how much elapsed time of it: the first four.
    pub parents: Vec<(StatementKey, u64)>,
    /// How many statements were put together here: 1, but for [`StatementId::Others`].
    pub folded: u64,
}

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
    /// The largest number of statements told apart; the least costly beyond it are summed.
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

/// How many of a statement's parents are kept.
const MOST_PARENTS: usize = 4;

impl StatementId {
    /// What names the statement of a `PARSING IN CURSOR`.
    pub(super) fn of(parsing: &Parsing<'_>) -> StatementId {
        match (parsing.sql_id, parsing.hash) {
            (Some(sql_id), _) if (1..=16).contains(&sql_id.len()) => {
                let mut padded = [0; 16];
                padded[..sql_id.len()].copy_from_slice(sql_id);
                StatementId::SqlId(padded)
            }
            (_, Some(hash)) => StatementId::Hash(hash),
            _ => StatementId::Text(of_bytes(parsing.text)),
        }
    }
}

impl std::fmt::Display for StatementId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StatementId::SqlId(padded) => {
                f.pad(String::from_utf8_lossy(padded).trim_end_matches('\0'))
            }
            StatementId::Hash(hash) => f.pad(&format!("hv={hash}")),
            StatementId::Text(hash) => f.pad(&format!("text={hash:016x}")),
            StatementId::Missing => f.pad("(not in the file)"),
            StatementId::Lob => f.pad("(LOB calls)"),
            StatementId::None => f.pad("(no cursor)"),
            StatementId::Others => f.pad("(all others)"),
        }
    }
}

impl Statement {
    fn new(key: StatementKey) -> Statement {
        Statement {
            key,
            text: Box::default(),
            depth: u32::from(key.recursive),
            module: None,
            calls: CostsByKind::default(),
            own: OwnTime::default(),
            waits: Vec::new(),
            parents: Vec::new(),
            folded: 1,
        }
    }

    /// What the user waited because of it, in nanoseconds: its calls, deeper ones in them, less
    /// idle time, and its waits between calls. For recursive statements this is part of what
    /// those that called them cost.
    pub fn response_ns(&self) -> u64 {
        let calls = self.calls.elapsed_ns().saturating_sub(self.own.idle_with_below_ns);
        calls.saturating_add(self.own.between_ns)
    }

    /// Its own part of that: without deeper calls.
    pub fn own_response_ns(&self) -> u64 {
        let own = u64::try_from(self.own.elapsed_ns).unwrap_or(0);
        own.saturating_sub(self.own.idle_ns).saturating_add(self.own.between_ns)
    }

    /// Own elapsed time of its calls that is neither processor time nor a wait; negative where
    /// the two overlap.
    pub fn own_unaccounted_ns(&self) -> i64 {
        let waits = self.own.waits_ns.saturating_add(self.own.idle_ns);
        let waits = i64::try_from(waits).unwrap_or(i64::MAX);
        self.own.elapsed_ns.saturating_sub(self.own.cpu_ns).saturating_sub(waits)
    }

    /// The time of its waits for the database in nanoseconds; `idle` says which events are not.
    pub(super) fn waited(&mut self, event: EventId, ns: u64) {
        match self.waits.iter_mut().find(|share| share.event == event) {
            Some(share) => {
                share.count += 1;
                share.ns = share.ns.saturating_add(ns);
            }
            None => self.waits.push(EventShare { event, count: 1, ns }),
        }
    }

    /// Takes one wait back that turned out to be another statement's.
    pub(super) fn unwaited(&mut self, event: EventId, ns: u64) {
        if let Some(share) = self.waits.iter_mut().find(|share| share.event == event) {
            share.count = share.count.saturating_sub(1);
            share.ns = share.ns.saturating_sub(ns);
        }
        self.waits.retain(|share| share.count > 0);
    }

    /// Counts one of its calls.
    pub(super) fn called(&mut self, kind: CallKind, costs: &CallCosts, depth: u32) {
        self.depth = self.depth.min(depth);
        self.calls.add_one(kind, costs);
    }

    /// Says from where it was called.
    pub(super) fn called_from(&mut self, parent: StatementKey, elapsed_ns: u64) {
        let known = self.parents.len();
        match self.parents.iter_mut().find(|(key, _)| *key == parent) {
            Some((_, sum)) => *sum = sum.saturating_add(elapsed_ns),
            None if known < MOST_PARENTS => self.parents.push((parent, elapsed_ns)),
            None => {}
        }
    }

    /// Adds what another cost; `events` says where its events are here.
    fn absorb(&mut self, other: &Statement, events: impl Fn(EventId) -> EventId) {
        self.depth = self.depth.min(other.depth);
        self.calls.add(&other.calls);
        self.own.add(&other.own);
        for share in &other.waits {
            let event = events(share.event);
            match self.waits.iter_mut().find(|mine| mine.event == event) {
                Some(mine) => {
                    mine.count += share.count;
                    mine.ns = mine.ns.saturating_add(share.ns);
                }
                None => self.waits.push(EventShare { event, ..*share }),
            }
        }
        for &(parent, ns) in &other.parents {
            self.called_from(parent, ns);
        }
    }
}

impl OwnTime {
    fn add(&mut self, other: &OwnTime) {
        self.elapsed_ns = self.elapsed_ns.saturating_add(other.elapsed_ns);
        self.cpu_ns = self.cpu_ns.saturating_add(other.cpu_ns);
        self.waits_ns = self.waits_ns.saturating_add(other.waits_ns);
        self.idle_ns = self.idle_ns.saturating_add(other.idle_ns);
        self.idle_with_below_ns = self.idle_with_below_ns.saturating_add(other.idle_with_below_ns);
        self.between_ns = self.between_ns.saturating_add(other.between_ns);
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
        self.index.clear();
        let mut next = 0;
        for (place, keep) in kept.into_iter().enumerate() {
            if !keep {
                let statement = &self.list[place];
                let sum = &mut others[usize::from(statement.key.recursive)];
                sum.folded += statement.folded;
                sum.absorb(statement, |event| event);
                places.push(Err(statement.key.recursive));
                continue;
            }
            self.list.swap(next, place);
            #[expect(clippy::cast_possible_truncation, reason = "twice the limit at most")]
            let slot = next as Slot;
            self.index.insert(self.list[next].key, slot);
            places.push(Ok(slot));
            next += 1;
        }
        self.list.truncate(next);
        let others = others.map(|sum| {
            let slot = self.slot(sum.key);
            *self.at(slot) = sum;
            slot
        });
        let placed = places.into_iter();
        placed.map(|place| place.unwrap_or_else(|kind| others[usize::from(kind)])).collect()
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
            .map(|(place, statement)| {
                let waited: u64 = statement.waits.iter().map(|share| share.ns).sum();
                (statement.response_ns().max(waited), place)
            })
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
