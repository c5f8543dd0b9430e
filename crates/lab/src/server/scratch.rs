//! A directory of a lab's own, removed when it is no longer needed.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};

use super::account::Account;
use crate::LabError;

/// How scratch directories are called; the number of the process that made it follows.
pub const PREFIX: &str = "isotherm-lab-";

/// `f_type` of a filesystem in memory (`statfs(2)`).
const TMPFS: i64 = 0x0102_1994;

/// A new directory that nobody else can look into.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A directory below the one for temporary files, which belongs to whoever runs the lab.
    pub fn new() -> Result<Scratch, LabError> {
        let pid = std::process::id();
        let parent = std::env::temp_dir();
        // Several labs of one process, as in tests, have a directory each.
        for number in 0..1_000 {
            let path = parent.join(format!("{PREFIX}{pid}-{number}"));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch { path }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unmade(&path, &error)),
            }
        }
        Err(unmade(&parent, &std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Gives it to an account. From then on whoever has that account decides what its names stand for:
    /// nothing in it may be opened by name with other rights.
    pub fn give_to(&self, Account { user, group }: Account) -> Result<(), LabError> {
        chown(&self.path, Some(user), Some(group)).map_err(|error| unmade(&self.path, &error))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is on a filesystem in memory.
    pub fn is_in_memory(&self) -> bool {
        is_in_memory(&self.path)
    }
}

/// Whether a directory is on a filesystem in memory.
pub fn is_in_memory(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|about| about.f_type == TMPFS)
}

fn unmade(path: &Path, error: &std::io::Error) -> LabError {
    LabError::Unreadable {
        what: path.display().to_string(),
        why: format!("cannot make this directory: {error}"),
        next: "set TMPDIR to a directory with room that other users can enter",
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is named by the next lab.
        let _ = fs::remove_dir_all(&self.path);
    }
}
