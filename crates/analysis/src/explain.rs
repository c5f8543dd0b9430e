//! What distinguishes selected events from all others, counted while an input is read.

use isotherm_frame::{Bucket, Frame, Histogram, Nanos, Scheme, Series, TimeWaited, Timestamp};

use crate::amount::Amount;
use crate::marginals::Marginals;
use crate::{Contrast, Facet, Grid, Region, Timeline};

/// A stretch of time and a range of latency.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The first moment.
    pub from: Timestamp,
    /// The first moment after it.
    pub to: Timestamp,
    /// The shortest latency.
    pub above: Nanos,
    /// The first latency too long, if there is one.
    pub below: Option<Nanos>,
}

/// The events on one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// How many ended there.
    pub events: u64,
    /// The time waited there, by whatever event.
    pub waited: TimeWaited,
    /// The latencies of the events; `None` if they are not known apart from those of the other side.
    pub latencies: Option<Histogram>,
}

/// What distinguishes the selected events.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What is selected. Of counts in buckets the edges are those of buckets.
    pub selection: Selection,
    /// The selected events.
    pub inside: Side,
    /// All others.
    pub outside: Side,
    /// Whether events were divided between the sides in proportion to time.
    pub estimated: bool,
    /// Every value of every attribute.
    pub contrasts: Vec<Contrast>,
    /// From what latency on an event counts as slow, if that is known.
    pub slow_from: Option<Nanos>,
}

/// Counts events, or intervals of them, on both sides of a selection.
#[derive(Clone, Debug)]
pub struct Explainer {
    selection: Selection,
    inside: Tally,
    outside: Tally,
    marginals: Marginals,
    estimated: bool,
    /// The edges of buckets in place of those selected.
    edges: Option<(Nanos, Option<Nanos>)>,
    /// From what latency on an event is slow.
    slow_from: Option<Nanos>,
}

/// The latencies on one side, where they are known, and the seconds waited there.
type Part = (Option<Histogram>, f64);

#[derive(Clone, Debug)]
struct Tally {
    latencies: Option<Histogram>,
    waited_s: f64,
    waited_ns: u64,
    exact: bool,
}

impl Selection {
    /// Everything.
    pub const ALL: Selection = Selection {
        from: Timestamp::new(i64::MIN),
        to: Timestamp::new(i64::MAX),
        above: Nanos::ZERO,
        below: None,
    };

    /// Whether a latency lies in the range.
    pub fn has(&self, latency: Nanos) -> bool {
        self.above <= latency && self.below.is_none_or(|below| latency < below)
    }

    /// The nanoseconds of a wait that ended at `at` within the stretch of time.
    fn waited_ns(&self, at: Timestamp, latency: Nanos) -> u64 {
        let start = at.minus(latency).max(self.from);
        let end = at.min(self.to);
        if start < end { end.since(start).as_nanos().min(latency.as_nanos()) } else { 0 }
    }
}

impl Tally {
    fn new() -> Tally {
        let latencies = Some(Histogram::empty(Scheme::log_linear()));
        Tally { latencies, waited_s: 0.0, waited_ns: 0, exact: true }
    }

    fn side(&self, events: u64) -> Side {
        let seconds = self.waited_s + Nanos::new(self.waited_ns).as_secs_f64();
        let waited = TimeWaited { seconds, exact: self.exact };
        Side { events, waited, latencies: self.latencies.clone() }
    }
}

impl Explainer {
    /// Counts on both sides of `selection`, and at most `most` values of each attribute.
    pub fn new(selection: Selection, most: usize) -> Explainer {
        Explainer {
            selection,
            inside: Tally::new(),
            outside: Tally::new(),
            marginals: Marginals::new(most),
            estimated: false,
            edges: None,
            slow_from: None,
        }
    }

    /// Tells events that take as long as this from all others: what a tenth of all events takes, so
    /// that the slow ones of the selection can be compared with those of the rest.
    #[must_use]
    pub fn slow_from(self, latency: Option<Nanos>) -> Explainer {
        Explainer { slow_from: latency, ..self }
    }

