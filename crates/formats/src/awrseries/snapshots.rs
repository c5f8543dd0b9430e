//! From rows to one frame for each event of each instance between two snapshots.

use std::collections::BTreeMap;

use isotherm_frame::{Counted as CountedPart, CountedTotals, Frame, Histogram, IdleWaits, Nanos, Place, Quality, Reading, Scheme, Series, Timestamp, Unit};

use super::row::{Counted, Row, When};
use crate::sink::reject;
use crate::{Note, Sink};

/// More events of one snapshot than any database has; what comes behind is rejected.
const MOST_EVENTS: usize = 100_000;

/// Who waited for what: database, instance, event.
type Key = (Option<String>, String, String);

/// What was waited for between two snapshots.
struct Waits {
    counts: Histogram,
    idle: bool,
}

/// The snapshot that is being read.
pub(super) struct Snapshots {
    leave_out_idle: bool,
    when: Option<When>,
    waits: BTreeMap<Key, Waits>,
    /// How long the last interval was, for one that nothing ends.
    length: Option<Nanos>,
    /// From when to when each series was counted.
    counted: BTreeMap<Series, (Timestamp, Timestamp)>,
}

impl Snapshots {
    pub(super) fn new(leave_out_idle: bool) -> Snapshots {
        let (waits, counted) = (BTreeMap::new(), BTreeMap::new());
        Snapshots { leave_out_idle, when: None, waits, length: None, counted }
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
        self.when = Some(row.when);
        let Some(counts) = histogram(&row) else {
            let reason = format!("no histogram has a bucket that ends where '{}' says", row.event);
            return reject(sink, place, reason, row.waits);
        };
        let key = (row.database, row.instance, row.event);
        let full = self.waits.len() >= MOST_EVENTS;
        match self.waits.get_mut(&key) {
            Some(known) if known.counts.scheme() == counts.scheme() => known.counts.add(&counts),
            Some(_) => reject(sink, place, "rows of two kinds in one file", row.waits),
            None if full => {
                reject(sink, place, "more events of one snapshot than can be read", row.waits);
            }
            None => {
                self.waits.insert(key, Waits { counts, idle: row.idle });
            }
        }
    }

    /// The input has no more rows. The file of events and that of histograms count the same waits: what was
    /// counted is told, so that they are not added up.
    pub(super) fn end(&mut self, sink: &mut dyn Sink) {
        self.finish(None, sink);
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
        for ((database, instance, event), Waits { counts, idle }) in waits {
            if idle && self.leave_out_idle {
                let exact = counts.sum();
                let idle = IdleWaits { event, waits: counts.events(), time: exact, exact: exact.is_some() };
                sink.note(Note::Idle(idle));
                continue;
            }
            let database = database.map(|id| ("db", id));
            let series =
                Series::with_attributes(&event, [("inst", instance)].into_iter().chain(database));
            let span = self.counted.entry(series.clone()).or_insert((start, end));
            *span = (span.0.min(start), span.1.max(end));
            sink.record();
            let quality = Quality::default();
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
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

/// The waits of a row; `None` if no bucket ends where it says.
fn histogram(row: &Row) -> Option<Histogram> {
    match row.counted {
        Counted::Time(time, true) => Some(Histogram::of_averages(row.waits, time)),
        Counted::Time(time, false) => {
            Some(Histogram::of_averages(row.waits, time).with_partly_known_sum(time))
        }
        Counted::Below(millis) => {
            let scheme = Scheme::powers_of_two(Unit::Millis);
            let end = millis.checked_mul(1_000_000)?;
            let bucket = scheme.bounds().iter().position(|bound| *bound == end)?.checked_sub(1)?;
            let mut counts = vec![0; scheme.buckets()];
            *counts.get_mut(bucket)? = row.waits;
            Histogram::new(scheme, counts, None).ok()
        }
    }
}
