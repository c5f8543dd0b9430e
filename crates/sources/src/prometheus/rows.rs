//! The counts of one histogram as Prometheus writes them: up to a bound, all below it included.

use isotherm_frame::{Histogram, Nanos, Scheme, Unit};

use super::line::bound;

/// The most bounds of a histogram.
const MOST: usize = 10_000;

/// The samples of one histogram at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    unit: Unit,
    /// Upper bounds in nanoseconds with the number of events up to there.
    reached: Vec<(u64, u64)>,
    /// The total time in units.
    pub(crate) sum: Option<f64>,
    /// The number of all events.
    pub(crate) count: Option<u64>,
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
        Rows { unit, reached: Vec::new(), sum: None, count: None }
    }

    /// The bound `le` in nanoseconds, if a latency can have it.
    pub(crate) fn bound(le: &[u8], unit: Unit) -> Result<u64, &'static str> {
        bound(le, unit).ok_or("the bound le is not a number that a latency can have")
    }

    /// Adds the number of events up to a bound in nanoseconds.
    pub(crate) fn add(&mut self, upper_ns: u64, count: u64) -> AddedRow {
        if self.reached.iter().any(|(known, _)| *known == upper_ns) {
            return AddedRow::Again;
        }
        if self.reached.len() >= MOST {
            return AddedRow::No("more bounds than any histogram has");
        }
        self.reached.push((upper_ns, count));
        AddedRow::Yes
    }

    /// Whether there is any bucket.
    pub(crate) fn has_buckets(&self) -> bool {
        !self.reached.is_empty()
    }

    /// The histogram, or why it cannot be used and how many events it stood for.
    pub(crate) fn histogram(mut self) -> Result<Histogram, (&'static str, u64)> {
        // No upper bound is the highest.
        self.reached.sort_by_key(|(upper, _)| *upper);
        let events = self.reached.last().map_or(0, |(_, count)| *count);
        self.counts().map_err(|reason| (reason, events))
    }

    fn counts(&self) -> Result<Histogram, &'static str> {
        let (mut bounds, mut counts, mut reached) = (vec![0_u64], Vec::new(), 0);
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
            if upper == 0 && count == 0 {
                continue;
            }
            counts.push(count.checked_sub(reached).ok_or("counts fall from one bound to the next")?);
            bounds.push(upper);
            reached = count;
        }
        let scheme = Scheme::new(bounds).map_err(|_| "the bounds do not follow one another")?;
        let scale = self.unit.as_nanos().as_secs_f64();
        let sum = self.sum.and_then(|sum| Nanos::from_secs_f64(sum * scale));
        Histogram::new(scheme, counts, sum).map_err(|_| "the counts are too large")
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
}
