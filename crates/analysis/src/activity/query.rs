//! Tables: who was active, by one thing, among those that others take.

use std::sync::Arc;

use isotherm_frame::Timestamp;

use super::dimension::{ActivityFilter, Dimension};
use super::estimate::{Estimate, Sum, Weights};
use super::keys::{Keys, Values};
use super::samples::{Activity, ActivityTotals, TotalSum};
use super::waits::{Seen, WaitAge};

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
    /// The sessions that had it in the last sample.
    pub now: usize,
    /// How long the one of these has waited, or worked, that has done so longest.
    pub longest: Option<WaitAge>,
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
struct RowSum {
    sum: Sum,
    /// In the sample that is being read.
    now: usize,
    /// The longest wait in the sample that is being read.
    longest: Option<WaitAge>,
    /// The last sample that had any: its index, its sessions, and the longest of their waits.
    last: Option<(usize, usize, Option<WaitAge>)>,
    sessions: usize,
    most: usize,
}

/// A table that is being added up.
struct TableSum<'a> {
    by: Dimension,
    values: &'a Values,
    rows: Vec<RowSum>,
    /// The rows that the sample that is being read has.
    touched: Vec<usize>,
}

impl<'a> TableSum<'a> {
    fn new(by: Dimension, keys: &'a Keys) -> TableSum<'a> {
        let values = keys.values(by);
        let rows = vec![RowSum::default(); values.texts.len()];
        TableSum { by, values, rows, touched: Vec::new() }
    }

    fn add(&mut self, seen: Seen, age: Option<WaitAge>) {
        let Some(value) = self.values.of(seen.key) else { return };
        let Some(row) = self.rows.get_mut(value) else { return };
        if row.now == 0 {
            self.touched.push(value);
        }
        row.now += 1;
        row.longest = WaitAge::longest([row.longest, age].into_iter());
    }

    /// Ends the sample with this index.
    fn end(&mut self, index: usize, stands_for_ns: u64) {
        for value in self.touched.drain(..) {
            let Some(row) = self.rows.get_mut(value) else { continue };
            row.sum.add(index, row.now, stands_for_ns);
            row.most = row.most.max(row.now);
            row.last = Some((index, row.now, row.longest.take()));
            row.now = 0;
        }
    }

    /// Counts the sessions of every row, each once.
    fn count_sessions(&mut self, seen: &[u32], sessions: &Values) {
        let pairs = seen.iter().filter_map(|key| Some((self.values.of(*key)?, sessions.of(*key)?)));
        let mut pairs: Vec<(usize, usize)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        for (value, _) in pairs {
            if let Some(row) = self.rows.get_mut(value) {
                row.sessions += 1;
            }
        }
    }

    fn finish(self, totals: ActivityTotals, weights: &Weights) -> ActivityRows {
        let all = totals.active.mean;
        let seen = self.values.texts.iter().zip(self.rows).filter(|(_, row)| row.most > 0);
        let mut rows: Vec<ActivityRow> = seen
            .map(|(value, RowSum { sum, sessions, most, last, .. })| {
                let active = sum.estimate(weights);
                let share = if all > 0.0 { active.mean / all } else { 0.0 };
                let last = last.filter(|(index, ..)| index + 1 == totals.samples);
                let (now, longest) = last.map_or((0, None), |(_, now, longest)| (now, longest));
                let value = Arc::clone(value);
                ActivityRow { value, active, share, sessions, most, now, longest }
            })
            .collect();
        rows.sort_by(|one, other| {
            other.active.mean.total_cmp(&one.active.mean).then_with(|| one.value.cmp(&other.value))
        });
        ActivityRows { by: self.by, totals, rows }
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
        let [rows] = self.tables(within, [by], filter);
        rows
    }

    /// Several tables of the same sessions: the samples are read once.
    pub fn tables<const N: usize>(
        &self,
        within: (Timestamp, Timestamp),
        by: [Dimension; N],
        filter: &ActivityFilter,
    ) -> [ActivityRows; N] {
        let taken = self.keys.taken(filter);
        let mut tables = by.map(|by| TableSum::new(by, &self.keys));
        let mut total = TotalSum::default();
        let mut seen = vec![false; self.keys.len()];
        for (index, sample) in self.between(within).enumerate() {
            let (mut active, mut longest) = (0, None);
            for one in sample.sessions.iter().filter(|one| taken.takes(one.key)) {
                active += 1;
                if let Some(seen) = seen.get_mut(one.key as usize) {
                    *seen = true;
                }
                let age = self.waits.age(*one, sample.at);
                longest = WaitAge::longest([longest, age].into_iter());
                for table in &mut tables {
                    table.add(*one, age);
                }
            }
            let stands_for_ns = sample.stands_for_ns();
            for table in &mut tables {
                table.end(index, stands_for_ns);
            }
            total.add(sample, (active, longest));
        }
        let numbers = (0..).zip(seen).filter_map(|(key, seen)| seen.then_some(key));
        let seen: Vec<u32> = numbers.collect();
        let sessions = self.keys.values(Dimension::Session);
        let totals = total.finish();
        tables.map(|mut table| {
            table.count_sessions(&seen, sessions);
            table.finish(totals, total.weights())
        })
    }
}
