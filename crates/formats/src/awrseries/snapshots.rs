//! From rows to one frame for each event of each instance between two snapshots.

use std::collections::BTreeMap;

use isotherm_frame::{Counted as CountedPart, CountedTotals, Frame, Histogram, IdleWaits, Nanos, Place, Quality, Reading, Series, Timestamp, Unit};
use isotherm_oracle::wait_histogram::is_upper_bound;

use super::row::{Counted, Row, When};
use crate::oraclepoll::buckets::{Buckets, are_in};
use crate::oraclepoll::totals::{DISAGREE, UNUSUAL};
use crate::sink::reject;
use crate::{Note, Sink};

/// More events of one snapshot than any database has; what comes behind is rejected.
const MOST_EVENTS: usize = 100_000;

/// Why rows of the other table are left out where they do not stand beside those of the first.
const COUNTED_BEFORE: &str =
    "its waits are those of the table before it: read events or histograms, not both";

/// Who waited: database and instance.
type Owner = (Option<String>, String);

/// What was waited for between two snapshots, by one table or both.
struct Waits {
    /// Where the first row was.
    place: Place,
    idle: bool,
    /// Counts by the upper bound of their bucket, in one unit.
    buckets: Option<(Unit, BTreeMap<u64, u64>)>,
    total: Option<Total>,
}

/// How many waits there were, and how long they took together.
struct Total {
    waits: u64,
    time: Nanos,
    /// Whether the time is printed in full.
    exact: bool,
}

/// How far the waits of an instance are counted.
struct Finished {
    /// When the last interval began.
    began: Timestamp,
    /// Whether it had histograms.
    buckets: bool,
}

/// The snapshot that is being read.
pub(super) struct Snapshots {
    leave_out_idle: bool,
    when: Option<When>,
    waits: BTreeMap<(Owner, String), Waits>,
    finished: BTreeMap<Owner, Finished>,
    /// Waits of events that have no histogram, though others of their interval have.
    without_buckets: u64,
    /// How long the last interval was, for one that nothing ends.
    length: Option<Nanos>,
    /// From when to when each series was counted.
    counted: BTreeMap<Series, (Timestamp, Timestamp)>,
}

impl Snapshots {
    pub(super) fn new(leave_out_idle: bool) -> Snapshots {
        Snapshots {
            leave_out_idle,
            when: None,
            waits: BTreeMap::new(),
            finished: BTreeMap::new(),
            without_buckets: 0,
            length: None,
            counted: BTreeMap::new(),
        }
    }

    /// Adds a row; a row of another interval ends the one before.
    pub(super) fn row(&mut self, row: Row, place: Place, sink: &mut dyn Sink) {
        if self.when.is_some_and(|when| when != row.when) {
            let next = match row.when {
                When::Began(start) => Some(start),
                When::Whole(..) => None,
            };
            self.finish(next, sink);
        }
        let owner = (row.database, row.instance);
        let buckets = matches!(row.counted, Counted::Below(..));
        if self.finished.get(&owner).is_some_and(|last| last.holds(row.when, buckets)) {
            return reject(sink, place, COUNTED_BEFORE, row.waits);
        }
        self.when = Some(row.when);
        let key = (owner, row.event);
        if self.waits.len() >= MOST_EVENTS && !self.waits.contains_key(&key) {
            let reason = "more events of one snapshot than can be read";
            return reject(sink, place, reason, row.waits);
        }
        if let Counted::Below(bound, unit) = row.counted
            && !is_upper_bound(bound, unit)
        {
            let reason = format!("'{}': no histogram has a bucket that ends at {bound}", key.1);
            return reject(sink, place, reason, row.waits);
        }
        let waits = self.waits.entry(key).or_insert_with(|| Waits::of(place, row.idle));
        if let Err(reason) = waits.add(row.waits, row.counted) {
            reject(sink, place, reason, row.waits);
        }
    }

    /// The input has no more rows. The file of events and that of histograms count the same waits: what was
    /// counted is told, so that they are not added up.
    pub(super) fn end(&mut self, sink: &mut dyn Sink) {
        self.finish(None, sink);
        if self.without_buckets > 0 {
            let text = format!(
                "{} waits are left out: there is no histogram of their events",
                self.without_buckets
            );
            sink.note(Note::Said(text.into()));
        }
        for (series, (start, end)) in std::mem::take(&mut self.counted) {
            let counted = CountedPart::From { start, end };
            sink.note(Note::RunningTotals(CountedTotals { series, counted }));
        }
    }

