//! Where a file lies and whose it is for the moment: what is asked before it is made or opened.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, FsWord, flock, fstatfs};

use crate::LoadError;

/// Whether nothing at all has that name.
pub(super) fn is_missing(path: &Path) -> bool {
    fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// One isotherm at a time writes to a file: each would find the other's blocks where its own
/// should be. Held until the file is closed.
pub(super) fn lock(file: &File, path: &Path) -> Result<(), LoadError> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Err(LoadError::Unsafe(format!(
            "somebody else writes to '{}' (it is locked): wait until that has ended",
            path.display()
        ))),
        // A filesystem without locks does not keep anybody from working.
        _ => Ok(()),
    }
}

/// Whether the filesystem keeps its files in memory.
pub(super) fn is_memory(file: &File) -> bool {
    const TMPFS: FsWord = 0x0102_1994;
    const RAMFS: FsWord = 0x8584_58f6;
    fstatfs(file).is_ok_and(|found| [TMPFS, RAMFS].contains(&found.f_type))
}

/// Why a file in memory is not loaded with direct I/O.
pub(super) fn in_memory(path: &Path) -> LoadError {
    LoadError::Job(format!(
        "'{}' is in memory (tmpfs), where direct I/O (O_DIRECT) means nothing: name a file on a \
         disk, or give --buffered to measure memory",
        path.display()
    ))
}
