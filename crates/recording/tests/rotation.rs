//! A recording that keeps only its latest.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a child process announces what it has written")]

mod given;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use given::{BEGIN, SECOND, about, frame, frames};
use isotherm_frame::{Frame, Nanos, Series, Timestamp};
use isotherm_recording::{Durability, Reader, RecordedMark, RecordingError, Writer, mark};
use proptest::prelude::*;
use testing::bounded;

const MINUTE: Nanos = Nanos::new(60_000_000_000);

fn ring(path: &Path, keep: Nanos) -> Writer {
    let mut writer = Writer::create(path, &about(), Durability::Normal).unwrap();
    writer.keep(keep).unwrap();
    writer
}

/// The frames of a second: `series` of them, of about the size real ones have.
fn second(second: i64, series: u64) -> Vec<Frame> {
    let bounds: Vec<u64> = (0..40).map(|bound| bound * 1_000).collect();
    let name = |n: u64| Series::named(format!("series {n}"));
    let count = |n: u64, bucket: u64| (second.unsigned_abs() * 7 + n * 13 + bucket * 31) % 997;
    let counts = |n: u64| (0..39).map(|bucket| count(n, bucket)).collect::<Vec<u64>>();
    (0..series).map(|n| frame(&name(n), second, &bounds, &counts(n))).collect()
}

fn moment(second: i64) -> Timestamp {
    Timestamp::new(BEGIN + second * SECOND)
}

/// All bytes of a recording, its log included.
fn size(path: &Path) -> u64 {
    let mut log = path.file_name().unwrap().to_owned();
    log.push("-wal");
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |data| data.len());
    length(path) + length(&path.with_file_name(log))
}

#[test]
fn the_latest_is_kept_and_the_file_stops_growing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.heat");
    let mut writer = ring(&path, MINUTE);
    let mut sizes = Vec::new();
    for n in 0..1_200 {
        writer.write(&second(n, 8)).unwrap();
        sizes.push(size(&path));
    }
    // The log is written over once it has reached its usual length.
    let (early, late) = (sizes[..600].iter().max().unwrap(), sizes[600..].iter().max().unwrap());
    assert!(*late <= early + 64 * 1_024, "{early} bytes at first, {late} later");
    let kept = frames(&path);
    let first = usize::try_from(1_200 - i64::try_from(kept.len() / 8).unwrap()).unwrap();
    assert!((1_137..=1_140).contains(&first), "the last minute and no more: from {first}");
    let expected: Vec<Frame> =
        (i64::try_from(first).unwrap()..1_200).flat_map(|n| second(n, 8)).collect();
    assert_eq!(kept, expected);
    let found = Reader::open(&path).unwrap().let_go().unwrap().unwrap();
    assert_eq!((found.keep, found.frames), (MINUTE, u64::try_from(first * 8).unwrap()));
    let events = |n: i64| second(n, 8).iter().map(|frame| frame.counts.events()).sum::<u64>();
    assert_eq!(found.events, (0..i64::try_from(first).unwrap()).map(events).sum::<u64>());
    assert_eq!(found.until, Some(kept[0].start));
    writer.finish().unwrap();
    let finished = size(&path);
    assert!(finished < early / 2, "finished, without a log: {finished} bytes");
}

#[test]
fn marks_go_with_their_time_and_new_ones_are_never_missed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.heat");
    let mut writer = ring(&path, MINUTE);
    let set = |second: i64| {
        let text = format!("mark at {second}");
        mark(&path, &RecordedMark { at: moment(second), text, origin: "test".to_owned() }).unwrap();
    };
    let reader = Reader::open(&path).unwrap();
    let mut seen = Vec::new();
    let mut last = 0;
    for n in 0..400 {
        writer.write(&second(n, 1)).unwrap();
        if n % 90 == 10 {
            set(n);
        }
        let new = reader.marks_after(last).unwrap();
        last = new.iter().map(|(number, _)| *number).fold(last, i64::max);
        seen.extend(new.into_iter().map(|(_, mark)| mark.text));
        let oldest = reader.span().unwrap().unwrap().0;
        let shown = reader.marks().unwrap();
        assert!(shown.iter().all(|mark| mark.at > oldest.minus(MINUTE)), "{shown:?}");
        assert!(shown.len() <= 1, "at most one in a minute: {shown:?}");
    }
    assert_eq!(seen, ["mark at 10", "mark at 100", "mark at 190", "mark at 280", "mark at 370"]);
    writer.write(&second(500, 1)).unwrap();
    for n in 501..510 {
        writer.write(&second(n, 1)).unwrap();
    }
    assert_eq!(reader.marks().unwrap(), []);
}

#[test]
fn one_moment_in_a_far_future_does_not_cost_the_past() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.heat");
    let mut writer = ring(&path, MINUTE);
    (0..50).for_each(|n| writer.write(&second(n, 1)).unwrap());
    writer.finish().unwrap();
    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    writer.keep(MINUTE).unwrap();
    writer.write(&second(4_000_000, 1)).unwrap();
    (50..55).for_each(|n| writer.write(&second(n, 1)).unwrap());
    let kept = frames(&path);
    assert_eq!(kept.len(), 56, "everything is there, and the odd one too");
}