    fn finish(&mut self, next: Option<Timestamp>, sink: &mut dyn Sink) {
        let waits = std::mem::take(&mut self.waits);
        let Some((start, end)) = self.interval(next) else {
            if !waits.is_empty() {
                let text = "the file has only one snapshot, and its length is unknown: it is not \
                            used";
                sink.note(Note::Said(text.into()));
            }
            return;
        };
        for ((owner, _), waits) in &waits {
            let last = self.finished.entry(owner.clone());
            let last = last.or_insert(Finished { began: start, buckets: false });
            if start >= last.began {
                let before = last.buckets && last.began == start;
                *last = Finished { began: start, buckets: before || waits.buckets.is_some() };
            }
        }
        for ((owner, event), waits) in waits {
            // An event without buckets was never waited for while times were taken.
            if waits.buckets.is_none() && self.finished[&owner].buckets {
                let idle = waits.idle;
                let left_out = waits.total.map_or(0, |total| if idle { 0 } else { total.waits });
                self.without_buckets = self.without_buckets.saturating_add(left_out);
                continue;
            }
            let (place, idle, events) = (waits.place, waits.idle, waits.events());
            match waits.histogram(sink) {
                Ok(counts) if idle && self.leave_out_idle => {
                    let (waits, time) = (counts.events(), counts.sum());
                    let exact = time.is_some();
                    sink.note(Note::Idle(IdleWaits { event, waits, time, exact }));
                }
                Ok(counts) => self.give(owner, &event, (start, end), counts, sink),
                Err(reason) => reject(sink, place, format!("'{event}': {reason}"), events),
            }
        }
    }

    fn give(
        &mut self,
        owner: Owner,
        event: &str,
        (start, end): (Timestamp, Timestamp),
        counts: Histogram,
        sink: &mut dyn Sink,
    ) {
        let (database, instance) = owner;
        let database = database.map(|id| ("db", id));
        let series =
            Series::with_attributes(event, [("inst", instance)].into_iter().chain(database));
        let span = self.counted.entry(series.clone()).or_insert((start, end));
        *span = (span.0.min(start), span.1.max(end));
        sink.record();
        let quality = Quality::default();
        sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
    }

    /// Where the interval that was read begins and ends. One that says only when it began ends where the
    /// next begins, and the last is taken to be as long as the one before.
    fn interval(&mut self, next: Option<Timestamp>) -> Option<(Timestamp, Timestamp)> {
        match self.when.take()? {
            When::Whole(start, end) => Some((start, end)),
            When::Began(start) => {
                let known = next.filter(|next| *next > start).map(|next| next.since(start));
                let length = known.or(self.length)?;
                self.length = Some(length);
                Some((start, start.plus(length)))
            }
        }
    }
}

impl Finished {
    /// Whether a row of the other table comes too late to be beside those that were counted.
    fn holds(&self, when: When, buckets: bool) -> bool {
        let (When::Began(began) | When::Whole(began, _)) = when;
        began <= self.began && buckets != self.buckets
    }
}

impl Waits {
    fn of(place: Place, idle: bool) -> Waits {
        Waits { place, idle, buckets: None, total: None }
    }

    fn add(&mut self, waits: u64, counted: Counted) -> Result<(), &'static str> {
        match counted {
            Counted::Below(bound, unit) => {
                let (known, counts) = self.buckets.get_or_insert_with(|| (unit, BTreeMap::new()));
                if *known != unit {
                    return Err("buckets in two units in one interval");
                }
                let count = counts.entry(bound).or_default();
                *count = count.checked_add(waits).ok_or("more waits than can be counted")?;
            }
            Counted::Time(time, exact) => {
                let none = || Total { waits: 0, time: Nanos::ZERO, exact: true };
                let total = self.total.get_or_insert_with(none);
                let sums = total.waits.checked_add(waits).zip(total.time.checked_add(time));
                let (waits, time) = sums.ok_or("more waits than can be counted")?;
                *total = Total { waits, time, exact: total.exact && exact };
            }
        }
        Ok(())
    }

    fn events(&self) -> u64 {
        match &self.buckets {
            Some((_, counts)) => counts.values().fold(0, |sum, count| count.saturating_add(sum)),
            None => self.total.as_ref().map_or(0, |total| total.waits),
        }
    }

    /// The histogram, with the time of the waits where that is known.
    fn histogram(self, sink: &mut dyn Sink) -> Result<Histogram, String> {
        let Some((unit, counts)) = self.buckets else {
            let Total { waits, time, exact } = self.total.ok_or("there are no waits")?;
            return Ok(timed(Histogram::of_averages(waits, time), time, exact));
        };
        let mut buckets = Buckets::new(unit);
        buckets.add(unit, &counts.into_iter().collect::<Vec<_>>())?;
        let (counts, usual) = buckets.histogram()?;
        if !usual {
            sink.note(Note::Said(UNUSUAL.into()));
        }
        let Some(Total { waits, time, exact }) = self.total else { return Ok(counts) };
        if are_in(waits, time, &counts) {
            return Ok(timed(counts, time, exact));
        }
        sink.note(Note::Said(DISAGREE.into()));
        Ok(counts)
    }
}

fn timed(counts: Histogram, time: Nanos, exact: bool) -> Histogram {
    if exact { counts.with_sum(Some(time)) } else { counts.with_partly_known_sum(time) }
}
