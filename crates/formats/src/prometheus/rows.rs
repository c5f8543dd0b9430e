//! The counts of one histogram: as Prometheus writes them, up to a bound, all below it included; or as
//! `VictoriaMetrics` does, each between two bounds.

use isotherm_frame::{Histogram, Nanos, Scheme, Unit};

use super::line::bound;
use crate::disjoint;

/// The most bounds of a histogram.
const MOST: usize = 10_000;

/// What a sample of a bucket counts, in nanoseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edges {
    /// Everything up to a bound.
    UpTo(u64),
    /// What is above the one and at most the other.
    Between(u64, u64),
}

impl Edges {
    /// Whether a label is one that says what a bucket counts.
    pub(crate) fn are_in(label: &[u8]) -> bool {
        matches!(label, b"le" | b"vmrange")
    }

    /// How many events a bucket with this label has that cannot be used: of one with `le` that is not known,
    /// as it counts what is in others too.
    pub(crate) fn events_in(label: &[u8], counted: &[u8]) -> u64 {
        if label == b"vmrange" { super::line::count(counted).unwrap_or(0) } else { 0 }
    }

    /// Whether a label is an upper bound below zero.
    pub(crate) fn is_below_zero(label: &[u8], value: &[u8]) -> bool {
        label == b"le" && crate::number::nanos(value, Unit::Seconds) == Err(crate::number::Wrong::Negative)
    }

    /// What a label says, if a latency can have such bounds: `le="0.1"`, `vmrange="8.799e-02...1.000e-01"`.
    pub(crate) fn read(label: &[u8], value: &[u8], unit: Unit) -> Result<Edges, &'static str> {
        const WRONG: &str = "vmrange is not two numbers that a latency can have";
        if label != b"vmrange" {
            let upper = bound(value, unit);
            return upper.map(Edges::UpTo).ok_or("the bound le is not a number that a latency can have");
        }
        let dots = memchr::memmem::find(value, b"...").ok_or(WRONG)?;
        let (lower, upper) = (bound(&value[..dots], unit), bound(&value[dots + 3..], unit));
        match lower.zip(upper) {
            Some((lower, upper)) if lower <= upper => Ok(Edges::Between(lower, upper)),
            _ => Err(WRONG),
        }
    }
}

/// The samples of one histogram at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    unit: Unit,
    /// Upper bounds in nanoseconds with the number of events up to there.
    reached: Vec<(u64, u64)>,
    /// Both bounds in nanoseconds with the number of events between them.
    between: Vec<(u64, u64, u64)>,
    /// Events below zero, which all upper bounds count too.
    below: u64,
    /// The total time in units.
    pub(crate) sum: Option<f64>,
    /// The number of all events.
    pub(crate) count: Option<u64>,
    /// Why the histogram cannot be used, whatever else there is of it.
    damage: Option<&'static str>,
}

/// What became of a bucket's sample.
pub(crate) enum AddedRow {
    /// It is part of the histogram.
    Yes,
    /// The bound is there already.
    Again,
    /// It cannot be used.
    No(&'static str),
}

impl Rows {
    /// No samples yet, of latencies in `unit`s.
    pub(crate) fn new(unit: Unit) -> Rows {
        let (reached, between) = (Vec::new(), Vec::new());
        Rows { unit, reached, between, below: 0, sum: None, count: None, damage: None }
    }

    /// Adds what a bucket counts.
    pub(crate) fn add(&mut self, edges: Edges, count: u64) -> AddedRow {
        let known = match edges {
            Edges::UpTo(upper) => self.reached.iter().any(|(known, _)| *known == upper),
            Edges::Between(lo, hi) => self.between.iter().any(|known| (known.0, known.1) == (lo, hi)),
        };
        if known {
            return AddedRow::Again;
        }
        if self.len() >= MOST {
            return AddedRow::No("more bounds than any histogram has");
        }
        match edges {
            Edges::UpTo(upper) => self.reached.push((upper, count)),
            Edges::Between(lower, upper) => self.between.push((lower, upper, count)),
        }
        AddedRow::Yes
    }

