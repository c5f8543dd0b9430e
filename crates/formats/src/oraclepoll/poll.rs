//! One poll, collected line by line and used whole or not at all.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use isotherm_frame::{Histogram, Nanos, Place, Rejection, Timestamp};


use super::buckets::Buckets;
use super::record::{Owner, Record, Seen};

/// Everything between `T` and `.`.
#[derive(Debug)]
pub(super) struct Poll {
    place: Place,
    pub(super) at: Timestamp,
    pub(super) database: Option<u64>,
    /// When each instance was started.
    pub(super) instances: BTreeMap<u32, Timestamp>,
    events: BTreeMap<(Owner, String), Counters>,
    pub(super) sessions: Vec<Seen<'static>>,
    pub(super) pasts: Vec<Past>,
    /// What is wrong with it, and where; such a poll is not used.
    damage: Option<Rejection>,
}

/// What is known of one wait event.
#[derive(Debug, Default)]
struct Counters {
    buckets: Option<Buckets>,
    totals: Option<Totals>,
}

/// The exact totals of a wait event.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) waits: u64,
    /// None if it is more than can be counted in nanoseconds: 584 years.
    pub(super) time: Option<Nanos>,
}

/// One of the last waits of a session.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Past {
    pub(super) instance: u32,
    pub(super) sid: u64,
    /// 1 is the latest.
    pub(super) rank: u8,
    pub(super) length: Nanos,
    pub(super) event: String,
}

/// The totals of one wait event, ready to be reported.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) owner: Owner,
    pub(super) event: String,
    pub(super) counts: Histogram,
    /// Whether the bounds are those Oracle is known to use.
    pub(super) usual: bool,
    pub(super) totals: Option<Totals>,
}

impl Poll {
    /// Events or sessions in a poll at most.
    const MOST: usize = 100_000;

    pub(super) fn new(place: Place, at: Timestamp) -> Poll {
        Poll {
            place,
            at,
            database: None,
            instances: BTreeMap::new(),
            events: BTreeMap::new(),
            sessions: Vec::new(),
            pasts: Vec::new(),
            damage: None,
        }
    }

    /// A poll of which nothing can be used.
    pub(super) fn damaged(place: Place, reason: String) -> Poll {
        let mut poll = Poll::new(place, Timestamp::new(0));
        poll.damage(place, reason);
        poll
    }

    /// Remembers the first thing that is wrong.
    pub(super) fn damage(&mut self, place: Place, reason: String) {
        self.damage.get_or_insert(Rejection { place, reason: reason.into(), events: 0 });
    }

    /// What is wrong with a poll that another one, or the end, follows before its `.`.
    pub(super) fn unended(self) -> Rejection {
        let reason = "the poll that begins here has no final line '.': it is not used";
        let unended = Rejection { place: self.place, reason: reason.into(), events: 0 };
        self.damage.unwrap_or(unended)
    }

    /// Takes a line of the poll that is neither its first nor its last.
    pub(super) fn take(&mut self, place: Place, record: Record<'_>) {
        if let Err(reason) = self.try_take(record) {
            self.damage(place, reason);
        }
    }

    fn try_take(&mut self, record: Record<'_>) -> Result<(), String> {
        if self.events.len().max(self.sessions.len()).max(self.pasts.len()) > Poll::MOST {
            return Err(format!("more than {} events or sessions in one poll", Poll::MOST));
        }
        match record {
            Record::Database(id) => self.database = Some(id),
            Record::Instance { instance, startup } => {
                if self.instances.insert(instance, startup).is_some_and(|other| other != startup) {
                    return Err(format!("instance {instance} was started at two times"));
                }
            }
            Record::Buckets { owner, unit, buckets, event } => {
                let counters = self.events.entry((owner, event.into_owned())).or_default();
                let kept = counters.buckets.get_or_insert_with(|| Buckets::new(unit));
                kept.add(unit, &buckets)?;
            }
            Record::Totals { owner, waits, time, event } => {
                match self.events.entry((owner, event.into_owned())) {
                    Entry::Occupied(known) if known.get().totals.is_some() => {
                        return Err("the totals of an event are there twice".into());
                    }
                    entry => entry.or_default().totals = Some(Totals { waits, time }),
                }
            }
            Record::Session(seen) => self.sessions.push(seen.into_owned()),
            Record::Past { instance, sid, rank, length, event } => {
                let event = event.into_owned();
                self.pasts.push(Past { instance, sid, rank, length, event });
            }
            Record::Failed(text) => return Err(format!("the server answered {}", text.trim())),
            Record::Begin(_) | Record::At(_) | Record::End | Record::Noise => {}
        }
        Ok(())
    }

    /// The totals of all events, or what is wrong with the poll.
    pub(super) fn counted(&mut self) -> Result<Vec<Counted>, Rejection> {
        if let Some(damage) = self.damage.take() {
            return Err(damage);
        }
        let mut counted = Vec::with_capacity(self.events.len());
        for ((owner, event), Counters { buckets, totals }) in std::mem::take(&mut self.events) {
            // An event without buckets was never waited for while times were taken.
            let Some(buckets) = buckets else { continue };
            let (counts, usual) = buckets.histogram().map_err(|wrong| {
                let reason = format!("'{event}' of instance {}: {wrong}", owner.instance);
                Rejection { place: self.place, reason: reason.into(), events: 0 }
            })?;
            counted.push(Counted { owner, event, counts, usual, totals });
        }
        Ok(counted)
    }

    /// Whether sessions waited, and none of their waits took any time: times are not taken.
    pub(super) fn is_untimed(&self) -> bool {
        /// So many waits cannot all have been shorter than a microsecond.
        const ENOUGH: u64 = 1_000;
        let totals = || self.events.values().filter_map(|counters| counters.totals);
        let waits = totals().fold(0_u64, |waits, totals| waits.saturating_add(totals.waits));
        waits >= ENOUGH && totals().all(|totals| totals.time == Some(Nanos::ZERO))
    }
}

impl Seen<'_> {
    fn into_owned(self) -> Seen<'static> {
        Seen { event: self.event.into_owned().into(), ..self }
    }
}
