//! Writing a recording.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use isotherm_frame::{Frame, Scheme, Series, Timestamp};
use rusqlite::{Connection, OpenFlags, Transaction, params};

use crate::layout::{self, SERIES_PER_TICK};
use crate::{About, Mark, RecordingError, Tally, codec};

/// How much a crash of the machine may cost. A crash of the program costs nothing written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Power loss may take the last intervals.
    #[default]
    Normal,
    /// Every interval is synced to disk before the next.
    Full,
}

/// Appends frames to a recording.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    connection: Connection,
    schemes: HashMap<Vec<u64>, i64>,
    series: HashMap<(Series, i64), i64>,
    last_tick: i64,
    /// Held locked while we write, so that a second writer is refused.
    lock: (File, PathBuf),
}

/// How long to wait for another process that is writing a mark.
const PATIENCE: Duration = Duration::from_secs(5);

impl Writer {
    /// Begins a recording in a new file.
    pub fn create(
        path: &Path,
        about: &About,
        durability: Durability,
    ) -> Result<Writer, RecordingError> {
        if path.exists() {
            return Err(RecordingError::Exists(path.to_owned()));
        }
        let lock = locked(path)?;
        // Before the log is switched on, so that the file itself says at once what it is.
        let empty = connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        layout::create(&empty).map_err(|error| RecordingError::database(path, error))?;
        drop(empty);
        let writer = Writer::open(path, durability, lock)?;
        writer.describe(about)?;
        Ok(writer)
    }

    /// Goes on at the end of a recording.
    pub fn append_to(path: &Path, durability: Durability) -> Result<Writer, RecordingError> {
        drop(crate::Reader::open(path)?);
        let lock = locked(path)?;
        let mut writer = Writer::open(path, durability, lock)?;
        writer.learn().map_err(|error| writer.failed(error))?;
        Ok(writer)
    }

    fn open(
        path: &Path,
        durability: Durability,
        lock: (File, PathBuf),
    ) -> Result<Writer, RecordingError> {
        let connection = connect(path, OpenFlags::empty())?;
        let synchronous = if durability == Durability::Full { "full" } else { "normal" };
        let set = connection
            .pragma_update(None, "journal_mode", "wal")
            .and_then(|()| connection.pragma_update(None, "synchronous", synchronous));
        set.map_err(|error| RecordingError::database(path, error))?;
        let (schemes, series) = (HashMap::new(), HashMap::new());
        Ok(Writer { path: path.to_owned(), connection, schemes, series, last_tick: 0, lock })
    }

    fn failed(&self, error: rusqlite::Error) -> RecordingError {
        RecordingError::database(&self.path, error)
    }

    fn describe(&self, about: &About) -> Result<(), RecordingError> {
        let values = [
            ("source", about.source.clone()),
            ("command_line", about.command_line.clone()),
            ("host", about.host.clone()),
            ("isotherm_version", about.isotherm_version.clone()),
            ("clock", about.clock.to_string()),
            ("started_ns", about.started.as_nanos().to_string()),
        ];
        for (key, value) in values {
            self.set(key, &value)?;
        }
        Ok(())
    }

    fn set(&self, key: &str, value: &str) -> Result<(), RecordingError> {
        let set = "insert into meta values(?1, ?2) on conflict do update set value = ?2";
        let done = self.connection.execute(set, params![key, value]);
        done.map(drop).map_err(|error| self.failed(error))
    }

    /// Says what the timestamps count from, once that is known.
    pub fn set_clock(&mut self, clock: isotherm_frame::Clock) -> Result<(), RecordingError> {
        self.set("clock", &clock.to_string())
    }

