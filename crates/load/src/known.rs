//! Counters and facts that results are judged by: whoever reports one and whoever looks for it mean the
//! same, and a misspelt one does not compile. Their names are those in run tables.

use crate::outcome::Observed;

/// A running total ([`crate::Count`]) that results are judged by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum KnownCounter {
    /// Reads that the device finished.
    DeviceReads,
    /// Blocks of tables and indexes that were not in shared buffers.
    PgBlocksRead,
    /// Blocks of tables and indexes that were.
    PgBlocksHit,
    /// Bytes that the server's processes asked the operating system for.
    BackendReadCalls,
    /// Bytes of these that came from storage.
    BackendReadStorage,
    /// Oracle's blocks read past the buffer cache or into it.
    OraclePhysicalReads,
    /// Oracle's blocks looked at, wherever they were.
    OracleLogicalReads,
    /// Oracle's waits for a single block.
    OracleSingleBlockWaits,
    /// Oracle's waits for data files.
    OracleFileWaits,
    /// The time of these.
    OracleFileTime,
    /// The time of all calls to the database.
    OracleDbTime,
}

impl KnownCounter {
    /// The name it is reported by.
    pub const fn name(self) -> &'static str {
        match self {
            KnownCounter::DeviceReads => "diskstats reads",
            KnownCounter::PgBlocksRead => "pg blocks read",
            KnownCounter::PgBlocksHit => "pg blocks hit",
            KnownCounter::BackendReadCalls => "backend rchar",
            KnownCounter::BackendReadStorage => "backend read_bytes",
            KnownCounter::OraclePhysicalReads => "physical reads",
            KnownCounter::OracleLogicalReads => "logical reads",
            KnownCounter::OracleSingleBlockWaits => "db file sequential read waits",
            KnownCounter::OracleFileWaits => "user i/o waits",
            KnownCounter::OracleFileTime => "user i/o time",
            KnownCounter::OracleDbTime => "db time",
        }
    }

    /// What was observed of it, if anything was.
    pub fn observed(self, observed: &[Observed]) -> Option<&Observed> {
        observed.iter().find(|one| one.name == self.name())
    }
}

/// A fact ([`crate::System::facts`]) that results are judged by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum KnownFact {
    /// Whether the device says that it rotates: `yes` or `no`.
    Rotational,
    /// How much of a file was never written.
    Sparse,
    /// All that is visited fits into the server's buffer cache: both sizes.
    FitsCache,
}

impl KnownFact {
    /// The name it is reported by.
    pub const fn name(self) -> &'static str {
        match self {
            KnownFact::Rotational => "rotational",
            KnownFact::Sparse => "sparse",
            KnownFact::FitsCache => "fits into the buffer cache",
        }
    }

    /// What is known of it, if anything is.
    pub fn of(self, facts: &[(String, String)]) -> Option<&str> {
        facts.iter().find(|(name, _)| name == self.name()).map(|(_, value)| value.as_str())
    }

    /// Whether the device says that it rotates, if it says anything.
    pub fn rotates(facts: &[(String, String)]) -> Option<bool> {
        KnownFact::Rotational.of(facts).map(|value| value == "yes")
    }
}
