//! The statement histograms of the performance schema: one row for each bucket.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use isotherm_frame::{Histogram, Nanos, Scheme};

use super::found::{Cells, Found};
use super::statements::{Key, Naming};
use crate::number;

/// Buckets of a histogram: the first ends at 10 microseconds, fifty more at each power of ten.
const BUCKETS: usize = 450;
const FIRST_PS: f64 = 1e7;
const PER_DECADE: i32 = 50;
/// More histograms than a server keeps: 10,000 digests (`performance_schema_digests_size`).
const MOST: usize = 1 << 20;

/// Lower bounds in nanoseconds, rounded down from the server's picoseconds.
static SCHEME: LazyLock<Scheme> = LazyLock::new(|| {
    let ratio = (std::f64::consts::LN_10 / f64::from(PER_DECADE)).exp();
    let mut ps = FIRST_PS;
    let mut bounds = vec![0];
    for _ in 1..BUCKETS {
        bounds.push(ns_of(ps));
        ps *= ratio;
    }
    bounds.push(Scheme::UNBOUNDED);
    Scheme::new(bounds).unwrap_or_else(|_| Scheme::log_linear())
});

/// Whole nanoseconds.
fn ns_of(ps: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number below 1e17, of which the fraction is dropped"
    )]
    let ns = (ps / 1e3) as u64;
    ns
}

/// Where what stands in a row.
#[derive(Default)]
struct Positions {
    low: usize,
    high: usize,
    count: usize,
    up_to: Option<usize>,
    schema: Option<usize>,
    digest: Option<usize>,
    statement: Option<usize>,
    /// How many statements there were, and their time in picoseconds, where the summary was joined.
    statements: Option<usize>,
    time_ps: Option<usize>,
}

/// One histogram that is being read.
#[derive(Default)]
struct Counts {
    by_bucket: BTreeMap<usize, u64>,
    events: u64,
    /// The most that a row said was counted up to it.
    up_to: Option<u64>,
    /// The statements and picoseconds of the summary.
    summary: Option<(u64, u64)>,
    damage: Option<String>,
}

/// The rows up to now.
pub struct Buckets {
    at: Positions,
    naming: Naming,
    found: BTreeMap<Key, Counts>,
}

impl Buckets {
    /// The table with these columns.
    pub(super) fn of(columns: &[String]) -> Option<Buckets> {
        let at = |name: &str| columns.iter().position(|column| column == name);
        let at = Positions {
            low: at("BUCKET_TIMER_LOW")?,
            high: at("BUCKET_TIMER_HIGH")?,
            count: at("COUNT_BUCKET")?,
            up_to: at("COUNT_BUCKET_AND_LOWER"),
            schema: at("SCHEMA_NAME"),
            digest: at("DIGEST"),
            statement: at("DIGEST_TEXT"),
            statements: at("COUNT_STAR"),
            time_ps: at("SUM_TIMER_WAIT"),
        };
        Some(Buckets { at, naming: Naming::default(), found: BTreeMap::new() })
    }

    /// What tells the series apart.
    #[must_use]
    pub fn named(mut self, naming: Naming) -> Buckets {
        self.naming = naming;
        self
    }

    /// Takes a row; `false` if the table begins anew.
    pub(super) fn row(&mut self, cells: &Cells<'_>) -> Result<bool, String> {
        let value = |at: Option<usize>| at.and_then(|at| cells.get(at).copied().flatten());
        let text = |at| value(at).unwrap_or_default().to_owned();
        let at = &self.at;
        let key = Key { statement: text(at.statement), schema: text(at.schema), digest: text(at.digest) };
        let whole = |at: usize, what: &str| match value(Some(at)) {
            None => Err(format!("the {what} is missing")),
            Some(text) => whole(text).map_err(|wrong| wrong.about(what, text.as_bytes())),
        };
        if self.found.len() >= MOST {
            return Err("more histograms than a server keeps".to_owned());
        }
        let counts = self.found.entry(key).or_default();
        let count = whole(at.count, "count");
        let bounds = whole(at.low, "lower bound")
            .and_then(|low| Ok((low, whole(at.high, "upper bound")?)));
        let index = bounds.and_then(|(low, high)| index_of(low, high));
        if index.as_ref().is_ok_and(|index| counts.by_bucket.contains_key(index)) {
            return Ok(false);
        }
        let up_to = at.up_to.map(|at| whole(at, "count of all lower buckets")).transpose();
        counts.up_to = counts.up_to.max(up_to.unwrap_or(None));
        counts.summary = number_of(value(at.statements)).zip(number_of(value(at.time_ps)));
        match count {
            Ok(count) => counts.take(index, count),
            Err(why) => drop(counts.damage.get_or_insert(why)),
        }
        Ok(true)
    }

