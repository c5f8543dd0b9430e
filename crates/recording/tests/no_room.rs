//! A full disk and a medium that cannot be written: on file systems of their own, which only root
//! may mount; without that the tests say that they did nothing.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod given;

use std::path::Path;
use std::process::Command;

use given::{about, frame, frames};
use isotherm_frame::{Frame, Series};
use isotherm_recording::{Durability, Reader, RecordingError, Writer};
use testing::bounded;

/// A mount that goes when it is dropped.
struct Mount(tempfile::TempDir);

impl Mount {
    /// A file system in memory of so many KiB; `None` when we may not mount.
    fn small(kib: u64) -> Option<Mount> {
        let dir = tempfile::tempdir().unwrap();
        let options = format!("size={kib}k");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(dir.path());
        let mounted = bounded::try_output(&mut mount);
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Mount(dir));
        }
        eprintln!("SKIPPED: mounting a small file system is not allowed here");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// From now on nothing can be written.
    fn close(&self) {
        let mut mount = Command::new("mount");
        assert!(bounded::status(mount.args(["-o", "remount,ro"]).arg(self.path())).success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = bounded::try_output(Command::new("umount").arg(self.path()));
    }
}

/// An interval of 50 series.
fn interval(second: i64) -> Vec<Frame> {
    let name = |n: u64| Series::named(format!("series {n}"));
    (0..50).map(|n| frame(&name(n), second, &[0, 10, 20], &[n, 1_000_000])).collect()
}

#[test]
fn a_full_disk_refuses_whole_intervals_and_recording_goes_on_when_there_is_room() {
    let Some(mount) = Mount::small(1_024) else { return };
    let path = mount.path().join("x.heat");
    let ballast = mount.path().join("ballast");
    std::fs::write(&ballast, vec![1; 400 * 1_024]).unwrap();
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    let mut written = 0;
    let refused = loop {
        match writer.write(&interval(written)) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 10_000, "the disk never filled");
    };
    assert!(matches!(refused, RecordingError::DiskFull(_)), "{refused:?}");
    assert!(written > 10, "{written}");
    let recorded = |until: i64| (0..until).flat_map(interval).collect::<Vec<Frame>>();
    assert_eq!(frames(&path), recorded(written), "readable while the disk is full");
    // Refused again and again, also with a series that is new.
    let new = frame(&Series::named("new"), written, &[0, 7], &[1]);
    let with_new = [vec![new], interval(written)].concat();
    assert!(writer.write(&with_new).is_err());
    assert!(writer.write(&with_new).is_err());

    std::fs::remove_file(&ballast).unwrap();
    writer.write(&with_new).unwrap();
    writer.write(&interval(written + 1)).unwrap();
    let read = frames(&path);
    assert_eq!(read.len(), recorded(written + 2).len() + 1);
    assert_eq!(Reader::open(&path).unwrap().series().unwrap().len(), 51);
    writer.finish().unwrap();
    assert_eq!(frames(&path), read);
}

#[test]
fn a_recording_that_could_not_be_begun_leaves_nothing_in_the_way() {
    let Some(mount) = Mount::small(64) else { return };
    let ballast = mount.path().join("ballast");
    let filled = std::fs::write(&ballast, vec![1; 56 * 1_024]);
    filled.unwrap();
    let path = mount.path().join("x.heat");
    let refused = Writer::create(&path, &about(), Durability::Normal).unwrap_err();
    assert!(matches!(refused, RecordingError::DiskFull(_)), "{refused:?}");
    let left: Vec<_> =
        std::fs::read_dir(mount.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["ballast"]);
}

#[test]
fn a_recording_on_a_read_only_medium_is_read_as_it_is() {
    let Some(mount) = Mount::small(4_096) else { return };
    let path = mount.path().join("100% done? #1.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&interval(0)).unwrap();
    writer.finish().unwrap();
    // One that nobody finished: the medium says WAL, and there is no log beside it.
    let torn = mount.path().join("torn.heat");
    std::fs::copy(&path, &torn).unwrap();
    let connection = rusqlite::Connection::open(&torn).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    drop(connection);
    mount.close();
    assert_eq!(frames(&path), interval(0));
    assert_eq!(frames(&torn), interval(0));
    let refused = Writer::append_to(&path, Durability::Normal);
    assert!(matches!(refused, Err(RecordingError::Io { .. })), "{refused:?}");
}
