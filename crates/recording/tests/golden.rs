//! A recording of any format is read for ever, by every version to come.
//!
//! `golden/v1.heat`, `golden/v2.heat` and `golden/v3.heat` were each written once, by the tests that are ignored here,
//! and are never written again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::path::{Path, PathBuf};

use given::{BEGIN, SECOND, about, frame, with_quality, with_sum};
use isotherm_frame::{Account, Clock, Frame, Gap, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_recording::{Durability, Reader, RecordedMark, Writer};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1.heat")
}

#[test]
#[ignore = "made the golden file once; a change of format needs a new file beside it"]
fn writes_the_golden_file() {
    let reads = Series::with_attributes("read", [("device", "vda"), ("op", "R")]);
    let log = Series::named("log file sync");
    let micros = [0, 1_000, 2_000, 4_000, Scheme::UNBOUNDED];
    let gap = Quality::Gap(Gap::SourceAway);
    let mut writer = Writer::create(&golden(), &about(), Durability::Normal).unwrap();
    let first = [
        with_sum(frame(&reads, 0, &micros, &[0, 7, 0, 1]), 15_500),
        frame(&log, 0, &[0, 500, 600], &[3, 4]),
    ];
    writer.write(&first).unwrap();
    let second = [
        with_quality(frame(&reads, 1, &micros, &[0; 4]), gap),
        with_quality(frame(&log, 1, &[0, 500, 600], &[0, 9]), Quality::Lost(12)),
        frame(&log, 1, &[0, 500, 700], &[1, 0]),
    ];
    writer.write(&second).unwrap();
    let text = "deploy".to_owned();
    writer
        .mark(&RecordedMark { at: Timestamp::new(BEGIN + 5), text, origin: "me".to_owned() })
        .unwrap();
    let tally = Account {
        records: 6,
        rejected: 1,
        rejected_events: 2,
        lost: 12,
        ignored_lines: 3,
        ..Account::default()
    };
    writer.add_account(&tally).unwrap();
    writer.finish().unwrap();
}

fn golden_2() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v2.heat")
}

/// A wait of 5 s that ended in the second of two intervals, and its first part.
fn spread() -> [Frame; 2] {
    let lock = Series::named("lock");
    let bounds = [0, 1_000, 10_000_000_000, Scheme::UNBOUNDED];
    let first = frame(&lock, 0, &bounds, &[7, 0, 0]);
    let second = frame(&lock, 1, &bounds, &[0, 1, 0]);
    let with = |frame: Frame, sum: u64, waited: &[u64]| {
        let counts = frame.counts.with_sum(Some(Nanos::new(sum)));
        Frame { counts: counts.with_waited(waited.to_vec(), true).unwrap(), ..frame }
    };
    [
        with(first, 3_000, &[3_000, 1_000_000_000, 0]),
        with(second, 5_000_000_000, &[0, 400_000_000, 0]),
    ]
}

#[test]
#[ignore = "made the golden file once; a change of format needs a new file beside it"]
fn writes_the_golden_file_of_format_2() {
    let mut writer = Writer::create(&golden_2(), &about(), Durability::Normal).unwrap();
    writer.write(&spread()).unwrap();
    let [_, mut earlier] = spread();
    earlier.quality = Quality::Amendment;
    writer.write(&[earlier]).unwrap();
    writer.finish().unwrap();
}

fn golden_3() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v3.heat")
}

#[test]
#[ignore = "made the golden file once; a change of format needs a new file beside it"]
fn writes_the_golden_file_of_format_3() {
    let mut writer = Writer::create(&golden_3(), &about(), Durability::Normal).unwrap();
    writer.write(&spread()).unwrap();
    let text = "deploy".to_owned();
    writer
        .mark(&RecordedMark { at: Timestamp::new(BEGIN + 5), text, origin: "me".to_owned() })
        .unwrap();
    writer.add_account(&Account { records: 2, lost: 12, ..Account::default() }).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_recording_of_format_3_has_checksums() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("v3.heat");
    std::fs::copy(golden_3(), &path).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("select user_version from pragma_user_version"), 3);
    // printf '65536\n0\n[7,0]\n3000\n\n[3000,1000000000]' | gzip -c | tail -c8 | od -An -tu4
    assert_eq!(number("select crc from frame where id = 65536"), 2_385_606_437);
    assert_eq!(number("select frames from tick where id = 1"), 1);
    let seal = "select value from meta where key = '_seal'";
    let seal: String = connection.query_row(seal, [], |row| row.get(0)).unwrap();
    assert_eq!(seal, "meta 11, last tick 2, series 1, schemes 1");
    drop(connection);
    let reader = Reader::open(&path).unwrap();
    let frames: Vec<Frame> = reader.frames(None, None).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(frames, spread());
    assert_eq!((reader.account().records, reader.account().lost), (2, 12));
    assert_eq!((reader.marks().unwrap().len(), reader.about()), (1, &about()));
}

