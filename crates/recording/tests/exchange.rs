//! Recordings in other forms and back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::path::Path;

use given::{BEGIN, SECOND, about, frame, frames, of_csv, of_jsonl, with_quality, with_sum};
use isotherm_frame::{
    Account, Bucket, Clock, Frame, Gap, LogLinear, Nanos, Quality, Scheme, Series, TimeRange,
    Timestamp, Unit,
};
use isotherm_recording::export::{
    ExportError, Selection, write_csv, write_jsonl, write_pylatencymap,
};
use isotherm_recording::import::{is_csv, is_jsonl};
use isotherm_recording::{Durability, Reader, RecordedMark, Writer};

const NO_BOUND: u64 = Scheme::UNBOUNDED;

type Export = fn(&Reader, &Selection<'_>, &mut dyn std::io::Write) -> Result<(), ExportError>;

fn tally() -> Account {
    Account {
        records: 9,
        rejected: 1,
        rejected_events: 2,
        lost: 3,
        ignored_lines: 4,
        ..Account::default()
    }
}

fn mark() -> RecordedMark {
    RecordedMark {
        at: Timestamp::new(BEGIN + 1),
        text: "deploy, \"v2\"".into(),
        origin: "me".into(),
    }
}

fn sample() -> Vec<Frame> {
    let odd = Series::with_attributes("a,b \"c\"\nd", [("device", "x,y"), ("op", "R")]);
    let plain = Series::named("plain");
    vec![
        with_sum(frame(&odd, 0, &[0, 10, 20, 40, 80, NO_BOUND], &[0, 3, 0, u64::MAX, 0]), 77),
        frame(&plain, 0, &[0, 10, 20, NO_BOUND], &[0, 0, 4]),
        with_quality(frame(&odd, 1, &[0, 10, 20], &[0, 0]), Quality::Gap(Gap::Reset)),
        with_quality(frame(&odd, 2, &[0, 10, 20], &[5, 0]), Quality::Lost(6)),
        with_quality(frame(&odd, 2, &[0, 10, 20], &[0, 0]), Quality::Gap(Gap::ClockBack)),
        with_sum(frame(&plain, 3, &[0, 10, 20], &[1, 0]), 4),
        with_sum(frame(&plain, 3, &[0, 10, 20], &[1, 0]), 5),
    ]
}

fn recorded(path: &Path, frames: &[Frame]) -> Reader {
    let mut writer = Writer::create(path, &about(), Durability::Normal).unwrap();
    for frame in frames {
        writer.write(std::slice::from_ref(frame)).unwrap();
    }
    writer.mark(&mark()).unwrap();
    writer.add_account(&tally()).unwrap();
    writer.finish().unwrap();
    Reader::open(path).unwrap()
}

fn exported(frames: &[Frame], export: Export) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    export(&recorded(&dir.path().join("x.heat"), frames), &Selection::ALL, &mut out).unwrap();
    out
}

/// What an export promises to keep of a frame: not the empty buckets of its scheme.
#[derive(Clone, Debug, PartialEq)]
struct Kept(Series, i64, i64, Quality, Option<Nanos>, Vec<(Bucket, u64)>);

fn kept(frames: &[Frame]) -> Vec<Kept> {
    let kept = |frame: &Frame| {
        let (start, end) = (frame.start.as_nanos(), frame.end.as_nanos());
        let filled = frame.counts.non_zero().collect();
        Kept(frame.series.clone(), start, end, frame.quality, frame.counts.sum(), filled)
    };
    frames.iter().map(kept).collect()
}

#[test]
fn json_lines_bring_everything_back() {
    let bytes = exported(&sample(), write_jsonl);
    assert!(is_jsonl(&bytes));
    let (frames, imported) = of_jsonl(&bytes).unwrap();
    assert_eq!(kept(&frames), kept(&sample()));
    assert_eq!(imported.marks, [mark()]);
    assert_eq!((imported.clock, imported.account), (Clock::Epoch, tally()));
}

#[test]
fn a_line_of_json_says_what_was_counted() {
    let bytes = exported(&sample()[..1], write_jsonl);
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[1..],
        [
            r#"{"mark_at_ns":1767323045000000001,"text":"deploy, \"v2\"","origin":"me"}"#,
            r#"{"scheme":0,"bounds_ns":[0,10,20,40,80,null]}"#,
            r#"{"start_ns":1767323045000000000,"end_ns":1767323046000000000,"series":"a,b \"c\"\nd","attributes":{"device":"x,y","op":"R"},"quality":"complete","sum_ns":77,"scheme":0,"bounds_ns":[10,20,40,80],"counts":[3,0,18446744073709551615],"waited_ns":null}"#,
        ]
    );
}

#[test]
fn csv_brings_the_frames_back() {
    let bytes = exported(&sample(), write_csv);
    assert!(is_csv(&bytes));
    assert_eq!(kept(&of_csv(&bytes).unwrap()), kept(&sample()));
    let again = of_csv(String::from_utf8(bytes).unwrap().replace("\n1", "\r\n1").as_bytes());
    assert_eq!(kept(&again.unwrap()), kept(&sample()), "with the line ends of a spreadsheet");
}

