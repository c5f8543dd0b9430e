//! Wait event histograms: from several tables of percentages to one row of counts.
//!
//! A report prints the same waits in up to five tables, each with eight buckets: the first and the
//! last gather everything outside the table's range. Each bucket is taken from the table where it
//! stands alone.

use isotherm_frame::Scheme;

use super::number::{self, Printed};
use super::table::{At, Row};

/// A bucket with what is known of it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// First latency, in nanoseconds.
    pub lo: u64,
    /// First latency beyond; [`Scheme::UNBOUNDED`] for none.
    pub hi: u64,
    /// Expected number of waits, not yet whole; above zero where the report prints anything.
    pub waits: f64,
    /// How far that may be off by the rounding of the percentage, where nothing better is known.
    pub half: f64,
}

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
    match number::amount(cell).map(|printed| printed.value) {
        _ if cell.is_empty() => Ok(None),
        Some(value) if value <= 100.0 => Ok(Some(value)),
        _ => Err(cell),
    }
}

impl Shares {
    /// Reads a row; an error says what is wrong with it, and how many waits it is about if that
    /// can be read.
    pub fn read(row: &Row, first: usize, buckets: usize) -> Result<Shares, (String, Printed)> {
        let event = row.cell(Some(0)).to_owned();
        let cell = row.cell(Some(first - 1));
        let waits = number::shortened(cell).ok_or_else(|| {
            (format!("'{cell}' is not a number of waits for '{event}'"), Printed::exact(0.0))
        })?;
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
) -> Vec<Cell> {
    let total = waits as f64;
    let mut cells = expected(main, total);
    for (layout, shares) in details {
        cells = refined(cells, layout, shares, total);
    }
    cells
}

fn expected((layout, shares): (&Layout, &Shares), total: f64) -> Vec<Cell> {
    let percent = shares.percent.iter().enumerate().take(layout.buckets());
    percent
        .map(|(bucket, percent)| {
            let (lo, hi) = layout.bounds(bucket);
            let (waits, half) = match percent {
                None => (0.0, 0.0),
                Some(percent) if *percent > 0.0 => (percent * total / 100.0, total * 0.0005),
                Some(_) => (trace(total), 0.0),
            };
            Cell { lo, hi, waits, half }
        })
        .collect()
}

/// What a printed `.0` stands for: at least one wait and less than 0.05 percent of all. That may
/// be orders of magnitude apart, so the middle of the orders is taken.
fn trace(total: f64) -> f64 {
    (total * 0.0005).max(1.0).sqrt()
}

/// `cells` with the range of a more detailed table replaced by what that table says.
fn refined(cells: Vec<Cell>, layout: &Layout, shares: &Shares, total: f64) -> Vec<Cell> {
    let fine = expected((layout, shares), total);
    let first = usize::from(!layout.whole_range);
    let (Some(begin), Some(last)) = (fine.get(first), fine.last()) else { return cells };
    let (begin, end) = (begin.lo, last.lo);
    // The tables of a report fit together; damaged heads may not.
    let fits = |bound| {
        let within = cells.iter().find(|cell| cell.lo < bound && bound < cell.hi);
        within.is_none_or(|cell| cell.hi == Scheme::UNBOUNDED)
    };
    if !(fits(begin) && fits(end)) {
        return cells;
    }
    let inside = fine.get(first..fine.len() - 1).unwrap_or_default();
    let known: f64 = inside.iter().map(|cell| cell.waits).sum();
    // The row prints how many waits lie in the table's range, which is closer than its
    // percentages unless the two contradict each other.
    let rounding = 0.001 * total * inside.len() as f64 + shares.waits.half + 1.0;
    let agree = known > 0.0 && (shares.waits.value - known).abs() <= rounding;
    let scale = if agree { shares.waits.value / known } else { 1.0 };
    let half = |cell: &Cell| if agree { 0.0 } else { cell.half };
    let middle =
        inside.iter().map(|cell| Cell { waits: cell.waits * scale, half: half(cell), ..*cell });
    let mut refined: Vec<Cell> = Vec::new();
    let straddles_begin = cells.iter().find(|cell| cell.lo < begin && begin < cell.hi);
    let straddles_end = cells.iter().any(|cell| cell.lo < end && end < cell.hi);
    refined.extend(cells.iter().filter(|cell| cell.hi <= begin));
    if let Some(cell) = straddles_begin {
        let beyond = if cell.hi > end { last.waits } else { 0.0 };
        refined.push(remainder(*cell, begin, known + beyond, total));
    }
    refined.extend(middle);
    if straddles_end {
        refined.push(*last);
    }
    refined.extend(cells.iter().filter(|cell| cell.lo >= end));
    refined
}

/// The part of `cell` below `end`, with what is left of its waits when `taken` are elsewhere.
/// What rounding leaves over is nothing: the tables between would list the event.
fn remainder(cell: Cell, end: u64, taken: f64, total: f64) -> Cell {
    const ROUNDING: f64 = 0.004;
    let left = cell.waits - taken;
    let (waits, half) = if left > ROUNDING * total { (left, cell.half) } else { (0.0, 0.0) };
    Cell { hi: end, waits, half, ..cell }
}

/// Weights of the cells whose sum is `total`: what rounding adds or lacks altogether is spread over
/// the cells by how far each may be off, not by how large it is.
pub(super) fn levelled(cells: &[Cell], total: u64) -> Vec<f64> {
    let (sum, slack) =
        cells.iter().fold((0.0, 0.0), |(sum, slack), cell| (sum + cell.waits, slack + cell.half));
    let share = if slack > 0.0 { (total as f64 - sum) / slack } else { 0.0 };
    // Half of what is printed is left of the smallest.
    let level = |cell: &Cell| (cell.waits + share * cell.half).max(cell.waits / 2.0);
    cells.iter().map(level).collect()
}

/// Whole counts in proportion to `weights` that add up to `total`: largest remainders first.
/// What has a weight gets at least one, as long as there are enough.
pub(super) fn apportioned(weights: &[f64], total: u64) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    if !(sum.is_finite() && sum > 0.0) {
        return vec![0; weights.len()];
    }
    let present = weights.iter().filter(|weight| **weight > 0.0).count() as u64;
    let least = u64::from(present <= total);
    let quota = |weight: f64| weight / sum * total as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ..= total")]
    let floor = |weight: f64| quota(weight).floor() as u64;
    let mut counts: Vec<u64> = weights
        .iter()
        .map(|&weight| if weight > 0.0 { floor(weight).max(least) } else { 0 })
        .collect();
    let mut order: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    let left = |index: usize, counts: &[u64]| quota(weights[index]) - counts[index] as f64;
    order.sort_by(|&a, &b| left(b, &counts).total_cmp(&left(a, &counts)).then(a.cmp(&b)));
    settle(&mut counts, &order, total);
    counts
}

