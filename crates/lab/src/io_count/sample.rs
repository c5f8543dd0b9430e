//! One way of reading, and what was counted of it.

use std::ops::Add;

use isotherm_frame::Random;

use super::calls::Calls;
use super::kernel::KernelReads;
use super::looks::Looks;

/// A way of reading.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// One row after the other by an index, with nothing in the page cache.
    Cold,
    /// The same of other rows, with everything in the page cache.
    Cached,
    /// The whole table.
    Whole,
    /// Rows by a bitmap of their blocks, which the server prefetches.
    Prefetched,
    /// The whole table with parallel workers.
    Parallel,
    /// The whole table, and a sort that does not fit into memory.
    Sorted,
}

/// Blocks that statements read, whichever process read them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct StatementBlocks {
    /// Of tables and indexes.
    pub shared: u64,
    /// Of temporary files.
    pub temporary: u64,
}

/// One way of reading in one sample.
#[derive(Debug)]
pub struct Measurement {
    /// The number of the sample, from 1.
    pub sample: usize,
    pub way: Way,
    pub counts: Counts,
}

/// What was counted while a session read, or the sum of several.
#[derive(Copy, Clone, Debug)]
pub struct Counts {
    /// The system calls of the session's process; none where it was not traced.
    pub calls: Option<Calls>,
    /// Blocks that the server counted for the table and its index.
    pub blocks: u64,
    /// Reads that the kernel counted; none where bpftrace was not attached.
    pub kernel: Option<KernelReads>,
    /// Blocks by `pg_stat_io`, of all relations and backends; none where the server has no such view.
    pub by_io: Option<u64>,
    /// Blocks by `pg_stat_statements`; none where it is not installed.
    pub by_statement: Option<StatementBlocks>,
    /// The time of these reads, by the server.
    pub read_s: f64,
    /// What the session waited for.
    pub looks: Looks,
    /// Bytes that came from a device for the session's process; none where that cannot be read.
    pub from_device: Option<u64>,
}

impl Way {
    pub const ALL: [Way; 6] =
        [Way::Cold, Way::Cached, Way::Whole, Way::Prefetched, Way::Parallel, Way::Sorted];

    pub fn name(self) -> &'static str {
        match self {
            Way::Cold => "single rows, cold",
            Way::Cached => "single rows, cached",
            Way::Whole => "whole table",
            Way::Prefetched => "bitmap, prefetched",
            Way::Parallel => "parallel workers",
            Way::Sorted => "sort on disk",
        }
    }

    /// Whether the session's own process reads the table alone.
    pub fn is_alone(self) -> bool {
        self != Way::Parallel
    }

    /// Settings of the session.
    pub fn settings(self) -> &'static [&'static str] {
        match self {
            Way::Cold | Way::Cached => &["set enable_seqscan = off", "set enable_bitmapscan = off"],
            Way::Prefetched => &[
                "set enable_seqscan = off",
                "set enable_indexscan = off",
                "set enable_indexonlyscan = off",
                "set effective_io_concurrency = 16",
            ],
            Way::Whole => &["set max_parallel_workers_per_gather = 0"],
            Way::Parallel => &[
                "set max_parallel_workers_per_gather = 2",
                "set parallel_setup_cost = 0",
                "set parallel_tuple_cost = 0",
                "set min_parallel_table_scan_size = 0",
            ],
            Way::Sorted => &["set max_parallel_workers_per_gather = 0", "set work_mem = '4MB'"],
        }
    }

    /// The statements: `lookups` single rows of `rows`.
    pub fn statements(self, (lookups, rows): (usize, usize), random: &mut Random) -> Vec<String> {
        match self {
            Way::Cold | Way::Cached => {
                let one = |_| {
                    let key = random.index(rows);
                    format!("select length(filler) from rows_counted where key = {key}")
                };
                (0..lookups).map(one).collect()
            }
            // Keys that follow each other are of rows that lie anywhere.
            Way::Prefetched => {
                let first = random.index(rows - lookups + 1);
                vec![format!(
                    "select sum(length(filler)) from rows_counted where key between {first} and {}",
                    first + lookups - 1
                )]
            }
            Way::Whole | Way::Parallel => {
                vec!["select sum(length(filler)) from rows_counted".to_owned()]
            }
            Way::Sorted => vec![format!(
                "select length(filler) from rows_counted order by filler offset {}",
                rows - 1
            )],
        }
    }
}

impl Add for StatementBlocks {
    type Output = StatementBlocks;

    fn add(self, other: StatementBlocks) -> StatementBlocks {
        StatementBlocks {
            shared: self.shared + other.shared,
            temporary: self.temporary + other.temporary,
        }
    }
}

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            calls: both(self.calls, other.calls),
            blocks: self.blocks + other.blocks,
            kernel: both(self.kernel, other.kernel),
            by_io: both(self.by_io, other.by_io),
            by_statement: both(self.by_statement, other.by_statement),
            read_s: self.read_s + other.read_s,
            looks: self.looks + other.looks,
            from_device: both(self.from_device, other.from_device),
        }
    }
}

/// The sum; none where one of them was not counted.
fn both<T: Add<Output = T>>(one: Option<T>, other: Option<T>) -> Option<T> {
    Some(one? + other?)
}

impl Counts {
    /// The blocks that the session's system calls read of the table, as a share of those that the
    /// server counted. Not a number where nothing was read.
    pub fn calls_by_statistics(&self, block: u64) -> Option<f64> {
        let bytes = self.calls?.table.bytes;
        Some(bytes as f64 / block as f64 / self.blocks as f64)
    }

    /// How many blocks more the session's system calls read than the server counted.
    pub fn difference(&self, block: u64) -> Option<f64> {
        Some(self.calls?.table.bytes as f64 / block as f64 - self.blocks as f64)
    }

    /// Whether both counted the same bytes, and some.
    pub fn is_same(&self, block: u64) -> bool {
        self.blocks > 0 && self.calls.is_some_and(|calls| calls.table.bytes == self.blocks * block)
    }

    /// The time waited by the wait events, as a share of the time of reads by the server.
    pub fn waits_by_statistics(&self) -> f64 {
        self.looks.waited_s / self.read_s
    }
}
