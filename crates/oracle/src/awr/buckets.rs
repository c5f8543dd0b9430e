//! Wait event histograms: from several tables of percentages to one row of counts.
//!
//! A report prints the same waits in up to five tables, each with eight buckets: the first and the
//! last gather everything outside the table's range. Each bucket is taken from the table where it
//! stands alone.

use isotherm_frame::Scheme;

use super::fit::{Amount, Cell, Parts};
use super::number::{self, Printed};
use super::statspack::Shortening;
use super::table::{At, Row};

/// What the columns of one table of a report are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// The inner bounds in nanoseconds: bucket `i` ends, and bucket `i + 1` begins, at `inner[i]`.
    inner: Vec<u64>,
    /// Whether the first bucket is one of the table's range, not a gathering of what lies below.
    pub whole_range: bool,
    /// Whether bounds are powers of two of microseconds (12.2+), not of milliseconds.
    pub micro: bool,
}

/// The units that heads name, by table: before 12.2 everything is counted in milliseconds and a
/// second is 1024 of them; since 12.2 in microseconds, and a millisecond is 1024 of them.
fn unit(name: &str, micro: bool) -> Option<u64> {
    let milli = if micro { 1_024_000 } else { 1_000_000 };
    match name {
        "u" | "us" => Some(1_000),
        "ms" => Some(milli),
        "s" => Some(milli * 1_024),
        "m" => Some(milli * 1_024 * 64),
        "h" => Some(milli * 1_024 * 64 * 64),
        _ => None,
    }
}

impl Layout {
    /// The layout that heads such as `<1ms`, `<1/8s`, `< 1m`, `>=2m` describe. `micro` tells
    /// whether the report counts in microseconds. `None` if they describe none.
    pub fn of(heads: &[String], micro: bool) -> Option<Layout> {
        let upper = heads.get(..heads.len().checked_sub(1)?)?;
        let last = heads.last()?.trim_start();
        if upper.is_empty() || upper.len() > 32 || !last.starts_with('>') {
            return None;
        }
        let mut labels: Vec<Option<u64>> =
            upper.iter().map(|head| label(head, micro)).collect::<Option<_>>()?;
        // Narrow columns cut the unit off (`<512`): bounds double from bucket to bucket.
        for index in (0..labels.len().saturating_sub(1)).rev() {
            labels[index] = labels[index].or(labels[index + 1].map(|next| next / 2));
        }
        let inner: Vec<u64> = labels.into_iter().collect::<Option<_>>()?;
        let grows = inner.windows(2).all(|pair| pair[0] < pair[1]);
        let lowest = if micro { 1_000 } else { 1_000_000 };
        (grows && inner[0] > 0).then(|| {
            let whole_range = inner.first() == Some(&lowest);
            Layout { inner, whole_range, micro }
        })
    }

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        self.inner.len() + 1
    }

    /// The lowest of the bounds between buckets, in nanoseconds.
    pub fn first_bound(&self) -> u64 {
        self.inner.first().copied().unwrap_or(0)
    }

    fn bounds(&self, bucket: usize) -> (u64, u64) {
        let lo = bucket.checked_sub(1).and_then(|before| self.inner.get(before));
        let hi = self.inner.get(bucket);
        (lo.copied().unwrap_or(0), hi.copied().unwrap_or(Scheme::UNBOUNDED))
    }
}

/// The upper bound that a head gives, in nanoseconds; nothing if its unit was cut off; `None` if
/// it gives none at all.
#[expect(clippy::option_option, reason = "no label and a label without its unit differ")]
fn label(head: &str, micro: bool) -> Option<Option<u64>> {
    let text: String = head.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.strip_prefix("<=").or_else(|| text.strip_prefix('<'))?;
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '/').unwrap_or(text.len());
    let (number, name) = text.split_at(end);
    let (number, parts) = number.split_once('/').unwrap_or((number, "1"));
    let (number, parts): (u64, u64) = (number.parse().ok()?, parts.parse().ok()?);
    if name.is_empty() {
        return Some(None);
    }
    let ns = number.checked_mul(unit(name, micro)?)?.checked_div(parts)?;
    Some(Some(ns))
}

/// Whether heads name microseconds.
pub(super) fn names_microseconds(heads: &[String]) -> bool {
    heads.iter().any(|head| head.starts_with('<') && head.trim_end().ends_with("us"))
}

