//! The share of references that miss a cache, at every size.

/// The miss ratio of a cache of each size, for the references it was made of. Caches are empty at
/// first: the first reference to each block misses whatever their size.
#[derive(Clone, Debug, PartialEq)]
pub struct MissRatioCurve {
    references: u64,
    blocks: f64,
    /// Sizes in blocks, ascending, each with the share of references that hit a cache of it.
    steps: Vec<(u64, f64)>,
}

impl MissRatioCurve {
    /// The curve of `references` to `blocks` distinct ones. `distances` are stack distances,
    /// ascending, each with how many references had it.
    pub(crate) fn of(
        references: u64,
        blocks: f64,
        distances: impl IntoIterator<Item = (u64, f64)>,
    ) -> MissRatioCurve {
        let mut hits = 0.0;
        let mut highest = 0.0_f64;
        let steps = distances.into_iter().map(|(distance, count)| {
            hits += count;
            // Sampling may correct the count of the shortest distance to below zero.
            highest = highest.max((hits / references as f64).min(1.0));
            (distance, highest)
        });
        MissRatioCurve { references, blocks, steps: steps.collect() }
    }

    /// The number of references.
    pub fn references(&self) -> u64 {
        self.references
    }

    /// The number of distinct blocks; of a sample an estimate.
    pub fn blocks(&self) -> f64 {
        self.blocks
    }

    /// The share of references that miss a cache of `size` blocks, from 0 to 1; 1 without references.
    pub fn miss_ratio(&self, size: u64) -> f64 {
        let fits = self.steps.partition_point(|&(distance, _)| distance <= size);
        let hits = fits.checked_sub(1).and_then(|last| self.steps.get(last));
        1.0 - hits.map_or(0.0, |&(_, hits)| hits)
    }

    /// The miss ratio of a cache that holds every block: that of first references.
    pub fn lowest(&self) -> f64 {
        self.miss_ratio(u64::MAX)
    }

    /// The smallest cache with a miss ratio of at most `ratio`, blocks; none if no cache has it.
    pub fn size_for(&self, ratio: f64) -> Option<u64> {
        if ratio >= 1.0 {
            return Some(0);
        }
        let fits = self.steps.partition_point(|&(_, hits)| 1.0 - hits > ratio);
        self.steps.get(fits).map(|&(size, _)| size)
    }
}
