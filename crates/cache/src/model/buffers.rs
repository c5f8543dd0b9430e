//! Buffers on their lists and chains.

use std::collections::VecDeque;

use super::access::Purpose;
use super::settings::ModelSettings;

/// The number of a buffer.
pub(super) type BufferId = u32;

/// Which list a buffer is on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum BufferList {
    /// None: it holds nothing yet.
    Free,
    /// The hot half of the LRU list.
    Hot,
    /// The cold half of the LRU list.
    Cold,
    /// The list of changed buffers that wait to be written.
    Write,
}

/// The header of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BufferHeader {
    /// The block in it; none in a free buffer.
    pub block: Option<u32>,
    /// How often it was touched since it came or was moved: at most once in three seconds.
    pub touches: u32,
    /// Whether it was changed since it was read or written.
    pub is_dirty: bool,
    /// Whether it holds an older version of the block.
    pub is_clone: bool,
    /// The list it is on.
    pub list: BufferList,
    /// When it was touched last, in milliseconds of the model.
    touched_ms: u64,
}

/// The buffers, their chains and lists.
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    pub headers: Vec<BufferHeader>,
    /// The headers of each chain, the newest first.
    pub chains: Vec<Vec<BufferId>>,
    /// From the hot end to the middle.
    pub hot: VecDeque<BufferId>,
    /// From the middle to the cold end.
    pub cold: VecDeque<BufferId>,
    /// The first to be written first.
    pub write_list: VecDeque<BufferId>,
    free: VecDeque<BufferId>,
    pub counts: ModelCounts,
}

/// What happened in a model.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct ModelCounts {
    /// References.
    pub references: u64,
    /// References to a block that was in the cache.
    pub hits: u64,
    /// Headers that were looked at on the chains.
    pub examined: u64,
    /// Clones that were made.
    pub clones: u64,
    /// Buffers that were moved to the hot end, having been touched often enough.
    pub promoted: u64,
    /// Buffers that were written.
    pub written: u64,
    /// References that found no buffer to use until changed ones were written.
    pub free_waits: u64,
}

/// Touches that keep a buffer: at the cold end it moves to the hot end instead of being used again.
const HOT_TOUCHES: u32 = 2;
/// Touches of a buffer that falls from the hot half into the cold one.
const COOL_TOUCHES: u32 = 1;
/// A buffer is touched at most once in this time, milliseconds.
const TOUCH_MS: u64 = 3_000;
/// The most clones of a block.
const MOST_CLONES: usize = 6;
/// This part of all buffers is written at once.
const WRITTEN_AT_ONCE: u32 = 20;

impl Buffers {
    pub fn new(settings: &ModelSettings) -> Buffers {
        let free = BufferHeader {
            block: None,
            touches: 0,
            is_dirty: false,
            is_clone: false,
            list: BufferList::Free,
            touched_ms: 0,
        };
        Buffers {
            headers: vec![free; settings.buffers as usize],
            chains: vec![Vec::new(); settings.chains as usize],
            hot: VecDeque::new(),
            cold: VecDeque::new(),
            write_list: VecDeque::new(),
            free: (0..settings.buffers).collect(),
            counts: ModelCounts::default(),
        }
    }

    /// The chain of a block: by a hash, so that neighbours are apart.
    pub fn chain_of(&self, block: u32) -> usize {
        chain_of(block, self.chains.len())
    }

    /// Where on its chain the current version of a block is.
    pub fn place_of(&self, block: u32) -> Option<usize> {
        self.chains[self.chain_of(block)].iter().position(|&id| {
            let header = self.header(id);
            header.block == Some(block) && !header.is_clone
        })
    }

    /// Whether the current version of a block is in the cache, and changed.
    pub fn is_dirty(&self, block: u32) -> bool {
        let chain = &self.chains[self.chain_of(block)];
        self.place_of(block).is_some_and(|place| self.header(chain[place]).is_dirty)
    }

    /// A block is referenced; whether it was in the cache.
    pub fn reference(&mut self, block: u32, purpose: Purpose, now_ms: u64) -> bool {
        self.counts.references += 1;
        let chain = self.chain_of(block);
        let place = self.place_of(block);
        let examined = place.map_or(self.chains[chain].len(), |place| place + 1);
        self.counts.examined += examined as u64;
        let id = match place {
            Some(place) => {
                let id = self.chains[chain][place];
                self.touch(id, now_ms);
                id
            }
            None => self.read(block, purpose, now_ms),
        };
        self.header_mut(id).is_dirty |= purpose == Purpose::Write;
        self.counts.hits += u64::from(place.is_some());
        place.is_some()
    }

    /// Makes a clone of a block that is in the cache.
    pub fn clone_block(&mut self, block: u32, now_ms: u64) {
        let Some(place) = self.place_of(block) else { return };
        let chain = self.chain_of(block);
        let source = self.chains[chain][place];
        let clones = self.chains[chain].iter().filter(|&&id| {
            let header = self.header(id);
            header.block == Some(block) && header.is_clone
        });
        let clones: Vec<BufferId> = clones.copied().collect();
        self.counts.clones += 1;
        if clones.len() >= MOST_CLONES {
            // The oldest takes the newest version, and its header stays where it is.
            return;
        }
        let id = self.take(Some(source));
        self.fill(id, block, now_ms);
        self.header_mut(id).is_clone = true;
        self.place_cold(id, false);
    }

