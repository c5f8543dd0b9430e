//! A model for programs.

use isotherm_views::{SchemaVersion, generator};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CacheModel, Contention, ModelCounts, ModelSettings, ModelVerdict};

/// A model of a buffer cache. Keys may be added while `schema_version` stays 1; none changes its meaning
/// or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm cache model --format json")]
pub struct ModelJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// What the model is of.
    settings: ModelSettings,
    /// What happened in it.
    counts: ModelCounts,
    /// The share of references that found their block in the cache, 0 to 1.
    hit_ratio: f64,
    /// Headers of each chain at the end.
    chain_lengths: Vec<usize>,
    /// Whether sessions wait for latches, and what would help.
    verdict: ModelVerdict,
    /// How sessions compete with these and other numbers of chains and latches.
    contention: &'a [Contention],
    /// The verdict and what is to be known, in sentences.
    notes: Vec<String>,
}

impl<'a> ModelJson<'a> {
    /// The object.
    pub fn new(model: &'a CacheModel) -> ModelJson<'a> {
        let chains = model.last().map(|last| last.chains.iter().map(Vec::len).collect());
        ModelJson {
            schema_version: SchemaVersion,
            generator: generator(),
            settings: model.settings,
            counts: model.counts,
            hit_ratio: model.hit_ratio(),
            chain_lengths: chains.unwrap_or_default(),
            verdict: model.verdict(),
            contention: &model.contention,
            notes: model.sentences(),
        }
    }
}