#[test]
fn rows_of_csv_say_what_was_counted() {
    let frames = [sample()[5].clone(), sample()[1].clone(), sample()[2].clone()];
    assert_eq!(
        String::from_utf8(exported(&frames, write_csv)).unwrap(),
        "start_ns,end_ns,series,quality,sum_ns,lo_ns,hi_ns,count,waited_ns,attribute.device,attribute.op\n\
         1767323048000000000,1767323049000000000,plain,complete,4,0,10,1,,,\n\
         1767323045000000000,1767323046000000000,plain,complete,,20,,4,,,\n\
         1767323046000000000,1767323047000000000,\"a,b \"\"c\"\"\nd\",reset,,,,0,,\"x,y\",R\n"
    );
}

#[test]
fn only_the_wanted_series_are_exported() {
    let dir = tempfile::tempdir().unwrap();
    let reader = recorded(&dir.path().join("x.heat"), &sample());
    let series = |series: &Series| series.name() == "plain";
    let plain = Selection { series: &series, ..Selection::ALL };
    let mut csv = Vec::new();
    write_csv(&reader, &plain, &mut csv).unwrap();
    assert!(!String::from_utf8(csv.clone()).unwrap().contains("device"));
    assert_eq!(of_csv(&csv).unwrap().len(), 3);
    let mut json = Vec::new();
    write_jsonl(&reader, &plain, &mut json).unwrap();
    assert_eq!(of_jsonl(&json).unwrap().0.len(), 3);
}

#[test]
fn both_sides_of_a_moment_are_exported_once() {
    let dir = tempfile::tempdir().unwrap();
    let reader = recorded(&dir.path().join("x.heat"), &sample());
    let cut = sample().iter().map(|frame| frame.start).max();
    let exported = |range: TimeRange| {
        let (mut json, mut csv) = (Vec::new(), Vec::new());
        let part = Selection { range, ..Selection::ALL };
        write_jsonl(&reader, &part, &mut json).unwrap();
        write_csv(&reader, &part, &mut csv).unwrap();
        let (frames, imported) = of_jsonl(&json).unwrap();
        assert_eq!(kept(&of_csv(&csv).unwrap()), kept(&frames));
        (kept(&frames), imported.marks)
    };
    let (before, marks) = exported(TimeRange { from: None, to: cut });
    let (after, no_marks) = exported(TimeRange { from: cut, to: None });
    assert!(!before.is_empty() && !after.is_empty());
    assert_eq!([before, after].concat(), kept(&sample()));
    assert_eq!([marks, no_marks], [vec![mark()], Vec::new()], "the mark is at the beginning");
}

#[test]
fn what_was_changed_or_cut_is_refused_with_its_line() {
    let json = String::from_utf8(exported(&sample(), write_jsonl)).unwrap();
    let said = |text: &str| of_jsonl(text.as_bytes()).unwrap_err().to_string();
    assert!(
        said(&json[..json.len() - 9]).starts_with("line 12: "),
        "{}",
        said(&json[..json.len() - 9])
    );
    let text = json.replacen("\"bounds_ns\":[10,", "\"bounds_ns\":[\"ten\",", 1);
    assert!(said(&text).starts_with("line 4: the bound \"ten\" is no number"), "{}", said(&text));
    let text = json.replacen("\"counts\":[3,", "\"counts\":[-3,", 1);
    assert!(said(&text).starts_with("line 4: a count is no number"), "{}", said(&text));

    let csv = String::from_utf8(exported(&sample(), write_csv)).unwrap();
    let said = |text: &str| of_csv(text.as_bytes()).unwrap_err().to_string();
    // The first record takes two lines, for the line break in its name; so does the second.
    let text = csv.replacen(",20,,4", ",20,,4x", 1);
    assert!(said(&text).starts_with("line 6: '4x' is no number"), "{}", said(&text));
    assert!(said(&csv.replacen("lo_ns", "low", 1)).starts_with("line 1: "));
    assert!(said(&csv.replacen("complete", "perfect", 1)).contains("'perfect' is no quality"));
}

/// A record of PyLatencyMap: microseconds, unit, counts by label.
type Record = (i64, String, Vec<(u64, u64)>);

fn records(text: &str) -> Vec<Record> {
    let record = |text: &str| {
        let pair = |line: &str| line.split_once(", ").map(|(a, b)| (a.to_owned(), b.to_owned()));
        let pairs: Vec<(String, String)> = text.lines().filter_map(pair).collect();
        let of = |key: &str| pairs.iter().find(|(k, _)| k == key).unwrap().1.clone();
        let at = of("timestamp").split(", ").nth(1).unwrap().parse().unwrap();
        let counts = pairs.iter().filter_map(|(k, v)| Some((k.parse().ok()?, v.parse().ok()?)));
        (at, of("latencyunit"), counts.collect())
    };
    text.split("<begin record>\n").skip(1).map(record).collect()
}

