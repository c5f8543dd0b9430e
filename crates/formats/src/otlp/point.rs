//! What an export says of a histogram, however it is written.

use isotherm_frame::{Histogram, Nanos, Scheme, Unit};

use crate::exponential::Exponential;
use crate::prometheus::{NamedUnit, unit_of as unit_of_name};

/// What was exported at once.
#[derive(Debug, Default)]
pub(super) struct Export {
    pub(super) metrics: Vec<Metric>,
}

/// The histograms of one name.
#[derive(Debug, Default)]
pub(super) struct Metric {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) points: Vec<Point>,
}

/// Whether counts are those of an interval.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Temporality {
    #[default]
    Unspecified,
    Delta,
    Cumulative,
}

impl Temporality {
    pub(super) fn of(number: u64) -> Temporality {
        match number {
            1 => Temporality::Delta,
            2 => Temporality::Cumulative,
            _ => Temporality::Unspecified,
        }
    }
}

/// The counts of one series at one moment.
#[derive(Debug, Default)]
pub(super) struct Point {
    pub(super) attributes: Vec<(String, String)>,
    pub(super) temporality: Temporality,
    /// Since 1970; 0 if it is not known.
    pub(super) start_ns: u64,
    pub(super) time_ns: u64,
    pub(super) count: u64,
    pub(super) sum: Option<f64>,
    /// Whether the program says that it recorded nothing here.
    pub(super) no_value: bool,
    pub(super) buckets: Buckets,
}

/// The counts of a point.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Buckets {
    /// One count more than bounds.
    Explicit { bounds: Vec<f64>, counts: Vec<u64> },
    /// Powers of a base; how many of the values are negative.
    Powers { counts: Exponential, negative: u64 },
}

impl Default for Buckets {
    fn default() -> Buckets {
        Buckets::Explicit { bounds: Vec::new(), counts: Vec::new() }
    }
}

impl Buckets {
    /// Counts of buckets in a row, from the one with this number on.
    pub(super) fn in_a_row(offset: i32, counts: &[u64]) -> Option<Vec<(i32, u64)>> {
        if counts.len() > Exponential::MOST {
            return None;
        }
        let number = |place: usize| i32::try_from(place).ok()?.checked_add(offset);
        let all = counts.iter().enumerate().map(|(place, count)| Some((number(place)?, *count)));
        all.collect()
    }
}

/// The unit of a metric, as it says or as its name does; `None` if that is none of time, or missing.
pub(super) fn unit_of(metric: &Metric) -> Option<Unit> {
    match metric.unit.as_str() {
        "" => match unit_of_name(metric.name.replace('.', "_").as_bytes()) {
            NamedUnit::Time(unit) => Some(unit),
            NamedUnit::Other | NamedUnit::None => None,
        },
        // Codes of UCUM, and what people write.
        "s" => Some(Unit::Seconds),
        "cs" => None,
        other => other.parse().ok(),
    }
}

/// The histogram of a point, of values in this unit, or why there is none.
pub(super) fn histogram(point: &Point, unit: Unit) -> Result<Histogram, &'static str> {
    let unit_ns = unit.as_nanos().as_nanos() as f64;
    let made = match &point.buckets {
        Buckets::Explicit { bounds, counts } => explicit(bounds, counts, point, unit_ns)?,
        Buckets::Powers { negative: 1.., .. } => {
            return Err("it counts negative values: these are not latencies");
        }
        Buckets::Powers { counts, .. } if !Exponential::SCALES.contains(&counts.scale) => {
            return Err("its scale is not one of OpenTelemetry's (-10 to 20)");
        }
        Buckets::Powers { counts, .. } => counts
            .histogram(unit_ns, point.sum)
            .ok_or("its buckets cannot be those of latencies")?,
    };
    if made.events() == point.count { Ok(made) } else { Err("its buckets do not add up to its count") }
}

fn explicit(
    bounds: &[f64],
    counts: &[u64],
    point: &Point,
    unit_ns: f64,
) -> Result<Histogram, &'static str> {
    if counts.is_empty() && point.count > 0 {
        return Err("it has a count and no buckets");
    }
    if counts.len() != bounds.len() + 1 && !counts.is_empty() {
        return Err("it does not have one count more than bounds");
    }
    let mut edges = vec![0_u64];
    let mut inside = Vec::with_capacity(counts.len());
    let all = bounds.iter().copied().chain([f64::INFINITY]);
    for (bound, count) in all.zip(counts) {
        let ns = if bound.is_infinite() {
            Scheme::UNBOUNDED
        } else {
            Nanos::from_secs_f64(bound * unit_ns / 1e9).ok_or("a bound is not a latency")?.as_nanos()
        };
        if ns == 0 && *count == 0 {
            continue;
        }
        edges.push(ns);
        inside.push(*count);
    }
    if inside.is_empty() {
        (edges, inside) = (vec![0, Scheme::UNBOUNDED], vec![0]);
    }
    let scheme = Scheme::new(edges).map_err(|_| "the bounds do not follow one another")?;
    let sum = point.sum.and_then(|sum| Nanos::from_secs_f64(sum * unit_ns / 1e9));
    Histogram::new(scheme, inside, sum).map_err(|_| "the counts are too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(bounds: &[f64], counts: &[u64]) -> Point {
        let buckets = Buckets::Explicit { bounds: bounds.to_vec(), counts: counts.to_vec() };
        Point { count: counts.iter().sum(), sum: Some(0.5), buckets, ..Point::default() }
    }

    #[test]
    fn explicit_bounds_are_those_of_the_metric() {
        let made = histogram(&point(&[0.0, 0.01, 0.1], &[0, 4, 2, 1]), Unit::Seconds).unwrap();
        assert_eq!(made.scheme().bounds(), [0, 10_000_000, 100_000_000, Scheme::UNBOUNDED]);
        assert_eq!(made.counts(), [4, 2, 1]);
        assert_eq!(made.sum(), Some(Nanos::from_millis(500)));
        for (bounds, counts) in [(&[1.0][..], &[1_u64][..]), (&[2.0, 1.0], &[1, 1, 1]), (&[0.0, 1.0], &[3, 1, 0])] {
            assert!(histogram(&point(bounds, counts), Unit::Millis).is_err(), "{bounds:?}");
        }
        let short = Point { count: 9, ..point(&[1.0], &[1, 1]) };
        assert!(histogram(&short, Unit::Millis).is_err());
    }

    #[test]
    fn the_unit_goes_before_the_name() {
        let of = |name: &str, unit: &str| {
            unit_of(&Metric { name: name.into(), unit: unit.into(), points: Vec::new() })
        };
        assert_eq!(of("http.server.request.duration", "s"), Some(Unit::Seconds));
        assert_eq!(of("rpc_ms", "us"), Some(Unit::Micros));
        assert_eq!(of("rpc.duration_ms", ""), Some(Unit::Millis));
        assert_eq!(of("http.size", "By"), None);
        assert_eq!(of("latency", ""), None);
    }
}
