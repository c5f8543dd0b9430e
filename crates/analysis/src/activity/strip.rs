//! Average active sessions over time, by class.

use std::sync::Arc;

use isotherm_frame::{Nanos, Timestamp};

use super::dimension::{ActivityFilter, Dimension};
use super::samples::Activity;

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
    /// The samples taken in it; nothing is known where there are none.
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
        let (values_of, classes) = self.keys.values(Dimension::Class);
        let taken = self.keys.taken(filter);
        let mut sums = vec![(0_usize, vec![0_u64; classes.len()]); columns];
        for sample in self.between((start, end)) {
            let index = sample.at.as_nanos().div_euclid(length) - first;
            let column = usize::try_from(index).ok().and_then(|index| sums.get_mut(index));
            let Some((samples, counts)) = column else { continue };
            *samples += 1;
            for number in sample.sessions.iter().filter(|number| taken.takes(**number)) {
                let class =
                    values_of.get(*number as usize).and_then(|class| counts.get_mut(*class));
                if let Some(count) = class {
                    *count += 1;
                }
            }
        }
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
