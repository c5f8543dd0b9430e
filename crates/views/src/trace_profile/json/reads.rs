//! Reads of a profile for programs.

use isotherm_oracle::trace::profile::{Distinct, ReadTally, Reads};
use schemars::JsonSchema;
use serde::Serialize;

/// Blocks of data files read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reads")]
pub(super) struct ReadsJson {
    /// Bytes of a block: as given, not as traced.
    block_bytes: u64,
    /// Reads that say of which block.
    addressed: ReadTally,
    /// Reads that do not.
    unaddressed: ReadTally,
    /// Reads of temporary files.
    temporary: ReadTally,
    /// Different blocks of the addressed reads, an estimate (`HyperLogLog`).
    distinct_blocks: Option<f64>,
    /// Its relative standard error.
    distinct_standard_error: f64,
    /// Bytes of these blocks.
    working_set_bytes: Option<f64>,
    /// Blocks read by distinct blocks.
    reread_factor: Option<f64>,
    /// Files, most time first.
    files: Vec<FileReadsJson>,
    /// Objects, most time first.
    objects: Vec<ObjectReadsJson>,
}

/// Reads of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FileReads")]
pub(super) struct FileReadsJson {
    #[serde(flatten)]
    tally: ReadTally,
    /// Its number.
    file: u64,
}

/// Reads of an object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ObjectReads")]
pub(super) struct ObjectReadsJson {
    #[serde(flatten)]
    tally: ReadTally,
    /// Its number; null is no object named.
    object: Option<u64>,
}

impl ReadsJson {
    pub(super) fn new(reads: &Reads, top: usize) -> ReadsJson {
        let known = !reads.distinct.is_empty();
        let files = reads.files.by_time().into_iter().take(top);
        let objects = reads.objects.by_time().into_iter().take(top);
        ReadsJson {
            block_bytes: reads.block_bytes,
            addressed: reads.addressed,
            unaddressed: reads.unaddressed,
            temporary: reads.temporary,
            distinct_blocks: known.then(|| reads.distinct_blocks()),
            distinct_standard_error: Distinct::STANDARD_ERROR,
            working_set_bytes: known.then(|| reads.distinct_bytes()),
            reread_factor: reads.reread_factor(),
            files: files.map(|(file, tally)| FileReadsJson { tally, file }).collect(),
            objects: objects.map(|(object, tally)| ObjectReadsJson { tally, object }).collect(),
        }
    }
}
