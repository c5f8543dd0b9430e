//! One writer at a time.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
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
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io)?;
        if file.try_lock().is_err() {
            let mut pid = String::new();
            let _ = file.read_to_string(&mut pid);
            let (path, pid) = (recording.to_owned(), pid.trim().to_owned());
            return Err(RecordingError::InUse { path, pid });
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        // Who holds it is only for the message; a full disk is no reason not to hold it.
        let _ = writeln!(file, "{}", std::process::id());
        Ok(Lock { path, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
