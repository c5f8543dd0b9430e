//! What is compared: rate, time waited, mean and quantiles.

use isotherm_frame::Bucket;

use super::column_numbers::{COUNTED, COUNTS, COVERED, EVENTS, WAITED};

/// Something of which both sides have a value, so that there is a ratio.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Measure {
    /// Events per second of covered time.
    Rate,
    /// Seconds waited per second of covered time: average sessions waiting.
    Waited,
    /// The mean latency.
    Mean,
    /// A quantile, between 0 and 1; 1 is the maximum.
    Quantile(f64),
}

/// The measures that are judged, and of which all intervals hold together.
pub(crate) const JUDGED: [Measure; 7] = [
    Measure::Rate,
    Measure::Waited,
    Measure::Mean,
    Measure::Quantile(0.5),
    Measure::Quantile(0.9),
    Measure::Quantile(0.99),
    Measure::Quantile(0.999),
];

impl Measure {
    /// The longest latency of all.
    pub const MAX: Measure = Measure::Quantile(1.0);

    /// Whether it says how long events take, not how many there are.
    pub fn is_latency(self) -> bool {
        matches!(self, Measure::Mean | Measure::Quantile(_))
    }

    /// The value of these summed numbers, in events or seconds per second or in seconds; `None`
    /// where there is none or it is zero, so that it has no logarithm.
    pub(crate) fn value(self, numbers: &[f64], buckets: &[Bucket]) -> Option<f64> {
        let ratio = |over: usize, under: usize| numbers[over] / numbers[under];
        let value = match self {
            Measure::Rate => ratio(EVENTS, COUNTED),
            Measure::Waited => ratio(WAITED, COVERED),
            Measure::Mean => ratio(WAITED, EVENTS),
            Measure::Quantile(q) => quantile(&numbers[COUNTS..], buckets, q)?,
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }

    /// The amount that the columns' excess is a part of.
    pub(crate) fn amount(self, numbers: &[f64]) -> f64 {
        match self {
            Measure::Rate | Measure::Quantile(_) => numbers[EVENTS],
            Measure::Waited | Measure::Mean => numbers[WAITED],
        }
    }

    /// How much a column's numbers lie above what the `value` of all says they should be: the
    /// part of a column in the error of the value, up to a factor.
    pub(crate) fn excess(self, numbers: &[f64], buckets: &[Bucket], value: f64) -> f64 {
        match self {
            Measure::Rate => numbers[EVENTS] - value * numbers[COUNTED],
            Measure::Waited => numbers[WAITED] - value * numbers[COVERED],
            Measure::Mean => numbers[WAITED] - value * numbers[EVENTS],
            Measure::Quantile(q) => below(&numbers[COUNTS..], buckets, value) - q * numbers[EVENTS],
        }
    }

    /// The variance that one event drawn by itself brings to an excess, in units of its mean amount:
    /// that of a column of n such events is 1/n of it.
    pub(crate) fn sampling(self, numbers: &[f64], buckets: &[Bucket], value: f64) -> f64 {
        let (counts, events) = (&numbers[COUNTS..], numbers[EVENTS]);
        let mean_of = |of: &dyn Fn(Bucket) -> f64| -> f64 {
            counts.iter().zip(buckets).map(|(count, &bucket)| count * of(bucket)).sum::<f64>()
                / events
        };
        match self {
            Measure::Rate => 1.0,
            Measure::Quantile(q) => mean_of(&|bucket| (part_below(bucket, value) - q).powi(2)),
            Measure::Waited | Measure::Mean => {
                let mean = numbers[WAITED] / events;
                let from = if self == Measure::Mean { mean } else { 0.0 };
                mean_of(&|bucket| squared_distance(bucket, from)) / mean.powi(2)
            }
        }
    }
}

/// The mean squared distance, in seconds squared, of what is spread over a bucket.
fn squared_distance(bucket: Bucket, from: f64) -> f64 {
    let height = bucket.hi.map_or(0.0, |hi| hi.as_secs_f64() - bucket.lo.as_secs_f64());
    (bucket.mid_point().as_secs_f64() - from).powi(2) + height.powi(2) / 12.0
}

/// The edges of a bucket in seconds, a lower one that has a logarithm.
fn edges(bucket: Bucket) -> (f64, f64) {
    let lo = bucket.lo.as_secs_f64();
    let hi = bucket.hi.map_or(lo * 1.01, isotherm_frame::Nanos::as_secs_f64);
    (if lo > 0.0 { lo } else { hi / 2.0 }, hi)
}

/// The quantile in seconds, on a straight line over the logarithm within its bucket.
fn quantile(counts: &[f64], buckets: &[Bucket], q: f64) -> Option<f64> {
    let events: f64 = counts.iter().sum();
    let rank = q * events;
    let mut before = 0.0;
    let mut last = None;
    for (&count, &bucket) in counts.iter().zip(buckets) {
        if count > 0.0 {
            let (lo, hi) = edges(bucket);
            if rank <= before + count {
                return Some(lo * (hi / lo).powf((rank - before) / count));
            }
            last = Some(hi);
        }
        before += count;
    }
    last
}

/// How many events are below a latency, its bucket divided as for a quantile.
fn below(counts: &[f64], buckets: &[Bucket], latency: f64) -> f64 {
    counts.iter().zip(buckets).map(|(&count, &bucket)| count * part_below(bucket, latency)).sum()
}

/// The part of a bucket below a latency.
pub(super) fn part_below(bucket: Bucket, latency: f64) -> f64 {
    let (lo, hi) = edges(bucket);
    ((latency / lo).ln() / (hi / lo).ln()).clamp(0.0, 1.0)
}
