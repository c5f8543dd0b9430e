//! The latency axis: which rows a map has.

use std::collections::BTreeMap;

use isotherm_frame::{Bucket, Histogram, Nanos, Scheme};

/// One row of a heat map, from `lo` up to but not including `hi`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The true lower edge.
    pub lo: Nanos,
    /// The true upper edge; `None` when there is none.
    pub hi: Option<Nanos>,
    /// What the row collects.
    pub kind: RowKind,
    /// Whether an octave (or, on an axis without octaves, any row) begins here: rows to label.
    pub labelled: bool,
}

/// What a row collects.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Everything shorter than its upper edge.
    Underflow,
    /// Latencies between its edges.
    Body,
    /// Everything from its lower edge up.
    Overflow,
}

/// The share of events that may be collected in the underflow row to show the rest finer.
const MAY_UNDERFLOW: f64 = 0.002;

/// The share of events, and of time, below which the buckets at an end have no rows of their own.
const NEGLIGIBLE: f64 = 0.001;

/// The share of events, the longest ones, that may be shown in rows twice as high as the others.
const MAY_BE_COARSER: f64 = 0.02;

/// Chooses at most `most` rows, shortest latencies first, for these counts.
///
/// Every edge is a bucket bound of the source, so no count is ever split between rows. Rows
/// follow octaves, 4, 2 or 1 to an octave, or several octaves to a row, as fits; sources whose
/// bounds do not double have one row per bucket, or as many as fit. Where only rare long latencies
/// stand in the way of finer rows for all others, theirs are twice as high. `keep` widens the range, so
/// that a live axis does not jump.
pub fn choose_rows(counts: &Histogram, most: usize, keep: Option<(Nanos, Nanos)>) -> Vec<Row> {
    let Some((lo, hi)) = range(counts, keep) else { return Vec::new() };
    let bounds = counts.scheme().bounds();
    let finite: Vec<u64> =
        bounds.iter().copied().filter(|&bound| bound != Scheme::UNBOUNDED).collect();
    let room = most.max(3);
    let edges = doubling(&finite, (lo, hi)).map_or_else(
        || thin(spanning(&finite, (lo, hi)), room),
        |anchors| octaves(&finite, &anchors, counts, room),
    );
    rows(&edges, bounds)
}

/// The rows of a range of latency, at most `most` with those below and above it: the same for all
/// counts in the same buckets. The range is widened to bounds of the source; what lies outside is
/// collected in the underflow and the overflow row.
pub fn rows_within(counts: &Histogram, most: usize, (lo, hi): (Nanos, Nanos)) -> Vec<Row> {
    let bounds = counts.scheme().bounds();
    let finite: Vec<u64> =
        bounds.iter().copied().filter(|&bound| bound != Scheme::UNBOUNDED).collect();
    let (lo, room) = (lo.as_nanos().max(1), most.max(3));
    let range = (lo, hi.as_nanos().max(lo + 1));
    let edges = match doubling(&finite, range) {
        None => thin(spanning(&finite, range), room),
        Some(anchors) => {
            let densities = densities(&finite, &anchors);
            let fits = |edges: &Vec<u64>| edges.len() < room;
            let finest = densities.map(|density| subdivide(&finite, &anchors, density)).find(fits);
            finest.unwrap_or_else(|| sparse(&anchors, room))
        }
    };
    rows(&edges, bounds)
}

/// The bounds from the last one at or below `lo` to the first one at or above `hi`.
fn spanning(bounds: &[u64], (lo, hi): (u64, u64)) -> &[u64] {
    let first = bounds.partition_point(|&bound| bound <= lo).saturating_sub(1);
    let last = bounds.partition_point(|&bound| bound < hi).min(bounds.len().saturating_sub(1));
    bounds.get(first..=last.max(first)).unwrap_or_default()
}

/// The lowest and highest bound that must be on the axis.
fn range(counts: &Histogram, keep: Option<(Nanos, Nanos)>) -> Option<(u64, u64)> {
    let (lo, hi) = main_range(counts)?;
    let (low, high) = keep.unwrap_or((lo, hi));
    Some((lo.min(low).as_nanos(), hi.max(high).as_nanos()))
}