    /// The histograms. Those that the naming does not tell apart are added up.
    pub(super) fn found(self) -> Vec<Found> {
        let mut found: BTreeMap<_, Found> = BTreeMap::new();
        for (key, counts) in self.found {
            let one = counts.found(self.naming.series(&key));
            match found.get_mut(&one.series) {
                Some(same) => same.add(one),
                None => {
                    found.insert(one.series.clone(), one);
                }
            }
        }
        found.into_values().collect()
    }
}

impl Counts {
    fn take(&mut self, index: Result<usize, String>, count: u64) {
        self.events = self.events.saturating_add(count);
        match index {
            Ok(index) => drop(self.by_bucket.insert(index, count)),
            Err(why) => drop(self.damage.get_or_insert(why)),
        }
    }

    fn found(self, series: isotherm_frame::Series) -> Found {
        let events = self.events;
        let missing = self.up_to.filter(|up_to| *up_to != events).map(|up_to| {
            format!("{events} statements in buckets where there were {up_to}: rows are missing")
        });
        if let Some(why) = self.damage.or(missing) {
            return Found { series, total: Err(why), events };
        }
        let mut counts = vec![0; SCHEME.buckets()];
        for (index, count) in self.by_bucket {
            if let Some(slot) = counts.get_mut(index) {
                *slot = count;
            }
        }
        // The summary is another table: its time is that of these statements if it has as many.
        let sum = self.summary.filter(|(statements, _)| *statements == events);
        let sum = sum.map(|(_, ps)| Nanos::new(ps / 1_000));
        let total = Histogram::new(SCHEME.clone(), counts, sum).map_err(|error| error.to_string());
        Found { series, total, events }
    }
}

impl Found {
    fn add(&mut self, other: Found) {
        self.events = self.events.saturating_add(other.events);
        match (&mut self.total, other.total) {
            (Ok(total), Ok(other)) => total.add(&other),
            (Err(_), _) => {}
            (total, Err(why)) => *total = Err(why),
        }
    }
}

/// The bucket with these bounds, picoseconds.
fn index_of(low_ps: u64, high_ps: u64) -> Result<usize, String> {
    let bounds = SCHEME.bounds();
    // The server's own arithmetic may end a picosecond off.
    let is = |ns: u64, ps: u64| ns.abs_diff(ps / 1_000) <= 1;
    let index = bounds.iter().take(BUCKETS).rposition(|bound| is(*bound, low_ps));
    let index = index.filter(|index| {
        let high = bounds.get(index + 1).copied().unwrap_or(Scheme::UNBOUNDED);
        high == Scheme::UNBOUNDED || is(high, high_ps)
    });
    index.ok_or_else(|| format!("{low_ps} to {high_ps} picoseconds is no bucket of MySQL 8"))
}

/// A number that may be larger than those that are signed: the upper bound of the last bucket.
fn whole(text: &str) -> Result<u64, number::Wrong> {
    text.trim().parse().or_else(|_| number::whole(text.trim().as_bytes()))
}

fn number_of(text: Option<&str>) -> Option<u64> {
    text?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_that_the_manual_prints() {
        assert_eq!(index_of(0, 10_000_000), Ok(0));
        assert_eq!(index_of(10_000_000, 10_471_285), Ok(1));
        assert_eq!(index_of(66_069_344, 69_183_097), Ok(42));
        assert_eq!(index_of(69_183_097, 72_443_596), Ok(43));
        assert_eq!(index_of(72_443_596, 75_857_757), Ok(44));
        assert!(index_of(69_183_097, 75_857_757).is_err());
        assert!(index_of(70_000_000, 72_443_596).is_err());
        assert_eq!(SCHEME.buckets(), BUCKETS);
    }

    fn read(rows: &[[&str; 6]]) -> Vec<Found> {
        let columns = ["DIGEST", "BUCKET_TIMER_LOW", "BUCKET_TIMER_HIGH", "COUNT_BUCKET",
            "COUNT_STAR", "SUM_TIMER_WAIT"];
        let mut table = Buckets::of(&columns.map(str::to_owned)).unwrap();
        for row in rows {
            assert_eq!(table.row(&row.map(Some)), Ok(true));
        }
        table.found()
    }

    #[test]
    fn the_time_of_the_summary_is_taken_where_it_counts_the_same_statements() {
        let found = read(&[
            ["a", "0", "10000000", "2", "3", "25000000"],
            ["b", "0", "10000000", "2", "9", "1"],
            ["a", "10000000", "10471285", "1", "3", "25000000"],
        ]);
        let total = |index: usize| found[index].total.as_ref().unwrap();
        assert_eq!((total(0).events(), total(0).sum()), (3, Some(Nanos::from_micros(25))));
        assert_eq!((total(1).events(), total(1).sum()), (2, None));
    }
}
