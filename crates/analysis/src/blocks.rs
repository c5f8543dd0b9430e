//! A timeline in blocks with enough events in each to compare them.

use std::ops::Range;
use std::rc::Rc;

use isotherm_frame::{Histogram, Nanos, Scheme};

use crate::segment::{Segment, row_of};
use crate::segments::{LEAST_BLOCKS, Track};
use crate::{Change, Column, ColumnState, Period, Timeline};

/// A timeline in blocks of columns, with enough events in each to compare them.
pub(crate) struct Blocks<'a> {
    timeline: &'a Timeline,
    /// The columns of each block.
    ranges: Vec<Range<usize>>,
    /// Events of each block by rows.
    rows: Vec<Vec<f64>>,
    /// The mean and the variance of the logarithm of the latencies of each block with events.
    logs: Vec<Option<(f64, f64)>>,
    /// The time each block covers, in seconds.
    covered: Vec<f64>,
    bounds: Rc<[u64]>,
}

/// The most blocks.
const MOST_BLOCKS: usize = 2_000;
/// Events in a block, if time allows.
const EVENTS: f64 = 20.0;
/// So many blocks, at most, say what was before a change, and what it is at first.
const AROUND: usize = 16;
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
            logs: ranges.iter().map(|range| logs(&timeline.columns[range.clone()])).collect(),
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

    /// What is looked at over time: the logarithm of the rate, the mean logarithm of latency, and
    /// each row's share of events, made even in variance (Anscombe 1948). A block without events
    /// says nothing of latencies: the last ones known stand.
    pub fn tracks(&self) -> Vec<Track> {
        let events: Vec<f64> = self.rows.iter().map(|rows| rows.iter().sum()).collect();
        let typical = median(events.clone()).max(1.0);
        let rate = events
            .iter()
            .zip(&self.covered)
            .map(|(events, covered)| ((events + 0.5) / covered.max(f64::MIN_POSITIVE)).ln());
        let rate = Track { values: rate.collect(), least_variance: 1.0 / typical, among: 2 };
        let mut tracks = vec![rate, self.latency(typical)];
        for row in 0..self.bounds.len() - 1 {
            let mut known = 0.0;
            let share = self.rows.iter().zip(&events).map(|(rows, &events)| {
                if events > 0.0 {
                    known = 2.0 * ((rows[row] + 0.375) / (events + 0.75)).sqrt().asin();
                }
                known
            });
            let (least_variance, among) = (1.0 / typical, self.bounds.len() + 1);
            tracks.push(Track { values: share.collect(), least_variance, among });
        }
        tracks
    }

    /// The mean logarithm of latency in each block.
    fn latency(&self, typical: f64) -> Track {
        let mut known = self.logs.iter().flatten().map(|log| log.0).next().unwrap_or_default();
        let value = |log: &Option<(f64, f64)>| {
            known = log.map_or(known, |log| log.0);
            known
        };
        let within = median(self.logs.iter().flatten().map(|log| log.1).collect());
        let values = self.logs.iter().map(value).collect();
        Track { values, least_variance: within / typical, among: 2 }
    }

    /// The number of blocks.
    pub fn count(&self) -> usize {
        self.ranges.len()
    }

    /// The columns of some blocks.
    pub fn columns(&self, blocks: Range<usize>) -> &[Column] {
        let (first, last) = (self.ranges.get(blocks.start), self.ranges.get(blocks.end - 1));
        let range = first.zip(last).map_or(0..0, |(first, last)| first.start..last.end);
        &self.timeline.columns[range]
    }

    /// What there is in some blocks.
    pub fn segment(&self, blocks: Range<usize>) -> Option<Segment> {
        Segment::of(self.columns(blocks.clone()), blocks, &self.bounds)
    }

    /// What there is right before a change, and in its first blocks.
    pub fn around(&self, change: &Change) -> Option<(Segment, Segment)> {
        let start =
            |block: usize| self.columns(block..block + 1).first().map(|column| column.start);
        let at = (0..self.count()).find(|&block| start(block) >= Some(change.start))?;
        let before = (at > 0).then(|| self.segment(at.saturating_sub(AROUND)..at))?;
        Some((before?, self.segment(at..(at + AROUND).min(self.count()))?))
    }

    /// The stretches of some blocks between steps at these.
    pub fn stretches(&self, blocks: Range<usize>, steps: &[usize]) -> Vec<Segment> {
        let mut edges = vec![blocks.start];
        edges.extend(steps);
        edges.push(blocks.end);
        let pairs = edges.windows(2).filter(|pair| pair[0] < pair[1]);
        pairs.filter_map(|pair| self.segment(pair[0]..pair[1])).collect()
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The mean and the variance of the logarithm of latency, by the middles of buckets.
fn logs(columns: &[Column]) -> Option<(f64, f64)> {
    let counts =
        || columns.iter().filter_map(|c| c.latencies.as_ref()).flat_map(Histogram::non_zero);
    let sum = |of: &dyn Fn(f64) -> f64| {
        let log = |ns: u64| (ns.max(1) as f64).ln();
        let each = counts().map(|(bucket, n)| of(log(bucket.mid_point().as_nanos())) * n as f64);
        each.sum::<f64>()
    };
    let events = sum(&|_| 1.0);
    let mean = sum(&|log| log) / events;
    (events > 0.0).then(|| (mean, sum(&|log| (log - mean).powi(2)) / events))
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

fn by_row(columns: &[Column], bounds: &[u64]) -> Vec<f64> {
    let mut rows = vec![0.0; bounds.len() - 1];
    for (bucket, count) in
        columns.iter().filter_map(|c| c.latencies.as_ref()).flat_map(Histogram::non_zero)
    {
        rows[row_of(bounds, bucket.lo)] += count as f64;
    }
    rows
}
