//! The buckets that an entry is shown in.

use isotherm_frame::{Histogram, Scheme};

/// The buckets in which a bound that is a power of two is looked for.
const OCTAVE: usize = 8;

/// The same events without the empty buckets at both ends. Octaves of nanoseconds stay whole, so
/// that axes are labelled alike whatever was counted. Averages have no buckets.
pub(super) fn trimmed(latencies: &Histogram) -> Histogram {
    let run = latencies.occupied_range();
    if run.is_empty() || latencies.is_averages() {
        return latencies.clone();
    }
    let (first, last) = (run.start, run.end - 1);
    let bounds = latencies.scheme().bounds();
    let whole = |index: &usize| bounds[*index].is_power_of_two();
    let below = (0..=first).rev().take(OCTAVE).find(whole);
    let above = (last + 1..bounds.len()).take(OCTAVE).find(whole);
    let (first, last) = (below.unwrap_or(first), above.map_or(last, |index| index - 1));
    let scheme = Scheme::new(bounds[first..=last + 1].to_vec());
    let fresh = scheme.ok().and_then(|scheme| latencies.rebin(&scheme).ok());
    fresh.unwrap_or_else(|| latencies.clone())
}
