//! Tables: who was active, by one thing, among those that others take.

use std::sync::Arc;

use isotherm_frame::Timestamp;

use super::dimension::{ActivityFilter, Dimension};
use super::estimate::{Estimate, Sum};
use super::keys::Taken;
use super::samples::{Activity, ActivityTotals};

/// A row: the sessions with one value.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityRow {
    /// The value; empty where there is none.
    pub value: Arc<str>,
    /// The average number of active sessions with it.
    pub active: Estimate,
    /// Its part of all active sessions, from 0 to 1.
    pub share: f64,
    /// In how many sessions it was seen.
    pub sessions: usize,
    /// The most sessions that had it in one sample.
    pub most: usize,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityRows {
    /// By what.
    pub by: Dimension,
    /// What is known of all of them together, those of no row among them.
    pub totals: ActivityTotals,
    /// The rows, the most active first.
    pub rows: Vec<ActivityRow>,
}

/// The sums of one row.
#[derive(Clone, Default)]
struct Row {
    sum: Sum,
    /// In the sample that is being read.
    now: usize,
    sessions: Vec<Arc<str>>,
    most: usize,
}

impl Row {
    /// Ends a sample that was read after `before` others.
    fn end(&mut self, before: usize) {
        self.sum.add_nothing(before - self.sum.samples());
        self.sum.add(self.now);
        self.most = self.most.max(self.now);
        self.now = 0;
    }
}

impl Activity {
    /// The table by `by` of the samples between two moments, of the sessions that `filter` takes.
    pub fn rows(
        &self,
        within: (Timestamp, Timestamp),
        by: Dimension,
        filter: &ActivityFilter,
    ) -> ActivityRows {
        let totals = self.totals(within, filter);
        let taken = self.keys.taken(filter);
        let (values_of, values) = self.keys.values(by);
        let mut rows = vec![Row::default(); values.len()];
        let mut touched = Vec::new();
        for (before, sample) in self.between(within).enumerate() {
            for number in sample.sessions.iter().filter(|number| taken.takes(**number)) {
                let Some(value) = values_of.get(*number as usize) else { continue };
                let Some(row) = rows.get_mut(*value) else { continue };
                if row.now == 0 {
                    touched.push(*value);
                }
                row.now += 1;
            }
            for value in touched.drain(..) {
                rows.get_mut(value).into_iter().for_each(|row| row.end(before));
            }
        }
        self.count_sessions(within, (&values_of, &taken), &mut rows);
        let all = totals.active.mean;
        let finished = values.into_iter().zip(rows).filter(|(_, row)| row.most > 0);
        let mut rows: Vec<ActivityRow> = finished
            .map(|(value, mut row)| {
                row.sum.add_nothing(totals.samples - row.sum.samples());
                let active = row.sum.estimate();
                let share = if all > 0.0 { active.mean / all } else { 0.0 };
                let (sessions, most) = (row.sessions.len(), row.most);
                ActivityRow { value, active, share, sessions, most }
            })
            .collect();
        rows.sort_by(|one, other| {
            other.active.mean.total_cmp(&one.active.mean).then_with(|| one.value.cmp(&other.value))
        });
        ActivityRows { by, totals, rows }
    }

    /// Counts the sessions of every row, each once.
    fn count_sessions(
        &self,
        within: (Timestamp, Timestamp),
        (values_of, taken): (&[usize], &Taken),
        rows: &mut [Row],
    ) {
        let mut seen = vec![false; values_of.len()];
        for number in self.between(within).flat_map(|sample| &sample.sessions) {
            if let Some(seen) = seen.get_mut(*number as usize) {
                *seen = taken.takes(*number);
            }
        }
        for (number, value) in values_of.iter().enumerate() {
            let session = seen
                .get(number)
                .filter(|seen| **seen)
                .and_then(|_| self.keys.session(u32::try_from(number).ok()?));
            if let (Some(session), Some(row)) = (session, rows.get_mut(*value)) {
                row.sessions.push(Arc::clone(&session.session));
            }
        }
        for row in rows {
            row.sessions.sort_unstable();
            row.sessions.dedup();
        }
    }
}
