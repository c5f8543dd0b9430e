//! Which blocks were read: how many, how often the same ones, of which files and objects.

use std::hash::Hash;

use schemars::JsonSchema;
use serde::Serialize;

use super::cardinality::Distinct;
use super::quick_hash::{QuickMap, mixed};
use super::seconds;
use crate::trace::digits::leading;

/// What the parameters of an event say of blocks read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadKind {
    /// File, first block and number of blocks of data.
    Addressed,
    /// The same of temporary files: work space, not data, so no part of the working set.
    Temporary,
    /// `files`, `blocks`, `requests`: how many blocks, not which.
    Scattered,
    /// `cellhash#`, `diskhash#`, `bytes`: how many bytes, not which blocks.
    Cell,
    /// `cellhash#`, `diskhash#`, `blocks`.
    CellList,
}

/// Waits for blocks of one file or object.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadTally {
    /// The number of reads.
    pub reads: u64,
    /// The blocks they read, as far as they say so.
    pub blocks: u64,
    /// The time of the reads.
    #[serde(rename = "total_s", serialize_with = "seconds::of_ns")]
    #[schemars(with = "f64")]
    pub ns: u64,
}

/// Tallies by number: the largest by time up to a limit, and the sum of all others.
#[derive(Clone, Debug)]
pub struct ReadTallies<K> {
    kept: Vec<(K, ReadTally)>,
    /// Where each key is.
    index: QuickMap<K, usize>,
    /// Where the last one was.
    recent: usize,
    others: ReadTally,
}

/// Everything that was read.
#[derive(Clone, Debug)]
pub struct Reads {
    /// Reads that say which blocks of data they read.
    pub addressed: ReadTally,
    /// Reads that say at most how many.
    pub unaddressed: ReadTally,
    /// Reads of temporary files.
    pub temporary: ReadTally,
    /// The distinct blocks of the addressed reads: the working set.
    pub distinct: Distinct,
    /// By file number: addressed and temporary reads.
    pub files: ReadTallies<u64>,
    /// By object number: all reads; `None` where the trace names no object.
    pub objects: ReadTallies<Option<u64>>,
    /// Bytes in a block of the database.
    pub block_bytes: u64,
}

/// How many files, and how many objects, are distinguished.
const MOST_KEPT: usize = 8_192;
/// No read is longer; a larger number of blocks is not counted among the distinct ones.
const LONGEST_READ: u64 = 65_536;

impl ReadKind {
    /// What the waits of this name read; `None` if they read no blocks of data files.
    pub fn of(event: &[u8]) -> Option<ReadKind> {
        Some(match event {
            b"db file sequential read" | b"db file scattered read" | b"direct path read" => {
                ReadKind::Addressed
            }
            b"direct path read temp" => ReadKind::Temporary,
            b"db file parallel read" => ReadKind::Scattered,
            b"cell list of blocks physical read" => ReadKind::CellList,
            name if name.starts_with(b"cell single block physical read")
                || name.starts_with(b"cell multiblock physical read") =>
            {
                ReadKind::Cell
            }
            _ => return None,
        })
    }
}

impl ReadTally {
    fn add(&mut self, other: ReadTally) {
        self.reads += other.reads;
        self.blocks = self.blocks.saturating_add(other.blocks);
        self.ns = self.ns.saturating_add(other.ns);
    }

    /// The mean time of a read in nanoseconds; `None` without reads.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.reads > 0).then(|| self.ns as f64 / self.reads as f64)
    }
}

impl<K: Copy + Eq + Hash + Ord> ReadTallies<K> {
    /// The tallies, most time first.
    pub fn by_time(&self) -> Vec<(K, ReadTally)> {
        let mut sorted = self.kept.clone();
        sorted.sort_by_key(|&(key, tally)| (std::cmp::Reverse(tally.ns), key));
        sorted
    }

