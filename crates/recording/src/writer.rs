//! Writing a recording.

use std::path::{Path, PathBuf};

use isotherm_frame::{Account, Frame, Nanos};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params};

use crate::batch::{Batch, Known, Refused};
use crate::earlier::Earlier;
use crate::lock::Lock;
use crate::place::{self, Lost, Place};
use crate::rotation::{self, Rotation};
use crate::{
    About, RecordedMark, RecordingError, beginning, checksum, connect, layout, limits, meta,
    upgrade,
};

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
    /// The file as it was when last looked at.
    place: Place,
    /// What the recording says about itself, and how safe it is to be: also of one that goes on
    /// beside it.
    about: About,
    durability: Durability,
    /// What was there before it is continued, and how many frames were written into time that it
    /// covers.
    earlier: Option<Earlier>,
    overlapping: u64,
}

/// Puts a finished recording in the place of the one that is there, of which nothing stays, or gives it the
/// name if that is free. What is no recording, or is being written to, is an error and stays.
pub fn put_in_place(finished: &Path, path: &Path) -> Result<(), RecordingError> {
    match replaceable(path)? {
        Some((target, _lock)) => beginning::put(finished, &target),
        None => beginning::put(finished, path),
    }
}

/// Removes a recording that nobody is writing to, as one that was broken off; nothing where no file has the
/// name. What is no recording is an error and stays.
pub fn discard(path: &Path) -> Result<(), RecordingError> {
    replaceable(path)?.map_or(Ok(()), |(target, _lock)| beginning::remove(&target))
}

/// The recording that a path leads to, locked, if there is a file of that name.
fn replaceable(path: &Path) -> Result<Option<(PathBuf, Lock)>, RecordingError> {
    let Ok(target) = std::fs::canonicalize(path) else {
        // A link to nothing is there, too: what it leads to is not ours to make.
        let is_free = path.symlink_metadata().is_err();
        return if is_free { Ok(None) } else { Err(RecordingError::Exists(path.to_owned())) };
    };
    if !beginning::is_recording_or_empty(&target) {
        let why = "it is not replaced".to_owned();
        return Err(RecordingError::NotARecording { path: path.to_owned(), why });
    }
    let mut lock = Lock::take(&target)?;
    beginning::remove_remainders(&target);
    lock.hold_file(&target)?;
    Ok(Some((target, lock)))
}

impl Writer {
    /// Begins a recording in a new file.
    pub fn create(
        path: &Path,
        about: &About,
        durability: Durability,
    ) -> Result<Writer, RecordingError> {
        // A link to nothing is there, too: what it leads to is not ours to make.
        if path.symlink_metadata().is_ok() && !beginning::is_abandoned(path) {
            // What a killed recorder left beside it is of no use to anybody; its lock goes with ours.
            if crate::Reader::open(path).is_ok()
                && let Ok(_lock) = Lock::take(path)
            {
                beginning::remove_remainders(path);
            }
            return Err(RecordingError::Exists(path.to_owned()));
        }
        let mut lock = Lock::take(path)?;
        if path.exists() {
            lock.hold_file(path)?;
            if !beginning::is_abandoned(path) {
                return Err(RecordingError::Exists(path.to_owned()));
            }
            beginning::remove(path)?;
        }
        beginning::begin(path, about)?;
        lock.hold_file(path)?;
        Writer::open(path, (about.clone(), durability), lock)
    }

    /// Goes on at the end of a recording.
    pub fn append_to(path: &Path, durability: Durability) -> Result<Writer, RecordingError> {
        drop(crate::Reader::open(path)?);
        let mut lock = Lock::take(path)?;
        beginning::remove_remainders(path);
        lock.hold_file(path)?;
        let reader = crate::Reader::open(path)?;
        // What is damaged would be taken for whole once this ends and says how much there is.
        if let Some(fault) = reader.faults().first() {
            return Err(reader.damaged(fault.clone(), "record into another file".to_owned()));
        }
        let (known, format) = (Known::read(&reader)?, reader.format());
        let about = reader.about().clone();
        let earlier =
            reader.span()?.map(|(_, until)| Earlier { until, last_tick: known.last_tick() });
        drop(reader);
        let mut writer =
            Writer { known, earlier, ..Writer::open(path, (about, durability), lock)? };
        let failed = |error| RecordingError::database(path, error);
        if format < layout::FORMAT {
            upgrade::upgrade(&mut writer.connection, format).map_err(failed)?;
        }
        layout::add_views(&writer.connection).map_err(failed)?;
        meta::remove(&writer.connection, meta::SEAL).map_err(failed)?;
        Ok(writer)
    }