#[test]
fn a_recording_of_format_2_says_when_time_was_waited() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("v2.heat");
    std::fs::copy(golden_2(), &path).unwrap();
    let reader = Reader::open(&path).unwrap();
    let frames: Vec<Frame> = reader.frames(None, None).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(frames[..2], spread());
    assert_eq!((frames[2].quality, &frames[2].counts), (Quality::Amendment, &spread()[1].counts));
    let waited: Vec<f64> = frames.iter().map(|frame| frame.counts.time_waited().seconds).collect();
    assert_eq!(waited, [1.000_003, 0.4, 0.4]);
}

#[test]
fn a_recording_of_format_1_reads_as_it_did() {
    // A copy: a checkout may be read-only, and nothing may be left beside the original.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("v1.heat");
    std::fs::copy(golden(), &path).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.about().source, "cmd:iostat 1");
    assert_eq!(reader.about().command_line, "isotherm record 'cmd:iostat 1' -o x.heat");
    assert_eq!((reader.about().host.as_str(), reader.about().clock), ("db1", Clock::Epoch));
    assert_eq!(reader.about().isotherm_version, "0.1.0");
    assert_eq!(reader.about().started.as_nanos(), 1_767_323_045_000_000_000);
    let tally = Account {
        records: 6,
        rejected: 1,
        rejected_events: 2,
        lost: 12,
        ignored_lines: 3,
        ..Account::default()
    };
    assert_eq!(reader.account(), tally);
    let marks = reader.marks().unwrap();
    assert_eq!((marks[0].at.as_nanos(), marks[0].text.as_str()), (BEGIN + 5, "deploy"));

    let frames: Vec<_> = reader.frames(None, None).unwrap().collect::<Result<_, _>>().unwrap();
    let seen: Vec<_> = frames
        .iter()
        .map(|frame| {
            let second = (frame.start.as_nanos() - BEGIN) / SECOND;
            let bounds = frame.counts.scheme().bounds().to_vec();
            let counts = frame.counts.counts();
            (frame.series.to_string(), second, bounds, counts, frame.quality)
        })
        .collect();
    let (read, log) = ("read{device=vda,op=R}".to_owned(), "log file sync".to_owned());
    let micros = vec![0, 1_000, 2_000, 4_000, u64::MAX];
    let expected = vec![
        (read.clone(), 0, micros.clone(), vec![0, 7, 0, 1], Quality::Complete),
        (log.clone(), 0, vec![0, 500, 600], vec![3, 4], Quality::Complete),
        (read, 1, micros, vec![0, 0, 0, 0], Quality::Gap(Gap::SourceAway)),
        (log.clone(), 1, vec![0, 500, 600], vec![0, 9], Quality::Lost(12)),
        (log, 1, vec![0, 500, 700], vec![1, 0], Quality::Complete),
    ];
    assert_eq!(seen, expected);
    let sums: Vec<_> = frames.iter().map(|frame| frame.counts.sum()).collect();
    assert_eq!(sums, [Some(Nanos::new(15_500)), None, None, None, None]);

    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    writer.write(&frames[..1]).unwrap();
    // One that goes on is of the newest format, its old frames included.
    let connection = rusqlite::Connection::open(&path).unwrap();
    let unsigned = "select count(*) from frame where crc is null";
    let unsigned: i64 = connection.query_row(unsigned, [], |row| row.get(0)).unwrap();
    assert_eq!(unsigned, 0);
    drop(connection);
    writer.write(&spread()).unwrap();
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    let after: Vec<Frame> = reader.frames(None, None).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!((after[..5].to_vec(), after[6..].to_vec()), (frames, spread().to_vec()));
}

#[test]
fn a_recording_made_before_there_were_views_has_them_once_it_is_continued() {
    let dir = tempfile::tempdir().unwrap();
    for version in 1..=4 {
        let path = dir.path().join("x.heat");
        std::fs::copy(golden().with_file_name(format!("v{version}.heat")), &path).unwrap();
        let views = |path: &Path| {
            let connection = rusqlite::Connection::open(path).unwrap();
            let query = "select group_concat(name) from
                (select name from sqlite_schema where type = 'view' order by name)";
            connection.query_row(query, [], |row| row.get::<_, String>(0)).unwrap()
        };
        assert_eq!(views(&path), "cells", "{version}");
        let events = |path: &Path| -> u64 {
            let reader = Reader::open(path).unwrap();
            reader.frames(None, None).unwrap().map(|frame| frame.unwrap().counts.events()).sum()
        };
        let before = events(&path);
        Writer::append_to(&path, Durability::Normal).unwrap().finish().unwrap();
        assert_eq!(views(&path), "buckets,cells,intervals,marks", "{version}");
        let connection = rusqlite::Connection::open(&path).unwrap();
        for view in ["intervals", "buckets"] {
            let query = format!("select sum(count) from {view}");
            let count: i64 = connection.query_row(&query, [], |row| row.get(0)).unwrap();
            assert_eq!(
                (count.cast_unsigned(), events(&path)),
                (before, before),
                "{view} of {version}"
            );
        }
    }
}
