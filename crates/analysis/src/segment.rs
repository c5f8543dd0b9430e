//! Segments of time as sums: what there is in them by latency, and how two of them differ.

use std::ops::Range;
use std::rc::Rc;

use isotherm_frame::{Bucket, Histogram, Nanos, Scheme, Timestamp};

use crate::part_of_time::{AllTime, Limits};
use crate::scale::scaled;
use crate::{Band, ChangeKind, Column, Level};

/// What there is in a stretch of time.
#[derive(Clone)]
pub(crate) struct Segment {
    /// Where it begins.
    pub start: Timestamp,
    /// The blocks it is made of.
    pub blocks: Range<usize>,
    latencies: Histogram,
    waited_s: f64,
    covered_s: f64,
    bounds: Rc<[u64]>,
}

pub(crate) fn row_of(bounds: &[u64], latency: Nanos) -> usize {
    let above = bounds.partition_point(|&bound| bound <= latency.as_nanos());
    above.saturating_sub(1).min(bounds.len().saturating_sub(2))
}

/// A row this many times busier in one stretch than in the other is there only in the one.
const MANY_TIMES: f64 = 4.0;
/// The least share of events of a band that appears or vanishes, and the least share of time that
/// stands in for it.
const LEAST_SHARE: (f64, f64) = (0.03, 0.2);
/// The least share of events that goes from some latencies to others when they move or grow.
const LEAST_SHIFT: f64 = 0.1;
/// The least factor between two means when latencies move.
const LEAST_MOVE: f64 = 1.5;
/// The least factor between two rates.
const LEAST_RATE: f64 = 1.3;

impl Segment {
    pub fn of(columns: &[Column], blocks: Range<usize>, bounds: &Rc<[u64]>) -> Option<Segment> {
        let latencies = columns.iter().filter_map(|column| column.latencies.as_ref());
        Some(Segment {
            start: columns.first()?.start,
            blocks,
            latencies: Histogram::merged(latencies)?,
            waited_s: columns.iter().map(|column| column.waited.seconds).sum(),
            covered_s: columns.iter().map(|column| column.covered_s).sum(),
            bounds: Rc::clone(bounds),
        })
    }

    /// Takes in the stretch after it.
    pub fn add(&mut self, next: &Segment) {
        self.blocks.end = next.blocks.end;
        self.latencies.add(&next.latencies);
        self.waited_s += next.waited_s;
        self.covered_s += next.covered_s;
    }

    /// Its numbers.
    pub fn level(&self) -> Level {
        Level::of_sums(Some(&self.latencies), self.waited_s, self.covered_s)
    }

    /// How many events it has.
    pub fn events(&self) -> u64 {
        self.latencies.events()
    }

    /// The median, by the middle of its bucket; 0 without events.
    pub fn median_ns(&self) -> f64 {
        let median = self.latencies.quantile(0.5).ok().map(|median| median.bucket.mid_point());
        median.map_or(0.0, |median| median.as_nanos() as f64)
    }

    /// The share of its events that took from `lo` to below `hi`.
    pub fn share_in(&self, (lo, hi): (Nanos, Option<Nanos>)) -> f64 {
        let inside = |bucket: Bucket| bucket.lo >= lo && hi.is_none_or(|hi| bucket.lo < hi);
        let counted = self.latencies.non_zero().filter(|&(bucket, _)| inside(bucket));
        let events: u64 = counted.map(|(_, count)| count).sum();
        events as f64 / (self.latencies.events() as f64).max(1.0)
    }

    /// What is different in `after`; `None` if nobody would speak of it.
    pub fn differs(&self, after: &Segment) -> Option<ChangeKind> {
        let pair = Pair { before: Shape::of(self), after: Shape::of(after), bounds: &self.bounds };
        let (before, now) = (self.level(), after.level());
        let faster = now.rate >= LEAST_RATE * before.rate || before.rate >= LEAST_RATE * now.rate;
        let rate = faster.then_some(ChangeKind::Rate);
        if self.latencies.is_empty() || after.latencies.is_empty() {
            return rate;
        }
        let means = (now.mean_ns / before.mean_ns, pair.shifted());
        let scaled = scaled(&self.latencies, &after.latencies).map(ChangeKind::Scales);
        scaled.or_else(|| pair.of_bands()).or_else(|| pair.of_shares(means)).or(rate)
    }
}

/// A stretch by rows.
struct Shape {
    /// Events per second.
    rates: Vec<f64>,
    /// Shares of events.
    shares: Vec<f64>,
    /// Shares of the time waited, by the middles of buckets.
    times: Vec<f64>,
    /// The time of the events of each row, and of all.
    limits: (Vec<Limits>, AllTime),
    /// The rate of half an event: what cannot be distinguished from nothing.
    least_rate: f64,
}

struct Pair<'a> {
    before: Shape,
    after: Shape,
    bounds: &'a [u64],
}