    fn open(
        path: &Path,
        (about, durability): (About, Durability),
        lock: Lock,
    ) -> Result<Writer, RecordingError> {
        let connection = connect::for_writing(path, OpenFlags::empty())?;
        let synchronous = if durability == Durability::Full { "full" } else { "normal" };
        let set = connection
            .pragma_update(None, "journal_mode", "wal")
            .and_then(|()| connection.pragma_update(None, "synchronous", synchronous));
        set.map_err(|error| RecordingError::database(path, error))?;
        let (place, path) = (Place::of(path), path.to_owned());
        let (known, rotation, earlier) = (Known::default(), None, None);
        Ok(Writer {
            path,
            connection,
            known,
            rotation,
            lock,
            place,
            about,
            durability,
            earlier,
            overlapping: 0,
        })
    }

    /// Keeps only the latest `length` from now on: whatever is written, what ends that long before
    /// it goes in the same transaction, marks included. The space is used again, so that the file
    /// stops growing. A recording that was begun to keep everything is never made to forget.
    ///
    /// What is latest is recognised by the times of the frames, not by a clock: while nothing is written
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

    fn set(&self, key: &str, value: &str) -> Result<(), RecordingError> {
        meta::set(&self.connection, key, value).map_err(|error| self.failed(error))
    }