#[test]
fn pylatencymap_counts_never_fall_and_end_with_the_totals() {
    let waits = Series::named("log file sync");
    let bounds = Scheme::powers_of_two(Unit::Micros).bounds()[..5].to_vec();
    assert_eq!(bounds, [0, 1_000, 2_000, 4_000, 8_000]);
    let written = [
        frame(&waits, 0, &bounds, &[1, 0, 5, 0]),
        with_quality(frame(&waits, 1, &bounds, &[0; 4]), Quality::Gap(Gap::Reset)),
        frame(&waits, 2, &bounds, &[0, 2, 4, 0]),
    ];
    let text = String::from_utf8(exported(&written, write_pylatencymap)).unwrap();
    let records = records(&text);
    let micros = BEGIN / 1_000;
    let expected: Vec<(i64, Vec<(u64, u64)>)> = vec![
        (micros, vec![(1, 0)]),
        (micros + 1_000_000, vec![(1, 1), (4, 5)]),
        (micros + 3_000_000, vec![(1, 1), (2, 2), (4, 9)]),
    ];
    let said: Vec<_> = records.iter().map(|(at, _, counts)| (*at, counts.clone())).collect();
    assert_eq!(said, expected);
    assert!(records.iter().all(|(_, unit, _)| unit == "microsec"));
    assert!(text.starts_with(
        "<begin record>\ntimestamp, microsec, 1767323045000000, 2026-01-02T03:04:05Z\n\
         label, log file sync\nlatencyunit, microsec\ndatasource, oracle\n1, 0\n<end record>\n"
    ));
}

#[test]
fn pylatencymap_keeps_one_unit_for_a_series_in_several_schemes() {
    let waits = Series::named("waits");
    let written = [
        frame(&waits, 0, &[0, 1_000_000, 2_000_000], &[3, 0]),
        frame(&waits, 1, &[0, 1_000, 2_000], &[0, 4]),
    ];
    let dir = tempfile::tempdir().unwrap();
    let reader = recorded(&dir.path().join("x.heat"), &written);
    let refused = write_pylatencymap(&reader, &Selection::ALL, &mut Vec::new());
    // A millisecond is no power of two of microseconds: said, not mislabelled.
    let error = refused.unwrap_err();
    assert!(matches!(error, ExportError::NotPowersOfTwo { .. }), "{error}");
    assert!(error.to_string().starts_with("waits: the bucket 0ns..1ms"), "{error}");
}

#[test]
fn pylatencymap_says_nothing_that_is_not_certain() {
    let refused = |frames: &[Frame]| {
        let dir = tempfile::tempdir().unwrap();
        let reader = recorded(&dir.path().join("x.heat"), frames);
        write_pylatencymap(&reader, &Selection::ALL, &mut Vec::new()).unwrap_err().to_string()
    };
    let waits = Series::named("waits");
    // 2 ms and more: that may be anything, not 2 to 4 ms.
    let bounds = [0, 1_000_000, 2_000_000, NO_BOUND];
    let error = refused(&[frame(&waits, 0, &bounds, &[1, 1, 1])]);
    assert!(error.starts_with("waits: the bucket 2ms.. does not lie within"), "{error}");
    assert!(!exported(&[frame(&waits, 0, &bounds, &[1, 1, 0])], write_pylatencymap).is_empty());

    let one = frame(&Series::named("a,b"), 0, &[0, 1], &[1]);
    let two = frame(&Series::named("A;b"), 0, &[0, 1], &[1]);
    let error = refused(&[one.clone(), one, two]);
    assert!(error.starts_with("a,b and A;b would both be called 'A;b'"), "{error}");
}

#[test]
fn finer_buckets_are_summed_into_octaves_for_pylatencymap() {
    let reads = Series::named("reads");
    let scheme = Scheme::log_linear();
    let mut counts = vec![0; scheme.buckets()];
    for ns in [100, 127, 128, 200] {
        counts[LogLinear::EVENTS.index_of(Nanos::new(ns))] += 1;
    }
    let text = exported(&[frame(&reads, 0, scheme.bounds(), &counts)], write_pylatencymap);
    let records = records(&String::from_utf8(text).unwrap());
    assert_eq!(records.last().unwrap().2, [(128, 2), (256, 2)]);
    assert_eq!(records.last().unwrap().1, "nanosec");
    assert_eq!(records.last().unwrap().0, (BEGIN + SECOND) / 1_000);
}

#[test]
fn an_import_written_again_is_the_same_recording() {
    let dir = tempfile::tempdir().unwrap();
    let (imported, _) = of_jsonl(&exported(&sample(), write_jsonl)).unwrap();
    let path = dir.path().join("again.heat");
    drop(recorded(&path, &imported));
    assert_eq!(kept(&frames(&path)), kept(&sample()));
}
