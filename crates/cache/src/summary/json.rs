//! A curve for programs.

use std::collections::BTreeMap;

use isotherm_views::{SchemaVersion, generator};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CurveRow, CurveSummary};

/// What caches of different sizes would miss. Keys may be added while `schema_version` stays 1; none
/// changes its meaning or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm cache curve --format json")]
pub struct CurveJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// What was read, in the order it was given.
    inputs: Vec<InputJson<'a>>,
    /// Whether all references are physical reads: then the curve is that of a cache added behind the one
    /// that was there.
    physical_reads_only: bool,
    /// Bytes in a block.
    block_bytes: u64,
    /// Blocks that were referenced, each as often as it was.
    references: u64,
    /// Reads; one of several blocks is one.
    reads: u64,
    /// Distinct blocks; an estimate if they are sampled.
    distinct_blocks: f64,
    /// The share of references that miss a cache of any size, being the first to their block.
    first_reference_ratio: f64,
    /// Blocks referenced per second; null if the input has no times.
    references_per_s: Option<f64>,
    /// The mean latency of a block, seconds; null if the input has no latencies.
    mean_latency_s: Option<f64>,
    /// How blocks were sampled; null if the curve is exact.
    sample: Option<SampleJson>,
    /// The device that answers misses; null if no sweep of it was given.
    device: Option<DeviceJson<'a>>,
    /// No cache, then caches of rising sizes.
    sizes: Vec<SizeJson>,
    /// What is no reference to a block, with how often it was met.
    left_out: &'a BTreeMap<&'static str, u64>,
    /// Lines or records that could not be read.
    rejected: u64,
    /// The first of them: where, and why.
    rejections: &'a [String],
    /// What is to be known to read the numbers.
    notes: Vec<String>,
}

/// An input.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct InputJson<'a> {
    /// Its name, without secrets.
    name: &'a str,
    /// What it is: SQL trace, block trace or CSV.
    format: &'static str,
}

/// The device behind the cache.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct DeviceJson<'a> {
    /// What the sweep is called.
    sweep: &'a str,
    /// The model that it supports best, as in `fit --model`.
    model: &'static str,
    /// The root mean square of the model's relative errors.
    rms: f64,
}

/// What the device does with the misses of a cache.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct DeviceLoadJson {
    /// An estimate: reads per second that reach it.
    reads_per_s: f64,
    /// An estimate: the mean response time of a read, seconds; null if it cannot keep up.
    response_s: Option<f64>,
    /// An estimate: reads that go on at a moment, on average; null if it cannot keep up.
    average_waiting: Option<f64>,
    /// Whether that is more than the sweep measured, so that the model alone says it.
    beyond_sweep: bool,
}

/// A sample of blocks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SampleJson {
    /// The share of blocks that is in it.
    rate: f64,
    /// Blocks in it.
    blocks: u64,
    /// References that were in it.
    references: u64,
    /// The seed: the same samples the same blocks.
    seed: u64,
}

/// What a cache of one size would do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SizeJson {
    /// Its size in bytes; 0 is no cache.
    cache_bytes: u64,
    /// Its size in blocks.
    cache_blocks: u64,
    /// The share of references that miss it, 0 to 1.
    miss_ratio: f64,
    /// How far that may be off with 90 % confidence: 0 if the curve is exact, null if that is not known.
    miss_ratio_error: Option<f64>,
    /// An estimate: blocks that would still be read per second; null if the input has no times.
    estimated_block_reads_per_s: Option<f64>,
    /// An estimate: the average time waited for a reference, seconds, if hits take none; null if the input
    /// has no latencies.
    estimated_waited_s_per_reference: Option<f64>,
    /// An estimate: how many reads of blocks would go on at a moment, on average, if latencies stay; null if the
    /// input has no times or no latencies.
    estimated_average_waiting: Option<f64>,
    /// What the device of the sweep does with these reads; null without a sweep.
    device: Option<DeviceLoadJson>,
}

impl<'a> CurveJson<'a> {
    /// The object.
    pub fn new(summary: &'a CurveSummary) -> CurveJson<'a> {
        let (curve, totals) = (summary.counted.curve(), &summary.totals);
        let inputs = summary.inputs.iter().zip(&summary.formats);
        CurveJson {
            schema_version: SchemaVersion,
            generator: generator(),
            inputs: inputs
                .map(|(name, format)| InputJson { name, format: format.words() })
                .collect(),
            physical_reads_only: summary.is_physical(),
            block_bytes: summary.block_bytes,
            references: curve.references(),
            reads: totals.reads,
            distinct_blocks: curve.blocks(),
            first_reference_ratio: curve.lowest(),
            references_per_s: totals.blocks_per_s(),
            mean_latency_s: totals.latency_s(),
            sample: summary.counted.sample().map(|sample| SampleJson {
                rate: sample.rate,
                blocks: sample.sampled_blocks,
                references: sample.sampled_references,
                seed: summary.seed,
            }),
            device: summary.device.as_ref().map(|device| DeviceJson {
                sweep: &device.sweep,
                model: device.model().name(),
                rms: device.rms(),
            }),
            sizes: summary.rows().iter().map(|row| SizeJson::new(row, summary)).collect(),
            left_out: &totals.left_out,
            rejected: totals.rejected,
            rejections: &totals.rejections,
            notes: summary.sentences(),
        }
    }
}

impl SizeJson {
    fn new(row: &CurveRow, summary: &CurveSummary) -> SizeJson {
        SizeJson {
            cache_bytes: row.blocks.saturating_mul(summary.block_bytes),
            cache_blocks: row.blocks,
            miss_ratio: row.miss_ratio,
            miss_ratio_error: row.error,
            estimated_block_reads_per_s: row.block_reads_per_s,
            estimated_waited_s_per_reference: row.waited_s,
            estimated_average_waiting: row.waiting,
            device: row.device.map(|load| DeviceLoadJson {
                reads_per_s: load.reads_per_s,
                response_s: load.response_s,
                average_waiting: load.waiting,
                beyond_sweep: load.is_beyond,
            }),
        }
    }
}