/// From the lower bound of the first bucket to the upper bound of the last, without the buckets at
/// both ends that together hold neither a thousandth of the events nor a thousandth of the time:
/// these are left to the underflow and the overflow row. `None` of nothing.
pub fn main_range(counts: &Histogram) -> Option<(Nanos, Nanos)> {
    let times: BTreeMap<usize, u64> = counts.bucket_times_ns().collect();
    let held: Vec<Held> = counts
        .occupied_range()
        .map(|index| {
            let ns = times.get(&index).copied().unwrap_or(0);
            Held { index, events: counts.count(index), ns }
        })
        .filter(|held| held.events > 0 || held.ns > 0)
        .collect();
    let events: f64 = held.iter().map(|held| held.events as f64).sum();
    let ns: f64 = held.iter().map(|held| held.ns as f64).sum();
    let most = (NEGLIGIBLE * events, NEGLIGIBLE * ns);
    let first = held.get(negligible(held.iter(), most))?;
    let last = held.iter().rev().nth(negligible(held.iter().rev(), most))?;
    let bucket = |held: &Held| counts.scheme().bucket(held.index);
    Some((bucket(first).lo, Nanos::new(top(bucket(last)))))
}

/// What a bucket holds.
struct Held {
    index: usize,
    events: u64,
    ns: u64,
}

/// How many buckets at the beginning hold less than these events and less than these nanoseconds.
fn negligible<'a>(held: impl Iterator<Item = &'a Held>, most: (f64, f64)) -> usize {
    let sums = held.scan((0.0, 0.0), |sum, held| {
        *sum = (sum.0 + held.events as f64, sum.1 + held.ns as f64);
        Some(*sum)
    });
    sums.take_while(|sum| sum.0 < most.0 && sum.1 < most.1).count()
}

/// The highest finite bound of a bucket.
fn top(bucket: Bucket) -> u64 {
    bucket.hi.unwrap_or(bucket.lo).as_nanos()
}

/// Edges that follow octaves.
fn octaves(bounds: &[u64], anchors: &[u64], counts: &Histogram, room: usize) -> Vec<u64> {
    for density in densities(bounds, anchors) {
        let edges = subdivide(bounds, anchors, density);
        // The rare events below may share the underflow row.
        let spare = (edges.len() + 1).saturating_sub(room);
        let cut = spare.div_ceil(density) * density;
        let rare = edges.get(cut).is_some_and(|&edge| share_below(counts, edge) <= MAY_UNDERFLOW);
        if spare == 0 || rare {
            return edges[cut..].to_vec();
        }
        if let Some(edges) = coarser_above(bounds, anchors, counts, (density, spare)) {
            return edges;
        }
    }
    sparse(anchors, room)
}

/// How many rows an octave may have, most first.
fn densities(bounds: &[u64], anchors: &[u64]) -> impl Iterator<Item = usize> + use<> {
    let per_octave = native_per_octave(bounds, anchors);
    [4, 2, 1].into_iter().filter(move |&density| density <= per_octave)
}

/// Several octaves to a row, from the first to the last: only the first row may be of fewer.
fn sparse(anchors: &[u64], room: usize) -> Vec<u64> {
    // Of so many rows two are those below and above.
    let body = room.saturating_sub(2).max(1);
    let stride = anchors.len().saturating_sub(1).div_ceil(body).max(1);
    let mut edges: Vec<u64> = anchors.iter().copied().rev().step_by(stride).collect();
    edges.extend(anchors.first().filter(|first| edges.last() != Some(first)));
    edges.reverse();
    edges
}

/// As many of the highest octaves as must be with half as many rows, so that `spare` rows less are
/// needed; `None` when more than a few events are so long.
fn coarser_above(
    bounds: &[u64],
    anchors: &[u64],
    counts: &Histogram,
    (density, spare): (usize, usize),
) -> Option<Vec<u64>> {
    // Each coarser octave saves half its rows; of single rows two become one.
    let coarse = if density == 1 { 2 * spare } else { spare.div_ceil(density / 2) };
    let split = (anchors.len() - 1).checked_sub(coarse)?;
    let rare = 1.0 - share_below(counts, anchors[split]) <= MAY_BE_COARSER;
    if !rare || coarse > split {
        return None;
    }
    let mut edges = subdivide(bounds, &anchors[..=split], density);
    let above = match density {
        1 => anchors[split..].iter().copied().step_by(2).collect(),
        _ => subdivide(bounds, &anchors[split..], density / 2),
    };
    edges.extend(above.into_iter().skip(1));
    Some(edges)
}

