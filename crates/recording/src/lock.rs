//! One writer at a time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::RecordingError;

/// A locked file beside the recording. The system gives the lock up when we end, however we end;
/// the file itself goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// Open as long as the lock is held.
    _file: File,
}

impl Lock {
    /// Locks the recording for this process.
    pub(crate) fn take(recording: &Path) -> Result<Lock, RecordingError> {
        let mut name = recording.file_name().unwrap_or_default().to_owned();
        name.push("-lock");
        let path = recording.with_file_name(name);
        let io = |source| RecordingError::Io { path: recording.to_owned(), source };
        loop {
            let mut file = opened(&path).map_err(io)?;
            if file.try_lock().is_err() {
                let mut pid = String::new();
                let _ = file.read_to_string(&mut pid);
                let (path, pid) = (recording.to_owned(), pid.trim().to_owned());
                return Err(RecordingError::InUse { path, pid });
            }
            // The last writer may have removed the file after we opened it: then we hold a lock
            // that nobody else will ever look at.
            if is_at(&file, &path) {
                file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
                // Who holds it is only for the message; a full disk is no reason not to hold it.
                let _ = writeln!(file, "{}", std::process::id());
                return Ok(Lock { path, _file: file });
            }
        }
    }
}

fn opened(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Whether `path` still names the file that is open.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: fs::Metadata| (data.dev(), data.ino());
    let open = file.metadata().map(identity).ok();
    open.is_some() && open == fs::metadata(path).map(identity).ok()
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