    /// The sum of those that are not distinguished; none below 8,192 numbers.
    pub fn others(&self) -> ReadTally {
        self.others
    }

    #[inline]
    fn add(&mut self, key: K, tally: ReadTally) {
        // Reads of one file or object often follow each other.
        if self.kept.get(self.recent).is_none_or(|(recent, _)| *recent != key) {
            self.recent = self.place(key);
        }
        self.kept[self.recent].1.add(tally);
        if self.kept.len() > MOST_KEPT {
            self.tidy();
        }
    }

    /// The place of a key, made if it is new.
    fn place(&mut self, key: K) -> usize {
        if let Some(&place) = self.index.get(&key) {
            return place;
        }
        self.index.insert(key, self.kept.len());
        self.kept.push((key, ReadTally::default()));
        self.kept.len() - 1
    }

    #[cold]
    fn tidy(&mut self) {
        let mut sorted = self.by_time();
        for (_, tally) in sorted.drain(MOST_KEPT / 2..) {
            self.others.add(tally);
        }
        self.index = sorted.iter().enumerate().map(|(place, (key, _))| (*key, place)).collect();
        self.kept = sorted;
    }

    fn merge(&mut self, other: &ReadTallies<K>) {
        for (key, tally) in other.by_time() {
            self.add(key, tally);
        }
        self.others.add(other.others);
    }
}

impl<K> Default for ReadTallies<K> {
    fn default() -> ReadTallies<K> {
        let (kept, index) = (Vec::new(), QuickMap::default());
        ReadTallies { kept, index, recent: 0, others: ReadTally::default() }
    }
}

impl Reads {
    /// Nothing read yet, of a database with blocks of so many bytes.
    pub(super) fn new(block_bytes: u64) -> Reads {
        Reads {
            addressed: ReadTally::default(),
            unaddressed: ReadTally::default(),
            temporary: ReadTally::default(),
            distinct: Distinct::default(),
            files: ReadTallies::default(),
            objects: ReadTallies::default(),
            block_bytes: block_bytes.max(1),
        }
    }

    /// How often a block was read on average, of reads that say which; `None` if none does.
    pub fn reread_factor(&self) -> Option<f64> {
        (self.addressed.blocks > 0).then(|| self.addressed.blocks as f64 / self.distinct_blocks())
    }

    /// About how many distinct blocks were read: never more than were read in all.
    pub fn distinct_blocks(&self) -> f64 {
        self.distinct.estimate().min(self.addressed.blocks as f64)
    }

    /// The working set in bytes, as exact as the number of distinct blocks.
    pub fn distinct_bytes(&self) -> f64 {
        self.distinct_blocks() * self.block_bytes as f64
    }

    /// Counts a read by what its parameters say.
    pub(super) fn record(&mut self, kind: ReadKind, parameters: &[u8], ns: u64) {
        let said = Parameters::of(parameters);
        let blocks = match kind {
            ReadKind::Cell => said.bytes.map_or(0, |bytes| bytes.div_ceil(self.block_bytes)),
            ReadKind::Scattered => said.blocks.or(said.p2).unwrap_or(0),
            ReadKind::CellList => said.blocks.or(said.p3).unwrap_or(0),
            ReadKind::Addressed | ReadKind::Temporary => said.blocks.or(said.p3).unwrap_or(1),
        };
        let tally = ReadTally { reads: 1, blocks, ns };
        self.objects.add(said.object, tally);
        let address = said.file.or(said.p1).zip(said.block.or(said.p2));
        match (kind, address) {
            (ReadKind::Addressed, Some((file, block))) if blocks <= LONGEST_READ => {
                self.addressed.add(tally);
                self.files.add(file, tally);
                let file = mixed(file);
                for block in block..block.saturating_add(blocks) {
                    self.distinct.add(file ^ block);
                }
            }
            (ReadKind::Temporary, Some((file, _))) => {
                self.temporary.add(tally);
                self.files.add(file, tally);
            }
            (ReadKind::Temporary, None) => self.temporary.add(tally),
            _ => self.unaddressed.add(tally),
        }
    }

