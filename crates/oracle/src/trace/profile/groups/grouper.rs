//! Groups waits and calls while a trace is read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use isotherm_frame::wildcard::Patterns;

use super::super::events::{EventId, Events};
use super::super::nesting::{LOB_DEPTH, Span};
use super::super::quick_hash::QuickMap;
use super::super::statement::StatementId;
use super::super::statements::{Slot, Statements};
use super::super::time_tree::Step;
use super::dimension::{Dimension, conditions};
use super::pending::{Load, Pending, PendingWaits};
use super::tally::{Item, Late, OUTSIDE_WAITS, Tally, keep_longest};
use super::{Group, GroupBy, Groups, LONGEST_OF_ALL, Longest, Values};
use crate::idle::is_idle;
use crate::trace::{Cursor, Names, Session, Wait};

/// What tells groups apart: the number of the values known at once, and what is known late.
type Key = (u32, Option<StatementId>, Option<Step>, Option<u32>);

/// A wait that is counted.
#[derive(Copy, Clone, Debug)]
pub(in super::super) struct Waited {
    pub middle: u64,
    pub slot: Slot,
    pub event: EventId,
    pub ns: u64,
}

/// A call that ended.
#[derive(Copy, Clone, Debug)]
pub(in super::super) struct Called {
    pub slot: Slot,
    pub step: Step,
    pub span: Span,
    /// Its time that is neither a wait nor of a deeper call, in nanoseconds.
    pub own_ns: i64,
}

/// Groups the waits and calls of one trace.
#[derive(Debug)]
pub(in super::super) struct Grouper {
    request: GroupBy,
    by: Vec<Dimension>,
    only: Vec<(Dimension, Patterns)>,
    /// Whether any wait or call had the attributes in `by` and then in `only`.
    met: Vec<bool>,
    /// Whether an attribute is asked for that is a parameter of some waits only.
    asks_parameter: bool,
    parameters: BTreeSet<String>,
    /// Idle events that are asked for by their names.
    asked_idle: Vec<Vec<u8>>,
    /// What lines before a record said.
    pub session: Session,
    /// The line of the record at hand, and the cursor of the call.
    pub line: u64,
    pub cursor: Cursor,
    known: Names,
    rows: QuickMap<Key, usize>,
    tallies: Vec<(Key, Tally)>,
    others: Tally,
    unwanted: u64,
    longest: Vec<Item>,
    waits: Vec<PendingWaits>,
    key: Vec<u8>,
}

/// How many names of parameters are kept.
const MOST_PARAMETERS: usize = 64;
/// What stands in a key before a value that there is, and behind each, whether there is one or not.
const SOME: u8 = 1;
const END: u8 = 0;

