//! From polls to readings: what is known from one poll to the next.

use std::collections::BTreeMap;

use isotherm_frame::{Histogram, IdleWaits, Nanos, Reading, Series, Timestamp};
use isotherm_oracle::idle::is_idle;

use crate::{Note, Sink};

use super::buckets::are_in;
use super::poll::{Counted, Poll, Totals};
use super::record::Owner;

/// Whose counters: database, instance, container and event.
type Key = (Option<u64>, Owner, String);

/// What is known from the polls before.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// When each instance was last polled, and when it had been started then.
    instances: BTreeMap<(Option<u64>, u32), (Timestamp, Option<Timestamp>)>,
    events: BTreeMap<Key, Event>,
    /// Idle waits that take no part, by event; none where all do.
    idle: Option<BTreeMap<String, IdleWaits>>,
}

#[derive(Debug)]
struct Event {
    series: Series,
    counts: Histogram,
    totals: Option<Totals>,
    startup: Option<Timestamp>,
}

/// Wait events told apart at most: fifty times what the largest release knows.
const MOST: usize = 200_000;

/// Said once the two views were seen not to agree.
pub(crate) const DISAGREE: &str = "the views of wait times and of wait counts are not read at one instant: \
    where they differ by more than 1 % the time waited of an interval is an estimate";
/// Said of bounds nobody has described.
pub(crate) const UNUSUAL: &str = "there are bucket bounds other than Oracle's known ones: each bucket is \
    taken to begin where the one before it ends";
/// Said when nothing takes any time.
const UNTIMED: &str = "no wait took any time: the server's parameter TIMED_STATISTICS must be \
    TRUE for times to be taken (ALTER SYSTEM SET timed_statistics = TRUE)";

impl Known {
    /// Leaves out waits of events that are known to be idle.
    pub(super) fn leave_out_idle(&mut self) {
        self.idle.get_or_insert_default();
    }

    /// What was left out, reported once at the end.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) {
        let left_out = self.idle.as_mut().map(std::mem::take).unwrap_or_default();
        for waits in left_out.into_values() {
            sink.note(Note::Idle(waits));
        }
    }

    fn leaves_out(&self, event: &str) -> bool {
        self.idle.is_some() && is_idle(event.as_bytes())
    }

    /// Counts idle waits: those since the last poll of the same start.
    fn leave_out(&mut self, key: &Key, total: &Histogram, epoch: Option<Timestamp>) {
        let before = self.events.get(key).filter(|last| last.startup == epoch);
        let Some(passed) = before.and_then(|last| total.since(&last.histogram()).ok()) else { return };
        let waited = passed.time_waited();
        let waits = IdleWaits {
            event: key.2.clone(),
            waits: passed.events(),
            time: Nanos::from_secs_f64(waited.seconds),
            exact: waited.exact,
        };
        let Some(idle) = self.idle.as_mut().filter(|_| waits.waits > 0) else { return };
        match idle.get_mut(&waits.event) {
            Some(known) => known.add(&waits),
            None => drop(idle.insert(waits.event.clone(), waits)),
        }
    }

    /// Tells the totals of a complete poll; nothing of one that is damaged.
    pub(super) fn tell(&mut self, poll: &mut Poll, sink: &mut dyn Sink) -> bool {
        if poll.is_untimed() {
            sink.note(Note::Said(UNTIMED.into()));
        }
        let counted = match poll.counted() {
            Ok(counted) => counted,
            Err(rejection) => {
                sink.reject(rejection);
                return false;
            }
        };
        if counted.iter().any(|counted| !counted.usual) {
            sink.note(Note::Said(UNUSUAL.into()));
        }
        self.begin_new(poll, &counted, sink);
        for counted in counted {
            self.tell_one(poll, counted, sink);
        }
        for (instance, startup) in &poll.instances {
            self.instances.insert((poll.database, *instance), (poll.at, Some(*startup)));
        }
        true
    }

    /// Rows are there only for what was waited for: an event that comes to be had been at zero
    /// when its instance was last polled, if that has not been restarted since.
    fn begin_new(&mut self, poll: &Poll, counted: &[Counted], sink: &mut dyn Sink) {
        for Counted { owner, event, counts, .. } in counted {
            let startup = poll.instances.get(&owner.instance).copied();
            let before = self.instances.get(&(poll.database, owner.instance));
            let key = (poll.database, *owner, event.clone());
            let Some(&(at, _)) = before
                .filter(|(at, started)| *started == startup && *at < poll.at)
                .filter(|_| !self.events.contains_key(&key) && self.events.len() < MOST)
            else {
                continue;
            };
            let (series, zero) = (series(&key), counts.cleared());
            let totals = Some(Totals { waits: 0, time: Some(Nanos::ZERO) });
            let (total, epoch) = (zero.clone(), startup);
            if !self.leaves_out(event) {
                sink.reading(Reading::Cumulative { at, series: series.clone(), total, epoch });
            }
            self.events.insert(key, Event { series, counts: zero, totals, startup });
        }
    }

    fn tell_one(&mut self, poll: &Poll, counted: Counted, sink: &mut dyn Sink) {
        let Counted { owner, event, counts, totals, .. } = counted;
        let epoch = poll.instances.get(&owner.instance).copied();
        let key = (poll.database, owner, event);
        if self.events.len() >= MOST && !self.events.contains_key(&key) {
            sink.note(Note::Said("there are too many wait events: some are left out".into()));
            return;
        }
        let last = self.events.get(&key);
        let sum = totals.and_then(|totals| totals.time);
        let agree = last.is_none_or(|last| last.agrees(&counts, totals, epoch));
        if sum.is_some() && !agree {
            sink.note(Note::Said(DISAGREE.into()));
        }
        let series = last.map_or_else(|| series(&key), |last| last.series.clone());
        let event = Event { series: series.clone(), counts, totals, startup: epoch };
        let total = event.counts.clone().with_sum(sum.filter(|_| agree));
        if self.leaves_out(&key.2) {
            self.leave_out(&key, &total, epoch);
        } else {
            sink.reading(Reading::Cumulative { at: poll.at, series, total, epoch });
        }
        self.events.insert(key, event);
    }
}

impl Event {
    /// The counts with the time they took, if that is known.
    fn histogram(&self) -> Histogram {
        self.counts.clone().with_sum(self.totals.and_then(|totals| totals.time))
    }

    /// Whether the time waited since the last poll is that of the waits counted since. After a restart there
    /// is nothing to compare.
    fn agrees(
        &self,
        counts: &Histogram,
        totals: Option<Totals>,
        startup: Option<Timestamp>,
    ) -> bool {
        if startup != self.startup {
            return true;
        }
        let Ok(counted) = counts.since(&self.counts) else { return true };
        let Some((now, before)) = totals.zip(self.totals) else { return true };
        let Some((now_time, before_time)) = now.time.zip(before.time) else { return true };
        let passed = now_time.checked_sub(before_time);
        let waits = now.waits.checked_sub(before.waits);
        waits.zip(passed).is_some_and(|(waits, passed)| are_in(waits, passed, &counted))
    }
}

fn series((database, owner, event): &Key) -> Series {
    let attributes = [
        Some(("inst", owner.instance.to_string())),
        owner.container.map(|container| ("con", container.to_string())),
        database.map(|database| ("dbid", database.to_string())),
    ];
    Series::with_attributes(event.clone(), attributes.into_iter().flatten())
}
