//! What a database read and wrote between two readings of its counters.

use std::collections::HashMap;
use std::sync::Arc;

use isotherm_frame::{IoAmount, IoAmounts, IoCounters, IoPart, IoTotals, IoWaits, Nanos};

/// What changed from one reading to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoChange {
    /// The time between the readings.
    pub length: Nanos,
    /// Functions and files that read or wrote, the most bytes first.
    pub rows: Vec<IoCounters>,
    /// Counters that began anew in between: nothing is known of them.
    pub resets: usize,
    /// Counters that are there no longer: what they counted in between is not known.
    pub gone: usize,
}

impl IoChange {
    /// The difference of two readings. What was not counted before began at zero; what began anew is
    /// counted in `resets` and what is there no longer in `gone`: they are in no row.
    pub fn between(before: &IoTotals, after: &IoTotals) -> IoChange {
        let key = |one: &IoCounters| (one.part, Arc::clone(&one.instance), Arc::clone(&one.id));
        let mut earlier: HashMap<_, &IoCounters> =
            before.counters.iter().map(|one| (key(one), one)).collect();
        let (mut rows, mut resets) = (Vec::new(), 0);
        for now in &after.counters {
            let then = earlier.remove(&key(now)).map_or(IoAmounts::default(), |one| one.amounts);
            match difference(&then, &now.amounts).filter(|_| same_epoch(before, after, now)) {
                Some(amounts) if operations(&amounts) > 0 || bytes(&amounts) > 0 => {
                    rows.push(IoCounters { amounts, ..now.clone() });
                }
                Some(_) => {}
                None => resets += 1,
            }
        }
        rows.sort_by_key(|row| {
            let size = (bytes(&row.amounts), operations(&row.amounts));
            (row.part, std::cmp::Reverse(size), Arc::clone(&row.name), Arc::clone(&row.instance))
        });
        let length = Nanos::new(after.at.as_nanos().saturating_sub(before.at.as_nanos()));
        // What is missing may have begun anew, and have counted nothing since.
        let begun =
            |one: &&IoCounters| epoch(after, one).is_some() && !same_epoch(before, after, one);
        let (missing, begun) = (earlier.len(), earlier.into_values().filter(begun).count());
        IoChange { length, rows, resets: resets + begun, gone: missing - begun }
    }

    /// Whether all that was read and written in between is in the rows.
    pub fn is_whole(&self) -> bool {
        self.resets == 0 && self.gone == 0
    }

    /// The rows of functions, or of files.
    pub fn of(&self, part: IoPart) -> Vec<&IoCounters> {
        self.rows.iter().filter(|row| row.part == part).collect()
    }
}

/// The operations of all sizes and directions.
fn operations(amounts: &IoAmounts) -> u64 {
    all(amounts).fold(0, |sum, amount| sum.saturating_add(amount.operations))
}

/// The bytes of all sizes and directions.
pub fn bytes(amounts: &IoAmounts) -> u64 {
    all(amounts).fold(0, |sum, amount| sum.saturating_add(amount.bytes))
}

fn all(amounts: &IoAmounts) -> impl Iterator<Item = IoAmount> {
    let IoAmounts { small_reads, large_reads, small_writes, large_writes, waits: _ } = *amounts;
    [small_reads, large_reads, small_writes, large_writes].into_iter().flatten()
}

/// Whether the counters of this instance are the same ones; an instance that was not there is not known.
fn same_epoch(before: &IoTotals, after: &IoTotals, of: &IoCounters) -> bool {
    let now = epoch(after, of);
    now.is_some() && epoch(before, of) == now
}

/// Since when an instance counts.
fn epoch<'a>(totals: &'a IoTotals, of: &IoCounters) -> Option<&'a str> {
    totals.epochs.iter().find(|(instance, _)| *instance == of.instance).map(|one| &*one.1)
}