    /// Reads what is already there.
    fn learn(&mut self) -> rusqlite::Result<()> {
        let mut query = self.connection.prepare("select id, bounds from scheme")?;
        let schemes = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        for scheme in schemes {
            let (id, bounds): (i64, String) = scheme?;
            if let Ok(scheme) = codec::scheme_from(&bounds) {
                self.schemes.insert(scheme.bounds().to_vec(), id);
            }
        }
        let mut query =
            self.connection.prepare("select id, name, attributes, scheme from series")?;
        let known = query.query_map([], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get(3)?))
        })?;
        for row in known {
            let (id, name, attributes, scheme): (i64, String, String, i64) = row?;
            if let Ok(series) = codec::series_from(name, &attributes) {
                self.series.insert((series, scheme), id);
            }
        }
        let last = "select coalesce(max(id), 0) from tick";
        self.last_tick = self.connection.query_row(last, [], |row| row.get(0))?;
        Ok(())
    }

    /// Writes frames in one transaction. When it fails nothing of it is written, and the writer
    /// can be used again.
    pub fn write(&mut self, frames: &[Frame]) -> Result<(), RecordingError> {
        let mut batch = Batch {
            schemes: self.schemes.clone(),
            series: self.series.clone(),
            last_tick: self.last_tick,
        };
        let path = self.path.clone();
        let transaction = self.connection.transaction();
        let transaction = transaction.map_err(|error| RecordingError::database(&path, error))?;
        batch.write(&transaction, frames, &path)?;
        transaction.commit().map_err(|error| RecordingError::database(&path, error))?;
        (self.schemes, self.series, self.last_tick) =
            (batch.schemes, batch.series, batch.last_tick);
        Ok(())
    }

    /// Writes a mark.
    pub fn mark(&mut self, mark: &Mark) -> Result<(), RecordingError> {
        insert_mark(&self.connection, mark).map_err(|error| self.failed(error))
    }

    /// Keeps the account of the input; of an appended recording both accounts together.
    pub fn add_tally(&mut self, tally: &Tally) -> Result<(), RecordingError> {
        let values = [
            ("records", tally.records),
            ("rejected", tally.rejected),
            ("rejected_events", tally.rejected_events),
            ("lost", tally.lost),
            ("ignored_lines", tally.ignored_lines),
        ];
        for (key, value) in values {
            let add = "insert into meta values(?1, ?2)
                on conflict do update set value = cast(value as integer) + ?2";
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            let done = self.connection.execute(add, params![format!("tally.{key}"), value]);
            done.map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    /// Ends the recording, leaving exactly one file.
    pub fn finish(self) -> Result<(), RecordingError> {
        let Writer { path, connection, lock, .. } = self;
        let closed = connection
            .execute_batch("pragma optimize; pragma wal_checkpoint(truncate);")
            .and_then(|()| connection.pragma_update(None, "journal_mode", "delete"));
        // A reader that is still looking keeps the log alive; it goes with the reader.
        let busy = matches!(&closed, Err(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy));
        drop(connection);
        let _ = std::fs::remove_file(&lock.1);
        if busy { Ok(()) } else { closed.map_err(|error| RecordingError::database(&path, error)) }
    }
}

/// What a transaction adds to what the writer knows.
struct Batch {
    schemes: HashMap<Vec<u64>, i64>,
    series: HashMap<(Series, i64), i64>,
    last_tick: i64,
}

impl Batch {
    fn write(
        &mut self,
        transaction: &Transaction,
        frames: &[Frame],
        path: &Path,
    ) -> Result<(), RecordingError> {
        let failed = |error| RecordingError::database(path, error);
        let mut ticks: HashMap<(Timestamp, Timestamp), i64> = HashMap::new();
        for frame in frames {
            let scheme = self.scheme(transaction, frame.counts.scheme()).map_err(failed)?;
            let series = self.series(transaction, &frame.series, scheme).map_err(failed)?;
            if series >= SERIES_PER_TICK {
                return Err(RecordingError::TooManySeries(path.to_owned()));
            }
            let (start, end) = (frame.start, frame.end);
            let tick = match ticks.get(&(start, end)) {
                Some(tick) => *tick,
                None => self.tick(transaction, start, end).map_err(failed)?,
            };
            ticks.insert((start, end), tick);
            let tick = self.insert(transaction, frame, (tick, series)).map_err(failed)?;
            ticks.insert((start, end), tick);
        }
        Ok(())
    }

    fn tick(
        &mut self,
        transaction: &Transaction,
        start: Timestamp,
        end: Timestamp,
    ) -> rusqlite::Result<i64> {
        self.last_tick += 1;
        transaction.prepare_cached("insert into tick values(?1, ?2, ?3)")?.execute(params![
            self.last_tick,
            start.as_nanos(),
            end.as_nanos()
        ])?;
        Ok(self.last_tick)
    }

    /// Inserts a frame; a second frame of one series in one interval gets a tick of its own.
    /// Gives the tick used.
    fn insert(
        &mut self,
        transaction: &Transaction,
        frame: &Frame,
        (tick, series): (i64, i64),
    ) -> rusqlite::Result<i64> {
        let (lo, counts) = codec::counts_text(&frame.counts);
        let sum = frame.counts.sum().and_then(|sum| i64::try_from(sum.as_nanos()).ok());
        let complete = frame.quality == isotherm_frame::Quality::Complete;
        let quality = (!complete).then(|| frame.quality.to_string());
        let insert = "insert or ignore into frame values(?1, ?2, ?3, ?4, ?5)";
        let mut statement = transaction.prepare_cached(insert)?;
        let id = tick * SERIES_PER_TICK + series;
        if statement.execute(params![id, lo, counts, sum, quality])? > 0 {
            return Ok(tick);
        }
        let tick = self.tick(transaction, frame.start, frame.end)?;
        let id = tick * SERIES_PER_TICK + series;
        statement.execute(params![id, lo, counts, sum, quality])?;
        Ok(tick)
    }

    fn scheme(&mut self, transaction: &Transaction, scheme: &Scheme) -> rusqlite::Result<i64> {
        if let Some(id) = self.schemes.get(scheme.bounds()) {
            return Ok(*id);
        }
        transaction
            .execute("insert into scheme(bounds) values(?1)", [codec::bounds_text(scheme)])?;
        let id = transaction.last_insert_rowid();
        self.schemes.insert(scheme.bounds().to_vec(), id);
        Ok(id)
    }

    fn series(
        &mut self,
        transaction: &Transaction,
        series: &Series,
        scheme: i64,
    ) -> rusqlite::Result<i64> {
        if let Some(id) = self.series.get(&(series.clone(), scheme)) {
            return Ok(*id);
        }
        let id = i64::try_from(self.series.len()).unwrap_or(i64::MAX);
        if id < SERIES_PER_TICK {
            transaction.execute(
                "insert into series values(?1, ?2, ?3, ?4)",
                params![id, series.name(), codec::attributes_text(series), scheme],
            )?;
            self.series.insert((series.clone(), scheme), id);
        }
        Ok(id)
    }
}

/// Adds a mark to a recording, also while another process writes it.
pub fn mark(path: &Path, mark: &Mark) -> Result<(), RecordingError> {
    drop(crate::Reader::open(path)?);
    let connection = connect(path, OpenFlags::empty())?;
    insert_mark(&connection, mark).map_err(|error| RecordingError::database(path, error))
}

fn insert_mark(connection: &Connection, mark: &Mark) -> rusqlite::Result<()> {
    let insert = "insert into mark values(?1, ?2, ?3)";
    connection.execute(insert, params![mark.at.as_nanos(), mark.text, mark.origin]).map(drop)
}

fn connect(path: &Path, more: OpenFlags) -> Result<Connection, RecordingError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let failed = |error| RecordingError::database(path, error);
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    Ok(connection)
}

/// A lock beside the recording that the system gives up when we end, however we end.
fn locked(path: &Path) -> Result<(File, PathBuf), RecordingError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push("-lock");
    let lock_path = path.with_file_name(name);
    let io = |source| RecordingError::Io { path: path.to_owned(), source };
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock_path)
        .map_err(io)?;
    if file.try_lock().is_err() {
        let mut pid = String::new();
        let _ = file.read_to_string(&mut pid);
        return Err(RecordingError::InUse { path: path.to_owned(), pid: pid.trim().to_owned() });
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
    writeln!(file, "{}", std::process::id()).map_err(io)?;
    Ok((file, lock_path))
}
