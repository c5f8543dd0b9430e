//! Exports in JSON: names in camel case, whole numbers of 64 bits as texts.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::origin::Origin;
use super::point::{Buckets, Export, Metric, Point, Temporality};
use crate::exponential::Exponential;

pub(super) fn export(text: &str) -> Result<Export, serde_json::Error> {
    let request: Request = serde_json::from_str(text)?;
    let mut export = Export::default();
    for group in request.resource_metrics {
        let resource = named(group.resource.unwrap_or_default().attributes);
        for scope in group.scope_metrics {
            let name = scope.scope.unwrap_or_default().name;
            let origin = Origin::new(resource.clone(), name);
            let metrics = scope.metrics.into_iter().filter_map(metric);
            export.metrics.extend(metrics.map(|metric| origin.named(metric)));
        }
    }
    Ok(export)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    #[serde(default)]
    resource_metrics: Vec<OfResource>,
}

/// What one program sends.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfResource {
    resource: Option<Resource>,
    #[serde(default)]
    scope_metrics: Vec<OfScope>,
}

#[derive(Default, Deserialize)]
struct Resource {
    #[serde(default)]
    attributes: Vec<Attribute>,
}

/// What one library in it measures.
#[derive(Deserialize)]
struct OfScope {
    scope: Option<Scope>,
    #[serde(default)]
    metrics: Vec<WrittenMetric>,
}

#[derive(Default, Deserialize)]
struct Scope {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenMetric {
    name: String,
    #[serde(default)]
    unit: String,
    histogram: Option<Points>,
    exponential_histogram: Option<Points>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Points {
    #[serde(default)]
    data_points: Vec<WrittenPoint>,
    #[serde(default)]
    aggregation_temporality: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenPoint {
    #[serde(default)]
    attributes: Vec<Attribute>,
    #[serde(default, deserialize_with = "whole")]
    start_time_unix_nano: u64,
    #[serde(default, deserialize_with = "whole")]
    time_unix_nano: u64,
    #[serde(default, deserialize_with = "whole")]
    count: u64,
    sum: Option<f64>,
    #[serde(default)]
    flags: u64,
    #[serde(default)]
    bucket_counts: Vec<Whole>,
    #[serde(default)]
    explicit_bounds: Vec<f64>,
    #[serde(default)]
    scale: i32,
    #[serde(default, deserialize_with = "whole")]
    zero_count: u64,
    #[serde(default)]
    zero_threshold: f64,
    positive: Option<Row>,
    negative: Option<Row>,
}

/// Counts of buckets in a row.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    #[serde(default)]
    offset: i32,
    #[serde(default)]
    bucket_counts: Vec<Whole>,
}

#[derive(Deserialize)]
struct Attribute {
    key: String,
    #[serde(default)]
    value: Value,
}

/// A whole number, as a number or as a text.
#[derive(Deserialize)]
struct Whole(#[serde(deserialize_with = "whole")] u64);

fn whole<'d, D: Deserializer<'d>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u64),
        Text(String),
    }
    match Either::deserialize(deserializer)? {
        Either::Number(number) => Ok(number),
        Either::Text(text) => text.parse().map_err(serde::de::Error::custom),
    }
}

fn metric(written: WrittenMetric) -> Option<Metric> {
    let explicit = written.histogram.into_iter().flat_map(|data| points(data, explicit));
    let powers = written.exponential_histogram.into_iter().flat_map(|data| points(data, powers));
    let points: Vec<Point> = explicit.chain(powers).collect();
    (!points.is_empty()).then_some(Metric { name: written.name, unit: written.unit, points })
}

fn points(data: Points, buckets: fn(&WrittenPoint) -> Buckets) -> Vec<Point> {
    let temporality = match &data.aggregation_temporality {
        Value::String(name) if name.ends_with("_DELTA") => Temporality::Delta,
        Value::String(name) if name.ends_with("_CUMULATIVE") => Temporality::Cumulative,
        other => Temporality::of(other.as_u64().unwrap_or(0)),
    };
    let point = |written: WrittenPoint| Point {
        buckets: buckets(&written),
        attributes: named(written.attributes),
        temporality,
        start_ns: written.start_time_unix_nano,
        time_ns: written.time_unix_nano,
        count: written.count,
        sum: written.sum,
        no_value: written.flags & 1 > 0,
    };
    data.data_points.into_iter().map(point).collect()
}

fn explicit(written: &WrittenPoint) -> Buckets {
    let counts = written.bucket_counts.iter().map(|count| count.0).collect();
    Buckets::Explicit { bounds: written.explicit_bounds.clone(), counts }
}

fn powers(written: &WrittenPoint) -> Buckets {
    let counts = Exponential {
        scale: written.scale,
        buckets: row(written.positive.as_ref()),
        zero_threshold: written.zero_threshold,
        zero_count: written.zero_count,
    };
    let negative = row(written.negative.as_ref()).iter().map(|(_, count)| count).sum();
    Buckets::Powers { counts, negative }
}

fn row(row: Option<&Row>) -> Vec<(i32, u64)> {
    let counts = |row: &Row| row.bucket_counts.iter().map(|count| count.0).collect::<Vec<u64>>();
    row.and_then(|row| Buckets::in_a_row(row.offset, &counts(row))).unwrap_or_default()
}

fn named(attributes: Vec<Attribute>) -> Vec<(String, String)> {
    attributes.into_iter().map(|one| (one.key, text(&one.value))).collect()
}

/// The value of an attribute, whatever its type; of a list its values, joined by commas.
fn text(value: &Value) -> String {
    let inner = value.as_object().and_then(|object| object.values().next()).unwrap_or(value);
    match (inner, inner.get("values").and_then(Value::as_array)) {
        (_, Some(list)) => list.iter().map(text).collect::<Vec<_>>().join(","),
        (Value::String(text), None) => text.clone(),
        (other, None) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_as_text() {
        for (json, expected) in [
            (r#"{"stringValue":"a"}"#, "a"),
            (r#"{"intValue":"5"}"#, "5"),
            (r#"{"boolValue":true}"#, "true"),
            (r#"{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"2"}]}}"#, "a,2"),
        ] {
            assert_eq!(text(&serde_json::from_str(json).unwrap()), expected);
        }
    }
}
