//! Reading a recording, also while it is written.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use isotherm_frame::{Clock, Frame, Quality, Scheme, Series, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use crate::layout::{APPLICATION_ID, FORMAT, SERIES_PER_TICK, is_recording};
use crate::{About, Mark, RecordingError, Tally, codec};

/// Reads a recording.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    connection: Connection,
    about: About,
}

/// A series as it is stored: with the scheme of its frames.
type Stored = HashMap<i64, (Series, Scheme)>;

/// How many ticks are read at once.
const PAGE: i64 = 512;

impl Reader {
    /// Opens a recording. One on a read-only medium, or in a directory where nothing can be
    /// written, is read as it is.
    pub fn open(path: &Path) -> Result<Reader, RecordingError> {
        check_head(path)?;
        let connection = connect(path)?;
        let mut reader = Reader { path: path.to_owned(), connection, about: About::default() };
        reader.check_format()?;
        reader.about = reader.read_about()?;
        Ok(reader)
    }

    fn failed(&self, error: rusqlite::Error) -> RecordingError {
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
        if format > FORMAT {
            return Err(RecordingError::Newer { path, found: format, known: FORMAT });
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

    /// The frames that end after `from` and begin before `to`, in the order they were recorded,
    /// a page at a time.
    pub fn frames(
        &self,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
    ) -> Result<Frames<'_>, RecordingError> {
        let from = from.map_or(i64::MIN, Timestamp::as_nanos);
        let to = to.map_or(i64::MAX, Timestamp::as_nanos);
        let (stored, page) = (self.stored()?, Vec::new().into_iter());
        Ok(Frames { reader: self, stored, range: (from, to), next_tick: 0, page })
    }

    fn stored(&self) -> Result<Stored, RecordingError> {
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

    fn damaged(&self, place: String, why: String) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), place, why }
    }

    /// Reads the frames of up to [`PAGE`] ticks from `first` on; gives the tick after them.
    fn page(
        &self,
        first: i64,
        (from, to): (i64, i64),
        stored: &Stored,
    ) -> Result<(i64, Vec<Result<Frame, RecordingError>>), RecordingError> {
        let query = "select tick.id, start_ns, end_ns, frame.id, lo, counts, sum_ns, quality
            from tick join frame on frame.id between tick.id * 65536 and tick.id * 65536 + 65535
            where tick.id >= ?1 and tick.id < ?2 and end_ns > ?3 and start_ns < ?4
            order by frame.id";
        let read = || {
            let mut statement = self.connection.prepare_cached(query)?;
            let mut rows = statement.query(params![first, first + PAGE, from, to])?;
            let mut frames = Vec::new();
            while let Some(row) = rows.next()? {
                frames.push(self.frame(row, stored)?);
            }
            let last: Option<i64> =
                self.connection.query_row("select max(id) from tick", [], |row| row.get(0))?;
            Ok((last.unwrap_or(0), frames))
        };
        let (last, frames) = read().map_err(|error| self.failed(error))?;
        Ok((if first + PAGE > last { i64::MAX } else { first + PAGE }, frames))
    }

    fn frame(&self, row: &Row, stored: &Stored) -> rusqlite::Result<Result<Frame, RecordingError>> {
        let id: i64 = row.get(3)?;
        let place = format!("frame {id}");
        let Some((series, scheme)) = stored.get(&(id % SERIES_PER_TICK)) else {
            return Ok(Err(self.damaged(place, "its series is missing".to_owned())));
        };
        let (lo, counts, sum): (i64, String, Option<i64>) = (row.get(4)?, row.get(5)?, row.get(6)?);
        let quality: Option<String> = row.get(7)?;
        let quality = quality.map_or(Some(Quality::Complete), |text| Quality::from_text(&text));
        let Some(quality) = quality else {
            return Ok(Err(self.damaged(place, "its quality is unknown".to_owned())));
        };
        let (start, end) = (Timestamp::new(row.get(1)?), Timestamp::new(row.get(2)?));
        let counts = codec::histogram_from(scheme, lo, &counts, sum);
        Ok(counts
            .map(|counts| Frame { series: series.clone(), start, end, counts, quality })
            .map_err(|why| self.damaged(place, why)))
    }
}

/// The frames of a recording.
pub struct Frames<'r> {
    reader: &'r Reader,
    stored: Stored,
    range: (i64, i64),
    next_tick: i64,
    page: std::vec::IntoIter<Result<Frame, RecordingError>>,
}

impl Iterator for Frames<'_> {
    type Item = Result<Frame, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(frame) = self.page.next() {
                return Some(frame);
            }
            if self.next_tick == i64::MAX {
                return None;
            }
            match self.reader.page(self.next_tick, self.range, &self.stored) {
                Ok((next, frames)) => {
                    self.next_tick = next;
                    self.page = frames.into_iter();
                }
                Err(error) => {
                    self.next_tick = i64::MAX;
                    return Some(Err(error));
                }
            }
        }
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
            let name =
                path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let uri = format!("file:{name}?immutable=1");
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(uri, flags).map_err(failed)
        }
        _ => readable.map(|()| connection).map_err(failed),
    }
}