impl Shape {
    fn of(stretch: &Segment) -> Shape {
        let count = stretch.bounds.len() - 1;
        let (mut events, mut times) = (vec![0.0; count], vec![0.0; count]);
        let mut limits = vec![Limits::default(); count];
        for (bucket, n) in stretch.latencies.non_zero() {
            let row = row_of(&stretch.bounds, bucket.lo);
            events[row] += n as f64;
            times[row] += bucket.mid_point().as_secs_f64() * n as f64;
            limits[row].add(bucket, n);
        }
        let shares = |amounts: &[f64]| {
            let all = amounts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            amounts.iter().map(|amount| amount / all).collect::<Vec<f64>>()
        };
        let covered = stretch.covered_s.max(f64::MIN_POSITIVE);
        Shape {
            shares: shares(&events),
            times: shares(&times),
            rates: events.iter().map(|n| n / covered).collect(),
            limits: (limits, AllTime::of(&stretch.latencies)),
            least_rate: 0.5 / covered,
        }
    }

    /// The rows in which there is much that is not in the other.
    fn alone(&self, other: &Shape, row: usize) -> bool {
        self.rates[row] >= 5.0 * self.least_rate
            && self.rates[row] >= MANY_TIMES * (other.rates[row] + other.least_rate)
            && self.shares[row] >= 2.0 * other.shares[row]
    }

    fn sum(of: &[f64], rows: &Range<usize>) -> f64 {
        of[rows.clone()].iter().sum()
    }

    /// The unbroken rows for which `wanted` holds with the largest share of events or of time.
    fn widest(&self, wanted: impl Fn(usize) -> bool) -> Option<Range<usize>> {
        let rows: Vec<usize> = (0..self.shares.len()).collect();
        let runs = rows.chunk_by(|&one, &next| wanted(one) == wanted(next));
        let weight =
            |run: &Range<usize>| Shape::sum(&self.shares, run) + Shape::sum(&self.times, run);
        runs.filter(|run| wanted(run[0]))
            .map(|run| self.trimmed(run[0]..run[run.len() - 1] + 1))
            .max_by(|one, two| weight(one).total_cmp(&weight(two)))
    }

    /// Without rows at its ends that hold hardly any of its events.
    fn trimmed(&self, mut rows: Range<usize>) -> Range<usize> {
        let all = Shape::sum(&self.shares, &rows);
        let few = |row: usize| self.shares[row] < 0.05 * all;
        while rows.len() > 1 && few(rows.start) {
            rows.start += 1;
        }
        while rows.len() > 1 && few(rows.end - 1) {
            rows.end -= 1;
        }
        rows
    }

    fn matters(&self, rows: &Range<usize>) -> bool {
        Shape::sum(&self.shares, rows) >= LEAST_SHARE.0
            || Shape::sum(&self.times, rows) >= LEAST_SHARE.1
    }
}

impl Shape {
    /// The share of the time waited of some rows, as buckets and total tell it.
    fn time_share(&self, rows: &Range<usize>) -> f64 {
        let (limits, all) = &self.limits;
        let own = limits[rows.clone()].iter().copied().fold(Limits::default(), Limits::plus);
        all.part(own).share
    }
}

impl Pair<'_> {
    /// The share of events that would have to take other rows to make one stretch like the other.
    fn shifted(&self) -> f64 {
        let pairs = self.before.shares.iter().zip(&self.after.shares);
        pairs.map(|(before, after)| (after - before).max(0.0)).sum()
    }

    /// Bands that are only in one of the two. Where a large one goes and a large one comes, it
    /// moved.
    fn of_bands(&self) -> Option<ChangeKind> {
        let (before, after) = (&self.before, &self.after);
        let come = after.widest(|row| after.alone(before, row)).filter(|rows| after.matters(rows));
        let gone =
            before.widest(|row| before.alone(after, row)).filter(|rows| before.matters(rows));
        let share = |shape: &Shape, rows: &Option<Range<usize>>| {
            rows.as_ref().map_or(0.0, |rows| Shape::sum(&shape.shares, rows))
        };
        let (new_share, old_share) = (share(after, &come), share(before, &gone));
        if new_share.min(old_share) >= 0.5 {
            return Some(ChangeKind::Moves);
        }
        if new_share >= old_share
            && let Some(rows) = come
        {
            return Some(ChangeKind::Appears(self.band(after, before, &rows)));
        }
        gone.map(|rows| ChangeKind::Vanishes(self.band(before, after, &rows)))
    }

    /// Shares that go from some rows to others.
    fn of_shares(&self, (means, shifted): (f64, f64)) -> Option<ChangeKind> {
        let moved = !(1.0 / LEAST_MOVE..LEAST_MOVE).contains(&means);
        if shifted >= 0.5 || (moved && shifted >= LEAST_SHIFT) {
            return Some(ChangeKind::Moves);
        }
        if shifted < LEAST_SHIFT {
            return None;
        }
        let (before, after) = (&self.before, &self.after);
        let rows = after.widest(|row| after.shares[row] > before.shares[row])?;
        Some(ChangeKind::Grows(self.band(after, before, &rows)))
    }

    fn band(&self, there: &Shape, other: &Shape, rows: &Range<usize>) -> Band {
        let hi = self.bounds[rows.end];
        Band {
            edges: (
                Nanos::new(self.bounds[rows.start]),
                (hi != Scheme::UNBOUNDED).then_some(Nanos::new(hi)),
            ),
            share: Shape::sum(&there.shares, rows),
            time_share: there.time_share(rows),
            other_share: Shape::sum(&other.shares, rows),
        }
    }
}
