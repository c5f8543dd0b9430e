//! Why a recording cannot be written or read.

use std::path::PathBuf;

use thiserror::Error;

use crate::{Lost, bounds};

/// Why a recording cannot be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// A new recording would overwrite a file.
    #[error("{}: there is a file of that name already; choose another name", .0.display())]
    Exists(PathBuf),
    /// A recording of everything would lose what is old.
    #[error("{}: this recording keeps everything; --keep would delete what is in it: write to another file", .0.display())]
    KeepsAll(PathBuf),
    /// There is no such file.
    #[error("{}: No such file or directory", .0.display())]
    Missing(PathBuf),
    /// Another program is recording into the file.
    #[error("{}: another isotherm is recording into this file (process {pid})", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// The process that holds it, as it said itself.
        pid: String,
    },
    /// Something else has the name of the file that keeps a second recorder away, or of the one that a
    /// recording is begun in.
    #[error("{}: this is in the way and not a file of isotherm; rename it, or record into a file of another name", .0.display())]
    InTheWay(PathBuf),
    /// The file is no recording.
    #[error("{}: not a recording of isotherm: {why}", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        why: String,
    },
    /// The file is a database of another program.
    #[error("{}: this is an SQLite database, but not a recording of isotherm (application_id {id:#x}); read it with sqlite3", path.display())]
    OtherDatabase {
        /// The file.
        path: PathBuf,
        /// What its head says which program's it is; 0 if nothing.
        id: i64,
    },
    /// The file is of a newer format.
    #[error("{}: written by a newer isotherm (format {found}, this one reads up to {known}); use that version to read it", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format this version reads.
        known: i64,
    },
    /// There is no room for more.
    #[error("{}: the disk is full; what was recorded before is safe, and recording goes on when there is room", .0.display())]
    DiskFull(PathBuf),
    /// There is no room for what a database needs to be opened.
    #[error("{}: the disk is full: opening a recording that is being written, or was broken off, needs 32 KiB beside it (its -shm file); make room and try again", .0.display())]
    NoRoomToOpen(PathBuf),
    /// More series than a recording can hold.
    #[error("{}: more than 65536 series; choose fewer, or fewer attributes", .0.display())]
    TooManySeries(PathBuf),
    /// The file is no longer where it was while it is recorded into.
    #[error("{}: the file was {what} while it was recorded into", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
        /// What became of it.
        what: Lost,
    },
    /// Something is larger than a recording may hold.
    #[error("{}: {found} {what}: a recording holds at most {most}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What there is too much of.
        what: String,
        /// How much there is.
        found: usize,
        /// How much there may be.
        most: usize,
    },
    /// A frame is none that a recording can hold.
    #[error("{}: cannot hold a frame of '{series}': {why}", path.display())]
    Frame {
        /// The file.
        path: PathBuf,
        /// The series of the frame.
        series: String,
        /// What is wrong with it.
        why: String,
    },
    /// The contents contradict the format.
    #[error("{}: damaged at {place}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The table and row.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// SQLite failed in another way.
    #[error("{}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl RecordingError {
    /// Tells a full disk and a file that is no database from other failures.
    pub(crate) fn database(path: &std::path::Path, source: rusqlite::Error) -> RecordingError {
        use rusqlite::{Error, ErrorCode};
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => RecordingError::DiskFull(path),
            Some(ErrorCode::SystemIoFailure) if is_about_the_index(&source) => {
                RecordingError::NoRoomToOpen(path)
            }
            Some(ErrorCode::NotADatabase) => {
                RecordingError::NotARecording { path, why: "it is no SQLite database".to_owned() }
            }
            Some(ErrorCode::DatabaseCorrupt) => RecordingError::Damaged {
                path,
                place: "a page of the file".to_owned(),
                why: "the file is cut short or damaged".to_owned(),
            },
            Some(ErrorCode::TooBig) => RecordingError::Damaged {
                path,
                place: "a row of a table".to_owned(),
                why: format!("it is longer than the {} bytes that are read", bounds::ROW),
            },
            None if matches!(source, Error::InvalidColumnType(..) | Error::Utf8Error(..)) => {
                let (place, why) = ("a row of a table".to_owned(), source.to_string());
                RecordingError::Damaged { path, place, why }
            }
            _ => RecordingError::Database { path, source },
        }
    }
}

/// Whether the index of a log could not be made as long as it has to be.
fn is_about_the_index(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_full_disk_is_called_that_when_a_recording_is_opened() {
        // What SQLite says where a tmpfs is full and there is no x.heat-shm.
        let failed = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_SHMSIZE);
        let failed = rusqlite::Error::SqliteFailure(failed, Some("disk I/O error".to_owned()));
        let message = RecordingError::database(Path::new("x.heat"), failed).to_string();
        assert!(message.starts_with("x.heat: the disk is full"), "{message}");
        let other = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_READ);
        let other = rusqlite::Error::SqliteFailure(other, Some("disk I/O error".to_owned()));
        let message = RecordingError::database(Path::new("x.heat"), other).to_string();
        assert_eq!(message, "x.heat: disk I/O error");
    }
}
