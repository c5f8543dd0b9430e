//! Files that are no recordings, or not any more: a clear answer, never a panic.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::path::{Path, PathBuf};

use given::{about, frame, frames, with_quality, with_sum};
use isotherm_frame::{Gap, Quality, Scheme, Series};
use isotherm_recording::{Durability, Mark, Reader, RecordingError, Writer, mark};

/// A finished recording of 40 intervals of two series.
fn recording(dir: &Path) -> PathBuf {
    let path = dir.join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    let attributed = Series::with_attributes("read", [("device", "vda")]);
    for second in 0..40 {
        let gap = with_quality(
            frame(&Series::named("write"), second, &[0, 10, Scheme::UNBOUNDED], &[0, 0]),
            Quality::Gap(Gap::Reset),
        );
        let read = with_sum(frame(&attributed, second, &[0, 10, 20, 40], &[1, 200, 3]), 123_456);
        writer.write(&[gap, read]).unwrap();
    }
    let text = "deploy".to_owned();
    writer.mark(&Mark { at: about().started, text, origin: "me".to_owned() }).unwrap();
    writer.finish().unwrap();
    path
}

/// Everything that can be asked of a recording; the frames that could be read.
fn read_all(path: &Path) -> Result<usize, RecordingError> {
    let reader = Reader::open(path)?;
    reader.tally();
    reader.span()?;
    reader.marks()?;
    reader.series()?;
    let mut read = 0;
    for frame in reader.frames(None, None)? {
        frame?;
        read += 1;
    }
    Ok(read)
}

fn said(path: &Path) -> String {
    let said = read_all(path).unwrap_err().to_string();
    said.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&said).to_owned()
}

fn changed(sql: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    read_all(&path).map_or_else(
        |error| error.to_string().replace(&format!("{}: ", path.display()), ""),
        |read| format!("{read} frames"),
    )
}

#[test]
fn what_is_no_recording_is_called_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    assert_eq!(said(&path), "No such file or directory");
    std::fs::write(&path, "").unwrap();
    assert_eq!(said(&path), "not a recording of isotherm: it is empty");
    std::fs::write(&path, "begin record\n".repeat(50)).unwrap();
    assert_eq!(said(&path), "not a recording of isotherm: it is no SQLite database");
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("create table a(b);").unwrap();
    assert_eq!(said(&path), "not a recording of isotherm: it is another program's SQLite database");
    assert!(matches!(
        Writer::append_to(&path, Durability::Normal),
        Err(RecordingError::NotARecording { .. })
    ));
    assert!(matches!(
        Reader::open(dir.path()),
        Err(RecordingError::Io { .. } | RecordingError::NotARecording { .. })
    ));
}

