//! Objects for programs: each is one line of JSON with the version of its schema.

use std::borrow::Cow;
use std::io::{self, Write};

use isotherm_frame::{Bucket, Nanos, QuantileInterval, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Writes an object on one line. Fails only when `out` does.
pub fn write_json(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    out.write_all(b"\n")
}

/// The version of an object's schema: a constant that is written with it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaVersion<const VERSION: u64>;

impl<const VERSION: u64> Serialize for SchemaVersion<VERSION> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(VERSION)
    }
}

impl<const VERSION: u64> JsonSchema for SchemaVersion<VERSION> {
    fn schema_name() -> Cow<'static, str> {
        "SchemaVersion".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": VERSION })
    }
}

/// Microseconds, a whole number where they are.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(with = "f64", inline)]
pub enum Micros {
    /// A whole number.
    Whole(i64),
    /// With a part of one.
    Fraction(f64),
}

impl From<i64> for Micros {
    fn from(ns: i64) -> Micros {
        if ns % 1_000 == 0 { Micros::Whole(ns / 1_000) } else { Micros::Fraction(ns as f64 / 1e3) }
    }
}

impl From<Timestamp> for Micros {
    fn from(at: Timestamp) -> Micros {
        at.as_nanos().into()
    }
}

impl From<Nanos> for Micros {
    fn from(length: Nanos) -> Micros {
        i64::try_from(length.as_nanos()).unwrap_or(i64::MAX).into()
    }
}

/// A range of latencies.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Range")]
pub struct RangeJson {
    /// Where it begins, nanoseconds.
    pub lo_ns: u64,
    /// Where it ends, nanoseconds, exclusive; null without an upper bound.
    pub hi_ns: Option<u64>,
}

/// A bucket with what it counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Bucket")]
pub struct BucketJson {
    /// Its bounds.
    #[serde(flatten)]
    pub range: RangeJson,
    /// Events in it.
    pub count: u64,
}

/// A quantile: the bucket that holds the event of this rank.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Quantile")]
pub struct QuantileJson {
    /// Which, by nearest rank; 1 is the maximum.
    pub q: f64,
    /// The bucket.
    #[serde(flatten)]
    pub bucket: RangeJson,
    /// An estimate within the bucket, nanoseconds.
    pub estimate_ns: u64,
}

impl From<Bucket> for RangeJson {
    fn from(bucket: Bucket) -> RangeJson {
        RangeJson { lo_ns: bucket.lo.as_nanos(), hi_ns: bucket.hi.map(Nanos::as_nanos) }
    }
}

impl From<(Nanos, Option<Nanos>)> for RangeJson {
    fn from((lo, hi): (Nanos, Option<Nanos>)) -> RangeJson {
        RangeJson::from(Bucket { lo, hi })
    }
}

impl From<QuantileInterval> for QuantileJson {
    fn from(found: QuantileInterval) -> QuantileJson {
        let (bucket, estimate_ns) = (found.bucket.into(), found.estimate.as_nanos());
        QuantileJson { q: found.q, bucket, estimate_ns }
    }
}

/// Pairs as an object: keys in this order.
pub fn entries<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

/// What is infinite or no number is null.
pub fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
