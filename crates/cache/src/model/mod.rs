//! A model of a buffer cache: buffer headers on hash chains, an LRU list in two halves with touch
//! counts, a write list, clones, and sessions that compete for the latches of the chains.
//!
//! It follows the published descriptions of Oracle's buffer cache. Its times are assumptions: it
//! shows how the parts work together, and predicts no database.

mod access;
mod buffers;
mod contention;
mod json;
mod picture;
mod section;
mod settings;
mod verdict;

use std::collections::HashMap;
use std::sync::Arc;

use isotherm_frame::Random;

use access::{Accesses, Purpose};
use buffers::{BufferHeader, BufferList, Buffers, chain_of};
use contention::latch_of;

pub use buffers::ModelCounts;
pub use contention::Contention;
pub(crate) use contention::{Competitors, compete};
pub use json::ModelJson;
pub use picture::ModelPicture;
pub use settings::{AccessPattern, ModelSettings, PRESETS, Preset, SettingsError, preset};
pub(crate) use settings::{are_shares, within};
pub use verdict::ModelVerdict;

/// References per second of the model's clock, which touch counts go by.
const REFERENCES_PER_S: u64 = 100;
/// Moments of which there is a picture.
const MOMENTS: u64 = 12;

/// A model that has run.
#[derive(Clone, Debug)]
pub struct CacheModel {
    /// What it is of.
    pub settings: ModelSettings,
    /// What happened.
    pub counts: ModelCounts,
    /// The buffers at moments during the run, the last at its end.
    moments: Vec<(u64, Buffers)>,
    /// How sessions compete with these and with other numbers of chains and latches, by both.
    pub contention: Vec<Contention>,
}

impl CacheModel {
    /// Runs a model. The same settings give the same model.
    pub fn run(settings: ModelSettings) -> Result<CacheModel, SettingsError> {
        CacheModel::with(settings, &Arc::default())
    }

    /// Runs a model of references to these blocks, in this order. What the settings say of blocks, their
    /// pattern and the number of references gives way to that.
    pub fn of_blocks(
        settings: ModelSettings,
        blocks: impl IntoIterator<Item = u64>,
    ) -> Result<CacheModel, SettingsError> {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let number = |block| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(block).or_insert(next)
        };
        // One more than may be is refused below.
        let most = ModelSettings::MOST_BLOCKS as usize + 1;
        let given: Arc<[u32]> = blocks.into_iter().take(most).map(number).collect();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let settings = ModelSettings {
            pattern: AccessPattern::Trace,
            blocks: count(numbers.len()),
            references: count(given.len()),
            ..settings
        };
        CacheModel::with(settings, &given)
    }

    fn with(settings: ModelSettings, given: &Arc<[u32]>) -> Result<CacheModel, SettingsError> {
        settings.check()?;
        let moments = run(&settings, given, MOMENTS);
        let counts = moments.last().map(|(_, buffers)| buffers.counts).unwrap_or_default();
        let contention = variants(&settings).into_iter().map(|variant| match moments.last() {
            Some((_, buffers)) if variant.chains == settings.chains => {
                Contention::of(&variant, given, buffers)
            }
            _ => Contention::of(&variant, given, &end(&variant, given)),
        });
        let contention = contention.collect();
        Ok(CacheModel { settings, counts, moments, contention })
    }

    /// The buffers at the end.
    fn last(&self) -> Option<&Buffers> {
        self.moments.last().map(|(_, buffers)| buffers)
    }

    /// The share of references that found their block in the cache.
    pub fn hit_ratio(&self) -> f64 {
        self.counts.hits as f64 / self.counts.references.max(1) as f64
    }

    /// How sessions compete with the numbers of chains and latches of the settings.
    pub fn own_contention(&self) -> Option<&Contention> {
        self.contention_of(self.settings.chains, self.settings.latches)
    }

    /// How they compete with these numbers, if that was simulated.
    pub(crate) fn contention_of(&self, chains: u32, latches: u32) -> Option<&Contention> {
        let mut all = self.contention.iter();
        all.find(|one| (one.chains, one.latches) == (chains, latches))
    }
}

/// The buffers at the end of a run.
fn end(settings: &ModelSettings, given: &Arc<[u32]>) -> Buffers {
    let last = run(settings, given, 1).pop();
    last.map_or_else(|| Buffers::new(settings), |(_, buffers)| buffers)
}

/// Runs the references; the buffers after each of this many equal parts of them.
fn run(settings: &ModelSettings, given: &Arc<[u32]>, parts: u64) -> Vec<(u64, Buffers)> {
    let mut accesses = Accesses::new(settings, given, settings.seed);
    let mut random = Random::new(settings.seed ^ 0x0c10_4e50);
    let mut buffers = Buffers::new(settings);
    let mut moments = Vec::new();
    let all = u64::from(settings.references);
    for count in 1..=all {
        let now_ms = count * 1_000 / REFERENCES_PER_S;
        let (block, purpose) = accesses.next();
        let was_dirty = buffers.is_dirty(block);
        buffers.reference(block, purpose, now_ms);
        let is_read = purpose != Purpose::Write;
        if is_read && was_dirty && random.unit() < settings.clones {
            buffers.clone_block(block, now_ms);
        }
        let part = |count: u64| count * parts / all;
        if part(count) > part(count - 1) {
            moments.push((count, buffers.clone()));
        }
    }
    moments
}

/// The settings with other numbers of chains and latches, and these: by chains, then by latches.
fn variants(settings: &ModelSettings) -> Vec<ModelSettings> {
    let around = |number: u32, most: u32| -> Vec<u32> {
        let scaled = [number / 16, number / 4, number, number.saturating_mul(4)];
        scaled.into_iter().filter(|&number| (1..=most).contains(&number)).collect()
    };
    let latches = around(settings.latches, settings.chains).into_iter().chain([1, settings.chains]);
    let by_latches = latches.map(|latches| (settings.chains, latches));
    let chains = around(settings.chains, ModelSettings::MOST_CHAINS).into_iter();
    let by_chains = chains.map(|chains| (chains, settings.latches.min(chains)));
    let mut pairs: Vec<(u32, u32)> = by_latches.chain(by_chains).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let with = |(chains, latches)| ModelSettings { chains, latches, ..*settings };
    pairs.into_iter().map(with).collect()
}