/// One event in one table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shares {
    /// The event, as printed.
    pub event: String,
    /// In the main table all waits, in the others those in the table's range.
    pub waits: Printed,
    /// Percent of all waits for each bucket; `None` where nothing is printed, which is none, and 0
    /// where `.0` is, which is some.
    pub percent: Vec<Option<f64>>,
    /// Where.
    pub at: At,
}

/// Percent that a cell prints, nothing if it is blank; an error is the cell.
fn share(cell: &str) -> Result<Option<f64>, &str> {
    match number::percent(cell) {
        _ if cell.is_empty() => Ok(None),
        Some(value) if value <= 100.0 => Ok(Some(value)),
        _ => Err(cell),
    }
}

impl Shares {
    /// Reads a row; an error says what is wrong with it, and how many waits it is about if that
    /// can be read.
    pub fn read(
        row: &Row,
        first: usize,
        buckets: usize,
        shortening: Shortening,
    ) -> Result<Shares, (String, Printed)> {
        let event = row.cell(Some(0)).to_owned();
        let cell = row.cell(Some(first - 1));
        let waits = number::shortened(cell).ok_or_else(|| {
            (format!("'{cell}' is not a number of waits for '{event}'"), Printed::exact(0.0))
        })?;
        let waits = shortening.meant(waits);
        let percent = |index| share(row.cell(Some(first + index)));
        let percent = (0..buckets).map(percent).collect::<Result<Vec<_>, &str>>();
        let percent = percent.map_err(|cell| {
            (format!("'{cell}' is not a percentage of the waits for '{event}'"), waits)
        })?;
        Ok(Shares { event, waits, percent, at: row.at })
    }

    /// All buckets together, in percent: 100 but for rounding.
    pub fn sum(&self) -> f64 {
        self.percent.iter().flatten().sum()
    }

    /// Whether the buckets are all waits together, but for rounding: it moves each of the eight by
    /// up to 0.05, and real reports print up to 0.2 in all.
    pub fn add_up(&self) -> bool {
        (self.sum() - 100.0).abs() <= 1.0 || self.waits.value == 0.0
    }
}

/// The shares of one event in the main table and in those of its details, finest first, each
/// with its table's layout; and the number of all its waits.
pub(super) fn rebuilt(
    main: (&Layout, &Shares),
    details: &[(&Layout, &Shares)],
    waits: u64,
) -> Parts {
    let total = waits as f64;
    let mut parts = Parts { cells: expected(main, total), groups: Vec::new() };
    for (layout, shares) in details {
        parts = refined(parts, layout, shares, total);
    }
    parts
}

fn expected((layout, shares): (&Layout, &Shares), total: f64) -> Vec<Cell> {
    let percent = shares.percent.iter().enumerate().take(layout.buckets());
    let cell = |(bucket, percent): (usize, &Option<f64>)| {
        let (lo, hi) = layout.bounds(bucket);
        let amount = match percent {
            None => Amount::NONE,
            Some(percent) if *percent > 0.0 => printed(*percent, total),
            Some(_) => trace(total, octaves_into_tail(&shares.percent, bucket)),
        };
        Cell { lo, hi, amount, group: None }
    };
    percent.map(cell).collect()
}

/// What a printed percentage stands for: it is rounded to one decimal.
fn printed(percent: f64, total: f64) -> Amount {
    const HALF: f64 = 0.05;
    let waits = |percent: f64| percent * total / 100.0;
    let likely = waits(percent).max(1.0);
    let least = waits(percent - HALF).clamp(1.0, likely);
    Amount { likely, least, most: waits(percent + HALF).min(total).max(likely) }
}

/// What a printed `.0` stands for: at least one wait and less than 0.05 percent of all. That may
/// be orders of magnitude apart, so the middle of the orders is taken; half of that for each
/// bucket further into the tail, where waits get rarer.
fn trace(total: f64, further: i32) -> Amount {
    let most = (total * 0.0005).max(1.0);
    Amount { likely: (most.sqrt() * 0.5_f64.powi(further)).max(1.0), least: 1.0, most }
}

