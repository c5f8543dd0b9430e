//! Whether the file that is recorded into is still where it was.
//!
//! An open file stays open when its name goes: everything would be written to where nobody finds
//! it. The file is only asked about, never opened (see `connect`).

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// What became of a file that is recorded into.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// There is no file of that name any more.
    Gone,
    /// There is another file of that name.
    Replaced,
    /// The file is shorter than it was.
    CutShort,
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Lost::Gone => "moved or deleted",
            Lost::Replaced => "replaced by another",
            Lost::CutShort => "cut short",
        })
    }
}

/// A file as it was when last looked at.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    identity: Option<(u64, u64)>,
    length: u64,
}

impl Place {
    pub(crate) fn of(path: &Path) -> Place {
        let found = fs::metadata(path).ok();
        Place {
            path: path.to_owned(),
            identity: found.as_ref().and_then(identity),
            length: found.map_or(0, |found| found.len()),
        }
    }

    /// Looks again; a recording only grows.
    pub(crate) fn look(&mut self) -> Option<Lost> {
        let Ok(found) = fs::metadata(&self.path) else { return Some(Lost::Gone) };
        if identity(&found) != self.identity {
            return Some(Lost::Replaced);
        }
        if found.len() < self.length {
            return Some(Lost::CutShort);
        }
        self.length = found.len();
        None
    }
}

/// What a file is whatever it is called: its device and its number there.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have none")]
pub(crate) fn identity(data: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

/// Elsewhere an open file can neither be removed nor renamed.
#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// A file's name with something after it.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// The first free name after this one: `x.heat`, `x-2.heat`, `x-3.heat`.
pub(crate) fn next_name(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem().unwrap_or_default();
    let name = |number: u32| {
        let mut name = stem.to_owned();
        name.push(format!("-{number}"));
        let mut name = PathBuf::from(name).into_os_string();
        if let Some(extension) = path.extension() {
            name.push(".");
            name.push(extension);
        }
        path.with_file_name(name)
    };
    // A name that leads nowhere is taken, too.
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    (2..1_000).map(name).find(is_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_name_is_free_and_keeps_its_extension() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        assert_eq!(next_name(&file("x.heat")), Some(file("x-2.heat")));
        fs::write(file("x-2.heat"), "").unwrap();
        assert_eq!(next_name(&file("x.heat")), Some(file("x-3.heat")));
        assert_eq!(next_name(&file("a.b")), Some(file("a-2.b")));
        assert_eq!(next_name(&file("plain")), Some(file("plain-2")));
    }
}
