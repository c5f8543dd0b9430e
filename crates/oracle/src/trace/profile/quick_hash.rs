//! A hash for keys met millions of times a second. Not made to withstand keys chosen to collide:
//! these come from a database's own trace.

use std::hash::{BuildHasherDefault, Hasher};

/// A map hashed quickly.
pub(super) type QuickMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// An odd number without pattern in its bits.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies and rotates eight bytes at a time.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct QuickHasher(u64);

impl QuickHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        mixed(self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last) ^ (bytes.len() as u64).rotate_right(8));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
}

/// Spreads every bit of a word over all of it: a bijection (the last step of splitmix64).
pub(super) fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The hash of a text.
pub(super) fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = QuickHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
