//! Average active sessions over time, by class.

use std::sync::Arc;

use isotherm_frame::{Nanos, Timestamp};

use super::dimension::{ActivityFilter, Dimension};
use super::keys::{Taken, Values};
use super::samples::{Activity, Looked};

/// Columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActivityStrip {
    /// The classes that any column has, those with most sessions first.
    pub classes: Vec<Arc<str>>,
    /// The columns, oldest first.
    pub columns: Vec<StripColumn>,
    /// The start of the first column.
    pub start: Timestamp,
    /// The length of each.
    pub column: Nanos,
}

/// What is known of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StripColumn {
    /// The samples taken in it, or the one that stands for it; nothing is known where there are none.
    pub samples: usize,
    /// The average number of active sessions of each class.
    pub active: Vec<f64>,
}

impl StripColumn {
    /// Of all classes together.
    pub fn total(&self) -> f64 {
        self.active.iter().sum()
    }
}

impl ActivityStrip {
    /// The most active sessions of any column.
    pub fn most(&self) -> f64 {
        self.columns.iter().map(StripColumn::total).fold(0.0, f64::max)
    }
}

impl Activity {
    /// The last `columns` columns of this length, of the sessions that `filter` takes. The last one ends
    /// with `end` or less than a column after it: columns begin at multiples of their length.
    pub fn strip(
        &self,
        end: Timestamp,
        (column, columns): (Nanos, usize),
        filter: &ActivityFilter,
    ) -> ActivityStrip {
        let length = i64::try_from(column.as_nanos().max(1)).unwrap_or(i64::MAX);
        let last = end.as_nanos().div_euclid(length);
        let first = last - i64::try_from(columns).unwrap_or(0) + 1;
        let start = Timestamp::new(first.saturating_mul(length));
        let mut sums = ColumnSums {
            length,
            first,
            classes: self.keys.values(Dimension::Class),
            taken: self.keys.taken(filter),
            columns: vec![(0, vec![0; self.keys.values(Dimension::Class).texts.len()]); columns],
        };
        self.between((start, end)).for_each(|sample| sums.add(sample));
        self.between((start, end)).for_each(|sample| sums.stand_in(sample));
        let (classes, sums) = (&sums.classes.texts, sums.columns);
        let order = by_total(&sums, classes.len());
        let columns = sums.into_iter().map(|(samples, counts)| StripColumn {
            samples,
            active: order.iter().map(|class| mean(&counts, *class, samples)).collect(),
        });
        let columns = columns.collect();
        let classes = order.iter().filter_map(|class| classes.get(*class).cloned()).collect();
        ActivityStrip { classes, columns, start, column }
    }
}

/// Columns that are being added up: samples, and their sessions by class.
struct ColumnSums<'a> {
    length: i64,
    /// The number of the first column.
    first: i64,
    classes: &'a Values,
    taken: Taken,
    columns: Vec<(usize, Vec<u64>)>,
}

impl ColumnSums<'_> {
    /// Counts a sample in its column.
    fn add(&mut self, sample: &Looked) {
        let number = sample.at.as_nanos().div_euclid(self.length) - self.first;
        self.count(number, sample);
    }

    /// Counts a sample in the columns without one of which it stands for the middle: where samples are due
    /// about as often as columns end, a column can be without one though none is missing.
    fn stand_in(&mut self, sample: &Looked) {
        let half = self.length / 2;
        let number =
            |at: Timestamp| at.as_nanos().saturating_sub(half).div_euclid(self.length) - self.first;
        let (from, to) = (sample.at.minus(sample.before), sample.at.plus(sample.after));
        for number in number(from) + 1..=number(to) {
            let index = usize::try_from(number).ok();
            let column = index.and_then(|index| self.columns.get(index));
            if column.is_some_and(|(samples, _)| *samples == 0) {
                self.count(number, sample);
            }
        }
    }

    fn count(&mut self, number: i64, sample: &Looked) {
        let column = usize::try_from(number).ok().and_then(|index| self.columns.get_mut(index));
        let Some((samples, counts)) = column else { return };
        *samples += 1;
        for key in sample.sessions.iter().filter(|key| self.taken.takes(**key)) {
            let class = self.classes.of(*key).and_then(|class| counts.get_mut(class));
            if let Some(count) = class {
                *count += 1;
            }
        }
    }
}

fn mean(counts: &[u64], class: usize, samples: usize) -> f64 {
    counts.get(class).map_or(0.0, |count| *count as f64 / samples.max(1) as f64)
}

/// The classes that were seen, those with most sessions first.
fn by_total(sums: &[(usize, Vec<u64>)], classes: usize) -> Vec<usize> {
    let total = |class: &usize| -> u64 { sums.iter().filter_map(|(_, of)| of.get(*class)).sum() };
    let mut order: Vec<usize> = (0..classes).filter(|class| total(class) > 0).collect();
    order.sort_by_key(|class| std::cmp::Reverse(total(class)));
    order
}
