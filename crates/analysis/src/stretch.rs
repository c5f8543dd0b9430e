//! Stretches of time as sums: what there is in them by latency, and how two of them differ.

use std::ops::Range;
use std::rc::Rc;

use isotherm_frame::{Bucket, Histogram, Nanos, Scheme, Timestamp};

use crate::segments::{LEAST_BLOCKS, Track};
use crate::{Band, ChangeKind, Column, ColumnState, Level, Period, Timeline};

/// A timeline in blocks of columns, with enough events in each to compare them.
pub(crate) struct Blocks<'a> {
    timeline: &'a Timeline,
    /// The columns of each block.
    ranges: Vec<Range<usize>>,
    /// Events of each block by rows.
    rows: Vec<Vec<f64>>,
    /// The time each block covers, in seconds.
    covered: Vec<f64>,
    bounds: Rc<[u64]>,
}

/// What there is in a stretch of time.
#[derive(Clone)]
pub(crate) struct Stretch {
    /// Where it begins.
    pub start: Timestamp,
    latencies: Histogram,
    waited_s: f64,
    covered_s: f64,
    bounds: Rc<[u64]>,
}

/// The most blocks.
const MOST_BLOCKS: usize = 2_000;
/// Events in a block, if time allows.
const EVENTS: f64 = 20.0;
/// Fewer events than this show no change.
const LEAST_EVENTS: u64 = 100;

impl<'a> Blocks<'a> {
    /// The blocks of a timeline; with a period, blocks of whole cycles. `None` where there are too
    /// few events or blocks.
    pub fn of(timeline: &'a Timeline, period: Option<&Period>) -> Option<Blocks<'a>> {
        let known = timeline.known().count();
        if known < LEAST_BLOCKS || timeline.total.events() < LEAST_EVENTS {
            return None;
        }
        let bounds: Rc<[u64]> = rows(&timeline.total).into();
        let columns = timeline.columns.len();
        let for_events = (EVENTS * known as f64 / timeline.total.events() as f64).ceil();
        let for_room = (columns as f64 / MOST_BLOCKS as f64).ceil();
        let most = (known / LEAST_BLOCKS) as f64;
        let length = for_events.min(most).max(for_room).max(1.0);
        let cycle = period.map(|period| {
            let cycle = period.every.as_secs_f64() / timeline.column.as_secs_f64();
            cycle * (length / cycle).ceil()
        });
        let ranges = ranges(&timeline.columns, cycle.unwrap_or(length));
        let sums = |range: &Range<usize>| by_row(&timeline.columns[range.clone()], &bounds);
        let covered = |range: &Range<usize>| {
            timeline.columns[range.clone()].iter().map(|column| column.covered_s).sum()
        };
        Some(Blocks {
            timeline,
            rows: ranges.iter().map(sums).collect(),
            covered: ranges.iter().map(covered).collect(),
            ranges,
            bounds,
        })
    }

    /// The length of time of the longest block.
    pub fn length(&self) -> Nanos {
        let columns = self.ranges.iter().map(Range::len).max().unwrap_or(1) as u64;
        Nanos::new(self.timeline.column.as_nanos().saturating_mul(columns))
    }

    /// What is looked at over time: the logarithm of the rate, and each row's share of events,
    /// made even in variance (Anscombe 1948). A block without events says nothing of shares: the
    /// last one known stands.
    pub fn tracks(&self) -> Vec<Track> {
        let events: Vec<f64> = self.rows.iter().map(|rows| rows.iter().sum()).collect();
        let typical = {
            let mut sorted = events.clone();
            sorted.sort_by(f64::total_cmp);
            sorted.get(sorted.len() / 2).copied().unwrap_or(0.0).max(1.0)
        };
        let rate = events
            .iter()
            .zip(&self.covered)
            .map(|(events, covered)| ((events + 0.5) / covered.max(f64::MIN_POSITIVE)).ln());
        let mut tracks = vec![Track { values: rate.collect(), least_variance: 1.0 / typical }];
        for row in 0..self.bounds.len() - 1 {
            let mut known = 0.0;
            let share = self.rows.iter().zip(&events).map(|(rows, &events)| {
                if events > 0.0 {
                    known = 2.0 * ((rows[row] + 0.375) / (events + 0.75)).sqrt().asin();
                }
                known
            });
            tracks.push(Track { values: share.collect(), least_variance: 1.0 / typical });
        }
        tracks
    }

    /// The stretches between steps at these blocks.
    pub fn stretches(&self, steps: &[usize]) -> Vec<Stretch> {
        let mut edges = vec![0];
        edges.extend(steps);
        edges.push(self.ranges.len());
        let columns = |from: usize, to: usize| {
            let (first, last) = (self.ranges.get(from)?, self.ranges.get(to.checked_sub(1)?)?);
            Stretch::of(&self.timeline.columns[first.start..last.end], &self.bounds)
        };
        edges.windows(2).filter_map(|pair| columns(pair[0], pair[1])).collect()
    }
}

/// The bounds of rows: those of the buckets that hold events, half an octave apart at least.
fn rows(total: &Histogram) -> Vec<u64> {
    let first = total.non_zero().next().map_or(0, |(bucket, _)| bucket.lo.as_nanos());
    let end = total.non_zero().next_back().and_then(|(bucket, _)| bucket.hi);
    let end = end.map_or(Scheme::UNBOUNDED, Nanos::as_nanos);
    let half_octave = |bound: u64| (bound.max(1) as f64).log2() * 2.0;
    let mut bounds: Vec<u64> = vec![first];
    let mut reached = half_octave(first).floor();
    for &bound in total.scheme().bounds().iter().filter(|&&bound| bound > first && bound < end) {
        if half_octave(bound).floor() > reached {
            reached = half_octave(bound).floor();
            bounds.push(bound);
        }
    }
    bounds.push(end);
    bounds
}

/// Blocks of so many columns, without those of which nothing is known.
fn ranges(columns: &[Column], length: f64) -> Vec<Range<usize>> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= x")]
    let edge = |block: f64| ((block * length).round() as usize).min(columns.len());
    let mut ranges = Vec::new();
    let mut block = 0.0;
    while edge(block) < columns.len() {
        let range = edge(block)..edge(block + 1.0);
        let whole = (range.len() as f64) >= length / 2.0;
        if whole && columns[range.clone()].iter().any(|c| c.state == ColumnState::Data) {
            ranges.push(range);
        }
        block += 1.0;
    }
    ranges
}

