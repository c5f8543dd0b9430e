//! What is known of one session while its trace is read.

use std::sync::Arc;

use super::events::EventId;
use super::nesting::{Nesting, Span};
use super::plans::OpenPlan;
use super::quick_hash::QuickMap;
use super::statement::StatementKey;
use super::statements::Slot;
use crate::trace::Cursor;

/// A cursor that was parsed.
#[derive(Copy, Clone, Debug)]
struct OpenCursor {
    slot: Slot,
    /// Whether it was closed for good: its number may be another statement's next.
    closed: bool,
    /// The plan of its last call.
    plan_hash: Option<u64>,
}

/// A wait on a cursor that is yet to be parsed.
#[derive(Copy, Clone, Debug)]
pub(super) struct Early {
    cursor: Cursor,
    /// The event waited for.
    pub event: EventId,
    /// How long, in nanoseconds.
    pub ns: u64,
}

/// One session.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    cursors: QuickMap<Cursor, OpenCursor>,
    early: Vec<Early>,
    /// What happened within which call.
    pub nesting: Nesting,
    /// Its clock.
    pub clock: Clock,
    /// The plan whose lines are being read.
    pub plan: Option<OpenPlan>,
    /// Its module.
    pub module: Option<Arc<str>>,
    /// The statement and the kind of the user's last call.
    pub last_call: Option<LastCall>,
    /// Waits for the client that no call has taken: their middles, the call before each, and their nanoseconds.
    for_client: Vec<(u64, Option<LastCall>, u64)>,
}

/// A statement, and the kind of the call of it.
type LastCall = (StatementKey, &'static str);

/// The clock of the records, in the trace's unit.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Clock {
    /// The first moment of the present stretch and the last; `None` before the first.
    stretch: Option<(u64, u64)>,
    /// The length of earlier stretches.
    earlier: u64,
    /// When the last record ended; where records do not say, counted on from those that do.
    now: u64,
    /// How often it went back.
    pub backwards: u64,
}

/// How many cursors are known at once.
const MOST_CURSORS: usize = 65_536;
/// How many waits for the client are kept apart until a call ends: there is one for each call, unless calls are
/// not in the file.
const MOST_FOR_CLIENT: usize = 65_536;
/// How many waits are remembered until their cursor is parsed.
const MOST_EARLY: usize = 64;

impl Lane {
    /// The statement of a cursor. A cursor closed for good has none when it waits for anything
    /// but the client: that is the parse of its next statement.
    pub fn statement(&self, cursor: Cursor, network: bool) -> Option<Slot> {
        let open = self.cursors.get(&cursor)?;
        (network || !open.closed).then_some(open.slot)
    }

    /// The plan of a cursor's last call.
    pub fn plan_hash(&self, cursor: Cursor) -> Option<u64> {
        self.cursors.get(&cursor)?.plan_hash
    }

    /// A statement was parsed into a cursor. Returns the waits of the parse.
    pub fn parsed(&mut self, cursor: Cursor, slot: Slot) -> Vec<Early> {
        if self.cursors.len() >= MOST_CURSORS && !self.cursors.contains_key(&cursor) {
            self.cursors.retain(|_, open| !open.closed);
            if self.cursors.len() >= MOST_CURSORS / 2 {
                self.cursors.clear();
            }
        }
        self.cursors.insert(cursor, OpenCursor { slot, closed: false, plan_hash: None });
        self.early.extract_if(.., |early| early.cursor == cursor).collect()
    }

    /// A cursor was called: whether it is now closed for good, and which plan it has, if that was
    /// said.
    pub fn called(&mut self, cursor: Cursor, closed: bool, plan_hash: Option<u64>) {
        if let Some(open) = self.cursors.get_mut(&cursor) {
            open.closed = closed;
            open.plan_hash = plan_hash.filter(|&hash| hash > 0).or(open.plan_hash);
        } else {
            self.early.retain(|early| early.cursor != cursor);
        }
    }

    /// A cursor waits that has no statement.
    pub fn waits_early(&mut self, cursor: Cursor, event: EventId, ns: u64) {
        if self.early.len() < MOST_EARLY {
            self.early.push(Early { cursor, event, ns });
        }
    }

    /// A wait for the client ended; whether as many are kept as can be.
    pub fn waits_for_client(&mut self, middle: u64, ns: u64) -> bool {
        self.for_client.push((middle, self.last_call, ns));
        self.for_client.len() >= MOST_FOR_CLIENT
    }

    /// A call ended: waits for the client within it are not between calls.
    pub fn called_within(&mut self, span: Span) {
        let within = |wait: &mut (u64, _, u64)| span.start.is_none_or(|start| wait.0 > start);
        while self.for_client.pop_if(within).is_some() {}
    }

    /// The waits for the client that were between calls: the call before each, and its nanoseconds.
    pub fn between_calls(&mut self) -> impl Iterator<Item = (Option<LastCall>, u64)> {
        std::mem::take(&mut self.for_client).into_iter().map(|(_, behind, ns)| (behind, ns))
    }

    /// Every statement held, to be changed when statements move.
    pub fn slots(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.cursors.values_mut().map(|open| &mut open.slot).chain(self.nesting.slots())
    }
}

impl Clock {
    /// Something lasted `length` and ended at `end`, or right now. Returns the middle of it.
    /// `slack` is how far lines may be out of order.
    pub fn pass(&mut self, end: Option<u64>, length: u64, slack: u64) -> u64 {
        let Some(end) = end else {
            self.now = self.now.saturating_add(length);
            return self.now - length / 2;
        };
        let start = end.saturating_sub(length);
        self.now = end;
        self.stretch = Some(match self.stretch {
            None => (start, end),
            Some((first, last)) if end.saturating_add(slack) >= last => {
                (first.min(start), last.max(end))
            }
            Some((first, last)) => {
                self.backwards += 1;
                self.earlier = self.earlier.saturating_add(last - first);
                (start, end)
            }
        });
        end - length.min(end) / 2
    }

    /// The time that passed.
    pub fn passed(&self) -> u64 {
        let (first, last) = self.stretch.unwrap_or_default();
        self.earlier.saturating_add(last - first)
    }
}