/// What was added; `None` if a counter fell.
fn difference(then: &IoAmounts, now: &IoAmounts) -> Option<IoAmounts> {
    Some(IoAmounts {
        small_reads: added(then.small_reads, now.small_reads)?,
        large_reads: added(then.large_reads, now.large_reads)?,
        small_writes: added(then.small_writes, now.small_writes)?,
        large_writes: added(then.large_writes, now.large_writes)?,
        waits: waited(then.waits, now.waits)?,
    })
}

#[expect(clippy::option_option, reason = "not counted, and fallen, are two things")]
fn added(then: Option<IoAmount>, now: Option<IoAmount>) -> Option<Option<IoAmount>> {
    let Some(now) = now else { return Some(None) };
    let then = then.unwrap_or_default();
    let operations = now.operations.checked_sub(then.operations)?;
    Some(Some(IoAmount { operations, bytes: now.bytes.checked_sub(then.bytes)? }))
}

#[expect(clippy::option_option, reason = "not counted, and fallen, are two things")]
fn waited(then: Option<IoWaits>, now: Option<IoWaits>) -> Option<Option<IoWaits>> {
    let Some(now) = now else { return Some(None) };
    let then = then.unwrap_or_default();
    let waits = now.waits.checked_sub(then.waits)?;
    Some(Some(IoWaits { waits, time_ms: now.time_ms.checked_sub(then.time_ms)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(seconds: u64, epoch: &str, files: &[(&str, u64)]) -> IoTotals {
        let counters = files.iter().map(|(name, reads)| IoCounters {
            part: IoPart::File,
            instance: "1".into(),
            id: (*name).into(),
            name: (*name).into(),
            amounts: IoAmounts {
                small_reads: Some(IoAmount { operations: *reads, bytes: reads * 8_192 }),
                ..IoAmounts::default()
            },
        });
        IoTotals {
            at: Nanos::new(seconds * 1_000_000_000),
            epochs: vec![("1".into(), epoch.into())],
            counters: counters.collect(),
        }
    }

    #[test]
    fn what_was_added_is_told_and_what_began_anew_is_not() {
        let before = totals(5, "a", &[("x", 10), ("y", 50), ("z", 7)]);
        let after = totals(15, "a", &[("x", 30), ("y", 49), ("z", 7), ("new", 45)]);
        let change = IoChange::between(&before, &after);
        assert_eq!((change.length, change.resets), (Nanos::new(10_000_000_000), 1));
        let rows: Vec<(&str, u64)> =
            change.rows.iter().map(|row| (&*row.name, bytes(&row.amounts))).collect();
        assert_eq!(rows, [("new", 45 * 8_192), ("x", 20 * 8_192)]);
        let restarted = IoChange::between(&before, &totals(15, "b", &[("x", 30), ("y", 60)]));
        assert_eq!((restarted.rows.len(), restarted.resets, restarted.gone), (0, 3, 0));
        // An instance that is there no longer has not begun anew.
        let stopped = IoTotals { epochs: Vec::new(), counters: Vec::new(), ..before.clone() };
        let change = IoChange::between(&before, &stopped);
        assert_eq!((change.resets, change.gone), (0, 3));
    }

    #[test]
    fn what_is_given_another_name_goes_on_and_what_is_dropped_is_said_to_be_gone() {
        let before = totals(5, "a", &[("big", 1_000_000), ("small", 10), ("dropped", 7)]);
        let mut after = totals(15, "a", &[("big", 1_000_001), ("small", 12)]);
        // The two swap their names, as when a table is rebuilt beside the one in use.
        after.counters[0].name = "small".into();
        after.counters[1].name = "big".into();
        let change = IoChange::between(&before, &after);
        let rows: Vec<(&str, u64)> =
            change.rows.iter().map(|row| (&*row.name, bytes(&row.amounts) / 8_192)).collect();
        assert_eq!(rows, [("big", 2), ("small", 1)]);
        assert_eq!((change.resets, change.gone, change.is_whole()), (0, 1, false));
    }
}
