//! Writing a recording.

use std::path::{Path, PathBuf};

use isotherm_frame::{Frame, Nanos};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params};

use crate::batch::{Batch, Known};
use crate::connect::PATIENCE;
use crate::lock::Lock;
use crate::rotation::{self, Rotation};
use crate::{About, Mark, RecordingError, Tally, checksum, layout, meta, upgrade, without_secrets};

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
    known: Known,
    /// Lets go of what is old, where not everything is to be kept.
    rotation: Option<Rotation>,
    /// Held while we write, so that a second writer is refused.
    lock: Lock,
}

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
        let lock = Lock::take(path)?;
        if path.exists() {
            return Err(RecordingError::Exists(path.to_owned()));
        }
        // Before the log is switched on, so that the file itself says at once what it is.
        let empty = connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        if let Err(error) = layout::create(&empty) {
            // Half a recording would stand in the way of the next attempt.
            let _ = std::fs::remove_file(path);
            return Err(RecordingError::database(path, error));
        }
        drop(empty);
        let writer = Writer::open(path, durability, lock)?;
        writer.describe(about)?;
        Ok(writer)
    }

    /// Goes on at the end of a recording.
    pub fn append_to(path: &Path, durability: Durability) -> Result<Writer, RecordingError> {
        drop(crate::Reader::open(path)?);
        let lock = Lock::take(path)?;
        let reader = crate::Reader::open(path)?;
        // What is damaged would be taken for whole once this ends and says how much there is.
        if let Some(fault) = reader.faults().first() {
            return Err(reader.damaged(fault.clone(), "record into another file".to_owned()));
        }
        let (known, format) = (Known::read(&reader)?, reader.format());
        drop(reader);
        let mut writer = Writer { known, ..Writer::open(path, durability, lock)? };
        let failed = |error| RecordingError::database(path, error);
        if format < layout::FORMAT {
            upgrade::upgrade(&mut writer.connection, format).map_err(failed)?;
        }
        meta::remove(&writer.connection, meta::SEAL).map_err(failed)?;
        Ok(writer)
    }

    fn open(path: &Path, durability: Durability, lock: Lock) -> Result<Writer, RecordingError> {
        let connection = connect(path, OpenFlags::empty())?;
        let synchronous = if durability == Durability::Full { "full" } else { "normal" };
        let set = connection
            .pragma_update(None, "journal_mode", "wal")
            .and_then(|()| connection.pragma_update(None, "synchronous", synchronous));
        set.map_err(|error| RecordingError::database(path, error))?;
        let (path, known, rotation) = (path.to_owned(), Known::default(), None);
        Ok(Writer { path, connection, known, rotation, lock })
    }

    /// Keeps only the latest `length` from now on: whatever is written, what ends that long before
    /// it goes in the same transaction, marks included. The space is used again, so that the file
    /// stops growing. A recording that was begun to keep everything is never made to forget.
    ///
    /// What is latest is told by the times of the frames, not by a clock: while nothing is written
    /// nothing is lost.
    pub fn keep(&mut self, length: Nanos) -> Result<(), RecordingError> {
        let reader = crate::Reader::open(&self.path)?;
        if reader.let_go()?.is_none() && reader.span()?.is_some() {
            return Err(RecordingError::KeepsAll(self.path.clone()));
        }
        let whole = i64::try_from(length.as_nanos()).unwrap_or(i64::MAX);
        self.set(rotation::KEEP, &whole.to_string())?;
        let rotation = Rotation::new(length, &self.connection);
        self.rotation = Some(rotation.map_err(|error| self.failed(error))?);
        Ok(())
    }

    fn failed(&self, error: rusqlite::Error) -> RecordingError {
        RecordingError::database(&self.path, error)
    }

    fn describe(&self, about: &About) -> Result<(), RecordingError> {
        let values = [
            ("source", without_secrets(&about.source)),
            ("command_line", without_secrets(&about.command_line)),
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
        meta::set(&self.connection, key, value).map_err(|error| self.failed(error))
    }

    /// Says what the timestamps count from, once that is known.
    pub fn set_clock(&mut self, clock: isotherm_frame::Clock) -> Result<(), RecordingError> {
        self.set("clock", &clock.to_string())
    }

    /// Writes frames in one transaction. When it fails nothing of it is written, and the writer
    /// can be used again.
    pub fn write(&mut self, frames: &[Frame]) -> Result<(), RecordingError> {
        let failed = |error| RecordingError::database(&self.path, error);
        let transaction = self.connection.transaction().map_err(failed)?;
        let mut batch = Batch::new(&mut self.known, &transaction);
        let written = batch.write(frames, &self.path);
        let added = batch.into_added();
        let turned = written.and_then(|()| match &mut self.rotation {
            Some(rotation) => rotation.turn(&transaction, frames).map_err(failed),
            None => Ok(()),
        });
        let done = turned.and_then(|()| transaction.commit().map_err(failed));
        if done.is_err() {
            self.known.forget(added);
        }
        done
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
        let failed = |error| RecordingError::database(&self.path, error);
        let transaction = self.connection.transaction().map_err(failed)?;
        for (key, value) in values {
            meta::add(&transaction, &format!("tally.{key}"), value).map_err(failed)?;
        }
        transaction.commit().map_err(failed)
    }

    /// Ends the recording, leaving exactly one file. While a reader is looking, the log stays
    /// beside it and goes with the last reader.
    pub fn finish(self) -> Result<(), RecordingError> {
        let Writer { path, connection, lock, .. } = self;
        let sealed = meta::contents(&connection)
            .and_then(|contents| meta::set(&connection, meta::SEAL, &contents));
        let closed = sealed
            .and_then(|()| connection.execute_batch("pragma optimize; pragma wal_checkpoint(truncate);"))
            .and_then(|()| connection.pragma_update(None, "journal_mode", "delete"));
        let busy = matches!(&closed, Err(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy));
        drop(connection);
        drop(lock);
        if busy { Ok(()) } else { closed.map_err(|error| RecordingError::database(&path, error)) }
    }
}

/// Adds a mark to a recording, also while another process writes it.
pub fn mark(path: &Path, mark: &Mark) -> Result<(), RecordingError> {
    let has_checksums = crate::Reader::open(path)?.has_checksums();
    let connection = connect(path, OpenFlags::empty())?;
    let inserted = if has_checksums {
        insert_mark(&connection, mark)
    } else {
        let insert = "insert into mark values(?1, ?2, ?3)";
        let row = params![mark.at.as_nanos(), mark.text, mark.origin];
        connection.execute(insert, row).map(drop)
    };
    inserted.map_err(|error| RecordingError::database(path, error))
}

fn insert_mark(connection: &Connection, mark: &Mark) -> rusqlite::Result<()> {
    let at = ValueRef::Integer(mark.at.as_nanos());
    let crc = checksum::of(&[at, checksum::text(&mark.text), checksum::text(&mark.origin)]);
    let insert = "insert into mark values(?1, ?2, ?3, ?4)";
    connection.execute(insert, params![mark.at.as_nanos(), mark.text, mark.origin, crc]).map(drop)
}

fn connect(path: &Path, more: OpenFlags) -> Result<Connection, RecordingError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let failed = |error| RecordingError::database(path, error);
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    Ok(connection)
}
