//! A file that is moved, deleted, replaced, cut short or linked to while it is recorded into, and a
//! recorder that dies while it begins.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::path::{Path, PathBuf};

use given::{about, frame, frames};
use isotherm_frame::{Frame, Nanos, Series};
use isotherm_recording::{Durability, Lost, Reader, RecordingError, Writer};

fn second(second: i64) -> [Frame; 1] {
    [frame(&Series::named("one"), second, &[0, 10, 20], &[second.unsigned_abs(), 1])]
}

fn seconds(range: std::ops::Range<i64>) -> Vec<Frame> {
    range.flat_map(second).collect()
}

/// Writes five seconds, lets something happen to the file, and five more wherever they can be
/// written; gives what was noticed and where the recording went on.
fn recorded(path: &Path, happens: impl FnOnce(&Path)) -> (Lost, PathBuf) {
    let mut writer = Writer::create(path, &about(), Durability::Normal).unwrap();
    (0..5).for_each(|n| writer.write(&second(n)).unwrap());
    happens(path);
    let Err(RecordingError::Lost { what, .. }) = writer.write(&second(5)) else {
        panic!("nothing was noticed");
    };
    writer.go_on_beside().unwrap();
    (5..10).for_each(|n| writer.write(&second(n)).unwrap());
    let next = writer.path().to_owned();
    writer.finish().unwrap();
    (what, next)
}

#[test]
fn a_file_that_goes_is_noticed_and_recording_goes_on_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    let moved = file("moved.heat");
    let (what, next) = recorded(&file("a.heat"), |path| std::fs::rename(path, &moved).unwrap());
    assert_eq!((what, next.clone()), (Lost::Gone, file("a-2.heat")));
    // The file that was moved has what was recorded until then; the new one everything after.
    assert_eq!(frames(&moved), seconds(0..5));
    assert_eq!(frames(&next), seconds(5..10));
    assert_eq!(Reader::open(&next).unwrap().about(), &about());

    let (what, next) = recorded(&file("b.heat"), |path| std::fs::remove_file(path).unwrap());
    assert_eq!((what, frames(&next)), (Lost::Gone, seconds(5..10)));

    let other = b"somebody else's";
    let replace = |path: &Path| {
        std::fs::write(file("other"), other).unwrap();
        std::fs::rename(file("other"), path).unwrap();
    };
    let (what, next) = recorded(&file("c.heat"), replace);
    assert_eq!((what, frames(&next)), (Lost::Replaced, seconds(5..10)));
    assert_eq!(std::fs::read(file("c.heat")).unwrap(), other, "what replaced it is left alone");

    let cut =
        |path: &Path| std::fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap();
    let (what, next) = recorded(&file("d.heat"), cut);
    assert_eq!((what, frames(&next)), (Lost::CutShort, seconds(5..10)));
}

#[test]
fn what_becomes_of_a_file_at_the_very_end_is_noticed_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&second(0)).unwrap();
    std::fs::remove_file(&path).unwrap();
    let ended = writer.finish();
    assert!(matches!(ended, Err(RecordingError::Lost { what: Lost::Gone, .. })), "{ended:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no log of nothing is left");
}

#[test]
fn a_flight_recorder_keeps_its_length_beside() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.keep(Nanos::new(3_000_000_000)).unwrap();
    writer.write(&second(0)).unwrap();
    std::fs::remove_file(&path).unwrap();
    writer.write(&second(1)).unwrap_err();
    writer.go_on_beside().unwrap();
    let next = writer.path().to_owned();
    writer.finish().unwrap();
    let kept = Reader::open(&next).unwrap().let_go().unwrap().unwrap();
    assert_eq!(kept.keep, Nanos::new(3_000_000_000));
}

#[test]
fn a_second_writer_is_refused_by_any_name_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    let path = file("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&second(0)).unwrap();
    std::os::unix::fs::symlink(&path, file("symbolic.heat")).unwrap();
    let mut names = vec!["x.heat", "symbolic.heat"];
    if cfg!(target_os = "linux") {
        std::fs::hard_link(&path, file("hard.heat")).unwrap();
        names.push("hard.heat");
    }
    for name in names {
        let refused = Writer::append_to(&file(name), Durability::Normal);
        assert!(matches!(refused, Err(RecordingError::InUse { .. })), "{name}: {refused:?}");
    }
    writer.write(&second(1)).unwrap();
    writer.finish().unwrap();
    for (number, name) in [(2, "x.heat"), (3, "symbolic.heat")] {
        let mut writer = Writer::append_to(&file(name), Durability::Normal).unwrap();
        writer.write(&second(number)).unwrap();
        writer.finish().unwrap();
    }
    assert_eq!(frames(&path), seconds(0..4));
}