#[test]
fn a_recording_of_everything_is_not_made_to_forget() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("all.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&second(0, 1)).unwrap();
    let refused = writer.keep(MINUTE).unwrap_err();
    assert!(matches!(refused, RecordingError::KeepsAll(_)), "{refused:?}");
    writer.write(&second(500, 1)).unwrap();
    assert_eq!(frames(&path).len(), 2);
    assert_eq!(Reader::open(&path).unwrap().let_go().unwrap(), None);
}

#[test]
fn who_is_overtaken_while_reading_misses_only_what_was_let_go_of() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.heat");
    let mut writer = ring(&path, MINUTE);
    // Forty frames a second: a reader fetches a minute of them in three pages.
    (0..100).for_each(|n| writer.write(&second(n, 40)).unwrap());
    let reader = Reader::open(&path).unwrap();
    let mut half_read = reader.frames(None, None).unwrap();
    let first = half_read.next().unwrap().unwrap();
    (100..150).for_each(|n| writer.write(&second(n, 40)).unwrap());
    let rest = half_read.map(|frame| frame.unwrap());
    let read: Vec<Frame> = std::iter::once(first).chain(rest).collect();
    assert!(read.iter().map(|frame| frame.end).is_sorted(), "in their order");
    let kept = frames(&path);
    let still: Vec<Frame> =
        (0..100).flat_map(|n| second(n, 40)).filter(|f| kept.contains(f)).collect();
    assert!(still.len() >= 40 * 8, "{} frames are there still", still.len());
    assert!(read.ends_with(&still), "and all of them were read");
    assert!(read.len() > still.len(), "what was fetched before is not lost either");
}

#[test]
fn reading_goes_on_while_it_turns() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.heat");
    let mut writer = ring(&path, MINUTE);
    (0..100).for_each(|n| writer.write(&second(n, 4)).unwrap());
    let done = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&done);
    let reading = std::thread::spawn(move || {
        let mut times = 0;
        while !is_over.load(Ordering::Relaxed) || times == 0 {
            // The writer may be so fast that everything of a moment is gone: never an error.
            assert!(frames(&path).iter().map(|frame| frame.end).is_sorted());
            times += 1;
        }
        times
    });
    (100..1_500).for_each(|n| writer.write(&second(n, 4)).unwrap());
    done.store(true, Ordering::Relaxed);
    assert!(bounded::join(reading) > 0);
}

/// Where a child is told which recording to write.
const TOLD: &str = "ISOTHERM_TEST_RECORDING";

#[test]
#[ignore = "the other process of the test below"]
fn turns_for_ever() {
    let Some(path) = std::env::var_os(TOLD) else { return };
    let mut writer = ring(Path::new(&path), MINUTE);
    for n in 0.. {
        writer.write(&second(n, 3)).unwrap();
        println!("\nwrote {n}");
        std::io::stdout().flush().unwrap();
    }
}

#[test]
fn the_last_minute_survives_kill_9() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..4 {
        let path = dir.path().join(format!("{round}.heat"));
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["turns_for_ever", "--exact", "--nocapture", "--ignored"])
            .env(TOLD, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = bounded::spawn(&mut command);
        let announced = |line: String| line.strip_prefix("wrote ")?.parse::<i64>().ok();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut last = 0;
        while last < 100 + round * 37 {
            last = lines.next().unwrap().ok().and_then(announced).unwrap_or(last);
        }
        child.kill().unwrap();
        let last = lines.map_while(Result::ok).filter_map(announced).last().unwrap_or(last);
        child.wait().unwrap();

        let kept = frames(&path);
        let newest = (kept.last().unwrap().start.as_nanos() - BEGIN) / SECOND;
        assert!(newest >= last, "announced {last}, kept up to {newest}");
        let oldest = (kept[0].start.as_nanos() - BEGIN) / SECOND;
        assert!(oldest <= newest - 59, "from {oldest} to {newest}");
        assert_eq!(kept, (oldest..=newest).flat_map(|n| second(n, 3)).collect::<Vec<_>>());
        let found = Reader::open(&path).unwrap().let_go().unwrap().unwrap();
        assert_eq!(found.frames, 3 * oldest.unsigned_abs(), "the account is of the same moment");
        let connection = rusqlite::Connection::open(&path).unwrap();
        let check: String =
            connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the times are: what is newer than the latest less the length kept is there, and
    /// what is there and what was let go of is everything.
    #[test]
    fn nothing_newer_is_lost_and_everything_is_accounted_for(
        steps in prop::collection::vec((-40_i64..80, 1_u64..4), 1..120),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ring.heat");
        let mut writer = ring(&path, MINUTE);
        let (mut now, mut written) = (0, Vec::new());
        for (step, series) in steps {
            now += step;
            let batch = second(now, series);
            writer.write(&batch).unwrap();
            written.extend(batch);
        }
        let kept = frames(&path);
        let newest = written.iter().map(|frame| frame.end).max().unwrap();
        let young = |frame: &&Frame| frame.end > newest.minus(MINUTE);
        prop_assert_eq!(
            kept.iter().filter(young).collect::<Vec<_>>(),
            written.iter().filter(young).collect::<Vec<_>>()
        );
        let events = |frames: &[Frame]| frames.iter().map(|f| f.counts.events()).sum::<u64>();
        let found = Reader::open(&path).unwrap().let_go().unwrap().unwrap();
        prop_assert_eq!(kept.len() as u64 + found.frames, written.len() as u64);
        prop_assert_eq!(events(&kept) + found.events, events(&written));
    }
}
