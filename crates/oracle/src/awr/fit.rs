//! Counts that agree with everything a report prints of an event: percentages, the counts of
//! ranges, the total of the waits, and their total time.
//!
//! Every bucket has a range of counts that are printed like this. Within these ranges the counts
//! move together, by the same part of the way to their limits, until they add up. Where the
//! printed time is less than such counts would take, the slower a bucket, the nearer it goes to its
//! least: the mean of a bucket is that of waits spread evenly over the logarithm of latency.

use isotherm_frame::Scheme;

use super::number::Printed;

/// A number of waits: what is likely, and the range it lies in.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Amount {
    /// The expected number, not yet whole; above zero where the report prints anything.
    pub likely: f64,
    /// The fewest.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// A bucket with what is known of it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// First latency, in nanoseconds.
    pub lo: u64,
    /// First latency beyond; [`Scheme::UNBOUNDED`] for none.
    pub hi: u64,
    /// How many waits.
    pub amount: Amount,
    /// The range of the report with a count of its own that the bucket is part of.
    pub group: Option<usize>,
}

/// The buckets of an event side by side, and the counts of ranges of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts {
    /// From the lowest latency up.
    pub cells: Vec<Cell>,
    /// By [`Cell::group`].
    pub groups: Vec<Amount>,
}

/// The steepest tilt: each doubling of latency is worth the whole way between the limits.
const STEEPEST: f64 = 4.0;
/// Steps of a bisection: to a millionth of what is looked for.
const STEPS: usize = 40;

impl Amount {
    /// No waits.
    pub const NONE: Amount = Amount { likely: 0.0, least: 0.0, most: 0.0 };

    /// All together.
    pub fn sum(amounts: impl Iterator<Item = Amount>) -> Amount {
        amounts.fold(Amount::NONE, |sum, one| Amount {
            likely: sum.likely + one.likely,
            least: sum.least + one.least,
            most: sum.most + one.most,
        })
    }

    /// The same amount, which is printed as a whole, too; `None` if the two rule each other out.
    /// Single waits at the bounds of a range may be counted on either side.
    pub fn within(self, printed: Printed) -> Option<Amount> {
        let (low, high) = printed.range();
        let (least, most) = (self.least.max(low - 1.0), self.most.min(high + 1.0));
        // Of the printed range, only the part that the percentages leave.
        let likely = self.likely.clamp(low, high.max(low)).clamp(least, most.max(least));
        (least <= most && likely > 0.0).then_some(Amount { likely, least, most })
    }

    /// The amount a part of the way from what is likely to the most, or below zero to the least.
    /// The way is one of orders of magnitude, as a printed `.0` is.
    fn at(self, way: f64) -> f64 {
        if self.likely <= 0.0 {
            return 0.0;
        }
        let (limit, part) = if way < 0.0 { (self.least, -way) } else { (self.most, way) };
        self.likely * (limit.max(f64::MIN_POSITIVE) / self.likely).powf(part.min(1.0))
    }
}

impl Cell {
    /// The latency that stands for the bucket, in seconds: the mean of waits spread evenly over
    /// the logarithm of latency.
    fn mean_s(&self) -> f64 {
        let lo = self.lo as f64 / 1e9;
        let hi = if self.hi == Scheme::UNBOUNDED { 2.0 * lo } else { self.hi as f64 / 1e9 };
        if self.lo == 0 { hi / 2.0 } else { (hi - lo) / (hi / lo).ln() }
    }

    /// The longest that waits of the bucket can take, in seconds.
    fn longest_s(&self) -> f64 {
        if self.hi == Scheme::UNBOUNDED { f64::INFINITY } else { self.hi as f64 / 1e9 }
    }
}

/// What shares a total: an amount, and how slow it is, in doublings of latency.
#[derive(Copy, Clone)]
struct Item {
    amount: Amount,
    octave: f64,
}

