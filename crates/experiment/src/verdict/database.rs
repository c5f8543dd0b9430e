//! What of the time of a database was storage, and what its caches answered.

use super::evidence::{Evidence, observed, remark, serious};
use crate::Verdict;
use isotherm_frame::percent;
use isotherm_load::{KnownCounter, KnownFact};

/// Waits for one block, of all waits for data files: below this other reads are measured, too.
const LEAST_SINGLE_BLOCK: f64 = 0.9;
/// Time waited for data files, of all time in the database: below this it is not storage that is
/// measured.
const LEAST_STORAGE: f64 = 0.5;

fn both(evidence: &Evidence, one: KnownCounter, two: KnownCounter) -> Option<(f64, f64)> {
    Some((observed(evidence, one)?, observed(evidence, two)?))
}

/// A total as a share of another, if that one is more than `least`.
fn share(evidence: &Evidence, part: KnownCounter, whole: KnownCounter, least: f64) -> Option<f64> {
    let (part, whole) = both(evidence, part, whole)?;
    (whole > least).then(|| part / whole)
}

fn hits(words: String) -> Verdict {
    remark("buffer-hits", words)
}

/// What of `PostgreSQL`'s reads came from its own cache, and from that of the operating system.
pub(super) fn postgres(evidence: &Evidence) -> Vec<Verdict> {
    let mut found = Vec::new();
    let blocks = both(evidence, KnownCounter::PgBlocksRead, KnownCounter::PgBlocksHit);
    if let Some((read, hit)) = blocks.filter(|(read, hit)| read + hit > 1e3) {
        let share = hit / (read + hit);
        if share > 0.1 {
            found.push(hits(format!(
                "{} of the blocks were in shared buffers: with a larger scale or smaller buffers \
                 more of them are read",
                percent(share)
            )));
        }
    }
    if let Some(physical) =
        share(evidence, KnownCounter::BackendReadStorage, KnownCounter::BackendReadCalls, 1e6)
    {
        // Reading ahead makes more physical reads than were asked for.
        let cached = (1.0 - physical).clamp(0.0, 1.0);
        if cached > 0.1 {
            found.push(serious(
                "os-cache",
                format!(
                    "{} of what the server read came from the operating system's page cache, not \
                     from storage",
                    percent(cached)
                ),
            ));
        }
    }
    found
}

/// What of Oracle's reads came from its own cache.
pub(super) fn oracle_caches(evidence: &Evidence) -> Vec<Verdict> {
    let mut found = Vec::new();
    if let Some(physical) =
        share(evidence, KnownCounter::OraclePhysicalReads, KnownCounter::OracleLogicalReads, 1e3)
    {
        let cached = (1.0 - physical).clamp(0.0, 1.0);
        if cached > 0.5 {
            found.push(hits(format!(
                "{} of the logical reads were in the buffer cache",
                percent(cached)
            )));
        }
    }
    if let Some(sizes) = KnownFact::FitsCache.of(evidence.facts) {
        found.push(remark(
            "fits-buffer-cache",
            format!(
                "all that is visited fits into the buffer cache ({sizes}): once it is there no \
                 storage is asked. Give a larger scale, or the server a smaller cache"
            ),
        ));
    }
    found
}

/// Whether Oracle waited for single blocks, and for storage at all.
pub(super) fn oracle_waits(evidence: &Evidence) -> Vec<Verdict> {
    let single =
        share(evidence, KnownCounter::OracleSingleBlockWaits, KnownCounter::OracleFileWaits, 1e3);
    let single = single.filter(|single| *single < LEAST_SINGLE_BLOCK).map(|single| {
        let words = format!(
            "{} of the waits for data files were for single blocks (db file sequential read): the \
             rest read several at a time or past the buffer cache",
            percent(single)
        );
        remark("not-single-block", words)
    });
    let storage = share(evidence, KnownCounter::OracleFileTime, KnownCounter::OracleDbTime, 1e9);
    let storage = storage.filter(|storage| *storage < LEAST_STORAGE).map(|storage| {
        let words = format!(
            "{} of the time in the database was waiting for data files: what is measured is mostly \
             something else",
            percent(storage)
        );
        remark("not-storage", words)
    });
    single.into_iter().chain(storage).collect()
}
