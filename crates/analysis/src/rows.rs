//! The latency axis: which rows a map has.

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

/// The bounds from the last one at or below `lo` to the first one at or above `hi`.
fn spanning(bounds: &[u64], (lo, hi): (u64, u64)) -> &[u64] {
    let first = bounds.partition_point(|&bound| bound <= lo).saturating_sub(1);
    let last = bounds.partition_point(|&bound| bound < hi).min(bounds.len().saturating_sub(1));
    bounds.get(first..=last.max(first)).unwrap_or_default()
}

/// The lowest and highest bound that must be on the axis.
fn range(counts: &Histogram, keep: Option<(Nanos, Nanos)>) -> Option<(u64, u64)> {
    let first = counts.occupied().next().map(|(bucket, _)| bucket.lo.as_nanos());
    let last = counts.occupied().next_back().map(|(bucket, _)| top(bucket));
    let (lo, hi) = (first?, last?);
    let kept = keep.map_or((lo, hi), |(low, high)| (low.as_nanos(), high.as_nanos()));
    Some((lo.min(kept.0), hi.max(kept.1)))
}

/// The highest finite bound of a bucket.
fn top(bucket: Bucket) -> u64 {
    bucket.hi.unwrap_or(bucket.lo).as_nanos()
}

/// Edges that follow octaves.
fn octaves(bounds: &[u64], anchors: &[u64], counts: &Histogram, room: usize) -> Vec<u64> {
    let per_octave = native_per_octave(bounds, anchors);
    for density in [4, 2, 1].into_iter().filter(|&density| density <= per_octave) {
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
    let stride = (anchors.len() + 1).div_ceil(room.saturating_sub(1).max(1));
    let mut edges: Vec<u64> = anchors.iter().copied().rev().step_by(stride.max(1)).collect();
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
