//! A recording that several look at, write to, or are torn away from.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a child process announces what it has written")]

mod given;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use given::{about, frame, frames};
use isotherm_frame::{Frame, Series};
use isotherm_recording::{Durability, Reader, RecordedMark, RecordingError, Writer, mark};
use testing::bounded::{self, Child};
use testing::grid;

/// Where a child is told which recording to write, and what to do.
const TOLD: &str = "ISOTHERM_TEST_RECORDING";

/// The frames of a second: two series, whose counts say which second it is.
fn second(second: i64) -> [Frame; 2] {
    let count = u64::try_from(second).unwrap();
    let one = frame(&Series::named("one"), second, &[0, 10, 20], &[count, 1]);
    [one, frame(&Series::named("two"), second, &[0, 10, 20], &[2, count])]
}

/// Runs one test of this file in a process of its own.
fn child(test: &str, recording: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture", "--ignored"])
        .env(TOLD, recording)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    bounded::spawn(&mut command)
}

/// What one test of this file says in a process of its own.
fn answer(test: &str, recording: &Path) -> String {
    let output = child(test, recording).wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    said.lines().find_map(|line| line.strip_prefix("said ").map(str::to_owned)).unwrap()
}

fn found() -> Option<std::path::PathBuf> {
    std::env::var_os(TOLD).map(Into::into)
}

#[test]
#[ignore = "the other process of the tests below"]
fn writes_for_ever() {
    let Some(path) = found() else { return };
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    for n in 0.. {
        writer.write(&second(n)).unwrap();
        println!("\nwrote {n}");
        std::io::stdout().flush().unwrap();
    }
}

#[test]
#[ignore = "the other process of the tests below"]
fn tries_to_write() {
    let Some(path) = found() else { return };
    let said = Writer::append_to(&path, Durability::Normal).map(drop);
    println!("\nsaid {}", said.map_or_else(|error| error.to_string(), |()| "ok".to_owned()));
}

fn announced(line: &str) -> Option<usize> {
    line.strip_prefix("wrote ")?.parse().ok()
}

#[test]
fn what_was_announced_survives_kill_9() {
    let dir = tempfile::tempdir().unwrap();
    // Several times: the moment at which the process dies is another each time.
    for round in 0..grid::cases(200, 5) {
        let path = dir.path().join(format!("{round}.heat"));
        let mut writer = child("writes_for_ever", &path);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let mut last = 0;
        while last < 5 + round % 29 * 7 {
            last = lines.next().unwrap().ok().as_deref().and_then(announced).unwrap_or(last);
        }
        writer.kill().unwrap();
        let rest = lines.map_while(Result::ok);
        let last = rest.filter_map(|line| announced(&line)).last().unwrap_or(last);
        writer.wait().unwrap();

        let read = frames(&path);
        assert!(read.len() >= 2 * (last + 1), "{} frames, {last} announced", read.len());
        // What was written but not yet announced may be there too, never half of it.
        let whole: Vec<Frame> = (0..).map(second).take(read.len() / 2).flatten().collect();
        assert_eq!(read, whole);

        let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
        let next = second(1_000_000);
        writer.write(&next).unwrap();
        writer.finish().unwrap();
        assert_eq!(frames(&path), [whole, next.to_vec()].concat());
        let connection = rusqlite::Connection::open(&path).unwrap();
        let check: String =
            connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
    }
}

/// Waits until a child has announced that it wrote something; gives its output, which must stay open
/// as long as it is to go on.
fn until_it_has_written(writer: &mut Child) -> impl Sized + use<> {
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    while lines.next().unwrap().ok().as_deref().and_then(announced).is_none() {}
    lines
}

/// Killed at another moment of its beginning each time: the same command works again, unless there is
/// something in the file.
#[test]
fn a_recorder_killed_as_it_begins_is_not_in_the_way_of_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let started = Instant::now();
    let mut first = child("writes_for_ever", &dir.path().join("first.heat"));
    drop(until_it_has_written(&mut first));
    drop(first);
    // As long as it takes to begin on this machine, in 40 steps, and half as long again.
    let step = started.elapsed() / 40;
    for name in names(dir.path()) {
        std::fs::remove_file(dir.path().join(name)).unwrap();
    }
    let (mut begun, mut recorded) = (0, 0);
    let rounds = grid::cases(200, 60);
    for round in 0..rounds {
        let mut writer = child("writes_for_ever", &path);
        std::thread::sleep(step * (round % 60));
        writer.kill().unwrap();
        writer.wait().unwrap();
        match Writer::create(&path, &about(), Durability::Normal) {
            Ok(writer) => {
                begun += 1;
                drop(writer);
            }
            Err(RecordingError::Exists(_)) => {
                recorded += 1;
                assert!(!frames(&path).is_empty(), "an empty file is in the way");
            }
            Err(other) => panic!("round {round}: {other}"),
        }
        for name in names(dir.path()) {
            std::fs::remove_file(dir.path().join(name)).unwrap();
        }
    }
    assert_eq!(begun + recorded, rounds);
}

