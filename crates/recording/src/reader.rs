//! Reading a recording, also while it is written.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use isotherm_frame::{Account, Clock, Nanos, Scheme, Series, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::layout::{WITH_CHECKSUMS, WITH_WAITED};
use crate::{
    About, LetGo, RecordedMark, RecordingError, bounds, checksum, codec, connect, meta, rotation,
};

/// Reads a recording.
#[derive(Debug)]
pub struct Reader {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    about: About,
    format: i64,
    /// What the recording says about itself, by key.
    values: BTreeMap<String, String>,
    /// What contradicts the checksums, outside of frames.
    faults: Vec<String>,
}

/// The series as they are stored: each with the scheme of its frames, or why it cannot be read.
pub(crate) type Stored = HashMap<i64, Result<(Series, Scheme), String>>;

/// The schemes as they are stored, or why one cannot be read.
pub(crate) type Schemes = HashMap<i64, Result<Scheme, String>>;

impl Reader {
    /// Opens a recording. One that a crash broke off is one file again when the reader is dropped.
    /// One on a read-only medium, or in a directory where nothing can be written, is read as it is.
    pub fn open(path: &Path) -> Result<Reader, RecordingError> {
        let (connection, format) = connect::for_reading(path)?;
        let (path, about) = (path.to_owned(), About::default());
        let (values, faults) = (BTreeMap::new(), Vec::new());
        let mut reader = Reader { path, connection, about, format, values, faults };
        reader.refresh()?;
        reader.about = reader.read_about();
        Ok(reader)
    }

    /// Reads again what the recording says about itself, all of it as of one moment.
    fn refresh(&mut self) -> Result<(), RecordingError> {
        let has_checksums = self.has_checksums();
        let read = |connection: &Connection| {
            let transaction = connection.unchecked_transaction()?;
            let mut meta = meta::read(&transaction, has_checksums)?;
            if let Some(sealed) = meta.values.get(meta::SEAL) {
                let found = meta::contents(&transaction)?;
                if *sealed != found {
                    meta.faults.push(format!("its contents: {found}, and there were: {sealed}"));
                }
            }
            if has_checksums {
                meta.faults.extend(damaged_marks(&transaction)?);
            }
            Ok(meta)
        };
        let meta = read(&self.connection).map_err(|error| self.failed(error))?;
        (self.values, self.faults) = (meta.values, meta.faults);
        Ok(())
    }

    /// The format of the file.
    pub(crate) fn format(&self) -> i64 {
        self.format
    }

    /// Whether frames say when time was waited.
    pub(crate) fn has_waited(&self) -> bool {
        self.format >= WITH_WAITED
    }

    /// Whether rows have checksums.
    pub(crate) fn has_checksums(&self) -> bool {
        self.format >= WITH_CHECKSUMS
    }

