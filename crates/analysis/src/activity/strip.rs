//! Average active sessions over time, by class.

use std::sync::Arc;

use isotherm_frame::{Nanos, Timestamp};

use super::dimension::{ActivityFilter, Dimension};
use super::samples::{Activity, Looked};
use super::waits::Seen;

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
        let (classes, taken) = (self.keys.values(Dimension::Class), self.keys.taken(filter));
        let class = |seen: Seen| classes.of(seen.key).filter(|_| taken.takes(seen.key));
        let place = Columns::ending(end, column, columns);
        let sums = self.sums(&place, (&class, classes.texts.len()));
        let (start, classes) = (place.start(), &classes.texts);
        let order = by_total(&sums, classes.len());
        let columns = sums.into_iter().map(|(samples, counts)| StripColumn {
            samples,
            active: order.iter().map(|class| mean(&counts, *class, samples)).collect(),
        });
        let columns = columns.collect();
        let classes = order.iter().filter_map(|class| classes.get(*class).cloned()).collect();
        ActivityStrip { classes, columns, start, column }
    }

    /// The samples of every column, and how many sessions they have of each of so many kinds.
    pub(super) fn sums(
        &self,
        place: &Columns,
        (kind, kinds): (&dyn Fn(Seen) -> Option<usize>, usize),
    ) -> Vec<(usize, Vec<u64>)> {
        let columns = vec![(0, vec![0; kinds]); place.number];
        let mut sums = ColumnSums { length: place.length, first: place.first, kind, columns };
        let within = (place.start(), place.end);
        self.between(within).for_each(|sample| sums.add(sample));
        self.between(within).for_each(|sample| sums.stand_in(sample));
        sums.columns
    }
}

/// Where columns are: they begin at multiples of their length.
pub(super) struct Columns {
    length: i64,
    /// The number of the first column.
    first: i64,
    number: usize,
    end: Timestamp,
}

impl Columns {
    /// So many columns of this length, the last of which holds `end`.
    pub(super) fn ending(end: Timestamp, column: Nanos, number: usize) -> Columns {
        let length = i64::try_from(column.as_nanos().max(1)).unwrap_or(i64::MAX);
        let last = end.as_nanos().div_euclid(length);
        Columns { length, first: last - i64::try_from(number).unwrap_or(0) + 1, number, end }
    }

    /// The start of the first column.
    pub(super) fn start(&self) -> Timestamp {
        Timestamp::new(self.first.saturating_mul(self.length))
    }
}

/// Columns that are being added up: samples, and their sessions by kind.
struct ColumnSums<'a> {
    length: i64,
    first: i64,
    kind: &'a dyn Fn(Seen) -> Option<usize>,
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
        for kind in sample.sessions.iter().filter_map(|seen| (self.kind)(*seen)) {
            if let Some(count) = counts.get_mut(kind) {
                *count += 1;
            }
        }
    }
}

pub(super) fn mean(counts: &[u64], class: usize, samples: usize) -> f64 {
    counts.get(class).map_or(0.0, |count| *count as f64 / samples.max(1) as f64)
}

/// The classes that were seen, those with most sessions first.
fn by_total(sums: &[(usize, Vec<u64>)], classes: usize) -> Vec<usize> {
    let total = |class: &usize| -> u64 { sums.iter().filter_map(|(_, of)| of.get(*class)).sum() };
    let mut order: Vec<usize> = (0..classes).filter(|class| total(class) > 0).collect();
    order.sort_by_key(|class| std::cmp::Reverse(total(class)));
    order
}