/// How many buckets a `.0` lies beyond the first `.0` that is slower than the largest share.
fn octaves_into_tail(percent: &[Option<f64>], bucket: usize) -> i32 {
    let share = |index: usize| percent.get(index).copied().flatten().unwrap_or(0.0);
    let largest =
        (0..percent.len()).fold(0, |at, index| if share(index) > share(at) { index } else { at });
    let is_trace = |index: &usize| percent.get(*index).copied().flatten() == Some(0.0);
    let first = (largest..percent.len()).find(is_trace).unwrap_or(bucket);
    i32::try_from(bucket.saturating_sub(first)).unwrap_or(0)
}

/// `parts` with the range of a more detailed table replaced by what that table says.
fn refined(parts: Parts, layout: &Layout, shares: &Shares, total: f64) -> Parts {
    let Parts { cells, mut groups } = parts;
    let fine = expected((layout, shares), total);
    let first = usize::from(!layout.whole_range);
    let (Some(begin), Some(last)) = (fine.get(first), fine.last()) else {
        return Parts { cells, groups };
    };
    let (begin, end) = (begin.lo, last.lo);
    // The tables of a report fit together; damaged heads may not.
    let fits = |bound| {
        let within = cells.iter().find(|cell| cell.lo < bound && bound < cell.hi);
        within.is_none_or(|cell| cell.hi == Scheme::UNBOUNDED)
    };
    if !(fits(begin) && fits(end)) {
        return Parts { cells, groups };
    }
    let inside = fine.get(first..fine.len() - 1).unwrap_or_default();
    let known = Amount::sum(inside.iter().map(|cell| cell.amount));
    // The row prints how many waits lie in the table's range. It may be shortened (`2M`), so it
    // counts only as far as it is closer than the percentages, and does not contradict them.
    let group = known.within(shares.waits).map(|range| {
        groups.push(range);
        groups.len() - 1
    });
    let mut refined: Vec<Cell> = Vec::new();
    let straddles_begin = cells.iter().find(|cell| cell.lo < begin && begin < cell.hi);
    let straddles_end = cells.iter().any(|cell| cell.lo < end && end < cell.hi);
    refined.extend(cells.iter().filter(|cell| cell.hi <= begin));
    if let Some(cell) = straddles_begin {
        let beyond = if cell.hi > end { last.amount.likely } else { 0.0 };
        refined.push(remainder(*cell, begin, known.likely + beyond, total));
    }
    refined.extend(inside.iter().map(|cell| Cell { group, ..*cell }));
    if straddles_end {
        refined.push(*last);
    }
    refined.extend(cells.iter().filter(|cell| cell.lo >= end));
    Parts { cells: refined, groups }
}