    /// Counts one event. It is counted where it ended; the time it took lies where it was waited.
    pub fn event(&mut self, series: &Series, at: Timestamp, latency: Nanos) {
        let Selection { from, to, .. } = self.selection;
        let chosen = self.selection.has(latency);
        let within = if chosen { self.selection.waited_ns(at, latency) } else { 0 };
        let selected = chosen && from <= at && at < to;
        let side = if selected { &mut self.inside } else { &mut self.outside };
        if let Some(latencies) = &mut side.latencies {
            latencies.record(latency);
        }
        let without = latency.as_nanos() - within;
        self.inside.waited_ns = self.inside.waited_ns.saturating_add(within);
        self.outside.waited_ns = self.outside.waited_ns.saturating_add(without);
        let slow = self.slow_from.is_some_and(|from| latency >= from);
        let amount = |counted: bool, waited_ns| Amount {
            events: u64::from(counted),
            waited_ns,
            squares_s2: Nanos::new(waited_ns).as_secs_f64().powi(2),
            slow: u64::from(counted && slow),
        };
        self.marginals.add(series, amount(selected, within), amount(!selected, without));
    }

    /// Counts intervals of one series. Those that lie across an end of the selected time are
    /// divided in proportion; a bucket belongs to where it begins.
    pub fn frames(&mut self, series: &Series, frames: &[Frame]) {
        let counted: Vec<&Frame> = frames.iter().filter(|frame| !frame.is_gap()).collect();
        let Some(all) = Histogram::merged(counted.iter().map(|frame| &frame.counts)) else {
            return;
        };
        let waited: f64 = counted.iter().map(|frame| frame.counts.time_waited().seconds).sum();
        let exact = counted.iter().all(|frame| frame.counts.time_waited().exact);
        if let Some((inside, outside)) = self.apart(&counted, &all) {
            self.add(series, inside, outside, exact);
            return;
        }
        let region = self.region(frames);
        self.snap(all.scheme());
        let inside = region.latencies.unwrap_or_else(|| all.cleared());
        // Of a part of the latencies the time is known from their buckets.
        let whole = inside.events() == 0 || inside.events() == all.events();
        let (within, without) = (region.waited_s, (waited - region.waited_s).max(0.0));
        let outside = all.with_sum(None).since(&inside.clone().with_sum(None)).ok();
        self.add(series, (Some(inside), within), (outside, without), exact && whole);
    }

    /// The intervals within the selected time and all others, each with the time waited in it; `None`
    /// if an interval lies on both sides, or only some latencies are selected.
    fn apart(&self, frames: &[&Frame], all: &Histogram) -> Option<(Part, Part)> {
        let Selection { from, to, above, below } = self.selection;
        let cut =
            |frame: &Frame| [from, to].iter().any(|&edge| frame.start < edge && edge < frame.end);
        if above > Nanos::ZERO || below.is_some() || frames.iter().any(|frame| cut(frame)) {
            return None;
        }
        let (inside, outside): (Vec<&Frame>, Vec<&Frame>) =
            frames.iter().partition(|frame| from <= frame.start && frame.end <= to);
        let part = |frames: Vec<&Frame>| {
            let counts = || frames.iter().map(|frame| &frame.counts);
            let waited_s = counts().map(|counts| counts.time_waited().seconds).sum();
            (Some(Histogram::merged(counts()).unwrap_or_else(|| all.cleared())), waited_s)
        };
        Some((part(inside), part(outside)))
    }

    /// Adds what was counted of a series on both sides.
    fn add(&mut self, series: &Series, inside: Part, outside: Part, exact: bool) {
        let slow_from = self.slow_from;
        let amount = |(latencies, seconds): &Part| Amount {
            events: latencies.as_ref().map_or(0, Histogram::events),
            waited_ns: nanos(*seconds),
            squares_s2: latencies.as_ref().map_or(0.0, squares_s2),
            slow: latencies.as_ref().map_or(0, |latencies| slow(latencies, slow_from)),
        };
        self.marginals.add(series, amount(&inside), amount(&outside));
        for (tally, (latencies, seconds)) in
            [(&mut self.inside, inside), (&mut self.outside, outside)]
        {
            tally.waited_s += seconds;
            tally.exact &= exact;
            tally.latencies = tally
                .latencies
                .take()
                .zip(latencies)
                .map(|(known, more)| if known.is_empty() { more } else { known.merge(&more) });
        }
    }

