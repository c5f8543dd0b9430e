//! What the numbers themselves say against how they are read.

use isotherm_frame::{Nanos, Timestamp, Unit};

/// The first events of an input, to be looked at together.
#[derive(Debug)]
pub(super) struct Sample {
    unit: Unit,
    /// Whether there is a column of times.
    timed: bool,
    /// Whether there are columns that are not used: one of them may be the right one.
    others: bool,
    /// When events ended, in nanoseconds.
    times: Vec<i64>,
    /// In nanoseconds.
    latencies: Vec<u64>,
}

impl Sample {
    /// Events looked at.
    const MOST: usize = 4_096;
    /// Fewer events prove nothing.
    const LEAST: usize = 32;

    pub(super) fn new(unit: Unit, timed: bool, others: bool) -> Sample {
        Sample { unit, timed, others, times: Vec::new(), latencies: Vec::new() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.latencies.len() >= Sample::MOST
    }

    pub(super) fn add(&mut self, at: Timestamp, latency: Nanos) {
        if !self.is_full() {
            self.times.push(at.as_nanos());
            self.latencies.push(latency.as_nanos());
        }
    }

    /// What speaks against the columns and the unit; nothing if all is well.
    pub(super) fn warnings(&self) -> Vec<String> {
        if self.latencies.len() < Sample::LEAST {
            return Vec::new();
        }
        let column = self.since_1970().or_else(|| self.counts_up()).or_else(|| self.constant());
        // A wrong column explains whatever else is odd.
        let column = column.or_else(|| self.times_jump());
        column.or_else(|| self.too_long()).into_iter().collect()
    }

    /// The latencies as they are written, if all are whole numbers.
    fn whole(&self) -> Option<Vec<u64>> {
        let unit = self.unit.as_nanos().as_nanos();
        let whole = |ns: &u64| ns.is_multiple_of(unit).then_some(ns / unit);
        self.latencies.iter().map(whole).collect()
    }

    /// Numbers as large as times since 1970, which no latency is.
    fn since_1970(&self) -> Option<String> {
        let unit = self.unit.as_nanos().as_nanos();
        let is_time = |ns: &u64| {
            let written = ns / unit;
            [1, 1_000, 1_000_000, 1_000_000_000]
                .iter()
                .any(|scale| (1_000_000_000_u64..2_500_000_000).contains(&(written / scale)))
        };
        let first = self.latencies.first()? / unit;
        let few = self.latencies.iter().max()?.abs_diff(*self.latencies.iter().min()?);
        // Times of one log differ by far less than they are.
        let close = few < self.latencies.first()? / 10;
        let falls = self.latencies.windows(2).filter(|pair| pair[1] < pair[0]).count();
        let rises = falls * 10 <= self.latencies.len() && few > 0;
        (close && rises && self.latencies.iter().all(is_time)).then(|| {
            format!(
                "the latencies look like times since 1970 ({first}): is this the column of the \
                 latency? (--columns)"
            )
        })
    }

    /// Line numbers, transaction numbers and offsets grow; latencies do not.
    fn counts_up(&self) -> Option<String> {
        const PARTS: usize = 8;
        /// As many sessions at most count side by side.
        const SIDE_BY_SIDE: usize = 16;
        let whole = self.whole()?;
        let mut sorted = whole.clone();
        sorted.sort_unstable();
        let (least, greatest) = (*sorted.first()?, *sorted.last()?);
        sorted.dedup();
        let each = usize::try_from(greatest - least).ok()?.checked_add(1)? == sorted.len();
        let counter = each && whole.len() / sorted.len() <= SIDE_BY_SIDE;
        let never_falls = whole.windows(2).all(|pair| pair[0] <= pair[1]);
        let enough = sorted.len() * 2 > whole.len();
        let medians: Vec<u64> = whole
            .chunks(whole.len().div_ceil(PARTS))
            .map(|part| {
                let mut part = part.to_vec();
                part.sort_unstable();
                part.get(part.len() / 2).copied().unwrap_or(0)
            })
            .collect();
        let grows = medians.windows(2).all(|pair| pair[0] < pair[1]);
        (sorted.len() > PARTS && grows && (counter || never_falls && enough)).then(|| {
            let first: Vec<String> = whole.iter().take(4).map(u64::to_string).collect();
            format!(
                "the latencies count up ({}, ... {greatest}), as numbers of lines or transactions \
                 do: is this the column of the latency? (--columns)",
                first.join(", ")
            )
        })
    }

    /// A size or a code is the same on every line.
    fn constant(&self) -> Option<String> {
        let first = self.latencies.first()?;
        let same = self.latencies.iter().all(|latency| latency == first);
        (self.others && same).then(|| {
            format!(
                "all latencies are the same ({}), as sizes and codes are: is this the column of \
                 the latency? (--columns)",
                Nanos::new(*first)
            )
        })
    }

    /// Lines of a log follow one another in time.
    fn times_jump(&self) -> Option<String> {
        let span = self.span().filter(|_| self.timed)?;
        let back = |pair: &&[i64]| pair[1] < pair[0] && pair[0].abs_diff(pair[1]) > span / 10;
        let jumps = self.times.windows(2).filter(back).count();
        (jumps * 20 > self.times.len()).then(|| {
            format!(
                "the times go back on {} % of the lines: is this the column of the time? \
                 (--columns)",
                jumps * 100 / self.times.len()
            )
        })
    }

    /// From the first line to the last, in nanoseconds.
    fn span(&self) -> Option<u64> {
        let (least, greatest) = (self.times.iter().min()?, self.times.iter().max()?);
        Some(least.abs_diff(*greatest))
    }

    /// Latencies that the time between the lines has no room for.
    fn too_long(&self) -> Option<String> {
        /// More than so many are hardly ever in flight at once.
        const MOST_IN_FLIGHT: u128 = 1_000;
        /// Fewer may well be threads of one program.
        const FEW: u128 = 10;
        let span = u128::from(self.span().filter(|&span| self.timed && span > 0)?);
        let sum: u128 = self.latencies.iter().map(|&ns| u128::from(ns)).sum();
        let in_flight = sum / span;
        let n = self.latencies.len() as u128;
        let smaller = if self.unit == Unit::Nanos { "" } else { " and a smaller --unit" };
        if in_flight > MOST_IN_FLIGHT || in_flight * 2 > n {
            return Some(format!(
                "the latencies are too long for the time between the lines: {in_flight} events \
                 would be in flight on average: check --columns{smaller}"
            ));
        }
        if in_flight >= FEW && self.looks_like_one_session() {
            return Some(format!(
                "each line follows the one before as if one session wrote them, but the \
                 latencies add up to {in_flight} times the time: check --columns{smaller}"
            ));
        }
        None
    }

    /// Whether longer latencies come with longer distances from the line before, and a thousandth
    /// of each fits in.
    fn looks_like_one_session(&self) -> bool {
        const SMALLER: u64 = 1_000;
        let gaps: Vec<u64> = self.times.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect();
        let latencies = self.latencies.get(1..).unwrap_or_default();
        let fit = gaps.iter().zip(latencies).filter(|(gap, ns)| *ns / SMALLER <= **gap).count();
        fit * 100 >= gaps.len() * 99 && rank_correlation(&gaps, latencies) > 0.5
    }
}

/// Spearman's rank correlation, from -1 to 1; equal values share the mean of their ranks.
fn rank_correlation(one: &[u64], two: &[u64]) -> f64 {
    let (one, two) = (ranks(one), ranks(two));
    let mean = f64::midpoint(one.len() as f64, 1.0);
    let sum = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let scale = (sum(&one, &one) * sum(&two, &two)).sqrt();
    if scale > 0.0 { sum(&one, &two) / scale } else { 0.0 }
}

fn ranks(values: &[u64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&index| values[index]);
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&one, &two| values[one] == values[two]) {
        let rank = before as f64 + f64::midpoint(equal.len() as f64, 1.0);
        for &index in equal {
            ranks[index] = rank;
        }
        before += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_wrap, reason = "small numbers")]

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    /// Numbers without a pattern, the same in every run.
    fn random(count: usize) -> impl Iterator<Item = u64> {
        let mut state = 1_u64;
        (0..count).map(move |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 40
        })
    }

    fn warnings(unit: Unit, events: impl Iterator<Item = (i64, u64)>) -> String {
        let mut sample = Sample::new(unit, true, true);
        let unit = unit.as_nanos().as_nanos();
        events.for_each(|(at, n)| sample.add(Timestamp::new(at), Nanos::new(n * unit)));
        sample.warnings().join("; ")
    }

    /// One session: each operation begins when the one before ended, and takes 100 to 1,100 us.
    fn one_session(unit: Unit) -> String {
        let mut at = 1_700_000_000 * SECOND;
        let events = random(500).map(|n| 100_000 + n % 1_000_000).map(move |ns| {
            at += ns as i64;
            (at, ns)
        });
        warnings(unit, events.collect::<Vec<_>>().into_iter())
    }

    #[test]
    fn nanoseconds_read_as_microseconds_are_too_long_for_one_session() {
        assert_eq!(one_session(Unit::Nanos), "");
        let said = one_session(Unit::Micros);
        assert!(said.contains("in flight") && said.contains("smaller --unit"), "{said}");
        // A tenth of the time: still not too much for a busy server, but for one session.
        let at = |n: usize| (n as i64) * 100 * 1_100_000;
        let slow = random(500).enumerate().map(|(n, ns)| (at(n), ns % 1_000_000));
        assert_eq!(warnings(Unit::Nanos, slow), "");
    }

    #[test]
    fn many_sessions_at_once_are_no_reason_to_warn() {
        // 200 sessions: 50 us between lines, 10 ms each.
        let busy =
            random(4_000).enumerate().map(|(n, ns)| (n as i64 * 50_000, 5_000 + ns % 10_000));
        assert_eq!(warnings(Unit::Micros, busy), "");
    }

    #[test]
    fn numbers_of_transactions_sizes_and_times_are_no_latencies() {
        let at = |n: usize| n as i64 * SECOND;
        let two_clients = (0..400).map(|n: usize| (at(n), n as u64 / 2 + n as u64 % 2 * 3));
        assert!(warnings(Unit::Micros, two_clients).contains("count up"));
        let offsets = (0..400).map(|n: usize| (at(n), n as u64 * 8_192));
        assert!(warnings(Unit::Nanos, offsets).contains("count up"));
        let sizes = (0..400).map(|n: usize| (at(n), 4_096));
        assert!(warnings(Unit::Micros, sizes).contains("the same (4.1ms)"));
        let times = (0..400).map(|n: usize| (at(n), 1_795_238_114 + n as u64 / 9));
        assert!(warnings(Unit::Micros, times).contains("times since 1970"));
    }

    #[test]
    fn times_that_jump_to_and_fro_are_no_times() {
        let clients = random(400).map(|n| ((n % 4) as i64 * SECOND, 500 + n % 1_000));
        assert!(warnings(Unit::Micros, clients).contains("times go back on"));
        // Lines of several threads are a little out of order.
        let threads = random(400).enumerate();
        let threads =
            threads.map(|(n, ns)| ((n as i64 * 10 + (ns % 25) as i64) * 1_000_000, 500 + ns % 900));
        assert_eq!(warnings(Unit::Micros, threads), "");
    }

    #[test]
    fn a_ramp_of_latencies_is_not_a_counter() {
        let ramp = random(4_000)
            .enumerate()
            .map(|(n, ns)| (n as i64 * SECOND / 50, n as u64 / 40 + ns % 30));
        assert_eq!(warnings(Unit::Micros, ramp), "");
        assert_eq!(warnings(Unit::Micros, std::iter::empty()), "");
    }

    #[test]
    fn ranks_of_equal_values_are_shared() {
        assert_eq!(ranks(&[30, 10, 10, 20]), [4.0, 1.5, 1.5, 3.0]);
        assert!((rank_correlation(&[1, 2, 3], &[10, 20, 40]) - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&[1, 2, 3], &[9, 5, 1]) + 1.0).abs() < 1e-12);
        assert!(rank_correlation(&[1, 1, 1], &[9, 5, 1]).abs() < 1e-12);
    }
}
