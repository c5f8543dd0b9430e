//! Buffers for programs.

use isotherm_formats::{BufferCell, BufferHolder, LevelKind};
use isotherm_views::{SchemaVersion, generator};
use schemars::JsonSchema;
use serde::Serialize;

use super::{BufferReport, BufferSample};

/// What the buffers of a cache hold. Keys may be added while `schema_version` stays 1; none changes its
/// meaning or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm cache show --format json")]
pub struct BuffersJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// The address or the file, without secrets.
    source: &'a str,
    /// What the server is, with its version.
    server: &'a str,
    /// Bytes of a buffer; null where that is not known or differs.
    block_bytes: Option<u64>,
    /// What levels are.
    #[serde(serialize_with = "word")]
    #[schemars(with = "String", extend("enum" = ["usage-count", "touches", "state"]))]
    levels_are: LevelKind,
    /// All buffers of the cache.
    buffers: u64,
    /// Those that hold nothing.
    free: u64,
    /// Those that were changed and not yet written; null where that is not known.
    dirty: Option<u64>,
    /// Those that a process uses at the moment; null where that is not known.
    pinned: Option<u64>,
    /// How long the last look took, seconds; 0 of a file.
    took_s: f64,
    /// Buffers that hold something, by level.
    by_level: Vec<LevelJson<'a>>,
    /// What the buffers hold, the most first.
    holders: Vec<HolderJson<'a>>,
    /// Looks over time; null if there was one only.
    history: Option<HistoryJson<'a>>,
    /// Rows that could not be read.
    rejected: u64,
    /// The first of them: where, and why.
    rejections: &'a [String],
    /// What is to be known to read the numbers.
    notes: Vec<String>,
}

/// Buffers of one level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BufferLevel")]
struct LevelJson<'a> {
    /// Its name.
    level: &'a str,
    /// Buffers.
    buffers: u64,
    /// Dirty ones; 0 where that is not known.
    dirty: u64,
    /// Pinned ones; 0 where that is not known.
    pinned: u64,
}

/// What buffers hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BufferHolder")]
struct HolderJson<'a> {
    /// Its name.
    name: &'a str,
    /// What it is.
    kind: &'a str,
    /// Buffers.
    buffers: u64,
    /// Its blocks, as the server estimates them; null if it does not.
    blocks_estimate: Option<u64>,
    /// Blocks asked for since the statistics began; null if they are not counted.
    fetched: Option<u64>,
    /// Those of them that were in the cache.
    hits: Option<u64>,
    /// Buffers by level.
    by_level: Vec<LevelJson<'a>>,
}

/// Looks over time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BufferHistory")]
struct HistoryJson<'a> {
    /// When the first look was, nanoseconds since 1970.
    since_ns: i64,
    /// The time between two looks that are due, seconds.
    every_s: f64,
    /// How many were due.
    due: usize,
    /// What holders are called: looks name them by their place here, from 0.
    holders: &'a [String],
    /// Those that were made.
    looks: Vec<LookJson<'a>>,
}

/// A look.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BufferLook")]
struct LookJson<'a> {
    /// When it was due, seconds after the first.
    at_s: f64,
    /// How long it took, seconds.
    took_s: f64,
    /// Buffers that hold nothing.
    free: u64,
    /// Buffers by level.
    by_level: Vec<LevelJson<'a>>,
    /// The place of the largest holders, and their buffers.
    holders: &'a [(u32, u64)],
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn word<S: serde::Serializer>(kind: &LevelKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match kind {
        LevelKind::UsageCount => "usage-count",
        LevelKind::TouchCount => "touches",
        LevelKind::Status => "state",
    })
}

impl<'a> BuffersJson<'a> {
    /// The object.
    pub fn new(report: &'a BufferReport) -> BuffersJson<'a> {
        let contents = &report.contents;
        let used = contents.used();
        BuffersJson {
            schema_version: SchemaVersion,
            generator: generator(),
            source: &report.source,
            server: &contents.server,
            block_bytes: contents.block_bytes,
            levels_are: contents.kind,
            buffers: contents.buffers(),
            free: contents.free,
            dirty: contents.knows_dirty.then_some(used.dirty),
            pinned: contents.knows_pins.then_some(used.pinned),
            took_s: contents.took.as_secs_f64(),
            by_level: levels(&contents.levels, &contents.by_level()),
            holders: report
                .largest()
                .into_iter()
                .map(|one| holder(one, &contents.levels))
                .collect(),
            history: history(report),
            rejected: report.rejected.0,
            rejections: &report.rejected.1,
            notes: report.sentences(),
        }
    }
}

fn levels<'a>(names: &'a [String], cells: &[BufferCell]) -> Vec<LevelJson<'a>> {
    let level = |(level, cell): (&'a String, &BufferCell)| {
        let BufferCell { buffers, dirty, pinned } = *cell;
        LevelJson { level, buffers, dirty, pinned }
    };
    names.iter().zip(cells).map(level).collect()
}

fn holder<'a>(one: &'a BufferHolder, names: &'a [String]) -> HolderJson<'a> {
    HolderJson {
        name: &one.name,
        kind: &one.kind,
        buffers: one.sum().buffers,
        blocks_estimate: one.blocks,
        fetched: one.fetched,
        hits: one.hits,
        by_level: levels(names, &one.cells),
    }
}

fn history(report: &BufferReport) -> Option<HistoryJson<'_>> {
    let history = report.history.as_ref()?;
    let every_s = history.every.as_secs_f64();
    let look = |sample| look(report, sample, every_s);
    Some(HistoryJson {
        since_ns: history.since.as_nanos(),
        every_s,
        due: history.due,
        holders: history.names(),
        looks: history.samples.iter().map(look).collect(),
    })
}

fn look<'a>(report: &'a BufferReport, sample: &'a BufferSample, every_s: f64) -> LookJson<'a> {
    LookJson {
        at_s: sample.slot as f64 * every_s,
        took_s: sample.took.as_secs_f64(),
        free: sample.free,
        by_level: levels(&report.contents.levels, &sample.levels),
        holders: sample.holders(),
    }
}