    /// Says what the timestamps count from, once that is known.
    pub fn set_clock(&mut self, clock: isotherm_frame::Clock) -> Result<(), RecordingError> {
        self.about.clock = clock;
        self.set("clock", &clock.to_string())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes frames in one transaction. When it fails nothing of it is written, and the writer
    /// can be used again; not after [`RecordingError::Lost`], when nobody knows what has become of
    /// the frames and [`Writer::go_on_beside`] is left.
    pub fn write(&mut self, frames: &[Frame]) -> Result<(), RecordingError> {
        self.write_batch(frames, false).map(drop)
    }

    /// The same, but frames of series that are too large, or too many, do not keep the others out:
    /// they are left out, and it is said which.
    pub fn write_what_fits(&mut self, frames: &[Frame]) -> Result<Option<Refused>, RecordingError> {
        self.write_batch(frames, true)
    }

    /// How many frames were written, since the recording is continued, into time in which their
    /// series has frames already: their counts are added up. A clock that stepped back does that,
    /// and so does a second input of the same time.
    pub fn overlapping(&self) -> u64 {
        self.overlapping
    }

    fn count_overlapping(&self, frames: &[Frame]) -> rusqlite::Result<u64> {
        let Some(earlier) = self.earlier else { return Ok(0) };
        let mut overlapping = 0;
        for frame in frames {
            let ids = self.known.ids(&frame.series);
            overlapping += u64::from(earlier.overlaps(&self.connection, frame, ids)?);
        }
        Ok(overlapping)
    }

    fn check_place(&mut self) -> Result<(), RecordingError> {
        let lost = |what| Err(RecordingError::Lost { path: self.path.clone(), what });
        self.place.look().map_or(Ok(()), lost)
    }

    /// After the file was moved, deleted, replaced or cut short: ends what was written to it as
    /// well as can be, and goes on in a new file beside it.
    pub fn go_on_beside(&mut self) -> Result<(), RecordingError> {
        let path = place::next_name(&self.path);
        let path = path.ok_or_else(|| RecordingError::Exists(self.path.clone()))?;
        let mut next = Writer::create(&path, &self.about, self.durability)?;
        if let Some(rotation) = &self.rotation {
            next.keep(rotation.keep())?;
        }
        std::mem::replace(self, next).leave();
        Ok(())
    }

    /// Closes a file that is no longer where it was.
    fn leave(mut self) {
        let lost = self.place.look();
        let Writer { path, connection, lock, .. } = self;
        if lost == Some(Lost::CutShort) {
            // Taking in the log would make it look like a recording again.
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        } else {
            // A file that was moved gets the rest of what was recorded.
            let _ = connection.execute_batch("pragma wal_checkpoint(truncate);");
        }
        drop(connection);
        if lost == Some(Lost::Gone) {
            for suffix in ["-wal", "-shm"] {
                let _ = std::fs::remove_file(place::beside(&path, suffix));
            }
        }
        drop(lock);
    }

    fn write_batch(
        &mut self,
        frames: &[Frame],
        in_part: bool,
    ) -> Result<Option<Refused>, RecordingError> {
        self.check_place()?;
        let overlapping = self.count_overlapping(frames).map_err(|error| self.failed(error))?;
        let failed = |error| RecordingError::database(&self.path, error);
        let transaction = self.connection.transaction().map_err(failed)?;
        let mut batch = Batch::new(&mut self.known, &transaction);
        let written = batch.write(frames, &self.path);
        let added = batch.into_added();
        let written = written.and_then(|refused| match refused {
            Some(refused) if !in_part => Err(refused.reason),
            refused => Ok(refused),
        });
        let turned = written.and_then(|refused| match &mut self.rotation {
            Some(rotation) => rotation.turn(&transaction, frames).map_err(failed).map(|()| refused),
            None => Ok(refused),
        });
        let done = turned.and_then(|refused| {
            transaction.commit().map_err(failed)?;
            Ok(refused)
        });
        match done {
            Ok(_) => self.overlapping += overlapping,
            Err(_) => self.known.forget(added),
        }
        let refused = done?;
        self.check_place()?;
        Ok(refused)
    }

    /// Writes a mark.
    pub fn mark(&mut self, mark: &RecordedMark) -> Result<(), RecordingError> {
        insert_mark(&self.connection, mark).map_err(|error| self.failed(error))
    }

    /// Keeps the account of the input; of an appended recording both accounts together.
    pub fn add_account(&mut self, account: &Account) -> Result<(), RecordingError> {
        let values = [
            ("records", account.records),
            ("rejected", account.rejected),
            ("rejected_events", account.rejected_events),
            ("lost", account.lost),
            ("ignored_lines", account.ignored_lines),
        ];
        let failed = |error| RecordingError::database(&self.path, error);
        let transaction = self.connection.transaction().map_err(failed)?;
        for (key, value) in values {
            if !meta::add(&transaction, &format!("tally.{key}"), value).map_err(failed)? {
                let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
                return Err(RecordingError::TooLarge {
                    path: self.path.clone(),
                    what: format!("{key} of this input beside those of others"),
                    found: whole(value),
                    most: whole(limits::MOST),
                });
            }
        }
        transaction.commit().map_err(failed)
    }

    /// Ends the recording, leaving exactly one file. While a reader is looking, the log stays
    /// beside it and goes with the last reader.
    pub fn finish(mut self) -> Result<(), RecordingError> {
        if let Err(lost) = self.check_place() {
            self.leave();
            return Err(lost);
        }
        let Writer { path, connection, lock, .. } = self;
        let sealed = meta::contents(&connection)
            .and_then(|contents| meta::set(&connection, meta::SEAL, &contents));
        let closed = sealed
            .and_then(|()| {
                connection.execute_batch("pragma optimize; pragma wal_checkpoint(truncate);")
            })
            .and_then(|()| connection.pragma_update(None, "journal_mode", "delete"));
        let busy = matches!(&closed, Err(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy));
        drop(connection);
        drop(lock);
        if busy { Ok(()) } else { closed.map_err(|error| RecordingError::database(&path, error)) }
    }
}

/// Adds a mark to a recording, also while another process writes it.
pub fn mark(path: &Path, mark: &RecordedMark) -> Result<(), RecordingError> {
    let has_checksums = crate::Reader::open(path)?.has_checksums();
    let connection = connect::for_writing(path, OpenFlags::empty())?;
    let inserted = if has_checksums {
        insert_mark(&connection, mark)
    } else {
        let insert = "insert into mark values(?1, ?2, ?3)";
        let row = params![mark.at.as_nanos(), mark.text, mark.origin];
        connection.execute(insert, row).map(drop)
    };
    inserted.map_err(|error| RecordingError::database(path, error))
}

fn insert_mark(connection: &Connection, mark: &RecordedMark) -> rusqlite::Result<()> {
    let at = ValueRef::Integer(mark.at.as_nanos());
    let crc = checksum::of(&[at, checksum::text(&mark.text), checksum::text(&mark.origin)]);
    let insert = "insert into mark values(?1, ?2, ?3, ?4)";
    connection.execute(insert, params![mark.at.as_nanos(), mark.text, mark.origin, crc]).map(drop)
}