impl Grouper {
    pub fn new(request: GroupBy) -> Grouper {
        let by: Vec<_> = request.by.iter().map(|name| Dimension::named(name.trim())).collect();
        let only = conditions(&request.only);
        let events = only.iter().filter(|(dimension, _)| *dimension == Dimension::Event);
        let named = events.flat_map(|(_, patterns)| &patterns.any);
        let asked_idle = named.filter(|event| is_idle(event)).cloned().collect();
        let asks_parameter =
            by.iter().chain(only.iter().map(|(one, _)| one)).any(Dimension::is_rare);
        Grouper {
            met: vec![false; by.len() + only.len()],
            request,
            asks_parameter,
            by,
            only,
            parameters: BTreeSet::new(),
            asked_idle,
            session: Session::default(),
            line: 0,
            cursor: 0,
            known: Names::new(4 * Groups::MOST),
            rows: QuickMap::default(),
            tallies: Vec::new(),
            others: Tally::default(),
            unwanted: 0,
            longest: Vec::new(),
            waits: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Whether idle waits for this event are wanted: all are, or it is asked for by its name.
    pub fn wants_idle(&self, event: &[u8]) -> bool {
        self.request.idle || self.asked_idle.iter().any(|asked| **asked == *event)
    }

    /// A wait ended.
    pub fn wait(&mut self, lane: usize, wait: &Wait<'_>, waited: Waited) {
        if self.asks_parameter {
            self.note_parameters(wait);
        }
        let value = |dimension: &Dimension, session: &Session, value: &mut Vec<u8>| match dimension
        {
            Dimension::Event => {
                value.extend_from_slice(wait.event);
                true
            }
            Dimension::Of(attribute) => attribute.append(wait, session, value),
            _ => false,
        };
        let Some(known) = self.known(value) else { return };
        let ns = i64::try_from(waited.ns).unwrap_or(i64::MAX);
        let item = Item { ns, line: self.line, event: waited.event, late: None };
        let Waited { middle, slot, .. } = waited;
        let load = Load::One(item);
        let pending = Pending { middle, known, slot, cursor: wait.cursor, load };
        if let Some(waits) = self.of_lane(lane) {
            waits.push(pending);
        }
    }

    /// Notes what the parameters of waits are called, for who asks for one there is not.
    fn note_parameters(&mut self, wait: &Wait<'_>) {
        for (name, _) in wait.parameters() {
            let name = String::from_utf8_lossy(name);
            if self.parameters.len() < MOST_PARAMETERS && !self.parameters.contains(&*name) {
                self.parameters.insert(name.into_owned());
            }
        }
    }

    /// A call ended: it takes the waits within it.
    pub fn call(&mut self, lane: usize, call: Called, statements: &Statements) {
        let (depth, step) = (call.span.depth, call.step);
        while let Some(wait) = self.of_lane(lane).and_then(|waits| waits.pop_within(call.span)) {
            let id = statements.key_at(wait.slot).id;
            self.count(wait.known, Late { id, step, depth }, &wait.load);
        }
        let cursor = self.cursor;
        let value = |dimension: &Dimension, session: &Session, value: &mut Vec<u8>| match dimension
        {
            Dimension::Event => {
                value.extend_from_slice(Groups::OUTSIDE_WAITS.as_bytes());
                true
            }
            Dimension::Of(attribute) => attribute.append_of_call(cursor, session, value),
            _ => false,
        };
        let Some(known) = self.known(value) else { return };
        let item = Item { ns: call.own_ns, line: self.line, event: OUTSIDE_WAITS, late: None };
        let id = statements.key_at(call.slot).id;
        self.count(known, Late { id, step, depth }, &Load::One(item));
    }

    /// What no call has taken lies between calls.
    pub fn settle(&mut self, lane: usize, statements: &Statements) {
        while let Some(wait) = self.of_lane(lane).and_then(PendingWaits::pop) {
            let id = statements.key_at(wait.slot).id;
            self.count(wait.known, Late { id, step: Step::Between, depth: 0 }, &wait.load);
        }
    }

    /// A statement was parsed into a cursor, which waited before without one.
    pub fn parsed(&mut self, lane: usize, cursor: Cursor, missing: Slot, slot: Slot) {
        if let Some(waits) = self.of_lane(lane) {
            waits.parsed(cursor, missing, slot);
        }
    }

    /// Every statement held, to be changed when statements move.
    pub fn slots(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.waits.iter_mut().flat_map(PendingWaits::slots)
    }

    fn of_lane(&mut self, lane: usize) -> Option<&mut PendingWaits> {
        if lane >= self.waits.len() {
            self.waits.resize_with(lane + 1, PendingWaits::default);
        }
        self.waits.get_mut(lane)
    }

    /// The number of the values that are known at once; `None` if a condition on them does not hold.
    fn known(&mut self, value: impl Fn(&Dimension, &Session, &mut Vec<u8>) -> bool) -> Option<u32> {
        let met = self.met.iter_mut().skip(self.by.len());
        let mut wanted = true;
        for ((dimension, patterns), met) in self.only.iter().zip(met) {
            if !dimension.is_late() {
                self.key.clear();
                let has = value(dimension, &self.session, &mut self.key);
                *met |= has;
                wanted &= patterns.allow(has.then_some(self.key.as_slice()));
            }
        }
        if !wanted {
            self.unwanted += 1;
            return None;
        }
        self.key.clear();
        for (dimension, met) in self.by.iter().zip(&mut self.met) {
            let start = self.key.len();
            self.key.push(SOME);
            if dimension.is_late() || !value(dimension, &self.session, &mut self.key) {
                self.key.truncate(start);
            } else {
                *met = true;
                // Text ends at the byte that ends a value.
                self.key[start + 1..]
                    .iter_mut()
                    .filter(|byte| **byte == END)
                    .for_each(|byte| *byte = b'?');
            }
            self.key.push(END);
        }
        let number = self.known.number(&self.key).and_then(|number| u32::try_from(number).ok());
        Some(number.unwrap_or(u32::MAX))
    }

    /// Counts waits or calls of which all is known.
    fn count(&mut self, known: u32, late: Late, load: &Load) {
        let met = self.met.iter_mut().skip(self.by.len());
        let mut wanted = true;
        for ((dimension, patterns), met) in self.only.iter().zip(met) {
            if dimension.is_late() {
                let value = late_value(dimension, late);
                *met |= value.is_some();
                wanted &= patterns.allow(value.as_deref().map(str::as_bytes));
            }
        }
        if !wanted {
            self.unwanted += load.count();
            return;
        }
        load.put_into(self.row(known, late), Some(late));
        for &item in load.longest().iter().filter(|item| item.event != OUTSIDE_WAITS) {
            let item = Item { late: Some(late), ..item };
            keep_longest(&mut self.longest, item, LONGEST_OF_ALL, |item| item.ns);
        }
    }

    fn row(&mut self, known: u32, late: Late) -> &mut Tally {
        let has = |dimension: Dimension| self.by.contains(&dimension);
        let key: Key = (
            known,
            has(Dimension::Sql).then_some(late.id),
            has(Dimension::Call).then_some(late.step),
            has(Dimension::Depth).then_some(late.depth),
        );
        let next = self.tallies.len();
        let place = match self.rows.get(&key) {
            Some(&place) => place,
            None if known == u32::MAX || next >= Groups::MOST => return &mut self.others,
            None => {
                self.rows.insert(key, next);
                self.tallies.push((key, Tally::default()));
                next
            }
        };
        &mut self.tallies[place].1
    }

    /// Ends the trace.
    pub fn finish(self, file: &Arc<str>, events: &Events) -> Groups {
        let keys: Vec<&[u8]> = self.known.iter().collect();
        let places = |items: Vec<Item>| -> Vec<Longest> {
            items.into_iter().map(|item| place(item, file, events)).collect()
        };
        let group = |mut tally: Tally| {
            let longest = places(std::mem::take(&mut tally.longest));
            Group { tally, longest }
        };
        let mut groups: BTreeMap<Values, Group> = BTreeMap::new();
        for (key, tally) in self.tallies {
            let known = keys.get(key.0 as usize).copied().unwrap_or_default();
            groups.entry(values(&self.by, known, &key)).or_default().add(&group(tally));
        }
        let asked =
            self.request.by.iter().chain(self.request.only.iter().map(|one| &one.attribute));
        let dimensions = self.by.iter().chain(self.only.iter().map(|(dimension, _)| dimension));
        let met: Vec<&Dimension> =
            dimensions.zip(&self.met).filter(|(_, met)| **met).map(|(known, _)| known).collect();
        let is_met = |name: &&String| {
            let dimension = Dimension::named(name.trim());
            dimension.is_late() || met.contains(&&dimension)
        };
        Groups {
            met: asked.clone().filter(is_met).cloned().collect(),
            asked: asked.cloned().collect(),
            by: self.request.by.clone(),
            groups,
            others: group(self.others),
            unwanted: self.unwanted,
            idle: self.request.idle || !self.asked_idle.is_empty(),
            longest: places(self.longest),
            parameters: self.parameters,
        }
    }
}

/// Where one of the longest is.
fn place(item: Item, file: &Arc<str>, events: &Events) -> Longest {
    let late = item.late;
    Longest {
        ns: item.ns,
        event: events.get(item.event).map_or(Groups::OUTSIDE_WAITS, |event| &event.name).into(),
        sql: late.map(|late| late.id.to_string()).unwrap_or_default().into(),
        call: late.map_or(Step::Between, |late| late.step).word(),
        file: Arc::clone(file),
        line: item.line,
    }
}

/// The value of an attribute that is known when the call ends.
fn late_value(dimension: &Dimension, late: Late) -> Option<String> {
    match dimension {
        Dimension::Sql => Some(late.id.to_string()),
        Dimension::Call => Some(late.step.word().to_owned()),
        // LOB calls do not say how deep they are.
        Dimension::Depth if late.depth == LOB_DEPTH => None,
        Dimension::Depth => Some(late.depth.to_string()),
        _ => None,
    }
}

/// The values of a group in the order of its attributes.
fn values(by: &[Dimension], known: &[u8], key: &Key) -> Values {
    let late = Late {
        id: key.1.unwrap_or(StatementId::None),
        step: key.2.unwrap_or(Step::Between),
        depth: key.3.unwrap_or(0),
    };
    let parts = known.split(|&byte| byte == END);
    by.iter()
        .zip(parts)
        .map(|(dimension, part)| {
            let text =
                || part.strip_prefix(&[SOME]).map(|text| String::from_utf8_lossy(text).into());
            late_value(dimension, late).map(Into::into).or_else(text)
        })
        .collect()
}
