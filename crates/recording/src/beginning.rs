//! A recording begins: whole, or not at all.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::{About, Reader, RecordingError, connect, layout, meta, place, without_secrets};

/// Makes a recording without frames, which nobody else is making. It is made under another name: a
/// process that is killed meanwhile leaves nothing that stands in the way of the next attempt.
pub(crate) fn begin(path: &Path, about: &About) -> Result<(), RecordingError> {
    let new = place::beside(path, "-new");
    let remove = || [new.clone(), place::beside(&new, "-journal")].map(fs::remove_file);
    // Of one that was killed.
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
