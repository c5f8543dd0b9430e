//! What functions of Oracle's own kernel do, by how their names begin.
//!
//! Row sources are those that Tanel Poder's `os_explain` 1.1 lists. Layers are common knowledge: they
//! say which part of the kernel a function is of, not what it does there.

use crate::frame_name::{KERNEL, plain};

/// Steps of a plan.
const ROW_SOURCES: [(&str, &str); 56] = [
    ("opifch2", "SELECT FETCH"),
    ("qerae", "AND-EQUAL"),
    ("qerba", "BITMAP INDEX AND"),
    ("qerbc", "bitmap compaction"),
    ("qerbi", "bitmap creation"),
    ("qerbm", "MINUS"),
    ("qerbo", "BITMAP OR"),
    ("qerbt", "BITMAP CONVERT"),
    ("qerbu", "bitmap unlimited-or"),
    ("qerbx", "bitmap access"),
    ("qercb", "CONNECT BY"),
    ("qercbi", "support for connect by"),
    ("qerco", "COUNT"),
    ("qerdl", "DELETE"),
    ("qerep", "EXPLOSION"),
    ("qerff", "FIFO BUFFER"),
    ("qerfi", "FIRST ROW"),
    ("qerfl", "FILTER"),
    ("qerfu", "FOR UPDATE"),
    ("qerfx", "FIXED TABLE"),
    ("qergh", "HASH GROUP BY"),
    ("qergi", "GRANULE ITERATOR"),
    ("qergr", "GROUP BY ROLLUP"),
    ("qergs", "GROUP BY SORT"),
    ("qerhc", "HASH CLUSTERS"),
    ("qerhj", "HASH JOIN"),
    ("qeril", "IN-LIST"),
    ("qerim", "INDEX MAINTENANCE"),
    ("qerix", "INDEX"),
    ("qerjo", "NESTED LOOP OUTER"),
    ("qerjot", "NESTED LOOP JOIN"),
    ("qerle", "LINEAR EXECUTION"),
    ("qerli", "PARALLEL CREATE INDEX"),
    ("qerlt", "LOAD TABLE"),
    ("qerns", "GROUP BY NO SORT"),
    ("qeroc", "OBJECT COLLECTION ITERATOR"),
    ("qeroi", "EXTENSIBLE INDEX"),
    ("qerpa", "PARTITION"),
    ("qerpf", "PREFETCH"),
    ("qerpx", "PARALLELIZER"),
    ("qerrm", "REMOTE"),
    ("qerse", "SET"),
    ("qerso", "SORT"),
    ("qersq", "SEQUENCE NUMBER"),
    ("qerst", "ROW-SOURCE STATISTICS"),
    ("qertb", "TABLE ACCESS"),
    ("qertq", "TABLE QUEUE"),
    ("qerua", "UNION-ALL"),
    ("qerup", "UPDATE"),
    ("qerus", "UPSERT"),
    ("qervw", "VIEW"),
    ("qerwn", "WINDOW"),
    ("qerxt", "EXTERNAL TABLE"),
    ("opifch", "fetch"),
    ("opiexe", "execute"),
    ("opiprs", "parse"),
];

