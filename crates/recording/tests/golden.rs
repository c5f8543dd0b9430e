//! A recording of format 1 is read for ever, by every version to come.
//!
//! `golden/v1.heat` was written by [`writes_the_golden_file`] and is never written again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::path::{Path, PathBuf};

use given::{BEGIN, SECOND, about, frame, with_quality, with_sum};
use isotherm_frame::{Clock, Gap, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_recording::{Durability, Mark, Reader, Tally, Writer};

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
    writer.mark(&Mark { at: Timestamp::new(BEGIN + 5), text, origin: "me".to_owned() }).unwrap();
    let tally = Tally { records: 6, rejected: 1, rejected_events: 2, lost: 12, ignored_lines: 3 };
    writer.add_tally(&tally).unwrap();
    writer.finish().unwrap();
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
    let tally = Tally { records: 6, rejected: 1, rejected_events: 2, lost: 12, ignored_lines: 3 };
    assert_eq!(reader.tally(), tally);
    let marks = reader.marks().unwrap();
    assert_eq!((marks[0].at.as_nanos(), marks[0].text.as_str()), (BEGIN + 5, "deploy"));

    let frames: Vec<_> = reader.frames(None, None).unwrap().collect::<Result<_, _>>().unwrap();
    let seen: Vec<_> = frames
        .iter()
        .map(|frame| {
            let second = (frame.start.as_nanos() - BEGIN) / SECOND;
            let bounds = frame.counts.scheme().bounds().to_vec();
            let counts = frame.counts.counts().to_vec();
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
    writer.finish().unwrap();
    assert_eq!(Reader::open(&path).unwrap().frames(None, None).unwrap().count(), 6);
}
