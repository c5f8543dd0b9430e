//! One histogram: counts by latency and by size.

use isotherm_frame::{Histogram, Scheme, Unit};
use serde_json::Value;

use crate::documents::count;

/// Counts by the buckets of two axes.
pub(super) struct Table<'v> {
    latency: &'v Value,
    size: &'v Value,
    /// By latency, then by size.
    values: &'v [Value],
}

/// The histograms of a table.
pub(super) struct BySize {
    /// The histogram of each size.
    pub(super) by_size: Vec<(String, Histogram)>,
    /// How many operations took less than no time.
    pub(super) below: u64,
}

/// A bucket of an axis, both ends included.
type Range = (Option<i64>, Option<i64>);

impl<'v> Table<'v> {
    /// The table that an object is, if it is one.
    pub(super) fn of(value: &'v Value) -> Option<Table<'v>> {
        let axes = value.get("axes")?.as_array()?;
        let [latency, size] = axes.as_slice() else { return None };
        Some(Table { latency, size, values: value.get("values")?.as_array()? })
    }

    pub(super) fn is_of_latencies(&self) -> bool {
        let name = self.latency.get("name").and_then(Value::as_str).unwrap_or_default();
        name.to_ascii_lowercase().starts_with("latency")
    }

    /// All that is counted.
    pub(super) fn events(&self) -> u64 {
        let rows = self.values.iter().filter_map(Value::as_array);
        rows.flatten().filter_map(count).fold(0, u64::saturating_add)
    }

    /// The histogram of each size; latencies are in `given` units, or nanoseconds.
    pub(super) fn histograms(&self, given: Option<Unit>) -> Result<BySize, String> {
        let (latencies, sizes) = (ranges(self.latency)?, ranges(self.size)?);
        let counts = self.counts(latencies.len(), sizes.len())?;
        let scheme = scheme(&latencies, given.unwrap_or(Unit::Nanos))?;
        let (mut by_size, mut below) = (Vec::new(), 0_u64);
        for (index, size) in sizes.iter().enumerate() {
            let column: Vec<u64> = counts.iter().map(|row| row[index]).collect();
            below = below.saturating_add(column[0]);
            let counts = Histogram::new(scheme.clone(), column[1..].to_vec(), None);
            by_size.push((size_of(*size), counts.map_err(|error| error.to_string())?));
        }
        Ok(BySize { by_size, below })
    }

    fn counts(&self, latencies: usize, sizes: usize) -> Result<Vec<Vec<u64>>, String> {
        let row = |row: &Value| {
            let counts: Option<Vec<u64>> = row.as_array()?.iter().map(count).collect();
            counts.filter(|counts| counts.len() == sizes)
        };
        let rows: Option<Vec<Vec<u64>>> = self.values.iter().map(row).collect();
        let rows = rows.filter(|rows| rows.len() == latencies && latencies > 1);
        rows.ok_or_else(|| {
            format!("it does not have {latencies} rows of {sizes} counts, as its axes say")
        })
    }
}

/// The buckets of an axis, from the one below its beginning on.
fn ranges(axis: &Value) -> Result<Vec<Range>, String> {
    let ranges = axis.get("ranges").and_then(Value::as_array).ok_or("an axis has no ranges")?;
    let end = |range: &Value, key: &str| range.get(key).and_then(Value::as_i64);
    Ok(ranges.iter().map(|range| (end(range, "min"), end(range, "max"))).collect())
}

/// The scheme of an axis of latencies without its first bucket, which is below zero.
fn scheme(ranges: &[Range], unit: Unit) -> Result<Scheme, String> {
    let unit_ns = unit.as_nanos().as_nanos();
    let mut bounds = vec![0_u64];
    let mut follows = ranges.first().is_some_and(|first| *first == (None, Some(-1)));
    for (lo, hi) in ranges.iter().skip(1) {
        let lo = lo.and_then(|lo| u64::try_from(lo).ok()).and_then(|lo| lo.checked_mul(unit_ns));
        follows &= lo == bounds.last().copied();
        let next = hi.and_then(|hi| u64::try_from(hi).ok()?.checked_add(1)?.checked_mul(unit_ns));
        bounds.push(next.unwrap_or(Scheme::UNBOUNDED));
    }
    let scheme = Scheme::new(bounds).ok().filter(|_| follows);
    scheme
        .ok_or_else(|| "the ranges of its latencies do not follow one another from 0 on".to_owned())
}

/// `512-1023`, in bytes.
fn size_of(range: Range) -> String {
    match range {
        (Some(lo), Some(hi)) => format!("{lo}-{hi}"),
        (Some(lo), None) => format!("from {lo}"),
        (None, Some(hi)) => format!("up to {hi}"),
        (None, None) => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Nanos;

    use super::*;

    fn table(values: &str) -> Value {
        let json = format!(
            r#"{{"axes":[{{"name":"Latency (usec)","ranges":[{{"max":-1}},{{"min":0,"max":99999}},{{"min":100000}}]}},
            {{"name":"Request size (bytes)","ranges":[{{"max":-1}},{{"min":0,"max":511}},{{"min":512}}]}}],"values":{values}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn each_size_is_a_histogram_of_nanoseconds() {
        let value = table("[[0,0,1],[0,7,20],[0,0,4]]");
        let table = Table::of(&value).unwrap();
        assert!(table.is_of_latencies());
        assert_eq!(table.events(), 32);
        let made = table.histograms(None).unwrap();
        assert_eq!(made.below, 1);
        let names: Vec<&str> = made.by_size.iter().map(|(size, _)| size.as_str()).collect();
        assert_eq!(names, ["up to -1", "0-511", "from 512"]);
        assert!(made.by_size[0].1.is_empty());
        let filled: Vec<_> = made.by_size[2].1.non_zero().collect();
        assert_eq!(filled[0].0.hi, Some(Nanos::from_micros(100)));
        assert_eq!((filled[0].1, filled[1].1), (20, 4));
        let us = table.histograms(Some(Unit::Micros)).unwrap();
        assert_eq!(us.by_size[1].1.scheme().bounds()[1], 100_000_000);
    }

    #[test]
    fn tables_that_contradict_themselves_are_refused() {
        for values in ["[[0,0,0],[0,7,20]]", "[[0,0],[0,7],[0,1]]", "[[0,0,0],[0,-7,2],[0,0,0]]"] {
            let value = table(values);
            assert!(Table::of(&value).unwrap().histograms(None).is_err(), "{values}");
        }
    }
}
