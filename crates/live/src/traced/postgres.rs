//! Where `PostgreSQL` has probes, and what they tell apart.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isotherm_formats::iopath::lock_type;
use isotherm_frame::Series;

use crate::feed::OpenError;

/// The modes of locks, from 1 on.
const MODES: [&str; 8] = [
    "AccessShare",
    "RowShare",
    "RowExclusive",
    "ShareUpdateExclusive",
    "Share",
    "ShareRowExclusive",
    "Exclusive",
    "AccessExclusive",
];

/// The program of the servers that run here, for what is called `needed_by`; its user names another
/// one with `option`.
pub(crate) fn running(needed_by: &str, option: &str) -> Result<PathBuf, OpenError> {
    let mut found = BTreeSet::new();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(program) = std::fs::read_link(process.path().join("exe")) else { continue };
        if program.file_name().is_some_and(|name| name == "postgres") {
            found.insert(program);
        }
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(OpenError::Device(format!(
            "{needed_by}: no PostgreSQL runs here: start it, or name its program with \
             {option}/usr/lib/postgresql/15/bin/postgres"
        ))),
        (Some(one), Some(other)) => Err(OpenError::Device(format!(
            "{needed_by}: {} and {} run here: choose one with {option}PATH",
            one.display(),
            other.display()
        ))),
    }
}

/// Whether a program has these probes; gives its path without links.
pub(crate) fn check_probes(binary: &Path, probes: &[&str]) -> Result<PathBuf, OpenError> {
    let path =
        std::fs::canonicalize(binary).map_err(|error| OpenError::unreadable(binary, error))?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._+-".contains(&byte);
    if !path.display().to_string().bytes().all(is_plain) {
        let words = format!("'{}': bpftrace cannot name such a path", path.display());
        return Err(OpenError::Device(words));
    }
    let bytes = std::fs::read(&path).map_err(|error| OpenError::unreadable(&path, error))?;
    // A note of a probe holds the provider, the name and the arguments, with zeros between them.
    let has = |probe: &&str| {
        let mark = format!("postgresql\0{probe}\0");
        memchr::memmem::find(&bytes, mark.as_bytes()).is_some()
    };
    match probes.iter().find(|probe| !has(probe)) {
        None => Ok(path),
        Some(missing) => Err(OpenError::Device(format!(
            "{} has no probe {missing}: it was built without --enable-dtrace (Debian, Ubuntu \
             and the packages of postgresql.org have it)",
            path.display()
        ))),
    }
}

/// `database,relation`.
pub(super) fn read(key: &str) -> Option<Series> {
    let (database, relation) = key.split_once(',')?;
    let attributes = [("database", database.trim()), ("relation", relation.trim())];
    Some(Series::with_attributes("block read", attributes))
}

/// `0` or `1`.
pub(super) fn buffer(key: &str) -> Option<Series> {
    let found = match key {
        "0" => "hit",
        "1" => "read",
        _ => return None,
    };
    Some(Series::with_attributes("buffer", [("found", found)]))
}

/// `mode,tranche`.
pub(super) fn lwlock(key: &str) -> Option<Series> {
    let (mode, tranche) = key.split_once(',')?;
    let mode = match mode.trim() {
        "0" => "exclusive",
        "1" => "shared",
        _ => "other",
    };
    Some(Series::with_attributes(format!("LWLock:{}", tranche.trim()), [("mode", mode)]))
}

/// `type,mode`.
pub(super) fn lock(key: &str) -> Option<Series> {
    let (kind, mode) = key.split_once(',')?;
    let mode: usize = mode.trim().parse().ok()?;
    let mode = mode.checked_sub(1).and_then(|mode| MODES.get(mode)).copied().unwrap_or("other");
    let kind = kind.trim();
    let attributes = [("type", lock_type(kind).unwrap_or(kind)), ("mode", mode)];
    Some(Series::with_attributes("Lock", attributes))
}

/// `1` or `2`.
pub(super) fn sync(key: &str) -> Option<Series> {
    let call = match key {
        "1" => "fdatasync",
        "2" => "fsync",
        _ => return None,
    };
    Some(Series::with_attributes("sync", [("call", call)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_have_the_names_that_pg_locks_shows() {
        // As a server of 15 showed them in pg_locks while sessions waited: for the transaction that changed a
        // row, behind it for the row, for a table under LOCK TABLE, for pg_advisory_lock().
        let named = [("5,5", "Share", "transactionid"), ("4,7", "Exclusive", "tuple")];
        let others = [("0,1", "AccessShare", "relation"), ("10,7", "Exclusive", "advisory")];
        for (key, mode, kind) in named.into_iter().chain(others) {
            let expected = Series::with_attributes("Lock", [("type", kind), ("mode", mode)]);
            assert_eq!(lock(key), Some(expected), "{key}");
        }
        let unknown = Series::with_attributes("Lock", [("type", "99"), ("mode", "other")]);
        assert_eq!(lock("99, 0"), Some(unknown));
        assert_eq!(lock("transactionid"), None);
    }
}
