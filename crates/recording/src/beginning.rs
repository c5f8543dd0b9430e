//! A recording begins: whole, or not at all.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::{About, Reader, RecordingError, connect, layout, meta, place, without_secrets};

/// Makes a recording without frames, which nobody else is making. It is made under another name: a
/// process that is killed meanwhile leaves nothing that stands in the way of the next attempt. What
/// has that name and is not such a remainder is somebody else's, and stays.
pub(crate) fn begin(path: &Path, about: &About) -> Result<(), RecordingError> {
    let [(new, _), (journal, _)] = looks(path);
    let remove = || [&new, &journal].map(fs::remove_file);
    if let Some((foreign, _)) =
        looks(path).into_iter().find(|(path, ours)| !is_remainder(path, *ours))
    {
        return Err(RecordingError::InTheWay(foreign));
    }
    let _ = remove();
    let made = make(&new, about).map_err(|error| match error {
        RecordingError::DiskFull(_) => RecordingError::DiskFull(path.to_owned()),
        other => other,
    });
    let begun = made.and_then(|()| {
        // A name is given to it only if nobody has it: that of a link is taken, too.
        let named = fs::hard_link(&new, path).or_else(|error| {
            let taken = error.kind() == io::ErrorKind::AlreadyExists;
            if taken || fs::symlink_metadata(path).is_ok() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            // Not every file system has links.
            fs::rename(&new, path)
        });
        named.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => RecordingError::Exists(path.to_owned()),
            _ => RecordingError::Io { path: path.to_owned(), source },
        })
    });
    let _ = remove();
    begun
}

/// Gives a file the name of a recording, which is gone then with its log.
pub(crate) fn put(new: &Path, path: &Path) -> Result<(), RecordingError> {
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(place::beside(path, suffix));
    }
    fs::rename(new, path).map_err(|source| RecordingError::Io { path: path.to_owned(), source })
}

/// Removes what a process that was killed while it began this recording has left, and nothing else. The
/// caller holds the lock: nobody is beginning it.
pub(crate) fn remove_remainders(path: &Path) {
    for (left, ours) in looks(path) {
        if left.symlink_metadata().is_ok() && is_remainder(&left, ours) {
            let _ = fs::remove_file(left);
        }
    }
}

/// Whether the beginning of a file is that of one of ours.
type LooksOurs = fn(&[u8]) -> bool;

/// The files in which a recording is begun, and what each looks like.
fn looks(path: &Path) -> [(PathBuf, LooksOurs); 2] {
    let new = place::beside(path, "-new");
    let journal = place::beside(&new, "-journal");
    [(new, crate::is_recording), (journal, is_journal)]
}

/// Whether there is nothing at a path, or what a process that was killed while it began a recording
/// left there: a file that is empty still, or begins as such files do.
fn is_remainder(path: &Path, looks_ours: LooksOurs) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        || is_empty_or(path, looks_ours)
}

/// Whether a file is a recording, whatever state it is in, or empty.
pub(crate) fn is_recording_or_empty(path: &Path) -> bool {
    is_empty_or(path, crate::is_recording)
}

fn is_empty_or(path: &Path, looks_ours: LooksOurs) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return false,
        Ok(found) if found.len() == 0 => return true,
        Err(_) => return false,
        Ok(_) => {}
    }
    let mut head = Vec::new();
    let file = fs::File::open(path).map(|file| file.take(128));
    file.and_then(|mut file| file.read_to_end(&mut head)).is_ok() && looks_ours(&head)
}

/// Whether a file that begins with `head` is SQLite's journal; its first bytes are zero until it is
/// on the disk.
fn is_journal(head: &[u8]) -> bool {
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    head.get(..8).is_some_and(|head| head == MAGIC || head == [0; 8])
}

fn make(path: &Path, about: &About) -> Result<(), RecordingError> {
    // Before the log is switched on, so that the file itself says at once what it is.
    let connection = connect::for_writing(path, OpenFlags::SQLITE_OPEN_CREATE)?;
    let made = layout::create(&connection).and_then(|()| describe(&connection, about));
    made.map_err(|error| RecordingError::database(path, error))
}

/// Whether a file is a recording that was begun and broken off before anything was recorded.
pub(crate) fn is_abandoned(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    is_file && Reader::open(path).is_ok_and(|reader| reader.is_abandoned())
}

/// Removes one, with its log.
pub(crate) fn remove(path: &Path) -> Result<(), RecordingError> {
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(place::beside(path, suffix));
    }
    fs::remove_file(path).map_err(|source| RecordingError::Io { path: path.to_owned(), source })
}

/// Writes what a recording says about itself.
fn describe(connection: &Connection, about: &About) -> rusqlite::Result<()> {
    let values = [
        ("source", without_secrets(&about.source)),
        ("command_line", without_secrets(&about.command_line)),
        ("host", about.host.clone()),
        ("isotherm_version", about.isotherm_version.clone()),
        ("clock", about.clock.to_string()),
        ("started_ns", about.started.as_nanos().to_string()),
    ];
    values.iter().try_for_each(|(key, value)| meta::set(connection, key, value))
}