    /// What the selection holds of these intervals.
    fn region(&mut self, frames: &[Frame]) -> Region {
        let Selection { from, to, above, below } = self.selection;
        let starts = frames.iter().map(|frame| frame.start).min().unwrap_or(from);
        let ends = frames.iter().map(|frame| frame.end).max().unwrap_or(to);
        let (start, end) = (from.max(starts), to.min(ends));
        if start >= end {
            return Region::of(&[], (above, below));
        }
        let cut = |at: Timestamp| frames.iter().any(|frame| frame.start < at && at < frame.end);
        self.estimated |= cut(start) || cut(end);
        let grid = Grid { end, column: end.since(start), columns: 1 };
        Region::of(&Timeline::place(frames, grid).columns, (above, below))
    }

    /// Remembers where the buckets begin that lie within the edges.
    fn snap(&mut self, scheme: &Scheme) {
        let next = |edge: Nanos| {
            let bounds = scheme.bounds();
            let at = bounds.partition_point(|&bound| bound < edge.as_nanos());
            bounds.get(at).filter(|&&bound| bound != Scheme::UNBOUNDED).map(|&at| Nanos::new(at))
        };
        let Selection { above, below, .. } = self.selection;
        let lo = if above == Nanos::ZERO { above } else { next(above).unwrap_or(above) };
        let hi = below.map(|below| next(below).unwrap_or(below));
        self.edges.get_or_insert((lo, hi));
    }

    /// The attributes seen, the name of the series among them.
    pub fn facets(&mut self) -> impl Iterator<Item = &Facet> {
        self.marginals.facets()
    }

    /// What was counted.
    pub fn explanation(mut self) -> Explanation {
        let (inside, outside) = (self.marginals.inside(), self.marginals.outside());
        let (above, below) = self.edges.unwrap_or((self.selection.above, self.selection.below));
        Explanation {
            selection: Selection { above, below, ..self.selection },
            inside: self.inside.side(inside.events),
            outside: self.outside.side(outside.events),
            estimated: self.estimated,
            contrasts: self.marginals.contrasts(),
            slow_from: self.slow_from,
        }
    }
}

impl Explanation {
    /// The share of all time waited that the selection owns, 0 to 1.
    pub fn time_share(&self) -> f64 {
        let all = self.inside.waited.seconds + self.outside.waited.seconds;
        if all > 0.0 { self.inside.waited.seconds / all } else { 0.0 }
    }

    /// The share of all events that is selected, 0 to 1.
    pub fn event_share(&self) -> f64 {
        let all = self.inside.events.saturating_add(self.outside.events);
        if all > 0 { self.inside.events as f64 / all as f64 } else { 0.0 }
    }
}

/// The sum of the squares of latencies, by the middles of buckets.
pub(crate) fn squares_s2(latencies: &Histogram) -> f64 {
    if latencies.is_averages() {
        let mean = latencies.mean_ns().and_then(|ns| Nanos::from_secs_f64(ns / 1e9));
        return Amount::of_average(latencies.events(), mean.unwrap_or_default()).squares_s2;
    }
    let square = |(bucket, count): (Bucket, u64)| Amount::of(count, bucket.mid_point()).squares_s2;
    latencies.non_zero().map(square).sum()
}

/// The events in buckets that begin at a latency or above it.
fn slow(latencies: &Histogram, from: Option<Nanos>) -> u64 {
    let Some(from) = from.filter(|_| !latencies.is_averages()) else { return 0 };
    let slow = latencies.non_zero().filter(|(bucket, _)| bucket.lo >= from);
    slow.fold(0, |sum, (_, count)| sum.saturating_add(count))
}