    /// How many buckets there are.
    pub(crate) fn len(&self) -> usize {
        self.reached.len() + self.between.len()
    }

    /// So many events were below zero: they are left out of all other buckets, and of no use is the
    /// total time, which they made smaller.
    pub(crate) fn refuse_below(&mut self, count: u64) {
        self.below = self.below.max(count);
    }

    /// Whether any event was below zero.
    pub(crate) fn has_negative(&self) -> bool {
        self.below > 0
    }

    /// One of its samples cannot be used: without it the others say something wrong.
    pub(crate) fn damage(&mut self, reason: &'static str) {
        self.damage.get_or_insert(reason);
    }

    /// Whether there is any bucket.
    pub(crate) fn has_buckets(&self) -> bool {
        !self.reached.is_empty() || !self.between.is_empty() || self.damage.is_some()
    }

    /// Whether nothing but its number of events tells whether all of its buckets are there.
    pub(crate) fn needs_count(&self) -> bool {
        !self.between.is_empty() && self.count.is_none()
    }

    /// The histogram, or why it cannot be used and how many events it stood for.
    pub(crate) fn histogram(mut self) -> Result<Histogram, (&'static str, u64)> {
        // No upper bound is the highest.
        self.reached.sort_by_key(|(upper, _)| *upper);
        let between = self.between.iter().fold(0_u64, |all, row| all.saturating_add(row.2));
        let events = self.reached.last().map_or(between, |(_, count)| *count);
        if let Some(reason) = self.damage {
            return Err((reason, 0));
        }
        let made = match (self.reached.is_empty(), self.between.is_empty()) {
            (false, false) => Err("it has buckets of both kinds, with le and with vmrange"),
            (true, false) => self.ranges(between),
            _ => self.counts(),
        };
        made.map_err(|reason| (reason, events))
    }

    /// The histogram of buckets of which each stands for itself; empty ones are left out.
    fn ranges(&self, events: u64) -> Result<Histogram, &'static str> {
        if self.count.is_some_and(|count| count != events) {
            return Err("the count and the sum of its buckets differ: the page is cut");
        }
        let filled = self.between.iter().filter(|(_, _, count)| *count > 0);
        // Below a nanosecond bounds are the same.
        let whole = filled.map(|(lo, hi, count)| (*lo, (*hi).max(lo.saturating_add(1)), *count));
        let made = disjoint::histogram(whole).ok_or("its buckets overlap")?;
        Ok(if made.is_empty() { made } else { made.with_sum(self.total()) })
    }

    /// The total time.
    fn total(&self) -> Option<Nanos> {
        if self.below > 0 {
            return None;
        }
        let scale = self.unit.as_nanos().as_secs_f64();
        self.sum.and_then(|sum| Nanos::from_secs_f64(sum * scale))
    }

