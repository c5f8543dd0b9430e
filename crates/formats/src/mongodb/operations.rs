//! The operations of one kind.

use isotherm_frame::{Histogram, Nanos, Scheme, Timestamp, Unit};
use serde_json::Value;

use crate::documents::count;
use crate::number;

/// What is known of the operations of one kind.
pub(super) struct Operations {
    pub(super) ops: u64,
    latency_us: u64,
    /// The lower bound of each bucket in microseconds and its count; none where no histogram was asked for.
    buckets: Option<Vec<(u64, u64)>>,
}

impl Operations {
    pub(super) fn read(stats: &Value, has_histograms: bool) -> Result<Operations, String> {
        let whole = |value: Option<&Value>, what: &str| {
            value.and_then(count).ok_or_else(|| format!("{what} is no count"))
        };
        let (ops, latency_us) =
            (whole(stats.get("ops"), "ops")?, whole(stats.get("latency"), "latency")?);
        let buckets = match stats.get("histogram") {
            Some(Value::Array(buckets)) => {
                let bucket = |bucket: &Value| {
                    Ok((
                        whole(bucket.get("micros"), "micros")?,
                        whole(bucket.get("count"), "count")?,
                    ))
                };
                Some(buckets.iter().map(bucket).collect::<Result<Vec<_>, String>>()?)
            }
            Some(_) => return Err("histogram is no list of buckets".to_owned()),
            // Of nothing there is nothing to count.
            None if has_histograms && ops == 0 => Some(Vec::new()),
            None if has_histograms => return Err("the histogram is missing".to_owned()),
            None => None,
        };
        Ok(Operations { ops, latency_us, buckets })
    }

    pub(super) fn histogram(self) -> Result<Histogram, String> {
        let time = Nanos::from_micros(self.latency_us);
        let Some(buckets) = self.buckets else { return Ok(Histogram::of_averages(self.ops, time)) };
        let bounds = bounds_us();
        let mut counts = vec![0_u64; bounds.len()];
        for (micros, count) in buckets {
            let unknown = || format!("no bucket of MongoDB begins at {micros} microseconds");
            let index = bounds.binary_search(&micros).map_err(|_| unknown())?;
            counts[index] = counts[index].saturating_add(count);
        }
        let counted = counts.iter().fold(0_u64, |all, count| all.saturating_add(*count));
        if counted != self.ops {
            return Err(format!("{counted} operations in buckets where there were {}", self.ops));
        }
        let edges = bounds.iter().map(|us| us * 1_000).chain([Scheme::UNBOUNDED]).collect();
        let scheme = Scheme::new(edges).map_err(|error| error.to_string())?;
        Histogram::new(scheme, counts, Some(time)).map_err(|error| error.to_string())
    }
}

/// The lower bounds of `MongoDB`'s 51 buckets, in microseconds: powers of two, from 2,048 to 2,097,152 with
/// a step halfway to the next.
fn bounds_us() -> Vec<u64> {
    let powers = (1..=40).map(|power| 1_u64 << power);
    let with_steps = powers.flat_map(|us| {
        let halfway = (2_048..2_097_152).contains(&us).then_some(us + us / 2);
        [us].into_iter().chain(halfway)
    });
    [0].into_iter().chain(with_steps).collect()
}

/// The moment that a date is, as JSON has it: `{"$date":"2026-11-23T05:49:28.000Z"}`, a text, or
/// milliseconds.
pub(super) fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => {
            let at: jiff::Timestamp = text.parse().ok()?;
            i64::try_from(at.as_nanosecond()).ok().map(Timestamp::new)
        }
        Value::Object(object) if object.contains_key("$date") => moment(object.get("$date")?),
        other => {
            let ns = number::nanos(count(other)?.to_string().as_bytes(), Unit::Millis).ok()?;
            i64::try_from(ns).ok().map(Timestamp::new)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Result<Histogram, String> {
        Operations::read(&serde_json::from_str(json).unwrap(), true)?.histogram()
    }

    #[test]
    fn there_are_51_buckets() {
        let bounds = bounds_us();
        assert_eq!(bounds.len(), 51);
        assert_eq!(bounds[10..15], [1_024, 2_048, 3_072, 4_096, 6_144]);
        assert_eq!(bounds[30..34], [1_572_864, 2_097_152, 4_194_304, 8_388_608]);
        assert_eq!(bounds[50], 1_099_511_627_776);
    }

    #[test]
    fn labels_are_lower_bounds() {
        let made = of(
            r#"{"histogram":[{"micros":16,"count":2},{"micros":3072,"count":1}],"latency":3500,"ops":3}"#,
        );
        let made = made.unwrap();
        let filled: Vec<_> = made
            .non_zero()
            .map(|(bucket, count)| (bucket.lo.as_nanos(), bucket.hi, count))
            .collect();
        assert_eq!(filled[0], (16_000, Some(Nanos::from_micros(32)), 2));
        assert_eq!(filled[1], (3_072_000, Some(Nanos::from_micros(4_096)), 1));
        assert_eq!(made.sum(), Some(Nanos::from_micros(3_500)));
        for wrong in [
            r#"{"histogram":[{"micros":17,"count":2}],"latency":9,"ops":2}"#,
            r#"{"histogram":[{"micros":16,"count":2}],"latency":9,"ops":3}"#,
            r#"{"latency":9,"ops":3}"#,
            r#"{"histogram":5,"latency":9,"ops":3}"#,
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn dates_are_read_as_mongosh_prints_them() {
        let at = |json: &str| moment(&serde_json::from_str(json).unwrap()).map(Timestamp::as_nanos);
        let expected = Some(1_795_412_968_000_000_000);
        assert_eq!(at(r#"{"$date":"2026-11-23T05:49:28.000Z"}"#), expected);
        assert_eq!(at(r#"{"$date":{"$numberLong":"1795412968000"}}"#), expected);
        assert_eq!(at(r#""2026-11-23T05:49:28Z""#), expected);
        assert_eq!(at("null"), None);
    }
}
