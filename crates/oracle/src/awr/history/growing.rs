//! Tables while files are read, and what becomes of their rows once all are.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::layout::{RowMeaning, TableKind};
use super::store::{HistoryTable, Interval, Left, Row};

/// A table that grows.
#[derive(Debug, Default)]
pub(super) struct Growing {
    members: Vec<Vec<String>>,
    by_name: HashMap<String, u32>,
    pub(super) rows: Vec<(Row, RowMeaning)>,
    pub(super) values: Vec<f64>,
}

impl Growing {
    /// The number of a member that is known.
    pub(super) fn known(&self, keys: &[Cow<'_, str>]) -> Option<u32> {
        self.by_name.get(&name_of(keys)).copied()
    }

    /// Makes a member; gives its number.
    pub(super) fn new_member(&mut self, keys: &[Cow<'_, str>]) -> u32 {
        let next = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        self.by_name.insert(name_of(keys), next);
        self.members.push(keys.iter().map(|key| key.clone().into_owned()).collect());
        next
    }

    /// The table in order, each row once: `top-events` has rows of `system-events` again, and a file may be
    /// given twice. Where all events of an interval are known, its largest are not counted again.
    pub(super) fn finish(
        self,
        kind: TableKind,
        known: &Known<'_>,
        left: &mut Vec<Left>,
    ) -> HistoryTable {
        let width = kind.values().len();
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|at| self.rows[*at].0);
        let mut table = HistoryTable { kind, members: self.members, ..HistoryTable::empty(kind) };
        let mut counts = [0_u64; REASONS.len()];
        let whole = self.rows.iter().filter(|(_, rows)| *rows != RowMeaning::RatesOfLargest);
        let whole: HashSet<u32> = whole.map(|(row, _)| row.interval).collect();
        for at in order {
            let (row, rows) = self.rows[at];
            if rows == RowMeaning::RatesOfLargest && whole.contains(&row.interval) {
                continue;
            }
            if let Some(reason) = known.why_not(kind, row.interval) {
                counts[reason] += 1;
                continue;
            }
            let scale = if rows.is_rate() { known.seconds(row.interval) } else { 1.0 };
            let values =
                self.values[at * width..(at + 1) * width].iter().map(|value| value * scale);
            if table.rows.last() == Some(&row) {
                let before = &table.values[table.values.len() - width..];
                let same =
                    before.iter().zip(values).all(|(one, other)| one.total_cmp(&other).is_eq());
                counts[DIFFERENT] += u64::from(!same);
                continue;
            }
            table.rows.push(row);
            table.values.extend(values);
        }
        let name = kind.name();
        let rows = counts.into_iter().zip(REASONS).filter(|(rows, _)| *rows > 0);
        left.extend(rows.map(|(rows, reason)| Left { rows, reason: format!("{name}: {reason}") }));
        table.of_largest = !self.rows.is_empty() && whole.is_empty();
        table.forget_members_without_rows();
        table
    }
}

/// What a member is found by.
fn name_of(keys: &[Cow<'_, str>]) -> String {
    keys.join("\u{1f}")
}

/// Why rows of a table are left out.
const REASONS: [&str; 3] = [
    "of an interval in which a counter fell: the instance was restarted",
    "of an interval of unknown length, or with a snapshot missing before it",
    "there already with other numbers",
];
const FELL: usize = 0;
const UNKNOWN: usize = 1;
const DIFFERENT: usize = 2;

/// What is known of intervals once all files are read.
pub(super) struct Known<'a> {
    pub(super) intervals: &'a [Interval],
    /// Those whose length is not known.
    pub(super) unknown: HashSet<u32>,
    /// Those in which a counter fell.
    pub(super) fell: HashSet<u32>,
}

impl Known<'_> {
    /// Why a row of this interval cannot be used, as a place in [`REASONS`].
    fn why_not(&self, kind: TableKind, interval: u32) -> Option<usize> {
        if kind.is_of_totals() && self.fell.contains(&interval) {
            return Some(FELL);
        }
        self.unknown.contains(&interval).then_some(UNKNOWN)
    }

    fn seconds(&self, interval: u32) -> f64 {
        self.intervals.get(interval as usize).map_or(0.0, Interval::seconds)
    }
}
