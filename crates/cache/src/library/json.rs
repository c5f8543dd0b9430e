//! A model of a library cache for programs.

use isotherm_views::{SchemaVersion, generator};
use schemars::JsonSchema;
use serde::Serialize;

use super::{LibraryCounts, LibraryModel, LibrarySettings, LibraryVerdict};
use crate::model::Contention;

/// A model of a library cache. Keys may be added while `schema_version` stays 1; none changes its meaning
/// or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm cache library --format json")]
pub struct LibraryJson {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// What the model is of.
    settings: LibrarySettings,
    /// What happened in it.
    counts: LibraryCounts,
    /// The share of executions that found a cursor, 0 to 1.
    hit_ratio: f64,
    /// Handles of each bucket at the end.
    bucket_lengths: Vec<usize>,
    /// What costs most.
    verdict: LibraryVerdict,
    /// How sessions compete for mutexes; chains are buckets, latches their mutexes.
    contention: Contention,
    /// The verdict and what is to be known, in sentences.
    notes: Vec<String>,
}

impl LibraryJson {
    /// The object.
    pub fn new(model: &LibraryModel) -> LibraryJson {
        let lengths = model.last().map(|last| last.buckets.iter().map(Vec::len).collect());
        LibraryJson {
            schema_version: SchemaVersion,
            generator: generator(),
            settings: model.settings,
            counts: model.counts,
            hit_ratio: model.hit_ratio(),
            bucket_lengths: lengths.unwrap_or_default(),
            verdict: model.verdict(),
            contention: model.contention,
            notes: model.sentences(),
        }
    }
}
