//! Histograms of one series that are printed as several maps, put together again: bpftrace before
//! 0.20 cannot count both nanoseconds and minutes in one.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Nanos, Series, Unit};

use super::block::Block;
use crate::printed::Row;

/// The maps of one print whose series the program has declared.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// Each with the unit of its rows.
    series: BTreeMap<Series, (Block, Nanos)>,
    /// The maps and keys that are in it.
    printed: BTreeSet<(String, Option<String>)>,
}

impl Halves {
    const UNLIKE: &'static str = "two maps of one series have incompatible units";
    const TOO_LONG: &'static str = "a bucket is too long to be true";

    /// Whether this very map and key is there already: a new print has begun.
    pub(super) fn holds(&self, block: &Block) -> bool {
        self.printed.contains(&(block.name.clone(), block.key.clone()))
    }

    /// Adds what was printed in multiples of `unit`.
    pub(super) fn add(&mut self, series: Series, mut block: Block, unit: Nanos) {
        self.printed.insert((block.name.clone(), block.key.clone()));
        let unit = in_plain_unit(&mut block, unit);
        match self.series.get_mut(&series) {
            None => {
                self.series.insert(series, (block, unit));
            }
            Some((whole, known)) if *known == unit => join(whole, block),
            Some((whole, _)) => {
                join(whole, block);
                whole.damage(whole.place, Halves::UNLIKE);
            }
        }
    }

    /// Everything that was added, and the unit of its rows.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (Series, Block, Nanos)> + use<> {
        self.printed.clear();
        let series = std::mem::take(&mut self.series).into_iter();
        series.map(|(series, (block, unit))| (series, block, unit))
    }
}

/// Rows in multiples of 1,024 ns become rows in ns; those of a common unit stay.
fn in_plain_unit(block: &mut Block, unit: Nanos) -> Nanos {
    let common = [Unit::Nanos, Unit::Micros, Unit::Millis, Unit::Seconds];
    if common.iter().any(|common| common.as_nanos() == unit) {
        return unit;
    }
    let scaled = |value: u64| value.checked_mul(unit.as_nanos());
    for row in &mut block.rows {
        match (scaled(row.lo), row.hi.map(scaled)) {
            (Some(lo), None) => *row = Row { lo, ..*row },
            (Some(lo), Some(Some(hi))) => *row = Row { lo, hi: Some(hi), ..*row },
            _ => {
                block.damage(block.place, Halves::TOO_LONG);
                break;
            }
        }
    }
    Unit::Nanos.as_nanos()
}

/// Adds the counts of `other`, shortest first.
fn join(whole: &mut Block, other: Block) {
    for row in other.rows {
        match whole.rows.iter_mut().find(|known| (known.lo, known.hi) == (row.lo, row.hi)) {
            Some(known) => known.count = known.count.saturating_add(row.count),
            None => whole.rows.push(row),
        }
    }
    whole.rows.sort_by_key(|row| row.lo);
    if other.negatives > 0 {
        whole.negatives = whole.negatives.saturating_add(other.negatives);
        whole.negatives_at = other.negatives_at;
    }
    if let Some((place, reason)) = other.damage {
        whole.damage(place, reason);
    }
    whole.unended = whole.unended.or(other.unended);
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Place;

    use super::*;

    fn block(name: &str, rows: &[(u64, u64, u64)]) -> Block {
        let row = |&(lo, hi, count): &(u64, u64, u64)| Row { lo, hi: Some(hi), count };
        let rows = rows.iter().map(row).collect();
        Block { name: name.to_owned(), key: Some("7".to_owned()), rows, ..Block::default() }
    }

    fn added(parts: Vec<(Block, u64)>) -> Vec<(String, Block, Nanos)> {
        let mut halves = Halves::default();
        for (block, unit) in parts {
            assert!(!halves.holds(&block));
            halves.add(Series::named("s"), block.clone(), Nanos::new(unit));
            assert!(halves.holds(&block));
        }
        let all = halves.take().map(|(series, block, unit)| (series.to_string(), block, unit));
        let all = all.collect();
        assert!(halves.take().next().is_none());
        all
    }

    #[test]
    fn long_and_short_become_one_whichever_comes_first() {
        let short = || (block("@ns", &[(1 << 29, 1 << 30, 2), (1 << 30, 1 << 31, 3)]), 1);
        let long = || (block("@long", &[(1 << 21, 1 << 22, 4)]), 1_024);
        for parts in [vec![short(), long()], vec![long(), short()]] {
            let all = added(parts);
            let [(_, whole, unit)] = all.as_slice() else { panic!("{all:?}") };
            let rows: Vec<_> = whole.rows.iter().map(|row| (row.lo, row.hi, row.count)).collect();
            let wanted = [
                (1 << 29, Some(1 << 30), 2),
                (1 << 30, Some(1 << 31), 3),
                (1 << 31, Some(1 << 32), 4),
            ];
            assert_eq!((rows.as_slice(), unit.as_nanos()), (&wanted[..], 1));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_as_a_whole() {
        let all = added(vec![(block("@a", &[(1, 2, 5)]), 1_000), (block("@b", &[(1, 2, 6)]), 1)]);
        assert_eq!(all[0].1.events(), 11, "the account of what is refused is right");
        assert_eq!(all[0].1.damage, Some((Place::default(), Halves::UNLIKE.into())));
        let all = added(vec![(block("@a", &[(1 << 62, 1 << 63, 5)]), 1_024)]);
        assert_eq!(all[0].1.damage, Some((Place::default(), Halves::TOO_LONG.into())));
    }
}