#[test]
fn a_second_writer_is_refused_in_another_process_and_in_this() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&second(0)).unwrap();
    let said = || answer("tries_to_write", &path);
    let refused = format!(
        "{}: another isotherm is recording into this file (process {})",
        path.display(),
        std::process::id()
    );
    assert_eq!(said(), refused);
    let here = Writer::append_to(&path, Durability::Normal);
    assert!(matches!(here, Err(RecordingError::InUse { .. })), "{here:?}");
    // The refused ones have disturbed nothing.
    writer.write(&second(1)).unwrap();
    drop(writer);
    // Until it begins its program, a process that another test starts just now holds what we held.
    bounded::until("the lock", || (said() == "ok").then_some(()));
    assert_eq!(frames(&path), [second(0), second(1)].concat());
}

#[test]
fn reading_goes_on_while_it_is_written_and_sees_whole_intervals() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.span().unwrap(), None);
    assert_eq!(reader.frames(None, None).unwrap().count(), 0);
    for n in 0..600 {
        writer.write(&second(n)).unwrap();
    }
    let mut half_read = reader.frames(None, None).unwrap();
    let first = half_read.next().unwrap().unwrap();
    // A series that appears while we are reading is no damage, and none of our business yet.
    let late = frame(&Series::named("late"), 600, &[0, 7], &[1]);
    writer.write(std::slice::from_ref(&late)).unwrap();
    let rest: Vec<Frame> = half_read.collect::<Result<_, _>>().unwrap();
    assert_eq!([vec![first], rest].concat(), (0..600).flat_map(second).collect::<Vec<_>>());
    // Asked anew, the same reader sees it.
    let all: Vec<Frame> = reader.frames(None, None).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!((all.len(), all.last()), (1_201, Some(&late)));
}

#[test]
fn a_reader_keeps_no_writer_from_ending() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&second(0)).unwrap();
    let reader = Reader::open(&path).unwrap();
    let mut half_read = reader.frames(None, None).unwrap();
    half_read.next().unwrap().unwrap();
    writer.finish().unwrap();
    assert_eq!(half_read.next().unwrap().unwrap(), second(0)[1]);
    drop(half_read);
    assert_eq!(names(dir.path()), ["x.heat", "x.heat-shm", "x.heat-wal"]);
    drop(reader);
    assert_eq!(names(dir.path()), ["x.heat"], "the log goes with the last reader");
    assert_eq!(frames(&path), second(0));
    // The log the reader kept alive goes with the next writer.
    Writer::append_to(&path, Durability::Normal).unwrap().finish().unwrap();
    let left: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["x.heat"]);
    assert_eq!(frames(&path), second(0));
}

/// The names of the files in a directory, sorted.
fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Somebody who mails a recording after a crash must not leave its end behind.
#[test]
fn a_broken_off_recording_is_one_file_again_once_it_was_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = child("writes_for_ever", &path);
    let _output = until_it_has_written(&mut writer);
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert!(dir.path().join("x.heat-wal").exists(), "killed before its log was taken in");
    let read = frames(&path);
    assert!(!names(dir.path()).iter().any(|name| name == "x.heat-wal" || name == "x.heat-shm"));
    let moved = dir.path().join("moved.heat");
    std::fs::rename(&path, &moved).unwrap();
    assert_eq!(frames(&moved), read);
}

/// The POSIX locks that this process has on a file: the kernel tells them for each of its descriptors.
/// Its list of all locks, `/proc/locks`, is not read at one moment and may leave some out.
#[cfg(target_os = "linux")]
fn locks(path: &Path) -> Vec<String> {
    let path = std::fs::canonicalize(path).unwrap();
    let files = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let ours = files.filter(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == path));
    let texts = ours.flat_map(|file| {
        std::fs::read_to_string(Path::new("/proc/self/fdinfo").join(file.file_name()))
    });
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.into_iter().filter(|line| line.starts_with("lock:") && line.contains("POSIX")).collect()
}

/// On POSIX systems closing any descriptor of a file gives up the locks that the whole process has
/// on it. A writer without locks loses its log to the next program that closes the recording.
#[cfg(target_os = "linux")]
#[test]
fn reading_in_the_same_process_does_not_cost_a_writer_its_locks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&second(0)).unwrap();
    let is_locked = || !locks(&path).is_empty();
    assert!(is_locked(), "the writer holds a lock");
    drop(Reader::open(&path).unwrap());
    assert!(is_locked(), "not after a reader");
    let text = "deploy".to_owned();
    mark(&path, &RecordedMark { at: about().started, text, origin: "me".to_owned() }).unwrap();
    assert!(is_locked(), "not after a mark");
    Writer::append_to(&path, Durability::Normal).unwrap_err();
    Writer::create(&path, &about(), Durability::Normal).unwrap_err();
    assert!(is_locked(), "not after writers that were refused");
    // So is it seen when a lock is gone.
    drop(std::fs::File::open(&path).unwrap());
    assert!(!is_locked(), "{:?}", locks(&path));
}