    pub(super) fn merge(&mut self, other: &Reads) {
        self.addressed.add(other.addressed);
        self.unaddressed.add(other.unaddressed);
        self.temporary.add(other.temporary);
        self.distinct.merge(&other.distinct);
        self.files.merge(&other.files);
        self.objects.merge(&other.objects);
    }
}

/// The parameters that matter, under their names of all versions.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Parameters {
    file: Option<u64>,
    block: Option<u64>,
    blocks: Option<u64>,
    bytes: Option<u64>,
    object: Option<u64>,
    p1: Option<u64>,
    p2: Option<u64>,
    p3: Option<u64>,
}

impl Parameters {
    #[inline]
    fn of(text: &[u8]) -> Parameters {
        Parameters::in_order(text).unwrap_or_else(|| Parameters::in_any_order(text))
    }

    /// The usual form: file, block and number of blocks, then the object.
    #[inline]
    fn in_order(text: &[u8]) -> Option<Parameters> {
        let number = |text: &mut &[u8], name: &[u8]| {
            let rest = text.strip_prefix(name)?;
            let (number, digits) = leading(rest)?;
            *text = rest.get(digits..)?;
            Some(number)
        };
        let mut rest = text;
        let mut found = Parameters::default();
        if text.starts_with(b"file#") {
            found.file = Some(number(&mut rest, b"file#=")?);
            found.block = Some(number(&mut rest, b" block#=")?);
            found.blocks = Some(number(&mut rest, b" blocks=")?);
        } else {
            found.file = Some(number(&mut rest, b"file number=")?);
            found.block = Some(number(&mut rest, b" first dba=")?);
            found.blocks = Some(number(&mut rest, b" block cnt=")?);
        }
        found.object = Some(number(&mut rest, b" obj#=")?);
        rest.is_empty().then_some(found)
    }