/// Layers of the kernel.
const LAYERS: [(&str, &str); 70] = [
    ("kcb", "buffer cache"),
    ("kcbgtcr", "consistent get"),
    ("kcbgcur", "current get"),
    ("kcbget", "buffer get"),
    ("kcbrls", "release buffer"),
    ("kcbispnd", "is buffer pinned"),
    ("kcbldrget", "direct load get"),
    ("kcbz", "buffer I/O"),
    ("kcbzib", "physical read into the cache"),
    ("kcr", "redo"),
    ("kcrf", "redo file"),
    ("kcrfw", "log writer"),
    ("kcc", "control file"),
    ("kcf", "data file"),
    ("kco", "cache operations"),
    ("kcv", "recovery"),
    ("kcl", "cache locks (RAC)"),
    ("kcm", "SCN"),
    ("kdb", "data block structure"),
    ("kdo", "data operations"),
    ("kds", "data scan"),
    ("kdst", "table scan"),
    ("kdi", "index"),
    ("kdl", "LOB"),
    ("kdz", "hybrid columnar"),
    ("kdm", "in-memory"),
    ("kgh", "heap memory"),
    ("kgl", "library cache"),
    ("kge", "errors"),
    ("kgx", "mutex"),
    ("kks", "cursor"),
    ("kkc", "optimizer"),
    ("kko", "optimizer"),
    ("kke", "optimizer cost"),
    ("kqr", "row cache"),
    ("kql", "library cache objects"),
    ("kjb", "global buffers (RAC)"),
    ("ksl", "latches and waits"),
    ("ksq", "enqueue"),
    ("ksu", "session state"),
    ("ksm", "memory"),
    ("ksf", "file I/O services"),
    ("kse", "errors"),
    ("ksd", "debug and trace"),
    ("ksb", "background"),
    ("ksr", "messages"),
    ("ksk", "wait times and resource manager"),
    ("kew", "workload statistics"),
    ("ktu", "undo"),
    ("ktc", "transaction control"),
    ("kts", "segment space"),
    ("ktr", "read consistency"),
    ("ktl", "transaction list"),
    ("kxs", "SQL execution"),
    ("kxf", "parallel query"),
    ("kpo", "OCI server"),
    ("kpu", "OCI client"),
    ("opiodr", "program interface"),
    ("opitsk", "session task"),
    ("opiino", "session start"),
    ("ttc", "two-task common"),
    ("skgf", "OS file I/O"),
    ("sskg", "OS dependent"),
    ("lxc", "globalisation"),
    ("pevm", "PL/SQL execution"),
    ("pfr", "PL/SQL execution"),
    ("evaopn", "expression evaluation"),
    ("expepr", "expression evaluation"),
    ("jox", "Java"),
    ("nsb", "network session"),
];

/// A name with what it means before it; `None` if it is not known. The longest beginning counts:
/// `qerjotFetch` is of a nested loop join, not of `qerjo`.
pub fn explain(name: &str) -> Option<String> {
    if name.ends_with(KERNEL) {
        return None;
    }
    let function = plain(name);
    if let Some((prefix, meaning)) = longest(&ROW_SOURCES, function) {
        let step = &function[prefix.len()..];
        let words = if step.is_empty() { meaning.to_owned() } else { format!("{meaning}: {step}") };
        return Some(format!("{words} [{function}]"));
    }
    let (_, meaning) = longest(&LAYERS, function)?;
    Some(format!("{meaning} [{function}]"))
}

fn longest(
    table: &[(&'static str, &'static str)],
    name: &str,
) -> Option<(&'static str, &'static str)> {
    let fitting = table.iter().filter(|(prefix, _)| name.starts_with(prefix));
    fitting.max_by_key(|(prefix, _)| prefix.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_counts() {
        for (name, expected) in [
            ("qerjotFetch", Some("NESTED LOOP JOIN: Fetch [qerjotFetch]")),
            ("qerjoFetch", Some("NESTED LOOP OUTER: Fetch [qerjoFetch]")),
            ("qercbiFetch", Some("support for connect by: Fetch [qercbiFetch]")),
            ("qertbFetchByRowID", Some("TABLE ACCESS: FetchByRowID [qertbFetchByRowID]")),
            ("opifch2", Some("SELECT FETCH [opifch2]")),
            ("kcbgtcr", Some("consistent get [kcbgtcr]")),
            ("kcbzgb", Some("buffer I/O [kcbzgb]")),
            ("kdstf000010100001000km", Some("table scan [kdstf000010100001000km]")),
            ("ksys_read_[k]", None),
            ("main", None),
        ] {
            assert_eq!(explain(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn every_beginning_stands_once() {
        let mut all: Vec<&str> =
            ROW_SOURCES.iter().chain(&LAYERS).map(|(prefix, _)| *prefix).collect();
        let before = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), before);
    }
}
