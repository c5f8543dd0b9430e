//! Waits that samples found: one that several samples in a row found is one wait.

use std::collections::HashMap;

use isotherm_frame::{CurrentWait, Nanos, Timestamp};

use super::dimension::Dimension;
use super::keys::Keys;

/// What a session did in one sample, and the wait it was in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// The number of what it did, in the keys.
    pub(super) key: u32,
    wait: u32,
}

/// How long a wait has lasted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WaitAge {
    /// The server says how long.
    Known(Nanos),
    /// Samples have found it for so long.
    AtLeast(Nanos),
    /// The sample before did not find it.
    LessThan(Nanos),
}

impl WaitAge {
    /// How long it has lasted at least.
    pub fn least(self) -> Nanos {
        match self {
            WaitAge::Known(length) | WaitAge::AtLeast(length) => length,
            WaitAge::LessThan(_) => Nanos::ZERO,
        }
    }

    /// The longest of them.
    pub(super) fn longest(ages: impl Iterator<Item = Option<WaitAge>>) -> Option<WaitAge> {
        let most = |age: &WaitAge| match *age {
            WaitAge::Known(length) | WaitAge::AtLeast(length) => (length, Nanos::ZERO),
            WaitAge::LessThan(length) => (Nanos::ZERO, length),
        };
        ages.flatten().max_by_key(most)
    }
}

/// A wait.
#[derive(Copy, Clone, Debug)]
struct Wait {
    number: i64,
    /// When it began, as the server says, or when a sample first found it.
    began: Timestamp,
    is_known: bool,
    /// The time between the sample that first found it and the one before.
    unseen: Option<Nanos>,
    /// When a sample last found it.
    last: Timestamp,
}

/// The waits of the samples that are kept.
#[derive(Debug, Default)]
pub(super) struct Waits {
    next: u32,
    all: HashMap<u32, Wait>,
    /// The number of waits that were left when those of old samples were let go.
    left: usize,
}

/// Waits that are kept before those of old samples are let go.
const MOST: usize = 20_000;

/// The sample before the one that is added.
pub(super) struct LastSample<'a> {
    pub(super) at: Timestamp,
    pub(super) sessions: &'a [Seen],
    /// Whether no sample that was due is missing in between.
    pub(super) is_close: bool,
}

impl Waits {
    /// Numbers the waits of a sample: of what each session does, by the number in the keys.
    pub(super) fn add(
        &mut self,
        (at, doing): (Timestamp, &[u32]),
        waits: &[CurrentWait],
        last: Option<&LastSample<'_>>,
        keys: &Keys,
    ) -> Vec<Seen> {
        let [sessions, events] = [Dimension::Session, Dimension::Event].map(|by| keys.values(by));
        let earlier = last.map_or(&[][..], |last| last.sessions);
        let earlier: HashMap<Option<usize>, Seen> =
            earlier.iter().map(|seen| (sessions.of(seen.key), *seen)).collect();
        let none = CurrentWait::default();
        let waits = waits.iter().chain(std::iter::repeat(&none));
        let seen = doing.iter().zip(waits).map(|(key, wait)| {
            let before = earlier.get(&sessions.of(*key));
            let before = before.filter(|seen| events.of(seen.key) == events.of(*key));
            let known = before.and_then(|seen| self.goes_on(seen.wait, (at, wait), last));
            let wait = known.unwrap_or_else(|| self.begin((at, wait), last));
            Seen { key: *key, wait }
        });
        seen.collect()
    }

    /// The number of a wait of the sample before, if a session is still in it.
    fn goes_on(
        &mut self,
        number: u32,
        (at, now): (Timestamp, &CurrentWait),
        last: Option<&LastSample<'_>>,
    ) -> Option<u32> {
        let last = last?;
        let wait = self.all.get_mut(&number).filter(|wait| wait.number == now.number)?;
        match now.lasted {
            // It began after the sample before: it is another one.
            Some(lasted) if at.minus(lasted) > last.at => return None,
            Some(lasted) => (wait.began, wait.is_known) = (at.minus(lasted), true),
            // Without a number of the server, what happened in a silence is not known.
            None if !last.is_close => return None,
            None => {}
        }
        wait.last = at;
        Some(number)
    }

    fn begin(
        &mut self,
        (at, now): (Timestamp, &CurrentWait),
        last: Option<&LastSample<'_>>,
    ) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let began = at.minus(now.lasted.unwrap_or(Nanos::ZERO));
        let unseen = last.filter(|last| last.is_close).map(|last| at.since(last.at));
        let is_known = now.lasted.is_some();
        self.all.insert(number, Wait { number: now.number, began, is_known, unseen, last: at });
        number
    }

    /// How long the wait that a sample found had lasted then.
    pub(super) fn age(&self, seen: Seen, at: Timestamp) -> Option<WaitAge> {
        let wait = self.all.get(&seen.wait)?;
        let lasted = at.since(wait.began);
        Some(match wait.unseen {
            _ if wait.is_known => WaitAge::Known(lasted),
            Some(unseen) if lasted == Nanos::ZERO => WaitAge::LessThan(unseen),
            _ => WaitAge::AtLeast(lasted),
        })
    }

    /// How long a wait had lasted when a sample last found it, and whether the server said so. Otherwise it
    /// is the time that its samples stand for.
    pub(super) fn length(&self, seen: Seen, period: Nanos) -> Option<(Nanos, bool)> {
        let wait = self.all.get(&seen.wait)?;
        let found = wait.last.since(wait.began);
        let length = if wait.is_known {
            found
        } else {
            Nanos::new(found.as_nanos().saturating_add(period.as_nanos()))
        };
        Some((length, wait.is_known))
    }

    /// Lets go of waits that no sample found since then, once there are many.
    pub(super) fn forget(&mut self, before: Timestamp) {
        if self.all.len() < MOST.max(2 * self.left) {
            return;
        }
        self.all.retain(|_, wait| wait.last >= before);
        self.left = self.all.len();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}