    fn read(&mut self, block: u32, purpose: Purpose, now_ms: u64) -> BufferId {
        let id = self.take(None);
        self.fill(id, block, now_ms);
        self.place_cold(id, purpose == Purpose::Scan);
        id
    }

    fn touch(&mut self, id: BufferId, now_ms: u64) {
        let header = self.header_mut(id);
        if now_ms - header.touched_ms >= TOUCH_MS {
            header.touches += 1;
            header.touched_ms = now_ms;
        }
    }

    /// Puts a block into a buffer that is on no list and no chain.
    fn fill(&mut self, id: BufferId, block: u32, now_ms: u64) {
        *self.header_mut(id) = BufferHeader {
            block: Some(block),
            touches: 1,
            is_dirty: false,
            is_clone: false,
            list: BufferList::Free,
            touched_ms: now_ms,
        };
        let chain = self.chain_of(block);
        self.chains[chain].insert(0, id);
    }

    /// Puts a buffer in the middle of the LRU list, or at its cold end.
    fn place_cold(&mut self, id: BufferId, at_end: bool) {
        self.header_mut(id).list = BufferList::Cold;
        if at_end {
            self.cold.push_back(id);
        } else {
            self.cold.push_front(id);
        }
    }

    /// A buffer that can be used, on no list and no chain; never `pinned`.
    fn take(&mut self, pinned: Option<BufferId>) -> BufferId {
        if let Some(id) = self.free.pop_front() {
            return id;
        }
        let found = self.victim(pinned).or_else(|| {
            self.counts.free_waits += 1;
            self.write();
            self.victim(pinned)
        });
        let id = found.unwrap_or_else(|| self.coldest(pinned));
        self.counts.written += u64::from(self.header(id).is_dirty);
        self.unlink(id);
        id
    }

    /// Looks from the cold end for a buffer that is clean and not hot. Changed ones go to the write
    /// list, hot ones to the hot end.
    fn victim(&mut self, pinned: Option<BufferId>) -> Option<BufferId> {
        for _ in 0..2 * self.headers.len() {
            let id = self.cold.pop_back()?;
            let header = self.header(id);
            if pinned == Some(id) {
                self.place_cold(id, false);
                if self.cold.len() == 1 {
                    return None;
                }
            } else if header.is_dirty {
                self.wait_for_write(id);
            } else if header.touches >= HOT_TOUCHES {
                self.promote(id);
            } else {
                return Some(id);
            }
        }
        None
    }

    fn wait_for_write(&mut self, id: BufferId) {
        self.header_mut(id).list = BufferList::Write;
        self.write_list.push_back(id);
        let batch = (self.headers.len() / WRITTEN_AT_ONCE as usize).max(1);
        if self.write_list.len() >= batch {
            self.write();
        }
    }

    /// Writes what is on the write list. Its buffers can be used again: they go to the cold end.
    fn write(&mut self) {
        while let Some(id) = self.write_list.pop_front() {
            self.header_mut(id).is_dirty = false;
            self.counts.written += 1;
            self.place_cold(id, true);
        }
    }

    /// Moves a buffer to the hot end. Where the hot half is full its last one falls into the cold half.
    fn promote(&mut self, id: BufferId) {
        self.counts.promoted += 1;
        let header = self.header_mut(id);
        (header.touches, header.list) = (0, BufferList::Hot);
        self.hot.push_front(id);
        if self.hot.len() > self.headers.len() / 2
            && let Some(last) = self.hot.pop_back()
        {
            self.header_mut(last).touches = COOL_TOUCHES;
            self.place_cold(last, false);
        }
    }

    /// The last buffer of all lists, where no other can be used.
    fn coldest(&mut self, pinned: Option<BufferId>) -> BufferId {
        let last = |list: &mut VecDeque<BufferId>| {
            let at = list.iter().rposition(|&id| pinned != Some(id))?;
            list.remove(at)
        };
        let found = last(&mut self.cold).or_else(|| last(&mut self.hot));
        found.or_else(|| last(&mut self.write_list)).unwrap_or(0)
    }

    fn unlink(&mut self, id: BufferId) {
        if let Some(block) = self.header(id).block {
            let chain = self.chain_of(block);
            self.chains[chain].retain(|&linked| linked != id);
        }
    }

    pub fn header(&self, id: BufferId) -> &BufferHeader {
        &self.headers[id as usize]
    }

    fn header_mut(&mut self, id: BufferId) -> &mut BufferHeader {
        &mut self.headers[id as usize]
    }
}

/// The chain of a block among this many.
pub(super) fn chain_of(block: u32, chains: usize) -> usize {
    isotherm_frame::Random::new(u64::from(block)).index(chains)
}