/// The bounds from below `lo` to above `hi` that are each twice the one before, if there are such.
fn doubling(bounds: &[u64], (lo, hi): (u64, u64)) -> Option<Vec<u64>> {
    let chain = |base: u64| -> Vec<u64> {
        let powers = std::iter::successors(Some(base), |bound| bound.checked_mul(2));
        powers.filter(|power| bounds.binary_search(power).is_ok()).collect()
    };
    let first = *bounds.iter().find(|&&bound| bound > 0)?;
    let best = [1, 1_000, 1_000_000, 1_000_000_000, first]
        .into_iter()
        .map(chain)
        .max_by_key(|anchors| spanning(anchors, (lo, hi)).len())?;
    let anchors = spanning(&best, (lo, hi));
    let span = spanning(bounds, (lo, hi));
    let (lowest, highest) = (span.iter().find(|&&bound| bound > 0)?, span.last()?);
    let wanted = (highest / lowest).checked_ilog2().unwrap_or(0) as usize;
    (best.len() >= 2 && anchors.len() >= wanted.max(1)).then(|| anchors.to_vec())
}

/// How many native buckets the coarsest octave has.
fn native_per_octave(bounds: &[u64], anchors: &[u64]) -> usize {
    let within = |pair: &[u64]| {
        bounds.partition_point(|&bound| bound < pair[1])
            - bounds.partition_point(|&bound| bound < pair[0])
    };
    anchors.windows(2).map(within).max().unwrap_or(1)
}

/// `density` edges in each octave, each at the native bound nearest to its place.
fn subdivide(bounds: &[u64], anchors: &[u64], density: usize) -> Vec<u64> {
    let mut edges: Vec<u64> = Vec::new();
    for pair in anchors.windows(2) {
        for part in 0..density {
            let wanted = pair[0] as f64 * (part as f64 / density as f64).exp2();
            let from = bounds.partition_point(|&bound| bound < pair[0]);
            let to = bounds.partition_point(|&bound| bound < pair[1]);
            let distance = |bound: u64| (bound as f64 / wanted).ln().abs();
            let nearest = bounds[from..to]
                .iter()
                .copied()
                .min_by(|one, two| distance(*one).total_cmp(&distance(*two)));
            edges.extend(nearest);
        }
    }
    edges.extend(anchors.last());
    edges.dedup();
    edges
}

fn share_below(counts: &Histogram, edge: u64) -> f64 {
    let below: u64 = counts
        .non_zero()
        .take_while(|(bucket, _)| bucket.lo.as_nanos() < edge)
        .map(|(_, count)| count)
        .sum();
    below as f64 / counts.events().max(1) as f64
}

/// All bounds if they fit, else as many as fit, spread evenly over the logarithm.
fn thin(bounds: &[u64], room: usize) -> Vec<u64> {
    if bounds.len() < room {
        return bounds.iter().copied().filter(|&bound| bound > 0).collect();
    }
    let positive: Vec<u64> = bounds.iter().copied().filter(|&bound| bound > 0).collect();
    let (Some(&lo), Some(&hi)) = (positive.first(), positive.last()) else { return Vec::new() };
    let step = (hi as f64 / lo as f64).ln() / (room.saturating_sub(2).max(1)) as f64;
    let mut edges = vec![lo];
    for &bound in &positive {
        let last = edges.last().copied().unwrap_or(lo);
        if (bound as f64 / last as f64).ln() >= step * 0.999 {
            edges.push(bound);
        }
    }
    if edges.last() != Some(&hi) {
        edges.push(hi);
    }
    edges
}

/// Rows between edges, with an underflow row below and an overflow row above where the source
/// has buckets there.
fn rows(edges: &[u64], bounds: &[u64]) -> Vec<Row> {
    let (Some(&lowest), Some(&highest)) = (edges.first(), edges.last()) else {
        return vec![everything(bounds)];
    };
    // Octaves begin at the lowest edge if all its doublings are edges too.
    let mut octaves = std::iter::successors(Some(lowest), |edge| edge.checked_mul(2))
        .take_while(|&edge| edge <= highest);
    let doubles = octaves.all(|octave| edges.binary_search(&octave).is_ok());
    let is_octave =
        |edge: u64| edge.is_multiple_of(lowest.max(1)) && (edge / lowest.max(1)).is_power_of_two();
    let mut rows = Vec::new();
    if bounds.first().is_some_and(|&first| first < lowest) {
        let hi = Some(Nanos::new(lowest));
        rows.push(Row { lo: Nanos::new(bounds[0]), hi, kind: RowKind::Underflow, labelled: true });
    }
    rows.extend(edges.windows(2).map(|pair| Row {
        lo: Nanos::new(pair[0]),
        hi: Some(Nanos::new(pair[1])),
        kind: RowKind::Body,
        labelled: !doubles || is_octave(pair[0]),
    }));
    if bounds.last().is_some_and(|&last| last > highest) {
        let lo = Nanos::new(highest);
        rows.push(Row { lo, hi: None, kind: RowKind::Overflow, labelled: true });
    }
    rows
}

