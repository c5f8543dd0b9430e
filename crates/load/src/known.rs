//! Names of counters and facts that results are judged by: whoever reports one and whoever looks for
//! it mean the same.

/// Names of running totals ([`crate::Count`]).
pub mod counter {
    /// Reads that the device finished.
    pub const DEVICE_READS: &str = "diskstats reads";
    /// Blocks of tables and indexes that were not in shared buffers.
    pub const PG_BLOCKS_READ: &str = "pg blocks read";
    /// Blocks of tables and indexes that were.
    pub const PG_BLOCKS_HIT: &str = "pg blocks hit";
    /// Bytes that the server's processes asked the operating system for.
    pub const BACKEND_READ_CALLS: &str = "backend rchar";
    /// Bytes of these that came from storage.
    pub const BACKEND_READ_STORAGE: &str = "backend read_bytes";
    /// Oracle's blocks read past the buffer cache or into it.
    pub const ORACLE_PHYSICAL_READS: &str = "physical reads";
    /// Oracle's blocks looked at, wherever they were.
    pub const ORACLE_LOGICAL_READS: &str = "logical reads";
    /// Oracle's waits for a single block.
    pub const ORACLE_SINGLE_BLOCK_WAITS: &str = "db file sequential read waits";
    /// Oracle's waits for data files.
    pub const ORACLE_FILE_WAITS: &str = "user i/o waits";
    /// The time of these.
    pub const ORACLE_FILE_TIME: &str = "user i/o time";
    /// The time of all calls to the database.
    pub const ORACLE_DB_TIME: &str = "db time";
}

/// Names of facts ([`crate::System::facts`]).
pub mod fact {
    /// Whether the device says that it rotates: `yes` or `no`.
    pub const ROTATIONAL: &str = "rotational";
    /// How much of a file was never written.
    pub const SPARSE: &str = "sparse";
    /// All that is visited fits into the server's buffer cache: both sizes.
    pub const FITS_CACHE: &str = "fits into the buffer cache";
}
