//! Opening a recording.
//!
//! Only SQLite opens the file. On POSIX systems a process that closes any descriptor of a file
//! gives up all locks it has on it: looking at the head of a recording with a descriptor of our own
//! would cost a writer in the same process its lock, and the next program that closes the recording
//! would take itself for the last and remove the log that the writer still writes to.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::layout::{APPLICATION_ID, FORMAT};
use crate::{RecordingError, bounds, place, schema};

/// How long to wait for another process that is writing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a recording for reading. A log that was left by a crash is taken into the file when the
/// connection closes, where that may be written; where it cannot even be opened because nothing
/// may be written, the file is read as one that does not change.
///
/// Gives the connection and the format.
pub(crate) fn for_reading(path: &Path) -> Result<(Connection, i64), RecordingError> {
    check_file(path)?;
    let failed = |error| RecordingError::database(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    distrusting(&connection).map_err(failed)?;
    let read = connection.query_row("select count(*) from sqlite_schema", [], |_| Ok(()));
    let code = read.as_ref().err().and_then(rusqlite::Error::sqlite_error_code);
    let connection = match code {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            let connection = Connection::open_with_flags(immutable(path), flags).map_err(failed)?;
            distrusting(&connection).map_err(failed)?;
            connection
        }
        _ => read.map(|()| connection).map_err(failed)?,
    };
    let format = check_format(&connection, path)?;
    check_length(&connection, path)?;
    match schema::fault(&connection, format).map_err(failed)? {
        Some(why) => Err(damaged(path, "its tables", why)),
        None => Ok((connection, format)),
    }
}

/// Anyone may have made the file: it is only read, nothing in it is carried out, and no row is read
/// that is longer than those of a recording.
fn distrusting(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, bounds::ROW)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "query_only", true)
}

fn not_a_recording(path: &Path, why: &str) -> RecordingError {
    RecordingError::NotARecording { path: path.to_owned(), why: why.to_owned() }
}

fn damaged(path: &Path, place: &str, why: String) -> RecordingError {
    RecordingError::Damaged { path: path.to_owned(), place: place.to_owned(), why }
}

fn check_file(path: &Path) -> Result<(), RecordingError> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(RecordingError::Missing(path.to_owned()))
        }
        Err(source) => Err(RecordingError::Io { path: path.to_owned(), source }),
        Ok(data) if data.is_dir() => Err(not_a_recording(path, "it is a directory")),
        Ok(data) if !data.is_file() => Err(not_a_recording(path, "it is no regular file")),
        Ok(data) if data.len() == 0 => Err(not_a_recording(path, "it is empty")),
        Ok(_) => Ok(()),
    }
}

fn check_format(connection: &Connection, path: &Path) -> Result<i64, RecordingError> {
    let pragma = |name| number(connection, path, name);
    let id = pragma("application_id")?;
    if id != i64::from(APPLICATION_ID) {
        return Err(RecordingError::OtherDatabase { path: path.to_owned(), id });
    }
    let found = pragma("user_version")?;
    if found < 1 {
        return Err(damaged(path, "its head", format!("format {found} never was")));
    }
    if found > FORMAT {
        return Err(RecordingError::Newer { path: path.to_owned(), found, known: FORMAT });
    }
    Ok(found)
}

/// A file that was cut within its last page looks whole to SQLite until that page is read.
fn check_length(connection: &Connection, path: &Path) -> Result<(), RecordingError> {
    // In this order: pages that were in the log are in the file once the log is gone.
    let pages = number(connection, path, "page_count")?;
    let bytes = pages.saturating_mul(number(connection, path, "page_size")?);
    if has_contents(&log_of(path)) {
        return Ok(());
    }
    let found = std::fs::metadata(path);
    let found = found.map_err(|source| RecordingError::Io { path: path.to_owned(), source })?;
    if found.len() < u64::try_from(bytes).unwrap_or_default() {
        let why = format!("the file is cut short: {} of {bytes} bytes are left", found.len());
        return Err(damaged(path, "its end", why));
    }
    Ok(())
}

fn number(connection: &Connection, path: &Path, pragma: &str) -> Result<i64, RecordingError> {
    let value = connection.pragma_query_value(None, pragma, |row| row.get(0));
    value.map_err(|error| RecordingError::database(path, error))
}

/// SQLite's log beside a recording.
fn log_of(path: &Path) -> PathBuf {
    place::beside(path, "-wal")
}

fn has_contents(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() > 0)
}

/// The address by which SQLite opens a file as one that nobody changes.
fn immutable(path: &Path) -> String {
    let escaped = path.as_os_str().as_encoded_bytes().iter().map(|&byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02x}"),
    });
    format!("file:{}?immutable=1", escaped.collect::<String>())
}

/// Opens one for writing, with flags of its own besides.
pub(crate) fn for_writing(path: &Path, more: OpenFlags) -> Result<Connection, RecordingError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let failed = |error| RecordingError::database(path, error);
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_can_be_opened_as_immutable() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("50% of? #1 & más.heat");
        let about = crate::About::default();
        drop(crate::Writer::create(&path, &about, crate::Durability::Normal).unwrap());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(immutable(&path), flags).unwrap();
        assert_eq!(number(&connection, &path, "application_id").unwrap(), 0x6973_6f54);
    }
}
