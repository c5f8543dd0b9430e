//! What of the time of a database was storage, and what its caches answered.

use super::{Evidence, fact, observed, percent, remark, serious};
use crate::Verdict;

/// Waits for one block, of all waits for data files: below this other reads are measured, too.
const LEAST_SINGLE_BLOCK: f64 = 0.9;
/// Time waited for data files, of all time in the database: below this it is not storage that is
/// measured.
const LEAST_STORAGE: f64 = 0.5;

fn both(evidence: &Evidence, one: &str, two: &str) -> Option<(f64, f64)> {
    Some((observed(evidence, one)?, observed(evidence, two)?))
}

fn hits(words: String) -> Verdict {
    remark("buffer-hits", words)
}

/// What of `PostgreSQL`'s reads came from its own cache, and from that of the operating system.
pub(super) fn postgres(evidence: &Evidence) -> Vec<Verdict> {
    let mut found = Vec::new();
    let blocks = both(evidence, "pg blocks read", "pg blocks hit");
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
    let bytes = both(evidence, "backend read_bytes", "backend rchar");
    if let Some((physical, asked)) = bytes.filter(|(_, asked)| *asked > 1e6) {
        // Reading ahead makes more physical reads than were asked for.
        let cached = (1.0 - physical / asked).clamp(0.0, 1.0);
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
    let reads = both(evidence, "physical reads", "logical reads");
    if let Some((physical, logical)) = reads.filter(|(_, logical)| *logical > 1e3) {
        let share = (1.0 - physical / logical).clamp(0.0, 1.0);
        if share > 0.5 {
            found.push(hits(format!(
                "{} of the logical reads were in the buffer cache",
                percent(share)
            )));
        }
    }
    if let Some(sizes) = fact(evidence, "fits into the buffer cache") {
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
    let mut found = Vec::new();
    let waits = both(evidence, "db file sequential read waits", "user i/o waits");
    if let Some((single, all)) = waits.filter(|(_, all)| *all > 1e3) {
        let share = single / all;
        if share < LEAST_SINGLE_BLOCK {
            found.push(remark(
                "not-single-block",
                format!(
                    "{} of the waits for data files were for single blocks (db file sequential \
                     read): the rest read several at a time or past the buffer cache",
                    percent(share)
                ),
            ));
        }
    }
    let times = both(evidence, "user i/o time", "db time");
    if let Some((storage_ns, all_ns)) = times.filter(|(_, all_ns)| *all_ns > 1e9) {
        let share = storage_ns / all_ns;
        if share < LEAST_STORAGE {
            found.push(remark(
                "not-storage",
                format!(
                    "{} of the time in the database was waiting for data files: what is measured is \
                     mostly something else",
                    percent(share)
                ),
            ));
        }
    }
    found
}