/// The part of `cell` below `end`, with what is left of its waits when `taken` are elsewhere.
/// What rounding leaves over is nothing: the tables between would list the event.
fn remainder(cell: Cell, end: u64, taken: f64, total: f64) -> Cell {
    const ROUNDING: f64 = 0.004;
    let left = cell.amount.likely - taken;
    let amount = if left > ROUNDING * total {
        let half = ROUNDING * total;
        Amount { likely: left, least: (left - half).max(1.0), most: (left + half).min(total) }
    } else {
        Amount::NONE
    };
    Cell { hi: end, amount, group: None, ..cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout(heads: &[&str], micro: bool) -> Option<Layout> {
        Layout::of(&heads.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>(), micro)
    }

    fn shares(waits: f64, percent: &[f64]) -> Shares {
        let percent = percent.iter().map(|&p| (p != 0.0).then_some(f64::max(p, 0.0))).collect();
        Shares { event: "e".to_owned(), waits: Printed::exact(waits), percent, at: At::default() }
    }

    const MS: u64 = 1_000_000;
    const MAIN: [&str; 8] = ["<1ms", "<2ms", "<4ms", "<8ms", "<16ms", "<32ms", "<=1s", ">1s"];
    const SECONDS: [&str; 8] = ["<32ms", "<64ms", "<1/8s", "<1/4s", "<1/2s", "<1s", "<2s", ">=2s"];
    const MINUTES: [&str; 8] = ["<2s", "<4s", "<8s", "<16s", "<32s", "< 1m", "< 2m", ">=2m"];

    #[test]
    fn heads_become_bounds_in_both_countings() {
        let main = layout(&MAIN, false).unwrap();
        assert_eq!(main.inner, [MS, 2 * MS, 4 * MS, 8 * MS, 16 * MS, 32 * MS, 1_024 * MS]);
        assert!(main.whole_range);
        let minutes = layout(&MINUTES, false).unwrap();
        assert_eq!(minutes.inner[0], 2_048 * MS);
        assert_eq!(minutes.inner[5..], [64 * 1_024 * MS, 128 * 1_024 * MS]);
        let micro = layout(&SECONDS, true).unwrap();
        assert_eq!(micro.inner[..3], [32_768_000, 65_536_000, 131_072_000]);
        assert!(!micro.whole_range);
        let hours = ["<2m", "<4m", "<8m", "<16m", "<1/2h", "<1h", ">=1h"];
        let hours = layout(&hours, true).unwrap();
        // The views' last bounds are 2^31 and 2^32 microseconds.
        assert_eq!(hours.inner[4..], [(1 << 31) * 1_000, (1 << 32) * 1_000]);
    }

    #[test]
    fn heads_that_narrow_columns_cut_are_completed_by_their_neighbours() {
        let cut = ["<512", "<1ms", "<2ms", "<4ms", "<8ms", "<16ms", "<32ms", ">=32m"];
        assert_eq!(layout(&cut, true).unwrap().inner[..2], [512_000, 1_024_000]);
        let cut = ["<8us", "<16us", "<32us", "<64us", "<128u", "<256u", "<512u", ">=512"];
        assert_eq!(layout(&cut, true).unwrap().inner[4..], [128_000, 256_000, 512_000]);
        for bad in [&["<1ms", "<1ms", ">1s"][..], &["x", ">1s"], &[">1s"], &[], &["<0ms", ">1"]] {
            assert_eq!(layout(bad, false), None, "{bad:?}");
        }
    }

    #[test]
    fn each_bucket_comes_from_the_table_where_it_stands_alone() {
        let (main, seconds_layout, minutes_layout) = (
            layout(&MAIN, false).unwrap(),
            layout(&SECONDS, false).unwrap(),
            layout(&MINUTES, false).unwrap(),
        );
        // 1000 waits: 600 below 1 ms, 300 of 64..128 ms, 60 of 1..2 s, 40 of 8..16 s.
        let all = shares(1_000.0, &[60.0, 0.0, 0.0, 0.0, 0.0, 0.0, 30.0, 10.0]);
        let seconds = shares(360.0, &[60.0, 0.0, 30.0, 0.0, 0.0, 0.0, 6.0, 4.0]);
        let minutes = shares(40.0, &[96.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
        let cells = rebuilt(
            (&main, &all),
            &[(&seconds_layout, &seconds), (&minutes_layout, &minutes)],
            1_000,
        )
        .cells;
        let found: Vec<_> = cells
            .iter()
            .filter(|cell| cell.amount.likely > 0.0)
            .map(|cell| (cell.lo / MS, cell.hi / MS, cell.amount.likely.round()))
            .collect();
        let expected =
            [(0, 1, 600.0), (64, 128, 300.0), (1_024, 2_048, 60.0), (8_192, 16_384, 40.0)];
        assert_eq!(found, expected);
        let joined = cells.windows(2).all(|pair| pair[0].hi == pair[1].lo);
        assert!(joined && cells[0].lo == 0 && cells.last().unwrap().hi == Scheme::UNBOUNDED);
    }

    #[test]
    fn a_printed_zero_is_at_least_one_wait_and_a_blank_is_none() {
        let main = layout(&MAIN, false).unwrap();
        // A negative share stands for `.0` here. 0.05 percent of 2,000,000 are 1,000 waits: the
        // middle of the orders, and half of that one bucket further into the tail.
        let all = shares(2e6, &[100.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let cells = rebuilt((&main, &all), &[], 2_000_000).cells;
        let amounts: Vec<_> = cells.iter().map(|cell| cell.amount).collect();
        for (amount, likely) in amounts[1..3].iter().zip([1_000_f64.sqrt(), 250_f64.sqrt()]) {
            assert!((amount.likely - likely).abs() < 1e-9, "{amounts:?}");
            assert!(
                (amount.least - 1.0).abs() < 1e-9 && (amount.most - 1_000.0).abs() < 1e-9,
                "{amounts:?}"
            );
        }
        assert!(amounts[3..].iter().all(|amount| *amount == Amount::NONE));
    }

    #[test]
    fn a_shortened_count_of_a_range_does_not_move_its_percentages() {
        // 90.4 percent of 2,148,722 waits are 1,942,445; the row prints `2M`, which is anything
        // from 1.5 to 2.5 millions, and says nothing that the percentages do not say better.
        let (main, seconds) = (layout(&MAIN, false).unwrap(), layout(&SECONDS, false).unwrap());
        let all = shares(2_148_722.0, &[9.2, 0.0, 0.0, 0.0, 0.0, 0.0, 90.4, 0.4]);
        let mut detail = shares(2e6, &[9.2, 0.0, 90.4, 0.0, 0.0, 0.0, 0.0, 0.4]);
        detail.waits.half = 5e5;
        let parts = rebuilt((&main, &all), &[(&seconds, &detail)], 2_148_722);
        let share = |lo: u64| {
            let cell = parts.cells.iter().find(|cell| cell.lo == lo * MS).unwrap();
            cell.amount.likely / 21_487.22
        };
        assert!((share(64) - 90.4).abs() < 1e-9 && (share(1_024)).abs() < 1e-9);
        // Printed in full it is closer than the percentages: the range holds that many.
        detail.waits = Printed::exact(1_942_000.0);
        let parts = rebuilt((&main, &all), &[(&seconds, &detail)], 2_148_722);
        assert_eq!(parts.groups.len(), 1);
        assert!((parts.groups[0].least - 1_942_000.0).abs() < 1.5, "{:?}", parts.groups);
        // One that the percentages rule out is not believed.
        detail.waits = Printed::exact(1_000.0);
        assert!(rebuilt((&main, &all), &[(&seconds, &detail)], 2_148_722).groups.is_empty());
    }

    #[test]
    fn an_event_that_skips_a_table_leaves_no_waits_in_its_range() {
        let (main, minutes_layout) =
            (layout(&MAIN, false).unwrap(), layout(&MINUTES, false).unwrap());
        let all = shares(200.0, &[50.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 50.0]);
        let minutes = shares(100.0, &[50.0, 50.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let parts = rebuilt((&main, &all), &[(&minutes_layout, &minutes)], 200);
        let weights = parts.fitted(201, None);
        let found: Vec<_> = parts
            .cells
            .iter()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(cell, _)| (cell.lo / MS, cell.hi / MS))
            .collect();
        assert_eq!(found, [(0, 1), (2_048, 4_096)]);
    }

    #[test]
    fn what_rounding_adds_is_taken_where_it_came_from() {
        // 100.1 percent of 10,000: ten waits too many, in two cells that are off by 5 at most each.
        let main = layout(&MAIN, false).unwrap();
        let all = shares(1e4, &[84.6, 15.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let weights = rebuilt((&main, &all), &[], 10_000).fitted(10_000, None);
        assert!((weights[0] - 8_455.0).abs() < 0.01 && (weights[1] - 1_545.0).abs() < 0.01);
    }

    /// Any table: strictly growing bounds and a share for each bucket.
    fn any_table() -> impl Strategy<Value = (Layout, Shares)> {
        let bounds = proptest::collection::btree_set(1..40_u64, 1..9);
        (bounds, any::<bool>(), proptest::collection::vec(0.0..100.0_f64, 10)).prop_map(
            |(bounds, whole_range, percent)| {
                let inner: Vec<u64> = bounds.into_iter().map(|bound| bound * MS).collect();
                let percent = percent.get(..=inner.len()).unwrap();
                let shares = shares(500.0, percent);
                (Layout { inner, whole_range, micro: false }, shares)
            },
        )
    }

    proptest! {
        #[test]
        fn tables_that_do_not_fit_still_make_buckets_side_by_side(
            main in any_table(),
            one in any_table(),
            two in any_table(),
        ) {
            let details = [(&one.0, &one.1), (&two.0, &two.1)];
            let cells = rebuilt((&main.0, &main.1), &details, 1_000).cells;
            prop_assert_eq!(cells[0].lo, 0);
            prop_assert_eq!(cells[cells.len() - 1].hi, Scheme::UNBOUNDED);
            for pair in cells.windows(2) {
                prop_assert_eq!(pair[0].hi, pair[1].lo, "{:?}", cells);
                prop_assert!(pair[0].lo < pair[0].hi);
            }
        }
    }
}
