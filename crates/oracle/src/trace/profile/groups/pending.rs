//! Waits of one session that no call has taken yet: which call a wait is part of is known when the
//! call ends.

use std::collections::BTreeMap;

use super::super::nesting::Span;
use super::super::statements::Slot;
use super::tally::{Item, Late, Tally};
use crate::trace::Cursor;

/// A wait that belongs to no call yet, or several of one group and statement.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Its middle on the trace's clock.
    pub middle: u64,
    /// The number of what is known of its group.
    pub known: u32,
    /// The statement it was written for.
    pub slot: Slot,
    /// The cursor.
    pub cursor: Cursor,
    /// How long, and where.
    pub load: Load,
}

/// One wait or several.
#[derive(Clone, Debug)]
pub(super) enum Load {
    One(Item),
    Several(Box<Tally>),
}

/// How many lie open before the older half is summed.
const MOST_OPEN: usize = 65_536;

/// Waits in the order in which they ended.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingWaits(Vec<Pending>);

impl PendingWaits {
    pub fn push(&mut self, wait: Pending) {
        if self.0.len() >= MOST_OPEN {
            self.coarsen();
        }
        self.0.push(wait);
    }

    /// The last wait if it lies within the call, as [`super::super::nesting::Nesting::take`] decides.
    pub fn pop_within(&mut self, span: Span) -> Option<Pending> {
        let within = |wait: &mut Pending| span.start.is_none_or(|start| wait.middle > start);
        self.0.pop_if(within)
    }

    /// The last wait.
    pub fn pop(&mut self) -> Option<Pending> {
        self.0.pop()
    }

    /// The waits of a cursor for which no statement was known are those of the parse of this one.
    pub fn parsed(&mut self, cursor: Cursor, missing: Slot, slot: Slot) {
        let of_parse = |wait: &&mut Pending| wait.cursor == cursor && wait.slot == missing;
        self.0.iter_mut().filter(of_parse).for_each(|wait| wait.slot = slot);
    }

    pub fn slots(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.0.iter_mut().map(|wait| &mut wait.slot)
    }

    /// Sums the older half by what tells its waits apart: a call that began amid a sum takes or
    /// leaves it whole.
    fn coarsen(&mut self) {
        let newer = self.0.split_off(self.0.len() / 2);
        let mut sums: BTreeMap<(u32, Slot, Cursor), (u64, Tally)> = BTreeMap::new();
        for wait in self.0.drain(..) {
            let (middle, tally) = sums.entry((wait.known, wait.slot, wait.cursor)).or_default();
            *middle = wait.middle.max(*middle);
            wait.load.put_into(tally, None);
        }
        let summed = sums.into_iter().map(|((known, slot, cursor), (middle, tally))| Pending {
            middle,
            known,
            slot,
            cursor,
            load: Load::Several(Box::new(tally)),
        });
        self.0.extend(summed);
        self.0.sort_by_key(|wait| wait.middle);
        self.0.extend(newer);
    }
}

impl Load {
    /// How many.
    pub fn count(&self) -> u64 {
        match self {
            Load::One(_) => 1,
            Load::Several(sum) => sum.count,
        }
    }

    /// Counts them.
    pub fn put_into(&self, tally: &mut Tally, late: Option<Late>) {
        match self {
            Load::One(item) => tally.record(Item { late, ..*item }),
            Load::Several(sum) => {
                let mut sum = sum.clone();
                sum.longest.iter_mut().for_each(|item| item.late = late);
                tally.add(&sum);
            }
        }
    }

    /// The longest of them.
    pub fn longest(&self) -> &[Item] {
        match self {
            Load::One(item) => std::slice::from_ref(item),
            Load::Several(sum) => &sum.longest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_open_waits_keep_their_sums() {
        let mut waits = PendingWaits::default();
        let all = 3 * MOST_OPEN as u64;
        for line in 1..=all {
            let load = Load::One(Item { ns: 2, line, event: 0, late: None });
            waits.push(Pending {
                middle: line,
                known: 0,
                slot: Slot::try_from(line % 7).unwrap(),
                cursor: 1,
                load,
            });
        }
        assert!(waits.0.len() <= MOST_OPEN);
        let mut sum = Tally::default();
        while let Some(wait) = waits.pop() {
            wait.load.put_into(&mut sum, None);
        }
        assert_eq!((sum.count, sum.total_ns), (all, 2 * i64::try_from(all).unwrap()));
    }
}