#[test]
fn a_newer_format_is_refused_by_reader_writer_and_mark_and_stays_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert_eq!(
        said(&path),
        "written by a newer isotherm (format 7, this one reads up to 2); use that version to read it"
    );
    let append = Writer::append_to(&path, Durability::Normal);
    assert!(matches!(append, Err(RecordingError::Newer { found: 7, known: 2, .. })));
    let note = Mark { at: about().started, text: "x".into(), origin: "x".into() };
    assert!(matches!(mark(&path, &note), Err(RecordingError::Newer { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn contents_that_contradict_the_format_are_named_with_their_place() {
    let cases = [
        ("update frame set counts = '[1,2' where id = 65537", "damaged at frame 65537: EOF"),
        ("update frame set counts = '[1,-2]' where id = 65537", "damaged at frame 65537: invalid"),
        ("update frame set counts = '[1,2.5]' where id = 65537", "damaged at frame 65537: invalid"),
        (
            "update frame set counts = '[1,2,3,4]' where id = 65537",
            "damaged at frame 65537: more counts",
        ),
        ("update frame set lo = 9 where id = 65537", "damaged at frame 65537: more counts"),
        ("update frame set lo = -1 where id = 65537", "damaged at frame 65537: out of range"),
        (
            "update frame set lo = 9223372036854775807 where id = 65537",
            "damaged at frame 65537: more",
        ),
        ("update frame set sum_ns = -5 where id = 65537", "damaged at frame 65537: out of range"),
        (
            "update frame set quality = 'fine' where id = 65537",
            "damaged at frame 65537: its quality",
        ),
        ("update frame set counts = x'00ff' where id = 65537", "damaged at a row of a table: "),
        ("update tick set start_ns = 'noon' where id = 3", "damaged at a row of a table: "),
        ("delete from tick where id = 3", "damaged at frame 196608: its interval is missing"),
        ("delete from series where id = 1", "damaged at frame 65537: its series is missing"),
        (
            "update scheme set bounds = '[3,2,1]' where id = 1",
            "damaged at frame 65536: series 0: bucket bound 2 ns",
        ),
        (
            "update scheme set bounds = '[null,5]' where id = 1",
            "damaged at frame 65536: series 0: bucket bound 5",
        ),
        (
            "update scheme set bounds = '{}' where id = 1",
            "damaged at frame 65536: series 0: invalid type",
        ),
        (
            "update series set attributes = '[1]' where id = 1",
            "damaged at frame 65537: series 1: invalid type",
        ),
        ("pragma user_version = 0", "damaged at its head: format 0 never was"),
        ("drop view cells; drop table mark", "no such table: mark"),
    ];
    assert_eq!(frames(&recording(tempfile::tempdir().unwrap().path())).len(), 80);
    for (sql, expected) in cases {
        let said = changed(sql);
        assert!(said.starts_with(expected), "{sql}: {said}");
    }
}

#[test]
fn a_frame_that_is_damaged_does_not_hide_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let change = "update frame set counts = 'x' where id in (65537, 131073)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let reader = Reader::open(&path).unwrap();
    let good = reader.frames(None, None).unwrap().flatten().count();
    assert_eq!((good, reader.frames(None, None).unwrap().count()), (78, 80));
}

#[test]
fn a_series_that_is_damaged_does_not_hide_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let change = "update series set attributes = '[' where id = 0";
    rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let reader = Reader::open(&path).unwrap();
    let other = Series::with_attributes("read", [("device", "vda")]);
    assert_eq!(reader.series().unwrap(), std::slice::from_ref(&other));
    let good: Vec<_> = reader.frames(None, None).unwrap().flatten().collect();
    assert_eq!((good.len(), reader.frames(None, None).unwrap().count()), (40, 80));
    drop(reader);
    // Going on with it gives the damaged series' number to no other.
    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    let new = frame(&Series::named("new"), 99, &[0, 10], &[1]);
    writer.write(&[new.clone(), frame(&other, 99, &[0, 10, 20, 40], &[1, 0, 0])]).unwrap();
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    let good: Vec<_> = reader.frames(None, None).unwrap().flatten().collect();
    assert_eq!((good.len(), good.contains(&new)), (42, true));
}

#[test]
fn numbers_at_the_edge_of_their_range_end_reading_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let change = "insert into tick values
        (9223372036854775807, 1, 2), (-9223372036854775808, 1, 2), (1099511627776, 5, 6);
        insert into frame values
        (9223372036854775807, 0, '[1]', null, null, null),
        (-9223372036854775808, 0, '[1]', null, null, null)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let reader = Reader::open(&path).unwrap();
    let read: Vec<_> = reader.frames(None, None).unwrap().collect();
    // The two have no interval of their own: 80 good ones, and two that say so.
    assert_eq!((read.iter().filter(|frame| frame.is_ok()).count(), read.len()), (80, 82));
}

#[test]
fn a_file_cut_anywhere_is_answered() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let cut = dir.path().join("cut.heat");
    for length in (0..whole.len()).step_by(509) {
        std::fs::write(&cut, &whole[..length]).unwrap();
        let read = read_all(&cut);
        assert!(read.is_err(), "{length} of {} bytes: {read:?}", whole.len());
    }
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(said(&cut), "damaged at a page of the file: the file is cut short or damaged");
}

#[test]
fn no_flipped_byte_makes_reading_or_appending_panic_or_hang() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let flipped = dir.path().join("flipped.heat");
    let mut refused = 0;
    // The first 200 bytes one by one, the rest here and there, each with another bit.
    for at in (0..200).chain((200..whole.len()).step_by(151)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&flipped, &bytes).unwrap();
        let unread = read_all(&flipped).is_err();
        refused += usize::from(unread);
        let appended = Writer::append_to(&flipped, Durability::Normal).and_then(|mut writer| {
            writer.write(&[frame(&Series::named("new"), 99, &[0, 10], &[1])])?;
            writer.finish()
        });
        let _ = (appended, read_all(&flipped));
        for beside in ["flipped.heat-wal", "flipped.heat-shm"] {
            let _ = std::fs::remove_file(dir.path().join(beside));
        }
    }
    assert!(refused > 50, "only {refused} flips were noticed");
}