fn row_of(bounds: &[u64], latency: Nanos) -> usize {
    let above = bounds.partition_point(|&bound| bound <= latency.as_nanos());
    above.saturating_sub(1).min(bounds.len().saturating_sub(2))
}

fn by_row(columns: &[Column], bounds: &[u64]) -> Vec<f64> {
    let mut rows = vec![0.0; bounds.len() - 1];
    for (bucket, count) in
        columns.iter().filter_map(|c| c.latencies.as_ref()).flat_map(Histogram::non_zero)
    {
        rows[row_of(bounds, bucket.lo)] += count as f64;
    }
    rows
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

impl Stretch {
    fn of(columns: &[Column], bounds: &Rc<[u64]>) -> Option<Stretch> {
        let latencies = columns.iter().filter_map(|column| column.latencies.as_ref());
        Some(Stretch {
            start: columns.first()?.start,
            latencies: Histogram::merged(latencies)?,
            waited_s: columns.iter().map(|column| column.waited.seconds).sum(),
            covered_s: columns.iter().map(|column| column.covered_s).sum(),
            bounds: Rc::clone(bounds),
        })
    }

    /// Takes in the stretch after it.
    pub fn add(&mut self, next: &Stretch) {
        self.latencies.add(&next.latencies);
        self.waited_s += next.waited_s;
        self.covered_s += next.covered_s;
    }

    /// Its numbers.
    pub fn level(&self) -> Level {
        let per_second = |amount: f64| amount / self.covered_s.max(f64::MIN_POSITIVE);
        let events = self.latencies.events() as f64;
        Level {
            rate: per_second(events),
            waiting: per_second(self.waited_s),
            mean_ns: if events > 0.0 { self.waited_s * 1e9 / events } else { 0.0 },
            median: self.latencies.quantile(0.5).ok().map(|found| found.bucket),
        }
    }

    /// The share of its events that took from `lo` to below `hi`.
    pub fn share_in(&self, (lo, hi): (Nanos, Option<Nanos>)) -> f64 {
        let inside = |bucket: Bucket| bucket.lo >= lo && hi.is_none_or(|hi| bucket.lo < hi);
        let counted = self.latencies.non_zero().filter(|&(bucket, _)| inside(bucket));
        let events: u64 = counted.map(|(_, count)| count).sum();
        events as f64 / (self.latencies.events() as f64).max(1.0)
    }

    /// What is different in `after`; `None` if nobody would speak of it.
    pub fn differs(&self, after: &Stretch) -> Option<ChangeKind> {
        let pair = Pair { before: Shape::of(self), after: Shape::of(after), bounds: &self.bounds };
        let (before, now) = (self.level(), after.level());
        let faster = now.rate >= LEAST_RATE * before.rate || before.rate >= LEAST_RATE * now.rate;
        let rate = faster.then_some(ChangeKind::Rate);
        if self.latencies.is_empty() || after.latencies.is_empty() {
            return rate;
        }
        let means = (now.mean_ns / before.mean_ns, pair.shifted());
        pair.of_bands().or_else(|| pair.of_shares(means)).or(rate)
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
    /// The rate of half an event: what cannot be told from nothing.
    least_rate: f64,
}

struct Pair<'a> {
    before: Shape,
    after: Shape,
    bounds: &'a [u64],
}

impl Shape {
    fn of(stretch: &Stretch) -> Shape {
        let count = stretch.bounds.len() - 1;
        let (mut events, mut times) = (vec![0.0; count], vec![0.0; count]);
        for (bucket, n) in stretch.latencies.non_zero() {
            let row = row_of(&stretch.bounds, bucket.lo);
            events[row] += n as f64;
            times[row] += bucket.mid_point().as_secs_f64() * n as f64;
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
            time_share: Shape::sum(&there.times, rows),
            other_share: Shape::sum(&other.shares, rows),
        }
    }
}
