//! Reading a recording, also while it is written.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use isotherm_frame::{Clock, Nanos, Scheme, Series, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{About, Frames, LetGo, Mark, RecordingError, Tally, codec, connect, rotation};

/// Reads a recording.
#[derive(Debug)]
pub struct Reader {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    about: About,
    /// Whether frames say when time was waited: from format 2 on.
    has_waited: bool,
}

/// The series as they are stored: each with the scheme of its frames, or why it cannot be read.
pub(crate) type Stored = HashMap<i64, Result<(Series, Scheme), String>>;

impl Reader {
    /// Opens a recording. One that a crash broke off is one file again when the reader is dropped.
    /// One on a read-only medium, or in a directory where nothing can be written, is read as it is.
    pub fn open(path: &Path) -> Result<Reader, RecordingError> {
        let connection = connect::for_reading(path)?;
        let (path, about) = (path.to_owned(), About::default());
        let mut reader = Reader { path, connection, about, has_waited: false };
        reader.about = reader.read_about()?;
        let column = "select count(*) from pragma_table_info('frame') where name = 'waited_ns'";
        let columns = reader.connection.query_row(column, [], |row| row.get::<_, i64>(0));
        reader.has_waited = columns.map_err(|error| reader.failed(error))? > 0;
        Ok(reader)
    }

    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> RecordingError {
        RecordingError::database(&self.path, error)
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

    /// What was let go of; `None` for a recording that keeps everything.
    pub fn let_go(&self) -> Result<Option<LetGo>, RecordingError> {
        let number = |key: &str| self.value(key).map(|text| text.parse::<u64>().ok());
        let Some(keep) = number(rotation::KEEP)? else { return Ok(None) };
        let until = self.value(rotation::UNTIL)?.parse().ok().map(Timestamp::new);
        let frames = number(rotation::FRAMES)?.unwrap_or_default();
        let events = number(rotation::EVENTS)?.unwrap_or_default();
        Ok(Some(LetGo { keep: Nanos::new(keep), frames, events, until }))
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
        let query = "select rowid, at_ns, text, origin from mark where rowid > ?1
            and at_ns > coalesce((select cast(value as integer) from meta where key = ?2), at_ns - 1)
            order by at_ns, rowid";
        let read = || {
            let mut statement = self.connection.prepare_cached(query)?;
            let marks = statement.query_map(params![after, rotation::UNTIL], |row| {
                let at = Timestamp::new(row.get(1)?);
                Ok((row.get(0)?, Mark { at, text: row.get(2)?, origin: row.get(3)? }))
            })?;
            marks.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The series, sorted. One that is damaged is not among them: each of its frames says so.
    pub fn series(&self) -> Result<Vec<Series>, RecordingError> {
        let stored = self.stored()?.into_values().flatten();
        let mut series: Vec<Series> = stored.map(|(series, _)| series).collect();
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

    /// The schemes that can be read, with their ids.
    pub(crate) fn schemes(&self) -> Result<Vec<(i64, Scheme)>, RecordingError> {
        let read = || {
            let mut statement = self.connection.prepare("select id, bounds from scheme")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(i64, String)>>>()
        };
        let rows = read().map_err(|error| self.failed(error))?;
        let decoded = rows.into_iter().map(|(id, bounds)| (id, codec::scheme_from(&bounds)));
        Ok(decoded.filter_map(|(id, scheme)| Some((id, scheme.ok()?))).collect())
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
            (id, both.map_err(|why| format!("series {id}: {why}")))
        });
        Ok(decoded.collect())
    }

    pub(crate) fn damaged(&self, place: String, why: String) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), place, why }
    }
}