/// The one row of a source that has no bound but zero and none: what series come to together when
/// the buckets of one lie across all of the other's.
fn everything(bounds: &[u64]) -> Row {
    let lo = Nanos::new(bounds.first().copied().unwrap_or(0));
    Row { lo, hi: None, kind: RowKind::Overflow, labelled: true }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Unit;
    use proptest::prelude::*;

    use super::*;

    fn with(scheme: Scheme, micros: &[u64]) -> Histogram {
        let mut counts = Histogram::empty(scheme);
        for &us in micros {
            counts.record(Nanos::from_micros(us));
        }
        counts
    }

    fn edges(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| row.lo.to_string()).collect()
    }

    #[test]
    fn powers_of_two_have_one_row_per_bucket() {
        let counts = with(Scheme::powers_of_two(Unit::Micros), &[100, 200, 3_000]);
        let rows = choose_rows(&counts, 20, None);
        let expected = ["0ns", "64µs", "128µs", "256µs", "512µs", "1.02ms", "2.05ms", "4.1ms"];
        assert_eq!(edges(&rows), expected);
        assert_eq!(rows[0].kind, RowKind::Underflow);
        assert_eq!(rows[7].kind, RowKind::Overflow);
    }

    #[test]
    fn fine_buckets_use_the_rows_there_are() {
        let counts = with(Scheme::log_linear(), &[100, 900]);
        assert_eq!(choose_rows(&counts, 24, None).len(), 4 * 4 + 2);
        assert_eq!(choose_rows(&counts, 12, None).len(), 4 * 2 + 2);
        assert_eq!(choose_rows(&counts, 8, None).len(), 4 + 2);
    }

    #[test]
    fn only_the_rows_that_begin_an_octave_are_labelled() {
        let counts = with(Scheme::log_linear(), &[100, 900]);
        let rows = choose_rows(&counts, 12, None);
        let body = rows.iter().filter(|row| row.kind == RowKind::Body);
        let labelled: Vec<bool> = body.map(|row| row.labelled).collect();
        assert_eq!(labelled, [true, false].repeat(4));
    }

    #[test]
    fn rare_short_latencies_may_share_the_underflow_row_but_long_ones_never_an_overflow() {
        let mut micros = vec![1_000; 10_000];
        micros.extend([1, 4_000_000]);
        let counts = with(Scheme::log_linear(), &micros);
        let rows = choose_rows(&counts, 16, None);
        assert!(rows.len() <= 16);
        assert!(rows[0].kind == RowKind::Underflow && rows[0].hi > Some(Nanos::from_micros(64)));
        let top = rows.iter().rfind(|row| row.kind == RowKind::Body).unwrap();
        assert!(top.hi >= Some(Nanos::from_millis(4_000)));
    }

    #[test]
    fn rare_long_latencies_do_not_cost_the_others_their_rows() {
        let mut micros: Vec<u64> = (0..10_000).map(|n| 300 + n).collect();
        micros.extend([900_000; 10]);
        let counts = with(Scheme::log_linear(), &micros);
        // 12 octaves from 262 us to 1.07 s: 24 rows of half an octave and two more.
        assert_eq!(choose_rows(&counts, 26, None).len(), 26);
        let fewer = choose_rows(&counts, 22, None);
        assert_eq!(fewer.len(), 22);
        let height = |row: &Row| row.hi.unwrap().as_nanos() as f64 / row.lo.as_nanos() as f64;
        let body: Vec<f64> =
            fewer.iter().filter(|row| row.kind == RowKind::Body).map(height).collect();
        assert!(body[..16].iter().all(|height| *height < 1.6), "{body:?}");
        assert!(body[16..].iter().all(|height| (*height - 2.0).abs() < 1e-9), "{body:?}");
        // Too few rows to stay fine where the events are.
        let coarse = choose_rows(&counts, 14, None);
        assert!(
            coarse.iter().filter(|row| row.kind == RowKind::Body).all(|row| height(row) >= 2.0)
        );
    }

    #[test]
    fn what_is_negligible_at_the_ends_is_collected_and_not_lost() {
        // 1 of 5,001 events at 64 ns, with no time to speak of: no rows down to there.
        let mut counts = with(Scheme::log_linear(), &vec![1_000; 5_000]);
        counts.record(Nanos::new(64));
        let rows = choose_rows(&counts, 40, None);
        assert_eq!((rows[0].kind, rows[0].hi), (RowKind::Underflow, Some(Nanos::new(524_288))));
        let inside = |row: &Row| {
            let holds = |lo: Nanos| lo >= row.lo && row.hi.is_none_or(|hi| lo < hi);
            counts.non_zero().filter(|(b, _)| holds(b.lo)).map(|(_, count)| count).sum::<u64>()
        };
        assert_eq!(inside(&rows[0]), 1);
        assert_eq!(rows.iter().map(inside).sum::<u64>(), counts.events());
        // One in 500 is more than a thousandth.
        let mut counts = with(Scheme::log_linear(), &vec![1_000; 500]);
        counts.record(Nanos::new(64));
        assert!(choose_rows(&counts, 80, None)[0].hi <= Some(Nanos::new(64)));
        // Few events with much of the time keep their rows.
        let mut micros = vec![1_000; 10_000];
        micros.push(500_000);
        let rows = choose_rows(&with(Scheme::log_linear(), &micros), 60, None);
        let top = rows.iter().rfind(|row| row.kind == RowKind::Body).unwrap();
        assert!(top.hi > Some(Nanos::from_millis(500)));
    }

    #[test]
    fn a_range_that_was_asked_for_has_the_same_rows_whatever_was_measured() {
        let range = (Nanos::from_micros(100), Nanos::from_millis(1_000));
        let edges = |micros: &[u64], most: usize| {
            edges(&rows_within(&with(Scheme::log_linear(), micros), most, range))
        };
        let fast = edges(&[1, 2, 3], 20);
        assert_eq!(fast, edges(&[200, 9_000_000], 20));
        let octaves = ["0ns", "65.5µs", "131µs"];
        assert!(fast.iter().zip(octaves).all(|(edge, octave)| edge == octave), "{fast:?}");
        assert_eq!(fast.last().map(String::as_str), Some("1.07s"));
        assert!(edges(&[1], 60).len() > 2 * fast.len() && edges(&[1], 8).len() <= 8);
    }

    proptest! {
        #[test]
        fn every_count_has_one_row_whatever_range_is_asked_for(
            micros in prop::collection::vec(0_u64..100_000_000, 1..40),
            (lo, hi) in (0_u64..1 << 40, 0_u64..1 << 40),
            most in 1_usize..60,
            coarse in any::<bool>(),
        ) {
            let coarse_scheme = Scheme::new(vec![0, 5_000, 10_000, 25_000, u64::MAX]).unwrap();
            let counts = with(if coarse { coarse_scheme } else { Scheme::log_linear() }, &micros);
            let rows = rows_within(&counts, most, (Nanos::new(lo), Nanos::new(hi)));
            for (bucket, _) in counts.non_zero() {
                let holds = |row: &&Row| {
                    bucket.lo >= row.lo && row.hi.is_none_or(|hi| bucket.hi.is_some_and(|b| b <= hi))
                };
                prop_assert_eq!(rows.iter().filter(holds).count(), 1, "{:?} {:?}", bucket, rows);
            }
        }

        /// Both ends lie between the first and the last of 64 ns and 2^42 ns, which are bounds.
        #[test]
        fn the_range_that_is_asked_for_has_rows_from_its_beginning_to_its_end(
            (lo, octaves) in (64_u64..1 << 30, 1_u32..12),
            most in 3_usize..60,
        ) {
            let counts = with(Scheme::log_linear(), &[1]);
            let (lo, hi) = (Nanos::new(lo), Nanos::new(lo << octaves));
            let rows = rows_within(&counts, most, (lo, hi));
            let body: Vec<&Row> = rows.iter().filter(|row| row.kind == RowKind::Body).collect();
            prop_assert!(body.first().is_some_and(|row| row.lo <= lo), "{:?}", rows);
            prop_assert!(body.last().is_some_and(|row| row.hi >= Some(hi)), "{:?}", rows);
            prop_assert!(rows.len() <= most, "{:?}", rows);
        }
    }

    #[test]
    fn bounds_that_do_not_double_are_kept_as_they_are() {
        let decimal =
            Scheme::new(vec![0, 5_000, 10_000, 25_000, 50_000, 100_000, u64::MAX]).unwrap();
        let rows = choose_rows(&with(decimal, &[7, 30, 60]), 20, None);
        assert_eq!(edges(&rows), ["0ns", "5µs", "10µs", "25µs", "50µs", "100µs"]);
        assert!(rows.iter().all(|row| row.labelled));
    }

    #[test]
    fn a_source_without_bounds_has_one_row() {
        let scheme = Scheme::new(vec![0, Scheme::UNBOUNDED]).unwrap();
        let rows = choose_rows(&with(scheme, &[3, 900]), 40, None);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].lo, rows[0].hi, rows[0].kind), (Nanos::ZERO, None, RowKind::Overflow));
    }
}
