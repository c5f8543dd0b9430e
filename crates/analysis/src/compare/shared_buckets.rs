//! The buckets in which the events of two sides can be laid beside each other.

use isotherm_frame::{Bucket, Histogram, Nanos, Scheme};

use super::effect::octaves;
use super::measure::part_below;

/// Where the events of a bucket lie whose range holds a bound of the other side.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// On either side of the bound, in proportion to its distance on the axis of logarithms.
    Parts,
    /// All below it.
    Below,
    /// All above it.
    Above,
}

/// Whether a bucket of one side overlaps one of the other and neither lies within the other.
pub(super) fn straddle(one: &Histogram, two: &Histogram) -> bool {
    let (mut ours, mut theirs) = (one.occupied().peekable(), two.occupied().peekable());
    while let Some((&(own, _), &(other, _))) = ours.peek().zip(theirs.peek()) {
        let overlap = own.lo.as_nanos() < end(other) && other.lo.as_nanos() < end(own);
        if overlap && !is_within(own, other) && !is_within(other, own) {
            return true;
        }
        if end(own) <= end(other) {
            ours.next()
        } else {
            theirs.next()
        };
    }
    false
}

fn end(bucket: Bucket) -> u64 {
    bucket.hi.map_or(Scheme::UNBOUNDED, Nanos::as_nanos)
}

fn is_within(inner: Bucket, outer: Bucket) -> bool {
    outer.lo <= inner.lo && end(inner) <= end(outer)
}

/// The buckets of the side that has the wider ones, and those of the other beyond their ends.
pub(super) fn of_coarser(one: &Histogram, two: &Histogram) -> Scheme {
    let (wide, narrow) = if height(one) >= height(two) { (one, two) } else { (two, one) };
    let bounds = wide.scheme().bounds();
    let (first, last) = (bounds[0], bounds[bounds.len() - 1]);
    let beyond = |bound: &&u64| **bound < first || **bound > last;
    let mut all =
        [bounds.to_vec(), narrow.scheme().bounds().iter().filter(beyond).copied().collect()]
            .concat();
    all.sort_unstable();
    Scheme::new(all).unwrap_or_else(|_| wide.scheme().clone())
}

/// The mean height of the buckets that events lie in, in octaves.
fn height(side: &Histogram) -> f64 {
    let heights = side.non_zero().map(|(bucket, count)| count as f64 * octaves(bucket));
    heights.sum::<f64>() / (side.events() as f64).max(1.0)
}

/// How many events lie in each bucket of a scheme.
pub(super) fn spread(counts: &Histogram, scheme: &Scheme, placement: Placement) -> Vec<f64> {
    let mut found = vec![0.0; scheme.buckets()];
    for (bucket, count) in counts.non_zero() {
        let (first, last) = (home(bucket.lo.as_nanos(), scheme), home(end(bucket) - 1, scheme));
        // Of what has no upper bound nothing is known but its lower one.
        let last = if bucket.hi.is_some() || placement == Placement::Above { last } else { first };
        let count = count as f64;
        match placement {
            Placement::Below => found[first] += count,
            Placement::Above => found[last] += count,
            Placement::Parts => {
                let mut below = 0.0;
                for (index, in_it) in found.iter_mut().enumerate().take(last).skip(first) {
                    let bound = Nanos::new(scheme.bounds()[index + 1]).as_secs_f64();
                    let up_to = part_below(bucket, bound);
                    *in_it += count * (up_to - below);
                    below = up_to;
                }
                found[last] += count * (1.0 - below);
            }
        }
    }
    found
}

/// The bucket of a latency; the nearest one where it lies beyond all.
fn home(ns: u64, scheme: &Scheme) -> usize {
    let nearest = if ns < scheme.bounds()[0] { 0 } else { scheme.buckets() - 1 };
    scheme.index_of(Nanos::new(ns)).unwrap_or(nearest)
}

/// The same as whole events, as many as there are.
pub(super) fn shape(counts: &Histogram, scheme: &Scheme) -> Histogram {
    let (mut all, mut placed) = (0.0, 0.0);
    let whole = spread(counts, scheme, Placement::Parts).into_iter().map(|count| {
        all += count;
        let fresh = f64::round(all) - placed;
        placed += fresh;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, not negative"
        )]
        let fresh = fresh as u64;
        fresh
    });
    let whole = whole.collect();
    Histogram::new(scheme.clone(), whole, None).unwrap_or_else(|_| Histogram::empty(scheme.clone()))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Unit;

    use super::*;

    fn fine(micros: impl IntoIterator<Item = u64>) -> Histogram {
        let mut counts = Histogram::empty(Scheme::log_linear());
        micros.into_iter().for_each(|us| counts.record(Nanos::from_micros(us)));
        counts
    }

    fn coarse(micros: impl IntoIterator<Item = u64>) -> Histogram {
        let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
        micros.into_iter().for_each(|us| counts.record(Nanos::from_micros(us)));
        counts
    }

    #[test]
    fn octaves_of_microseconds_and_narrow_buckets_of_nanoseconds_straddle_each_other() {
        let micros = || 1..2_000;
        assert!(straddle(&fine(micros()), &coarse(micros())));
        assert!(straddle(&coarse(micros()), &fine(micros())));
        assert!(!straddle(&coarse(micros()), &coarse(micros())));
        assert!(!straddle(&fine(micros()), &fine(micros())));
        let one_in_the_middle = fine([700]);
        assert!(!straddle(&one_in_the_middle, &coarse(micros())));
    }

    #[test]
    fn events_are_laid_in_the_wider_buckets_nearly_as_if_counted_there() {
        let (narrow, wide) = (fine(1..2_000), coarse(1..2_000));
        let scheme = of_coarser(&narrow, &wide);
        assert_eq!(scheme, *wide.scheme());
        let [below, parts, above] = [Placement::Below, Placement::Parts, Placement::Above]
            .map(|placement| spread(&narrow, &scheme, placement));
        assert!((parts.iter().sum::<f64>() - 1_999.0).abs() < 1e-6);
        let (mut least, mut most, mut found, mut truth) = (0.0, 0.0, 0.0, 0.0);
        for index in 0..scheme.buckets() {
            // Shares below each bound: the truth lies between the extremes.
            most += below[index];
            least += above[index];
            found += parts[index];
            truth += wide.count(index) as f64;
            assert!(least <= truth && truth <= most && (found - truth).abs() < 20.0, "{index}");
        }
        assert_eq!(shape(&narrow, &scheme).events(), 1_999);
    }
}
