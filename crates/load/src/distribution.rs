//! Latencies of a whole run, counted finely.

use isotherm_frame::{Histogram, LogLinear, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many operations took how long, in buckets of at most [`Distribution::BITS`] bits relative
/// width (0.78 %, so that a bucket's mid-point is within 0.4 % of any latency in it), with the
/// exact total and the exact extremes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// Operations.
    pub events: u64,
    /// Exact total time, nanoseconds.
    pub sum_ns: u64,
    /// The shortest latency, nanoseconds; 0 without operations.
    pub min_ns: u64,
    /// The longest latency, nanoseconds; 0 without operations.
    pub max_ns: u64,
    /// Buckets that hold operations, shortest first: the index in [`LogLinear`] of 7 bits, and the
    /// number of operations.
    pub buckets: Vec<(u32, u64)>,
}

impl Distribution {
    /// Sub-buckets of an octave, as a power of two.
    pub const BITS: u32 = 7;

    /// The latencies as a histogram, on which quantiles and modes are computed.
    pub fn histogram(&self) -> Histogram {
        let buckets = LogLinear::new(Distribution::BITS);
        let mut counts = vec![0_u64; buckets.buckets()];
        for &(index, count) in &self.buckets {
            if let Some(cell) = usize::try_from(index).ok().and_then(|index| counts.get_mut(index))
            {
                *cell = cell.saturating_add(count);
            }
        }
        let empty = Histogram::empty(buckets.scheme().clone());
        Histogram::new(buckets.scheme().clone(), counts, Some(Nanos::new(self.sum_ns)))
            .unwrap_or(empty)
    }

    /// The mean latency in nanoseconds; `None` without operations.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.events > 0).then(|| self.sum_ns as f64 / self.events as f64)
    }

    /// The operations of several distributions.
    pub fn merged<'a>(parts: impl IntoIterator<Item = &'a Distribution>) -> Distribution {
        let mut all = Distribution { min_ns: u64::MAX, ..Distribution::default() };
        let mut buckets = std::collections::BTreeMap::new();
        for part in parts.into_iter().filter(|part| part.events > 0) {
            all.events += part.events;
            all.sum_ns = all.sum_ns.saturating_add(part.sum_ns);
            all.min_ns = all.min_ns.min(part.min_ns);
            all.max_ns = all.max_ns.max(part.max_ns);
            for &(index, count) in &part.buckets {
                *buckets.entry(index).or_insert(0) += count;
            }
        }
        if all.events == 0 {
            return Distribution::default();
        }
        all.buckets = buckets.into_iter().collect();
        all
    }
}