    fn counts(&self) -> Result<Histogram, &'static str> {
        let (mut bounds, mut counts, mut reached) = (vec![0_u64], Vec::new(), self.below);
        let top = self.reached.last().map_or(0, |(_, count)| *count);
        let total = self.count.unwrap_or(top);
        let has_top = self.reached.last().is_some_and(|(upper, _)| *upper == Scheme::UNBOUNDED);
        if has_top && total != top {
            return Err("the count and the bucket without an upper bound differ: the page is cut");
        }
        if !has_top && self.count.is_none() {
            return Err("neither a count nor a bucket without an upper bound: the page is cut");
        }
        // Older clients leave out the bucket without an upper bound.
        let rest = (!has_top).then_some((Scheme::UNBOUNDED, total));
        for (upper, count) in self.reached.iter().copied().chain(rest) {
            if upper == 0 {
                // What took no time is in the first bucket; where some are below zero, nothing tells it from them.
                reached = if self.below > 0 { count } else { reached };
                continue;
            }
            counts.push(count.checked_sub(reached).ok_or("counts fall from one bound to the next")?);
            bounds.push(upper);
            reached = count;
        }
        let scheme = Scheme::new(bounds).map_err(|_| "the bounds do not follow one another")?;
        Histogram::new(scheme, counts, self.total()).map_err(|_| "the counts are too large")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(u64, u64)]) -> Rows {
        Rows { reached: rows.to_vec(), ..Rows::new(Unit::Seconds) }
    }

    #[test]
    fn counts_are_differences_in_the_order_of_bounds() {
        let rows = [(Scheme::UNBOUNDED, 9), (200, 7), (100, 4)];
        let counts = of(&rows).histogram().unwrap();
        assert_eq!(counts.counts(), [4, 3, 2]);
        assert_eq!(counts.scheme().bounds(), [0, 100, 200, Scheme::UNBOUNDED]);
        let falling = of(&[(100, 4), (200, 3), (Scheme::UNBOUNDED, 4)]).histogram();
        assert_eq!(falling.unwrap_err().1, 4);
        let without_top = Rows { count: Some(9), ..of(&rows[1..]) };
        assert_eq!(without_top.histogram().unwrap().counts(), [4, 3, 2]);
    }

    #[test]
    fn buckets_of_their_own_are_counted_one_by_one() {
        let read = |text: &str| Edges::read(b"vmrange", text.as_bytes(), Unit::Seconds);
        let edges = read("8.799e-05...1.000e-04").unwrap();
        assert_eq!(edges, Edges::Between(87_990, 100_000));
        assert_eq!(read("1.000e+18...+Inf"), Err("vmrange is not two numbers that a latency can have"));
        assert_eq!(read("1.000e+00...+Inf"), Ok(Edges::Between(1_000_000_000, Scheme::UNBOUNDED)));
        assert!(read("0.1").is_err() && read("2...1").is_err());
        assert_eq!(Edges::events_in(b"vmrange", b"17"), 17);
        assert_eq!((Edges::events_in(b"le", b"17"), Edges::events_in(b"vmrange", b"x")), (0, 0));
        let mut rows = Rows::new(Unit::Seconds);
        rows.add(edges, 5);
        rows.add(Edges::Between(200_000, 300_000), 2);
        (rows.sum, rows.count) = (Some(0.001), Some(7));
        let made = rows.clone().histogram().unwrap();
        assert_eq!(made.scheme().bounds(), [0, 87_990, 100_000, 200_000, 300_000]);
        assert_eq!(made.counts(), [0, 5, 0, 2]);
        assert_eq!(made.sum(), Some(Nanos::from_millis(1)));
        rows.count = Some(8);
        assert_eq!(rows.histogram().unwrap_err().1, 7);
    }

    #[test]
    fn events_below_zero_are_in_no_other_bucket() {
        let mut rows = of(&[(1_000_000, 9), (Scheme::UNBOUNDED, 10)]);
        rows.sum = Some(0.002);
        rows.refuse_below(1);
        rows.refuse_below(4);
        let made = rows.histogram().unwrap();
        assert_eq!((made.counts(), made.sum()), (vec![5, 1], None));
        assert!(Edges::is_below_zero(b"le", b"-0.001") && Edges::is_below_zero(b"le", b"-5"));
        assert!(!Edges::is_below_zero(b"le", b"0.001") && !Edges::is_below_zero(b"vmrange", b"-1...2"));
    }

    #[test]
    fn events_of_no_time_are_in_the_first_bucket() {
        let made = of(&[(0, 3), (100, 8), (Scheme::UNBOUNDED, 9)]).histogram().unwrap();
        assert_eq!(made.counts(), [8, 1]);
        assert_eq!(made.scheme().bounds(), [0, 100, Scheme::UNBOUNDED]);
        // Where some are below zero, those at most zero may be, too.
        let mut rows = of(&[(0, 3), (100, 8), (Scheme::UNBOUNDED, 9)]);
        rows.refuse_below(2);
        assert_eq!(rows.histogram().unwrap().counts(), [5, 1]);
    }

    #[test]
    fn a_histogram_with_a_sample_that_is_none_is_refused() {
        let mut rows = of(&[(100, 4), (Scheme::UNBOUNDED, 9)]);
        rows.damage("why");
        assert_eq!(rows.histogram().unwrap_err(), ("why", 0));
    }
}