    fn in_any_order(text: &[u8]) -> Parameters {
        let mut found = Parameters::default();
        let mut rest = text;
        while let Some(equals) = memchr::memchr(b'=', rest) {
            let (name, value) = (rest[..equals].trim_ascii(), &rest[equals + 1..]);
            // Negative, as of no object, or too large, is none.
            let found_number = leading(value);
            let number = found_number.map(|(number, _)| number);
            match name {
                b"file#" | b"file number" => found.file = number,
                b"block#" | b"first dba" => found.block = number,
                b"blocks" | b"block cnt" => found.blocks = number,
                b"bytes" => found.bytes = number,
                b"obj#" => found.object = number,
                b"p1" => found.p1 = number,
                b"p2" => found.p2 = number,
                b"p3" => found.p3 = number,
                _ => {}
            }
            let digits = found_number.map_or(0, |(_, digits)| digits);
            let after = memchr::memchr(b' ', &value[digits..]).unwrap_or(value.len() - digits);
            rest = &value[digits + after..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_under_the_names_of_all_versions() {
        let named = Parameters::of(b"file#=4 block#=128 blocks=8 obj#=-1 ");
        assert_eq!((named.file, named.block, named.blocks), (Some(4), Some(128), Some(8)));
        assert_eq!(named.object, None);
        let direct = Parameters::of(b" file number=7 first dba=33280 block cnt=128 obj#=55839");
        assert_eq!((direct.file, direct.block), (Some(7), Some(33_280)));
        assert_eq!((direct.blocks, direct.object), (Some(128), Some(55_839)));
        let old = Parameters::of(b"p1=13 p2=266 p3=8\tremark");
        assert_eq!((old.p1, old.p2, old.p3), (Some(13), Some(266), Some(8)));
        let cell = Parameters::of(b"cellhash#=398250101 diskhash#=2110579711 bytes=16384 obj#=21");
        assert_eq!((cell.bytes, cell.object), (Some(16_384), Some(21)));
        let usual = b"file#=4 block#=128 blocks=8 obj#=77";
        assert_eq!(Parameters::in_order(usual), Some(Parameters::in_any_order(usual)));
        let usual = b"file number=7 first dba=33280 block cnt=128 obj#=55839";
        assert_eq!(Parameters::in_order(usual), Some(Parameters::in_any_order(usual)));
        let huge = Parameters::of(b"file#=99999999999999999999 block#= blocks=x obj#=5");
        assert_eq!(huge, Parameters { object: Some(5), ..Parameters::default() });
    }

    #[test]
    fn the_reread_factor_counts_blocks_not_reads() {
        let mut reads = Reads::new(8_192);
        // Blocks 10..18, then 14 to 18 again one by one: 12 blocks read, 9 distinct.
        reads.record(ReadKind::Addressed, b"file#=1 block#=10 blocks=8 obj#=77", 1_000);
        for block in 14..18 {
            let text = format!("p1=1 p2={block} p3=1");
            reads.record(ReadKind::Addressed, text.as_bytes(), 500);
        }
        // The same block number in another file is another block.
        reads.record(ReadKind::Addressed, b"file#=2 block#=10 blocks=1 obj#=77", 250);
        assert_eq!(reads.addressed, ReadTally { reads: 6, blocks: 13, ns: 3_250 });
        assert!((reads.distinct_blocks() - 9.0).abs() < 0.1);
        assert!((reads.reread_factor().unwrap() - 13.0 / 9.0).abs() < 0.02);
        assert!((reads.distinct_bytes() - 9.0 * 8_192.0).abs() < 820.0);
        let first = ReadTally { reads: 5, blocks: 12, ns: 3_000 };
        assert_eq!(reads.files.by_time()[0], (1, first));
        let object = ReadTally { reads: 2, blocks: 9, ns: 1_250 };
        assert_eq!(reads.objects.by_time()[1], (Some(77), object));
        assert_eq!(reads.objects.by_time()[0].0, None);
    }

    #[test]
    fn reads_that_do_not_say_which_blocks_are_kept_apart() {
        let mut reads = Reads::new(8_192);
        let cell = b"cellhash#=1 diskhash#=2 bytes=65536 obj#=5";
        reads.record(ReadKind::Cell, cell, 100);
        reads.record(ReadKind::Scattered, b"files=1 blocks=5 requests=5 obj#=5", 100);
        reads.record(ReadKind::CellList, b"cellhash#=1 diskhash#=2 blocks=3 obj#=5", 100);
        let temporary = b"file number=201 first dba=9 block cnt=7 obj#=5";
        reads.record(ReadKind::Temporary, temporary, 100);
        reads.record(ReadKind::Addressed, b"p1=? damaged", 100);
        assert_eq!(reads.unaddressed, ReadTally { reads: 4, blocks: 8 + 5 + 3 + 1, ns: 400 });
        assert_eq!(reads.temporary, ReadTally { reads: 1, blocks: 7, ns: 100 });
        assert!(reads.distinct.is_empty() && reads.reread_factor().is_none());
    }

    #[test]
    fn beyond_the_limit_the_smallest_are_summed_and_nothing_is_lost() {
        let mut tallies = ReadTallies::default();
        let all = 3 * MOST_KEPT as u64;
        for key in 0..all {
            let ns = if key % 1_000 == 0 { 1_000_000 } else { 1 };
            tallies.add(key, ReadTally { reads: 1, blocks: 2, ns });
        }
        let kept = tallies.by_time();
        assert!(kept.len() <= MOST_KEPT);
        let largest = kept.iter().filter(|(_, tally)| tally.ns == 1_000_000).count() as u64;
        assert_eq!(largest, all.div_ceil(1_000));
        let reads: u64 = kept.iter().map(|(_, tally)| tally.reads).sum();
        assert_eq!(reads + tallies.others().reads, all);
    }
}
