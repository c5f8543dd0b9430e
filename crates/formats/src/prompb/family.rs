//! `io.prometheus.client.MetricFamily`, as far as histograms need it.

use crate::exponential::Exponential;
use isotherm_frame::protobuf::{Fields, Malformed, Value, signed};

/// Metrics of one name.
#[derive(Debug, Default)]
pub(super) struct Family {
    pub(super) name: String,
    kind: u64,
    pub(super) metrics: Vec<Metric>,
    pub(super) unit: String,
}

/// One series of a family at one moment.
#[derive(Debug, Default)]
pub(super) struct Metric {
    pub(super) labels: Vec<(String, String)>,
    pub(super) timestamp_ms: Option<i64>,
    pub(super) count: u64,
    pub(super) sum: f64,
    /// Upper bounds with the number of events up to there.
    pub(super) classic: Vec<(f64, u64)>,
    pub(super) native: Option<Native>,
}

/// Exponential buckets.
#[derive(Debug, Default)]
pub(super) struct Native {
    pub(super) schema: i32,
    pub(super) zero_threshold: f64,
    pub(super) zero_count: u64,
    pub(super) negative: bool,
    /// Buckets with their counts, in order.
    pub(super) buckets: Vec<(i32, u64)>,
}

/// The type of a family of histograms.
const HISTOGRAM: u64 = 4;
/// The last of all types.
const LAST_TYPE: u64 = 5;

impl Family {
    pub(super) fn read(bytes: &[u8]) -> Result<Family, Malformed> {
        let mut family = Family { kind: u64::MAX, ..Family::default() };
        for field in Fields::of(bytes) {
            match field? {
                (1, name) => family.name = name.text()?,
                (3, kind) => family.kind = kind.whole()?,
                (4, metric) => family.metrics.push(metric_of(metric.bytes()?)?),
                (5, unit) => family.unit = unit.text()?,
                _ => {}
            }
        }
        // The first type is what is left out.
        if family.kind == u64::MAX {
            family.kind = 0;
        }
        Ok(family)
    }

    /// Whether its name and type are those of metrics.
    pub(super) fn is_named(&self) -> bool {
        is_name(self.name.as_bytes()) && self.kind <= LAST_TYPE && !self.metrics.is_empty()
    }

    pub(super) fn is_histogram(&self) -> bool {
        self.kind == HISTOGRAM
    }
}

fn is_name(name: &[u8]) -> bool {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    !name.is_empty() && name.iter().all(part)
}

/// Whether bytes begin like a family that goes on beyond them: with a name, a help and a type.
pub(super) fn begins_like_one(bytes: &[u8]) -> bool {
    let mut fields = Fields::of(bytes).map_while(Result::ok);
    let named = matches!(fields.next(), Some((1, Value::Bytes(name))) if is_name(name));
    named && fields.any(|field| matches!(field, (3, Value::Number(kind)) if kind <= LAST_TYPE))
}

fn metric_of(bytes: &[u8]) -> Result<Metric, Malformed> {
    let mut metric = Metric::default();
    for field in Fields::of(bytes) {
        match field? {
            (1, label) => metric.labels.push(label.pair(Value::text)?),
            (6, ms) => metric.timestamp_ms = i64::try_from(ms.whole()?).ok(),
            (7, histogram) => histogram_into(histogram.bytes()?, &mut metric)?,
            _ => {}
        }
    }
    Ok(metric)
}

fn histogram_into(bytes: &[u8], metric: &mut Metric) -> Result<(), Malformed> {
    let (mut spans, mut deltas) = (Vec::new(), Vec::new());
    let (mut native, mut has_schema) = (Native::default(), false);
    for field in Fields::of(bytes) {
        match field? {
            (1, count) => metric.count = count.whole()?,
            (2, sum) => metric.sum = sum.double()?,
            (3, bucket) => metric.classic.push(bucket_of(bucket.bytes()?)?),
            (5, schema) => {
                native.schema = i32::try_from(signed(schema.whole()?)).map_err(|_| Malformed)?;
                has_schema = true;
            }
            (6, threshold) => (native.zero_threshold, has_schema) = (threshold.double()?, true),
            (7, count) => native.zero_count = count.whole()?,
            (9, span) => native.negative |= !span.bytes()?.is_empty(),
            (12, span) => spans.push(span_of(span.bytes()?)?),
            (13, delta) => delta.numbers(&mut deltas)?,
            // Counts with fractions are those of rates, not of a program.
            (4 | 8 | 11 | 14, _) => return Err(Malformed),
            _ => {}
        }
    }
    // A threshold of zero without buckets is what a classic histogram has.
    if !spans.is_empty() || native.zero_threshold > 0.0 || has_schema && metric.classic.is_empty() {
        native.buckets = buckets(&spans, &deltas)?;
        metric.native = Some(native);
    }
    Ok(())
}

fn bucket_of(bytes: &[u8]) -> Result<(f64, u64), Malformed> {
    let mut bucket = (0.0, 0);
    for field in Fields::of(bytes) {
        match field? {
            (1, count) => bucket.1 = count.whole()?,
            (2, bound) => bucket.0 = bound.double()?,
            _ => {}
        }
    }
    Ok(bucket)
}

/// How many buckets after the last one a span begins, and how many it has.
fn span_of(bytes: &[u8]) -> Result<(i64, u64), Malformed> {
    let mut span = (0, 0);
    for field in Fields::of(bytes) {
        match field? {
            (1, offset) => span.0 = signed(offset.whole()?),
            (2, length) => span.1 = length.whole()?,
            _ => {}
        }
    }
    Ok(span)
}

/// The buckets of some spans; each count is written as the difference to the one before.
fn buckets(spans: &[(i64, u64)], deltas: &[u64]) -> Result<Vec<(i32, u64)>, Malformed> {
    let (mut index, mut count, mut deltas) = (0_i64, 0_i64, deltas.iter());
    let mut buckets = Vec::new();
    for (offset, length) in spans {
        index = index.checked_add(*offset).ok_or(Malformed)?;
        for _ in 0..*length {
            let delta = deltas.next().ok_or(Malformed)?;
            count = count.checked_add(signed(*delta)).ok_or(Malformed)?;
            let number = i32::try_from(index).map_err(|_| Malformed)?;
            buckets.push((number, u64::try_from(count).map_err(|_| Malformed)?));
            if buckets.len() > Exponential::MOST {
                return Err(Malformed);
            }
            index += 1;
        }
    }
    Ok(buckets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_differences_become_buckets() {
        // The example of Prometheus' documentation: zigzag of 1, 1, 2 is 2, 2, 4; of -2 it is 3.
        let made = buckets(&[(-2, 2), (3, 2)], &[2, 2, 4, 3]).unwrap();
        assert_eq!(made, [(-2, 1), (-1, 2), (3, 4), (4, 2)]);
        assert!(buckets(&[(0, 2)], &[2]).is_err());
        assert!(buckets(&[(0, 1)], &[1]).is_err());
    }
}
