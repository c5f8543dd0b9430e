//! Files of a server's tables and the system's page cache.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use isotherm_client::postgres::control::{Control, quoted};
use rustix::fs::{Advice, fadvise};

use super::failed;
use crate::LabError;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// Files of tables and indexes of a server on this machine.
#[derive(Debug)]
pub struct RelationFiles {
    /// The first file of each, within the data directory.
    pub names: Vec<String>,
    /// All of them: segments of 1 GiB, maps of visibility and free space.
    pub paths: Vec<PathBuf>,
}

impl RelationFiles {
    /// The files of these tables and indexes as they are now.
    pub fn of(
        control: &mut Control<'_>,
        directory: &Path,
        relations: &[&str],
    ) -> Result<RelationFiles, LabError> {
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        for relation in relations {
            let asked = format!("select pg_relation_filepath({})", quoted(relation));
            let name = control.value(&asked).map_err(failed)?.unwrap_or_default();
            let first = directory.join(&name);
            paths.extend(parts(&first).map_err(|error| unreadable(&first, &error))?);
            names.push(name);
        }
        Ok(RelationFiles { names, paths })
    }

    /// Reads all of them through the page cache.
    pub fn read(&self) -> Result<(), LabError> {
        let mut piece = vec![0; PIECE];
        for path in &self.paths {
            let mut read = || {
                let mut file = File::open(path)?;
                while file.read(&mut piece)? > 0 {}
                Ok(())
            };
            read().map_err(|error| unreadable(path, &error))?;
        }
        Ok(())
    }

    /// Takes all of them out of the page cache, but for what is not on disk yet.
    pub fn evict(&self) -> Result<(), LabError> {
        for path in &self.paths {
            let evict = || {
                let file = File::open(path)?;
                fadvise(&file, 0, None, Advice::DontNeed).map_err(io::Error::from)
            };
            evict().map_err(|error| unreadable(path, &error))?;
        }
        Ok(())
    }
}

/// The file of this name and those that continue it.
fn parts(first: &Path) -> io::Result<Vec<PathBuf>> {
    let (Some(parent), Some(name)) = (first.parent(), first.file_name().and_then(|it| it.to_str()))
    else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let rest = path.file_name().and_then(|it| it.to_str()?.strip_prefix(name));
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_'])) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, error: &io::Error) -> LabError {
    LabError::Unreadable {
        what: path.display().to_string(),
        why: error.to_string(),
        next: "set TMPDIR to a directory with room on a disk",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_has_segments_and_forks() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["16384", "16384.1", "16384_vm", "163840", "1638"] {
            fs::write(parent.path().join(name), "x").unwrap();
        }
        let found = parts(&parent.path().join("16384")).unwrap();
        let names: Vec<&str> =
            found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["16384", "16384.1", "16384_vm"]);
    }
}