/// Shares of `total`, each within its limits as far as these allow it. `tilt` is how much less the
/// way is for each doubling of latency.
fn shared(items: &[Item], total: f64, tilt: f64) -> Vec<f64> {
    let way = |item: &Item, shift: f64| (shift - tilt * item.octave).clamp(-1.0, 1.0);
    let sum = |shift: f64| items.iter().map(|item| item.amount.at(way(item, shift))).sum::<f64>();
    let slowest = items.iter().map(|item| item.octave).fold(0.0, f64::max);
    let reach = 1.0 + (tilt * slowest).abs();
    let shift = bisected((-reach, reach), |shift| sum(shift) < total);
    items.iter().map(|item| item.amount.at(way(item, shift))).collect()
}

/// The place in a range up to which something is too low.
fn bisected((mut low, mut high): (f64, f64), too_low: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if too_low(middle) { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

impl Parts {
    /// Weights of the cells whose sum is `total` waits, if the report does not contradict itself,
    /// and whose time is that of `time_s`, the least and the most seconds, if it can be.
    pub fn fitted(&self, total: u64, time_s: Option<(f64, f64)>) -> Vec<f64> {
        let plain = self.tilted(total, 0.0);
        let Some((least_s, most_s)) = time_s else { return plain };
        let time = |weights: &[f64], of: fn(&Cell) -> f64| -> f64 {
            let filled = self.cells.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
            filled.map(|(cell, weight)| of(cell) * weight).sum()
        };
        if time(&plain, Cell::mean_s) > most_s {
            let too_slow = |tilt| time(&self.tilted(total, tilt), Cell::mean_s) > most_s;
            return self.tilted(total, bisected((0.0, STEEPEST), too_slow));
        }
        if time(&plain, Cell::longest_s) < least_s {
            let quick = |tilt: f64| time(&self.tilted(total, -tilt), Cell::mean_s) < least_s;
            return self.tilted(total, -bisected((0.0, STEEPEST), quick));
        }
        plain
    }

    /// The total shared among ranges with counts of their own and lone cells; then the count of
    /// each range among its cells.
    fn tilted(&self, total: u64, tilt: f64) -> Vec<f64> {
        let octave = |cell: &Cell| (cell.mean_s() * 1e9).max(1.0).log2();
        let item = |cell: &Cell| Item { amount: cell.amount, octave: octave(cell) };
        let inside = |group: usize| {
            move |cell: &&Cell| cell.group == Some(group) && cell.amount.likely > 0.0
        };
        let of_group = |(group, amount): (usize, &Amount)| {
            let cells = self.cells.iter().filter(inside(group));
            let (sum, count) = cells.fold((0.0, 0.0), |(sum, n), c| (sum + octave(c), n + 1.0));
            Item { amount: *amount, octave: if count > 0.0 { sum / count } else { 0.0 } }
        };
        let lone = self.cells.iter().filter(|cell| cell.group.is_none());
        let groups = self.groups.iter().enumerate().map(of_group);
        let items: Vec<Item> = groups.chain(lone.map(item)).collect();
        let shares = shared(&items, total as f64, tilt);
        let (groups, mut lone) = shares.split_at(self.groups.len().min(shares.len()));
        let mut of_groups: Vec<_> = groups
            .iter()
            .enumerate()
            .map(|(group, share)| {
                let cells = self.cells.iter().filter(|cell| cell.group == Some(group));
                shared(&cells.map(item).collect::<Vec<_>>(), *share, tilt).into_iter()
            })
            .collect();
        let mut next = |cell: &Cell| match cell.group {
            Some(group) => of_groups.get_mut(group).and_then(Iterator::next),
            None => lone.split_off_first().copied(),
        };
        self.cells.iter().map(|cell| next(cell).unwrap_or(0.0)).collect()
    }
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

    const US: u64 = 1_000;

    fn cell((lo, hi): (u64, u64), (likely, least, most): (f64, f64, f64)) -> Cell {
        Cell { lo: lo * US, hi: hi * US, amount: Amount { likely, least, most }, group: None }
    }

    #[test]
    fn single_waits_are_not_rounded_away() {
        assert_eq!(apportioned(&[99.95, 0.025, 0.025], 10), [8, 1, 1]);
        assert_eq!(apportioned(&[1.0, 1.0, 1.0], 2), [1, 1, 0]);
        assert_eq!(apportioned(&[0.0, 0.0], 7), [0, 0]);
        assert_eq!(apportioned(&[3.5, 3.5, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9], 7), [1; 7]);
    }

    #[test]
    fn a_printed_time_leaves_no_room_for_slow_waits_that_are_not_needed() {
        // 1,000,000 waits of 64 to 128 us take 64 to 128 s. 600 more are printed as `.0` of each of
        // two buckets. With a total of 95 s no more than a few can be of one to two seconds.
        let mut parts = Parts {
            cells: vec![
                cell((64, 128), (999_400.0, 999_390.0, 999_410.0)),
                cell((32_768, 65_536), (22.0, 1.0, 599.0)),
                cell((1_048_576, 2_097_152), (22.0, 1.0, 599.0)),
            ],
            groups: vec![Amount { likely: 600.0, least: 600.0, most: 600.0 }],
        };
        parts.cells[1].group = Some(0);
        parts.cells[2].group = Some(0);
        let unobserved = parts.fitted(1_000_000, None);
        assert!(
            (unobserved[1] - 300.0).abs() < 1.0 && (unobserved[2] - 300.0).abs() < 1.0,
            "{unobserved:?}"
        );
        // 999,400 x 92.3 us + 599 x 47.3 ms + 1.5 s = 122.1 s: more than 95 s, and the least.
        let waits = parts.fitted(1_000_000, Some((94.9, 95.1)));
        assert!((waits[2] - 1.0).abs() < 0.01 && (waits[1] - 599.0).abs() < 0.01, "{waits:?}");
        // 180 s leave 58 s for the slow ones: 38 more of them at 1.5 s.
        let waits = parts.fitted(1_000_000, Some((180.0, 180.0)));
        let seconds: f64 = parts.cells.iter().zip(&waits).map(|(cell, n)| cell.mean_s() * n).sum();
        assert!((seconds - 180.0).abs() < 0.5 && (waits[2] - 41.0).abs() < 1.5, "{waits:?}");
    }

    #[test]
    fn a_printed_time_that_needs_slow_waits_gets_them() {
        // At most 10 s in the first bucket: another 25 s are waits of the second, 1 to 50 of them.
        let parts = Parts {
            cells: vec![
                cell((64, 128), (99_990.0, 99_940.0, 99_999.0)),
                cell((1_048_576, 2_097_152), (7.0, 1.0, 50.0)),
            ],
            groups: Vec::new(),
        };
        let waits = parts.fitted(100_000, Some((35.0, 35.0)));
        let longest: f64 = parts.cells.iter().zip(&waits).map(|(c, n)| c.longest_s() * n).sum();
        assert!(longest >= 35.0 && waits[1] < 25.0, "{waits:?}");
    }

    proptest! {
        #[test]
        fn shares_add_up_and_stay_within_their_limits(
            ranges in proptest::collection::vec((1.0..1e6_f64, 0.0..1.0_f64, 0.0..1.0_f64), 1..20),
            part in 0.0..1.0_f64,
            tilt in -2.0..2.0_f64,
        ) {
            let items: Vec<Item> = ranges.iter().enumerate().map(|(at, (likely, down, up))| Item {
                amount: Amount { likely: *likely, least: likely * (1.0 - down).max(1e-3), most: likely * (1.0 + up) },
                octave: at as f64,
            }).collect();
            let all = Amount::sum(items.iter().map(|item| item.amount));
            let total = all.least + part * (all.most - all.least);
            let shares = shared(&items, total, tilt);
            prop_assert!((shares.iter().sum::<f64>() - total).abs() < 1e-6 * all.most);
            for (item, share) in items.iter().zip(&shares) {
                let Amount { least, most, .. } = item.amount;
                prop_assert!(*share >= least * (1.0 - 1e-9) && *share <= most * (1.0 + 1e-9));
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