fn nanos(seconds: f64) -> u64 {
    Nanos::from_secs_f64(seconds).map_or(0, Nanos::as_nanos)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Quality;

    use super::*;
    use crate::contrast::FacetValue;
    use crate::most_telling;

    fn at(ms: i64) -> Timestamp {
        Timestamp::new(ms * 1_000_000)
    }

    fn selection(from_ms: i64, to_ms: i64, above_ms: u64) -> Selection {
        let above = Nanos::from_millis(above_ms);
        Selection { from: at(from_ms), to: at(to_ms), above, below: None }
    }

    #[test]
    fn events_are_counted_where_they_end_and_their_time_where_it_was_waited() {
        let mut explainer = Explainer::new(selection(1_000, 2_000, 8), 16);
        let read = Series::named("read");
        // Begins before, ends inside; inside; ends after; too short; exactly as long.
        for (end, ms) in [(1_100, 300), (1_500, 10), (2_100, 400), (1_600, 7), (1_700, 8)] {
            explainer.event(&read, at(end), Nanos::from_millis(ms));
        }
        let found = explainer.explanation();
        assert_eq!((found.inside.events, found.outside.events), (3, 2));
        // 100 of 300, 10, 300 of 400, 8; 200, 100 and 7 outside.
        assert!((found.inside.waited.seconds - 0.418).abs() < 1e-12);
        assert!((found.outside.waited.seconds - 0.307).abs() < 1e-12);
        assert!((found.time_share() - 0.418 / 0.725).abs() < 1e-12);
        assert!((found.event_share() - 0.6).abs() < 1e-12);
        let latencies = |side: &Side| side.latencies.as_ref().unwrap().events();
        assert_eq!((latencies(&found.inside), latencies(&found.outside)), (3, 2));
        assert!(!found.estimated && found.inside.waited.exact);
    }

    fn frame(series: &Series, second: i64, waits: &[(u64, u64)]) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for &(us, times) in waits {
            (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
        }
        let (start, end) = (at(second * 1_000), at(second * 1_000 + 1_000));
        Frame { series: series.clone(), start, end, counts, quality: Quality::Complete }
    }

    #[test]
    fn intervals_are_divided_by_bucket_and_in_proportion_to_time() {
        let of = |disk: &str| Series::with_attributes("read", [("disk", disk)]);
        let mut explainer = Explainer::new(selection(1_500, 3_000, 8), 16);
        for (disk, slow) in [("sda", 40), ("sdb", 2)] {
            let series = of(disk);
            let seconds = (0..4).map(|s| frame(&series, s, &[(100, 100), (20_000, slow)]));
            explainer.frames(&series, &seconds.collect::<Vec<_>>());
        }
        let found = explainer.explanation();
        // One and a half of four seconds.
        assert_eq!((found.inside.events, found.outside.events), (63, 8 * 100 + 4 * 42 - 63));
        assert!(found.estimated);
        // 8 ms lies in the bucket 7.86-8.39 ms of the eight linear parts of its octave.
        assert_eq!(found.selection.above, Nanos::new(1 << 23));
        let first = &most_telling(found.contrasts, 1)[0];
        assert_eq!(
            (first.value.clone(), first.in_selection.events),
            (FacetValue::Is("sda".into()), 60)
        );
    }

    #[test]
    fn whole_intervals_keep_the_exact_time_that_was_waited_in_them() {
        let series = Series::named("read");
        // 2, 3, 5 and 7 waits of 777 us, which lies in no middle of a bucket.
        let frames = [2, 3, 5, 7].iter().zip(0..).map(|(&times, second)| {
            let frame = frame(&series, second, &[(777, times)]);
            let sum = Nanos::from_micros(777 * times);
            Frame { counts: frame.counts.with_sum(Some(sum)), ..frame }
        });
        let frames: Vec<Frame> = frames.collect();
        let mut explainer = Explainer::new(selection(1_000, 3_000, 0), 16);
        explainer.frames(&series, &frames);
        let found = explainer.explanation();
        for (side, waits) in [(&found.inside, 8), (&found.outside, 9)] {
            assert_eq!(side.events, waits);
            assert!(side.waited.exact && !found.estimated, "{side:?}");
            let waited = waits as f64 * 777e-6;
            assert!((side.waited.seconds - waited).abs() < 1e-9, "{side:?}");
            let mean = side.latencies.as_ref().and_then(Histogram::mean_ns);
            assert!(mean.is_some_and(|mean| (mean - 777e3).abs() < 0.5), "{mean:?}");
        }
    }
}