#[test]
fn a_recorder_that_died_while_it_began_is_in_nobodys_way() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let begin = || Writer::create(&path, &about(), Durability::Normal);
    // Killed while the tables were made: SQLite has its journal, and no page of the file.
    std::fs::write(dir.path().join("x.heat-new"), "").unwrap();
    std::fs::write(dir.path().join("x.heat-new-journal"), [0; 512]).unwrap();
    std::fs::write(dir.path().join("x.heat-lock"), "4242\n").unwrap();
    drop(begin().unwrap());
    assert!(path.exists());
    // Ended before the first interval: what drops a writer does not say that it ended well.
    let mut writer = begin().unwrap();
    writer.write(&second(0)).unwrap();
    drop(writer);
    assert!(matches!(begin(), Err(RecordingError::Exists(_))), "there is something in it");
    assert_eq!(frames(&path), seconds(0..1));
    // One that ended well with nothing in it is somebody's answer.
    let empty = dir.path().join("empty.heat");
    Writer::create(&empty, &about(), Durability::Normal).unwrap().finish().unwrap();
    let again = Writer::create(&empty, &about(), Durability::Normal);
    assert!(matches!(again, Err(RecordingError::Exists(_))));
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("-new")), "{names:?}");
}

#[test]
fn a_recording_that_was_whole_and_had_no_name_yet_is_in_nobodys_way() {
    let dir = tempfile::tempdir().unwrap();
    let (path, new) = (dir.path().join("x.heat"), dir.path().join("x.heat-new"));
    drop(Writer::create(&path, &about(), Durability::Normal).unwrap());
    // Killed before it got its name.
    std::fs::rename(&path, &new).unwrap();
    drop(Writer::create(&path, &about(), Durability::Normal).unwrap());
    assert!(path.exists() && !new.exists());
}

#[test]
fn what_a_killed_recorder_left_beside_a_recording_goes_with_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let beside = |name: &str| dir.path().join(name);
    let names = || {
        let found = std::fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<_> = found.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&second(0)).unwrap();
    writer.finish().unwrap();
    for appends in [false, true] {
        // Killed after it got its name: the name that it had before is there still.
        std::fs::hard_link(&path, beside("x.heat-new")).unwrap();
        std::fs::write(beside("x.heat-new-journal"), [0; 512]).unwrap();
        std::fs::write(beside("x.heat-lock"), "4242\n").unwrap();
        if appends {
            Writer::append_to(&path, Durability::Normal).unwrap().finish().unwrap();
        } else {
            let begun = Writer::create(&path, &about(), Durability::Normal);
            assert!(matches!(begun, Err(RecordingError::Exists(_))));
        }
        assert_eq!(names(), ["x.heat"]);
        assert_eq!(frames(&path), seconds(0..1));
    }
    // What somebody else calls so stays.
    std::fs::write(beside("x.heat-new"), "dear diary").unwrap();
    Writer::append_to(&path, Durability::Normal).unwrap().finish().unwrap();
    assert_eq!(names(), ["x.heat", "x.heat-new"]);
}

#[test]
fn what_has_the_name_of_a_beginning_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    for name in ["x.heat-new", "x.heat-new-journal"] {
        let foreign = dir.path().join(name);
        std::fs::write(&foreign, "dear diary").unwrap();
        let refused = Writer::create(&path, &about(), Durability::Normal);
        assert!(
            matches!(&refused, Err(RecordingError::InTheWay(at)) if *at == foreign),
            "{refused:?}"
        );
        assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "dear diary");
        std::fs::remove_file(&foreign).unwrap();
        std::os::unix::fs::symlink("elsewhere", &foreign).unwrap();
        let refused = Writer::create(&path, &about(), Durability::Normal);
        assert!(matches!(refused, Err(RecordingError::InTheWay(_))), "{refused:?}");
        assert!(std::fs::symlink_metadata(&foreign).is_ok() && !path.exists());
        std::fs::remove_file(&foreign).unwrap();
    }
    drop(Writer::create(&path, &about(), Durability::Normal).unwrap());
}

#[test]
fn what_has_the_name_of_a_lock_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let (path, lock) = (dir.path().join("x.heat"), dir.path().join("x.heat-lock"));
    let refused = || {
        let begun = Writer::create(&path, &about(), Durability::Normal);
        assert!(matches!(begun, Err(RecordingError::InTheWay(_))), "{begun:?}");
        let message = begun.unwrap_err().to_string();
        assert!(message.starts_with(&format!("{}: ", lock.display())), "{message}");
        assert!(!path.exists());
    };
    for text in ["my notes\n", "4242 4243\n", "42421234567\n\n", "\n\n"] {
        std::fs::write(&lock, text).unwrap();
        refused();
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), text);
    }
    // A link may lead to the process number of another program.
    let other = dir.path().join("other.pid");
    std::fs::write(&other, "4242\n").unwrap();
    std::fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink(&other, &lock).unwrap();
    refused();
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "4242\n");
    // One that is there in place of the lock at the end stays.
    std::fs::remove_file(&lock).unwrap();
    let writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    assert!(lock.exists());
    std::fs::remove_file(&lock).unwrap();
    std::fs::write(&lock, "mine").unwrap();
    writer.finish().unwrap();
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), "mine");
}
