//! The references of a model.

use std::sync::Arc;

use isotherm_frame::Random;

use super::settings::{AccessPattern, ModelSettings};

/// Why a block is referenced.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is read.
    Read,
    /// It is read by a full scan, which does not expect to need it again.
    Scan,
    /// It is changed.
    Write,
}

/// One reference after the other.
#[derive(Clone, Debug)]
pub(super) struct Accesses {
    pattern: AccessPattern,
    blocks: u32,
    writes: f64,
    random: Random,
    /// The next block of the scan.
    scanned: u32,
    /// The blocks of an input, and the next of them.
    given: Arc<[u32]>,
    next: usize,
}

/// Shares of the hot pattern: of references to the hottest block, and to the hot ones with it.
const HOTTEST: f64 = 0.2;
const HOT: f64 = 0.8;
/// One block of this many is hot.
const HOT_BLOCKS: u32 = 50;
/// The share of references that a scan leaves to random ones.
const BESIDE_SCAN: f64 = 0.1;

impl Accesses {
    /// Of a model with this seed; `given` are the blocks of an input.
    pub fn new(settings: &ModelSettings, given: &Arc<[u32]>, seed: u64) -> Accesses {
        Accesses {
            pattern: settings.pattern,
            blocks: settings.blocks,
            writes: settings.writes,
            random: Random::new(seed),
            scanned: 0,
            given: Arc::clone(given),
            next: 0,
        }
    }

    /// The next reference.
    pub fn next(&mut self) -> (u32, Purpose) {
        let (block, is_scan) = self.block();
        match (is_scan, self.random.unit() < self.writes) {
            (_, true) => (block, Purpose::Write),
            (true, false) => (block, Purpose::Scan),
            (false, false) => (block, Purpose::Read),
        }
    }

    fn block(&mut self) -> (u32, bool) {
        let kind = match self.pattern {
            AccessPattern::Mixed => match self.random.below(4) {
                0 | 1 => AccessPattern::Hot,
                2 => AccessPattern::Scan,
                _ => AccessPattern::Random,
            },
            pattern => pattern,
        };
        match kind {
            AccessPattern::Trace => (self.given(), false),
            AccessPattern::Hot => (self.hot(), false),
            AccessPattern::Scan if self.random.unit() >= BESIDE_SCAN => (self.scan(), true),
            _ => (self.below(self.blocks), false),
        }
    }

    fn hot(&mut self) -> u32 {
        match self.random.unit() {
            ..HOTTEST => 0,
            ..HOT => self.below((self.blocks / HOT_BLOCKS).max(1)),
            _ => self.below(self.blocks),
        }
    }

    /// The next block of the input, which begins anew after its last.
    fn given(&mut self) -> u32 {
        let block = self.given.get(self.next).copied().unwrap_or(0);
        self.next = (self.next + 1) % self.given.len().max(1);
        block
    }

    fn scan(&mut self) -> u32 {
        let block = self.scanned;
        self.scanned = (block + 1) % self.blocks;
        block
    }

    fn below(&mut self, limit: u32) -> u32 {
        u32::try_from(self.random.below(u64::from(limit))).unwrap_or(0)
    }
}