    /// What contradicts the checksums, outside of frames.
    pub(crate) fn faults(&self) -> &[String] {
        &self.faults
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> RecordingError {
        RecordingError::database(&self.path, error)
    }

    /// A value as it was when the recording was opened; empty if it is not there.
    fn value(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    fn read_about(&self) -> About {
        let text = |key: &str| self.value(key).to_owned();
        About {
            source: text("source"),
            command_line: text("command_line"),
            host: text("host"),
            isotherm_version: text("isotherm_version"),
            clock: Clock::from_text(self.value("clock")).unwrap_or_default(),
            started: Timestamp::new(self.value("started_ns").parse().unwrap_or_default()),
        }
    }

    /// What the recording says about itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The account of the input that was recorded.
    pub fn account(&self) -> Account {
        let number = |key: &str| self.value(&format!("tally.{key}")).parse().unwrap_or_default();
        Account {
            records: number("records"),
            rejected: number("rejected"),
            rejected_events: number("rejected_events"),
            lost: number("lost"),
            ignored_lines: number("ignored_lines"),
            clock: self.about.clock,
            ..Account::default()
        }
    }

    /// What was let go of; `None` for a recording that keeps everything.
    pub fn let_go(&self) -> Result<Option<LetGo>, RecordingError> {
        let values = meta::read(&self.connection, self.has_checksums());
        let values = values.map_err(|error| self.failed(error))?.values;
        let text = |key: &str| values.get(key).map_or("", String::as_str);
        let number = |key: &str| text(key).parse::<u64>().ok();
        let Some(keep) = number(rotation::KEEP) else { return Ok(None) };
        let until = text(rotation::UNTIL).parse().ok().map(Timestamp::new);
        let frames = number(rotation::FRAMES).unwrap_or_default();
        let events = number(rotation::EVENTS).unwrap_or_default();
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

    /// The length that most intervals have, of several the longest; `None` when nothing was recorded.
    pub fn usual_interval(&self) -> Result<Option<Nanos>, RecordingError> {
        let query = "select end_ns - start_ns as length from tick where end_ns > start_ns \
             group by length order by count(*) desc, length desc limit 1";
        let length: Option<i64> = self
            .connection
            .query_row(query, [], |row| row.get(0))
            .optional()
            .map_err(|error| self.failed(error))?;
        Ok(length.and_then(|ns| u64::try_from(ns).ok()).map(Nanos::new))
    }

    /// The marks, oldest first.
    pub fn marks(&self) -> Result<Vec<RecordedMark>, RecordingError> {
        self.marks_after(0).map(|marks| marks.into_iter().map(|(_, mark)| mark).collect())
    }

    /// The marks written after the one numbered `after`, with their numbers.
    pub fn marks_after(&self, after: i64) -> Result<Vec<(i64, RecordedMark)>, RecordingError> {
        let crc = if self.has_checksums() { "crc" } else { "null" };
        let query = format!(
            "select rowid, at_ns, text, origin, {crc} from mark where rowid > ?1
            and at_ns > coalesce((select cast(value as integer) from meta where key = ?2), at_ns - 1)
            order by at_ns, rowid"
        );
        let read = || {
            let mut statement = self.connection.prepare_cached(&query)?;
            let mut rows = statement.query(params![after, rotation::UNTIL])?;
            let mut marks = Vec::new();
            while let Some(row) = rows.next()? {
                // One that is damaged is reported with the frames.
                if !self.has_checksums() || checksum::holds(row, 1..4)? {
                    let at = Timestamp::new(row.get(1)?);
                    marks.push((
                        row.get(0)?,
                        RecordedMark { at, text: row.get(2)?, origin: row.get(3)? },
                    ));
                }
            }
            Ok(marks)
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

    /// Whether the recording was ended as it should be. One that is not may be written at this moment,
    /// or its writer was broken off.
    pub fn has_ended(&self) -> Result<bool, RecordingError> {
        let meta = meta::read(&self.connection, self.has_checksums());
        let meta = meta.map_err(|error| self.failed(error))?;
        // Older formats do not say.
        Ok(!self.has_checksums() || meta.values.contains_key(meta::SEAL))
    }

    /// Whether nothing was recorded, and nobody said that it ended.
    pub(crate) fn is_abandoned(&self) -> bool {
        let nothing = "select not exists(select 1 from tick) and not exists(select 1 from mark)";
        let nothing = self.connection.query_row(nothing, [], |row| row.get(0));
        nothing.unwrap_or(false)
            && self.has_checksums()
            && self.faults.is_empty()
            && !self.values.contains_key(meta::SEAL)
    }

    /// The number of the last interval; 0 when nothing was recorded.
    pub(crate) fn last_tick(&self) -> Result<i64, RecordingError> {
        let query = "select coalesce(max(id), 0) from tick";
        self.connection.query_row(query, [], |row| row.get(0)).map_err(|error| self.failed(error))
    }

    /// The schemes, with their ids; why one cannot be read.
    pub(crate) fn schemes(&self) -> Result<Schemes, RecordingError> {
        let crc = if self.has_checksums() { "crc" } else { "null" };
        let query = format!("select id, bounds, {crc} from scheme");
        let read = || {
            let mut statement = self.connection.prepare(&query)?;
            let mut rows = statement.query([])?;
            let (mut schemes, mut total) = (Schemes::new(), 0_usize);
            while let Some(row) = rows.next()? {
                let scheme = if total > bounds::ALL_BOUNDS {
                    Err(format!("more than {} bucket bounds in all", bounds::ALL_BOUNDS))
                } else {
                    self.whole(row, 0..2)?.and_then(|()| scheme_of(row))
                };
                total += scheme.as_ref().map_or(0, |scheme| scheme.bounds().len());
                schemes.insert(row.get(0)?, scheme);
            }
            Ok(schemes)
        };
        read().map_err(|error| self.failed(error))
    }

    /// The series with the schemes of their frames, by id.
    pub(crate) fn stored(&self) -> Result<Stored, RecordingError> {
        let crc = if self.has_checksums() { "crc" } else { "null" };
        let query = format!(
            "select id, name, attributes, scheme, {crc} from series where id between 0 and 65535"
        );
        let read = |schemes: &Schemes| {
            let mut statement = self.connection.prepare_cached(&query)?;
            let mut rows = statement.query([])?;
            let mut stored = Stored::new();
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                let series = self.whole(row, 0..4)?.and_then(|()| series_of(row, schemes));
                stored.insert(id, series.map_err(|why| format!("series {id}: {why}")));
            }
            Ok(stored)
        };
        // Series first would miss the scheme of one that appears meanwhile; both are only added to.
        let transaction = self.connection.unchecked_transaction();
        let transaction = transaction.map_err(|error| self.failed(error))?;
        let stored = read(&self.schemes()?).map_err(|error| self.failed(error));
        drop(transaction);
        stored
    }

    /// Whether a row has its checksum, in a format that has them.
    pub(crate) fn whole(
        &self,
        row: &Row<'_>,
        columns: Range<usize>,
    ) -> rusqlite::Result<Result<(), String>> {
        let whole = !self.has_checksums() || checksum::holds(row, columns)?;
        Ok(if whole { Ok(()) } else { Err("it does not have its checksum".to_owned()) })
    }

    pub(crate) fn damaged(&self, place: String, why: String) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), place, why }
    }
}

fn scheme_of(row: &Row<'_>) -> Result<Scheme, String> {
    let bounds = row.get_ref(1).map_err(|error| error.to_string())?;
    codec::scheme_from(bounds.as_str().map_err(|error| error.to_string())?)
}

fn series_of(row: &Row<'_>, schemes: &Schemes) -> Result<(Series, Scheme), String> {
    let text = |column| row.get::<_, String>(column).map_err(|error| error.to_string());
    let series = codec::series_from(text(1)?, &text(2)?)?;
    let id: i64 = row.get(3).map_err(|error| error.to_string())?;
    let scheme = schemes.get(&id).cloned().unwrap_or_else(|| Err("it is missing".to_owned()));
    // What is wrong with the bounds says so itself.
    let scheme = scheme.map_err(|why| format!("its scheme {id}: {why}"))?;
    Ok((series.with_detail(scheme.detail()), scheme))
}

/// What is wrong with marks.
fn damaged_marks(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("select at_ns, text, origin, crc, rowid from mark")?;
    let mut rows = statement.query([])?;
    let mut faults = Vec::new();
    while let Some(row) = rows.next()? {
        if !checksum::holds(row, 0..3)? && faults.len() < bounds::META {
            faults.push(format!("mark {}: it does not have its checksum", row.get::<_, i64>(4)?));
        }
    }
    Ok(faults)
}
