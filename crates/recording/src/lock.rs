//! One writer at a time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::{RecordingError, place};

/// The bytes of the largest process number and the end of its line.
const LONGEST: u64 = 11;

/// How often a lock that seems to be held is tried again, and how long apart. A program started at the moment
/// we let go of it has a copy of it until its own code begins, which lasts as long as the system is busy.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// A locked file beside the recording. The system gives the lock up when we end, however we end;
/// the file itself goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// Open as long as the lock is held.
    file: File,
    /// The same, by what the file is instead of what it is called.
    inode: Option<inode::Held>,
}

impl Lock {
    /// Locks the recording for this process.
    pub(crate) fn take(recording: &Path) -> Result<Lock, RecordingError> {
        // However a link to it is called.
        let target = fs::canonicalize(recording).unwrap_or_else(|_| recording.to_owned());
        let path = place::beside(&target, "-lock");
        let io = |source| RecordingError::Io { path: recording.to_owned(), source };
        loop {
            let in_the_way = || RecordingError::InTheWay(path.clone());
            let mut file = opened(&path).map_err(io)?.ok_or_else(in_the_way)?;
            let holder = holder(&mut file).map_err(io)?.ok_or_else(in_the_way)?;
            if file.try_lock().is_err() {
                return Err(RecordingError::InUse { path: recording.to_owned(), pid: holder });
            }
            // The last writer may have removed the file after we opened it: then we hold a lock
            // that nobody else will ever look at.
            if is_at(&file, &path) {
                file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
                // Who holds it is only for the message; a full disk is no reason not to hold it.
                let _ = writeln!(file, "{}", std::process::id());
                return Ok(Lock { path, file, inode: None });
            }
        }
    }
}

impl Lock {
    /// Locks the file itself, once there is one: it may have other names.
    pub(crate) fn hold_file(&mut self, recording: &Path) -> Result<(), RecordingError> {
        // Of a file that is gone: its number may be given to the next one.
        self.inode = None;
        let identity = fs::metadata(recording).ok().as_ref().and_then(place::identity);
        let Some(identity) = identity else { return Ok(()) };
        for _ in 0..TRIES {
            match inode::hold(identity) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    thread::sleep(BETWEEN_TRIES);
                }
                // Where it cannot be had the lock beside the file has to do.
                held => {
                    self.inode = held.ok();
                    return Ok(());
                }
            }
        }
        Err(RecordingError::InUse { path: recording.to_owned(), pid: "?".to_owned() })
    }
}

/// A lock on what a file is, which needs no descriptor of the file: closing one would cost SQLite
/// its own locks. It is a name in the kernel that goes with the process.
#[cfg(target_os = "linux")]
mod inode {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};

    pub type Held = UnixListener;

    pub fn hold((device, number): (u64, u64)) -> std::io::Result<Held> {
        let name = format!("isotherm-recording-{device}-{number}");
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod inode {
    pub type Held = ();

    pub fn hold(_: (u64, u64)) -> std::io::Result<Held> {
        Ok(())
    }
}

/// Opens or makes the file; `None` if what has its name is no file: a link would lead to one that
/// somebody else chose.
fn opened(path: &Path) -> io::Result<Option<File>> {
    match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map(Some),
    }
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Ok(None),
        // The last writer may have removed it just now.
        _ => OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map(Some),
    }
}

/// The process number that a lock holds, which is all there ever is in one; `?` if that was not
/// written. `None` if this is somebody else's file.
fn holder(file: &mut File) -> io::Result<Option<String>> {
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text)?;
    let digits = text.strip_suffix(b"\n").unwrap_or(&text);
    let is_ours = text.len() as u64 <= LONGEST && digits.iter().all(u8::is_ascii_digit);
    let holder = if digits.is_empty() { "?".into() } else { String::from_utf8_lossy(digits) };
    Ok(is_ours.then(|| holder.into_owned()))
}

/// Whether `path` still names the file that is open.
fn is_at(file: &File, path: &Path) -> bool {
    let open = file.metadata().ok().map(|data| place::identity(&data));
    open.is_some() && open == fs::metadata(path).ok().map(|data| place::identity(&data))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Somebody may have put a file of theirs there.
        if is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
        // Closing it would not be enough: a program that is being started has a copy of it.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// A program that is being started holds copies of all our files until its own code begins.
    #[test]
    fn a_copy_that_a_starting_program_has_is_no_writer() {
        let dir = tempfile::tempdir().unwrap();
        let recording = dir.path().join("x.heat");
        fs::write(&recording, "").unwrap();
        let mut lock = Lock::take(&recording).unwrap();
        lock.hold_file(&recording).unwrap();
        let file = lock.file.try_clone().unwrap();
        #[cfg(target_os = "linux")]
        let inode = lock.inode.as_ref().unwrap().try_clone().unwrap();
        drop(lock);
        // The lock beside the file is gone at once, the one of the file when its copy is.
        let mut next = Lock::take(&recording).unwrap();
        drop(file);
        #[cfg(target_os = "linux")]
        let last_copy = thread::spawn(move || drop(inode));
        next.hold_file(&recording).unwrap();
        #[cfg(target_os = "linux")]
        testing::bounded::join(last_copy);
    }
}
