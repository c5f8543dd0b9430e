//! A rate, and the latencies at which it was had: never one without the other.

use isotherm_analysis::{is_unstable, modes};
use isotherm_frame::{Bucket, Nanos};
use isotherm_load::{Arrival, Distribution, IntervalOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Run;

/// A rate with its latencies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The step it comes from: its place among all, from 0.
    pub step: u32,
    /// Operations held in flight (closed loop); null in an open loop.
    pub in_flight: Option<u32>,
    /// Arrivals asked for per second (open loop); null in a closed loop.
    pub offered_per_second: Option<f64>,
    /// Operations per second.
    pub per_second: f64,
    /// Two standard errors of the intervals, as a share of the rate; null with fewer than three
    /// intervals.
    pub uncertainty: Option<f64>,
    /// Megabytes (10^6) per second.
    pub megabytes_per_second: f64,
    /// Throughput times mean response time: operations in flight on average, by Little's law.
    pub busy: f64,
    /// The response times.
    pub latency: Latency,
}

/// Response times, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Operations.
    pub events: u64,
    /// The exact mean.
    pub mean_ns: f64,
    /// The shortest.
    pub min_ns: u64,
    /// p50, p90, p99 and p99.9.
    pub quantiles: Vec<Quantile>,
    /// The longest.
    pub max_ns: u64,
}

/// Where a quantile lies.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantile {
    /// Which: 0.99.
    pub q: f64,
    /// It lies at or above this, nanoseconds,
    pub from_ns: u64,
    /// and below this.
    pub to_ns: u64,
    /// Whether it is not repeatable: its rank lies between two modes, or among too few operations.
    pub unstable: bool,
}

/// The quantiles that stand beside every rate.
pub const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

impl Figure {
    /// What a run came to; `None` if no operation ended.
    pub fn of(step: u32, run: &Run) -> Option<Figure> {
        let outcome = &run.outcome;
        let (in_flight, offered_per_second) = match run.job.arrival {
            Arrival::Closed { in_flight, .. } => (Some(in_flight), None),
            Arrival::Open { rate_hz, .. } => (None, Some(rate_hz)),
        };
        Some(Figure {
            step,
            in_flight,
            offered_per_second,
            per_second: outcome.per_second(),
            uncertainty: spread(&outcome.intervals).map(|(cv, count)| 2.0 * cv / count.sqrt()),
            megabytes_per_second: outcome.megabytes_per_second(),
            busy: outcome.waited_per_second(),
            latency: Latency::of(&outcome.response())?,
        })
    }
}

impl Quantile {
    /// The bucket it lies in.
    pub fn bucket(&self) -> Bucket {
        Bucket { lo: Nanos::new(self.from_ns), hi: Some(Nanos::new(self.to_ns)) }
    }

    /// The middle of it, nanoseconds: an estimate within 0.4 %.
    pub fn estimate_ns(&self) -> f64 {
        f64::midpoint(self.from_ns as f64, self.to_ns as f64)
    }
}

impl Latency {
    /// The distribution in figures; `None` without operations.
    pub fn of(latencies: &Distribution) -> Option<Latency> {
        let counts = latencies.histogram();
        let hills = modes(&counts);
        let quantile = |q: f64| {
            let bucket = counts.quantile(q).ok()?.bucket;
            let to_ns = bucket.hi.map_or(latencies.max_ns.saturating_add(1), Nanos::as_nanos);
            let unstable = is_unstable(&counts, &hills, q);
            Some(Quantile { q, from_ns: bucket.lo.as_nanos(), to_ns, unstable })
        };
        Some(Latency {
            events: latencies.events,
            mean_ns: latencies.mean_ns()?,
            min_ns: latencies.min_ns,
            quantiles: QUANTILES.into_iter().filter_map(quantile).collect(),
            max_ns: latencies.max_ns,
        })
    }

    /// The quantile, one of [`QUANTILES`].
    pub fn quantile(&self, q: f64) -> Option<&Quantile> {
        self.quantiles.iter().find(|quantile| quantile.q.total_cmp(&q).is_eq())
    }

    /// The middle of the bucket of the median, nanoseconds: an estimate within 0.4 %.
    pub fn median_ns(&self) -> f64 {
        self.quantile(0.5).map_or(self.mean_ns, Quantile::estimate_ns)
    }
}

/// The standard deviation of the intervals' throughput as a share of their mean, and how many
/// there are; `None` with fewer than three. Intervals shorter than half the longest are left out:
/// their counts say more of where they were cut than of the system.
pub fn spread(intervals: &[IntervalOutcome]) -> Option<(f64, f64)> {
    let longest = intervals.iter().map(|interval| interval.length_s).fold(0.0, f64::max);
    let whole = intervals.iter().filter(|interval| interval.length_s > longest / 2.0);
    let rates: Vec<f64> = whole.map(|one| one.operations as f64 / one.length_s).collect();
    let count = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / count;
    if rates.len() < 3 || mean <= 0.0 {
        return None;
    }
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    Some(((squares / (count - 1.0)).sqrt() / mean, count))
}
