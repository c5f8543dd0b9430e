//! Reading a recording, also while it is written.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use isotherm_frame::{Clock, Scheme, Series, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::layout::{APPLICATION_ID, FORMAT, is_recording};
use crate::{About, Frames, Mark, RecordingError, Tally, codec};

/// Reads a recording.
#[derive(Debug)]
pub struct Reader {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    about: About,
}

/// A series as it is stored: with the scheme of its frames.
pub(crate) type Stored = HashMap<i64, (Series, Scheme)>;

impl Reader {
    /// Opens a recording. One on a read-only medium, or in a directory where nothing can be
    /// written, is read as it is.
    pub fn open(path: &Path) -> Result<Reader, RecordingError> {
        check_head(path)?;
        let connection = connect(path)?;
        let mut reader = Reader { path: path.to_owned(), connection, about: About::default() };
        reader.check_format()?;
        reader.check_length()?;
        reader.about = reader.read_about()?;
        Ok(reader)
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> RecordingError {
        RecordingError::database(&self.path, error)
    }

    fn check_format(&self) -> Result<(), RecordingError> {
        let pragma = |name| self.connection.pragma_query_value(None, name, |row| row.get(0));
        let application: i64 = pragma("application_id").map_err(|error| self.failed(error))?;
        let format: i64 = pragma("user_version").map_err(|error| self.failed(error))?;
        let path = self.path.clone();
        if application != i64::from(APPLICATION_ID) {
            let why = "it is another program's SQLite database".to_owned();
            return Err(RecordingError::NotARecording { path, why });
        }
        if format < 1 {
            return Err(self.damaged("its head".to_owned(), format!("format {format} never was")));
        }
        if format > FORMAT {
            return Err(RecordingError::Newer { path, found: format, known: FORMAT });
        }
        Ok(())
    }

    /// A file that was cut within its last page looks whole to SQLite until that page is read.
    fn check_length(&self) -> Result<(), RecordingError> {
        let pragma = |name| self.connection.pragma_query_value(None, name, |row| row.get(0));
        let journal =
            self.connection.pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0));
        if journal.map_err(|error| self.failed(error))? == "wal" {
            return Ok(());
        }
        let pages: i64 = pragma("page_count").map_err(|error| self.failed(error))?;
        let size: i64 = pragma("page_size").map_err(|error| self.failed(error))?;
        let metadata = std::fs::metadata(&self.path);
        let io = |source| RecordingError::Io { path: self.path.clone(), source };
        let bytes = u64::try_from(pages.saturating_mul(size)).unwrap_or_default();
        if metadata.map_err(io)?.len() < bytes {
            let why = "the file is cut short".to_owned();
            return Err(self.damaged("its end".to_owned(), why));
        }
        Ok(())
    }

    fn value(&self, key: &str) -> Result<String, RecordingError> {
        let query = "select cast(value as text) from meta where key = ?1";
        let value = self.connection.query_row(query, [key], |row| row.get(0)).optional();
        Ok(value.map_err(|error| self.failed(error))?.unwrap_or_default())
    }

    fn read_about(&self) -> Result<About, RecordingError> {
        Ok(About {
            source: self.value("source")?,
            command_line: self.value("command_line")?,
            host: self.value("host")?,
            isotherm_version: self.value("isotherm_version")?,
            clock: Clock::from_text(&self.value("clock")?).unwrap_or_default(),
            started: Timestamp::new(self.value("started_ns")?.parse().unwrap_or_default()),
        })
    }

    /// What the recording says about itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The account of the input that was recorded.
    pub fn tally(&self) -> Tally {
        let number = |key: &str| {
            let text = self.value(&format!("tally.{key}")).unwrap_or_default();
            text.parse().unwrap_or_default()
        };
        Tally {
            records: number("records"),
            rejected: number("rejected"),
            rejected_events: number("rejected_events"),
            lost: number("lost"),
            ignored_lines: number("ignored_lines"),
        }
    }

    /// The earliest start and the latest end; `None` when nothing was recorded.
    pub fn span(&self) -> Result<Option<(Timestamp, Timestamp)>, RecordingError> {
        let query = "select min(start_ns), max(end_ns) from tick";
        let span: (Option<i64>, Option<i64>) = self
            .connection
            .query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(|error| self.failed(error))?;
        Ok(span.0.zip(span.1).map(|(start, end)| (Timestamp::new(start), Timestamp::new(end))))
    }

    /// The marks, oldest first.
    pub fn marks(&self) -> Result<Vec<Mark>, RecordingError> {
        self.marks_after(0).map(|marks| marks.into_iter().map(|(_, mark)| mark).collect())
    }

    /// The marks written after the one numbered `after`, with their numbers.
    pub fn marks_after(&self, after: i64) -> Result<Vec<(i64, Mark)>, RecordingError> {
        let query =
            "select rowid, at_ns, text, origin from mark where rowid > ?1 order by at_ns, rowid";
        let read = || {
            let mut statement = self.connection.prepare_cached(query)?;
            let marks = statement.query_map([after], |row| {
                let at = Timestamp::new(row.get(1)?);
                Ok((row.get(0)?, Mark { at, text: row.get(2)?, origin: row.get(3)? }))
            })?;
            marks.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The series, sorted.
    pub fn series(&self) -> Result<Vec<Series>, RecordingError> {
        let mut series: Vec<Series> =
            self.stored()?.into_values().map(|(series, _)| series).collect();
        series.sort();
        series.dedup();
        Ok(series)
    }

    /// The frames that end after `from` and begin before `to`, interval by interval in the order
    /// they were recorded, a page at a time. What is written after this call is not among them.
    pub fn frames(
        &self,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
    ) -> Result<Frames<'_>, RecordingError> {
        let from = from.map_or(i64::MIN, Timestamp::as_nanos);
        let to = to.map_or(i64::MAX, Timestamp::as_nanos);
        Frames::new(self, (from, to))
    }

    /// The number of the last interval; 0 when nothing was recorded.
    pub(crate) fn last_tick(&self) -> Result<i64, RecordingError> {
        let query = "select coalesce(max(id), 0) from tick";
        self.connection.query_row(query, [], |row| row.get(0)).map_err(|error| self.failed(error))
    }

    /// The schemes with their ids.
    pub(crate) fn schemes(&self) -> Result<Vec<(i64, Scheme)>, RecordingError> {
        let read = || {
            let mut statement = self.connection.prepare("select id, bounds from scheme")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(i64, String)>>>()
        };
        let rows = read().map_err(|error| self.failed(error))?;
        let decoded = rows.into_iter().map(|(id, bounds)| {
            let scheme = codec::scheme_from(&bounds);
            scheme.map(|s| (id, s)).map_err(|why| self.damaged(format!("scheme {id}"), why))
        });
        decoded.collect()
    }

    /// The series with the schemes of their frames, by id.
    pub(crate) fn stored(&self) -> Result<Stored, RecordingError> {
        let query = "select series.id, name, attributes, bounds
            from series join scheme on scheme.id = series.scheme";
        let read = || {
            let mut statement = self.connection.prepare_cached(query)?;
            let rows = statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
            rows.collect::<rusqlite::Result<Vec<(i64, String, String, String)>>>()
        };
        let rows = read().map_err(|error| self.failed(error))?;
        let decoded = rows.into_iter().map(|(id, name, attributes, bounds)| {
            let series = codec::series_from(name, &attributes);
            let both = series.and_then(|series| Ok((series, codec::scheme_from(&bounds)?)));
            both.map(|both| (id, both)).map_err(|why| self.damaged(format!("series {id}"), why))
        });
        decoded.collect()
    }

    pub(crate) fn damaged(&self, place: String, why: String) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), place, why }
    }
}