/// Adds or takes single waits until the counts add up to `total`, in `order` of who lacks most.
fn settle(counts: &mut [u64], order: &[usize], total: u64) {
    let given: u64 = counts.iter().fold(0, |sum, count| sum.saturating_add(*count));
    let places = order.len() as u64;
    let missing = total.saturating_sub(given);
    // Beyond one for each only where totals are too large for exact fractions.
    let bulk = missing.saturating_sub(places);
    if let Some(&first) = order.first() {
        counts[first] = counts[first].saturating_add(bulk);
    }
    for (&index, _) in order.iter().zip(bulk..missing) {
        counts[index] += 1;
    }
    let mut extra = given.saturating_sub(total);
    while extra > 0 {
        let Some(largest) = counts.iter_mut().max() else { break };
        let taken = extra.saturating_sub(places).clamp(1, (*largest / 2).max(1));
        *largest = largest.saturating_sub(taken);
        extra -= taken;
    }
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
        );
        let found: Vec<_> = cells
            .iter()
            .filter(|cell| cell.waits > 0.0)
            .map(|cell| (cell.lo / MS, cell.hi / MS, cell.waits.round()))
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
        // A negative share stands for `.0` here. 0.05 percent of 2,000,000 are 1,000 waits.
        let all = shares(2e6, &[100.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let cells = rebuilt((&main, &all), &[], 2_000_000);
        let waits: Vec<_> = cells.iter().map(|cell| cell.waits).collect();
        assert!((waits[1] - 1_000_f64.sqrt()).abs() < 1e-9, "{waits:?}");
        assert_eq!(waits[2..], [0.0; 6]);
    }

    #[test]
    fn an_event_that_skips_a_table_leaves_no_waits_in_its_range() {
        let (main, minutes_layout) =
            (layout(&MAIN, false).unwrap(), layout(&MINUTES, false).unwrap());
        let all = shares(200.0, &[50.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 50.0]);
        let minutes = shares(100.0, &[50.0, 50.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let cells = rebuilt((&main, &all), &[(&minutes_layout, &minutes)], 200);
        let weights = levelled(&cells, 201);
        let found: Vec<_> = cells
            .iter()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(cell, _)| (cell.lo / MS, cell.hi / MS))
            .collect();
        assert_eq!(found, [(0, 1), (2_048, 4_096)]);
    }

    #[test]
    fn single_waits_are_not_rounded_away() {
        assert_eq!(apportioned(&[99.95, 0.025, 0.025], 10), [8, 1, 1]);
        assert_eq!(apportioned(&[1.0, 1.0, 1.0], 2), [1, 1, 0]);
        assert_eq!(apportioned(&[0.0, 0.0], 7), [0, 0]);
        assert_eq!(apportioned(&[3.5, 3.5, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9], 7), [1; 7]);
    }

    #[test]
    fn what_rounding_adds_is_taken_where_it_came_from() {
        // 100.1 percent of 10,000: ten waits too many, in two cells that are off by 5 at most each.
        let main = layout(&MAIN, false).unwrap();
        let all = shares(1e4, &[84.6, 15.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let cells = rebuilt((&main, &all), &[], 10_000);
        let weights = levelled(&cells, 10_000);
        assert!((weights[0] - 8_455.0).abs() < 1e-6 && (weights[1] - 1_545.0).abs() < 1e-6);
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
            let cells = rebuilt((&main.0, &main.1), &details, 1_000);
            prop_assert_eq!(cells[0].lo, 0);
            prop_assert_eq!(cells[cells.len() - 1].hi, Scheme::UNBOUNDED);
            for pair in cells.windows(2) {
                prop_assert_eq!(pair[0].hi, pair[1].lo, "{:?}", cells);
                prop_assert!(pair[0].lo < pair[0].hi);
            }
        }

        #[test]
        fn counts_add_up_and_none_appears_or_vanishes(
            weights in proptest::collection::vec(prop_oneof![Just(0.0), 0.001..100.0_f64], 1..40),
            total in prop_oneof![0..50_u64, any::<u64>()],
        ) {
            let counts = apportioned(&weights, total);
            let present = weights.iter().filter(|weight| **weight > 0.0).count();
            let sum: u128 = counts.iter().map(|count| u128::from(*count)).sum();
            prop_assert_eq!(sum, if present == 0 { 0 } else { u128::from(total) });
            for (count, weight) in counts.iter().zip(&weights) {
                prop_assert!(*weight > 0.0 || *count == 0);
                prop_assert!(*weight == 0.0 || *count > 0 || (present as u64) > total);
            }
        }
    }
}