fn check_head(path: &Path) -> Result<(), RecordingError> {
    let mut head = Vec::new();
    let opened = std::fs::File::open(path).and_then(|file| file.take(100).read_to_end(&mut head));
    match opened {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(RecordingError::Missing(path.to_owned()))
        }
        Err(source) => Err(RecordingError::Io { path: path.to_owned(), source }),
        Ok(_) if is_recording(&head) => Ok(()),
        Ok(_) => {
            let why = match head.as_slice() {
                [] => "it is empty",
                [b'S', b'Q', b'L', b'i', b't', b'e', ..] => {
                    "it is another program's SQLite database"
                }
                _ => "it is no SQLite database",
            };
            Err(RecordingError::NotARecording { path: path.to_owned(), why: why.to_owned() })
        }
    }
}

/// Opens for reading; where the log cannot be opened because nothing may be written, as a file
/// that does not change.
fn connect(path: &Path) -> Result<Connection, RecordingError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error| RecordingError::database(path, error);
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
    let readable = connection.query_row("select count(*) from sqlite_schema", [], |_| Ok(()));
    match readable.as_ref().err().and_then(rusqlite::Error::sqlite_error_code) {
        Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly) => {
            let uri = immutable(path);
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(uri, flags).map_err(failed)
        }
        _ => readable.map(|()| connection).map_err(failed),
    }
}

/// The address by which SQLite opens a file as one that nobody changes.
fn immutable(path: &Path) -> String {
    let escaped = path.as_os_str().as_encoded_bytes().iter().map(|&byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02x}"),
    });
    format!("file:{}?immutable=1", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_can_be_opened_as_immutable() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("50% of? #1 & más.heat");
        drop(crate::Writer::create(&path, &About::default(), crate::Durability::Normal).unwrap());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(immutable(&path), flags).unwrap();
        let id: u32 =
            connection.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
        assert_eq!(id, APPLICATION_ID);
    }
}
