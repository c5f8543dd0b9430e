//! Exports of any frames, read back: what is promised to come back does.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::collections::{BTreeMap, BTreeSet};

use given::{about, frame, of_csv, of_jsonl};
use isotherm_frame::{
    Account, Bucket, Frame, Gap, Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit,
};
use isotherm_recording::export::{ExportError, Selection, write_csv, write_jsonl};
use isotherm_recording::import::{read_csv, read_jsonl};
use isotherm_recording::{Durability, Reader, Writer};
use proptest::prelude::*;

type Export = fn(&Reader, &Selection<'_>, &mut dyn std::io::Write) -> Result<(), ExportError>;

/// What an export of frames recorded one by one looks like.
fn exported(frames: &[Frame], export: Export) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    for frame in frames {
        writer.write(std::slice::from_ref(frame)).unwrap();
    }
    writer.finish().unwrap();
    let mut out = Vec::new();
    export(&Reader::open(&path).unwrap(), &Selection::ALL, &mut out).unwrap();
    out
}

fn from_csv(csv: &[u8]) -> Vec<Frame> {
    of_csv(csv).unwrap()
}

/// Everything of a frame but the empty buckets of its scheme.
#[derive(Debug, PartialEq)]
struct Kept(Series, Timestamp, Timestamp, Quality, Option<Nanos>, Vec<(Bucket, u64)>);

fn kept(frames: &[Frame]) -> Vec<Kept> {
    let kept = |frame: &Frame| {
        let filled = frame.counts.non_zero().collect();
        let (start, end, sum) = (frame.start, frame.end, frame.counts.sum());
        Kept(frame.series.clone(), start, end, frame.quality, sum, filled)
    };
    frames.iter().map(kept).collect()
}

fn any_histogram() -> impl Strategy<Value = Histogram> {
    let scheme = prop_oneof![
        Just(Scheme::log_linear()),
        Just(Scheme::powers_of_two(Unit::Micros)),
        prop::collection::btree_set(any::<u64>(), 2..9)
            .prop_map(|bounds| Scheme::new(bounds.into_iter().collect()).unwrap()),
    ];
    let sum = prop::option::of(0..=i64::MAX.unsigned_abs());
    (scheme, sum).prop_flat_map(|(scheme, sum)| {
        let count = prop_oneof![4 => Just(0), 2 => 1_u64..9, 1 => any::<u64>()];
        prop::collection::vec(count, scheme.buckets()).prop_map(move |counts| {
            Histogram::new(scheme.clone(), counts, sum.map(Nanos::new)).unwrap()
        })
    })
}

prop_compose! {
    fn any_frame()(
        name in prop_oneof![Just("a".to_owned()), "[a\",;\\r\\n ]{0,3}"],
        attributes in prop_oneof![
            Just(BTreeMap::new()),
            prop::collection::btree_map("[ab,\"]{0,2}", "[x,\"\\n]{0,2}", 0..3),
        ],
        start in 0..2_i64,
        length in 1..2_i64,
        counts in any_histogram(),
        quality in prop_oneof![
            Just(Quality::Complete), Just(Quality::Lost(3)), Just(Quality::Gap(Gap::Reset)),
        ],
    ) -> Frame {
        let (start, end) = (Timestamp::new(start), Timestamp::new(start + length));
        Frame { series: Series::with_attributes(name, attributes), start, end, counts, quality }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_lines_lose_nothing(frames in prop::collection::vec(any_frame(), 0..12)) {
        let bytes = exported(&frames, write_jsonl);
        prop_assert_eq!(of_jsonl(&bytes).unwrap().0, frames);
    }

    #[test]
    fn csv_loses_empty_buckets_only(frames in prop::collection::vec(any_frame(), 0..12)) {
        let bytes = exported(&frames, write_csv);
        prop_assert_eq!(kept(&from_csv(&bytes)), kept(&frames));
    }
}

/// `n` intervals of a series, each with events in other buckets.
fn varied(scheme: &Scheme, n: usize) -> Vec<Frame> {
    let series = Series::named("reads");
    let varied = |second: usize| {
        let mut counts = vec![0; scheme.buckets()];
        counts[second * 7 % scheme.buckets()] += 1;
        counts[second * second % scheme.buckets()] += 2;
        frame(&series, i64::try_from(second).unwrap(), scheme.bounds(), &counts)
    };
    (0..n).map(varied).collect()
}

fn schemes(frames: &[Frame]) -> BTreeSet<Vec<u64>> {
    frames.iter().map(|frame| frame.counts.scheme().bounds().to_vec()).collect()
}

/// No frame shows all buckets, yet a series gets one scheme and not as many as it has frames.
#[test]
fn a_series_from_csv_has_one_scheme() {
    for scheme in [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)] {
        let frames = varied(&scheme, 100);
        let found = from_csv(&exported(&frames, write_csv));
        assert_eq!(found, frames, "a scheme that sources count in is known");
    }
    let native = Scheme::new(vec![0, 600, 700, 1_000, 2_500, 9_000, Scheme::UNBOUNDED]).unwrap();
    let found = from_csv(&exported(&varied(&native, 100), write_csv));
    assert_eq!(found, varied(&native, 100), "any other is put together");
}

/// A bucket that cannot belong to the scheme so far begins another one.
#[test]
fn a_series_that_changes_its_buckets_has_a_scheme_for_each_part() {
    let early = Scheme::new(vec![0, 600, 700, 1_000]).unwrap();
    let late = Scheme::new(vec![0, 650, 1_000]).unwrap();
    let waits = Series::named("reads");
    let mut frames = varied(&early, 5);
    frames.push(frame(&waits, 5, late.bounds(), &[0, 1]));
    frames.push(frame(&waits, 6, late.bounds(), &[0, 0]));
    frames.push(frame(&waits, 7, late.bounds(), &[3, 0]));
    let found = from_csv(&exported(&frames, write_csv));
    assert_eq!(found, frames);
    assert_eq!(schemes(&found).len(), 2);
}

#[test]
fn frames_of_one_interval_stay_apart() {
    let waits = Series::named("waits");
    let of = |counts: &[u64]| frame(&waits, 0, &[0, 10, 20, 40], counts);
    let frames = [
        of(&[1, 0, 0]),
        of(&[0, 2, 0]),
        of(&[0, 0, 0]),
        of(&[0, 0, 0]),
        of(&[0, 0, 3]),
        of(&[4, 0, 5]),
    ];
    assert_eq!(kept(&from_csv(&exported(&frames, write_csv))), kept(&frames));
}

#[test]
fn an_attribute_without_text_is_not_one_that_is_missing() {
    let of = |value: &[(&str, &str)]| {
        frame(&Series::with_attributes("a", value.iter().copied()), 0, &[0, 10], &[1])
    };
    let frames = [of(&[("op", "")]), of(&[]), of(&[("op", "R")])];
    let csv = exported(&frames, write_csv);
    assert_eq!(kept(&from_csv(&csv)), kept(&frames));
    let text = String::from_utf8(csv).unwrap();
    let ends: Vec<&str> = text.lines().skip(1).map(|row| row.rsplit(',').next().unwrap()).collect();
    assert_eq!(ends, ["\"\"", "", "R"]);
}

#[test]
fn lines_without_a_scheme_are_read_with_the_buckets_they_show() {
    let line = r#"{"start_ns":1,"end_ns":2,"series":"a","attributes":{},"quality":"complete","sum_ns":null,"bounds_ns":[10,20,null],"counts":[3,4]}"#;
    let (frames, _) = of_jsonl(line.as_bytes()).unwrap();
    assert_eq!(frames[0].counts.scheme().bounds(), [10, 20, Scheme::UNBOUNDED]);
    assert_eq!(frames[0].counts.counts(), [3, 4]);
}

#[test]
fn json_lines_that_contradict_themselves_are_refused_with_the_reason() {
    let frame = r#"{"start_ns":1,"end_ns":2,"series":"a","attributes":{},"quality":"complete","sum_ns":null,"scheme":0,"bounds_ns":[10,20],"counts":[3]}"#;
    let said = |scheme: &str, frame: &str| {
        let text = format!("{{\"scheme\":0,\"bounds_ns\":{scheme}}}\n{frame}\n");
        match of_jsonl(text.as_bytes()) {
            Ok((frames, _)) => format!("{:?}", frames[0].counts.counts()),
            Err(error) => error.to_string().split(';').next().unwrap().to_owned(),
        }
    };
    assert_eq!(said("[0,10,20,30]", frame), "[0, 3, 0]");
    assert_eq!(said("[0,20,30]", frame), "line 2: its bounds are not those of its scheme");
    assert_eq!(said("[0,10,15,20]", frame), "line 2: its bounds are not those of its scheme");
    assert_eq!(
        said("[10,9]", frame),
        "line 1: bucket bound 9 ns after 10 ns: bounds must grow strictly"
    );
    let other = frame.replace("\"scheme\":0", "\"scheme\":7");
    assert_eq!(said("[0,10,20]", &other), "line 2: its scheme is not among the lines before");
    let other = frame.replace("\"sum_ns\":null", "\"sum_ns\":\"long\"");
    assert_eq!(said("[0,10,20]", &other), "line 2: sum_ns is no number");
    let other = frame.replace("{}", r#"{"op":1}"#);
    assert_eq!(said("[0,10,20]", &other), "line 2: the attribute op is no text");
    for (end, what) in [("1", "is empty"), ("0", "runs backwards")] {
        let other = frame.replace("\"end_ns\":2", &format!("\"end_ns\":{end}"));
        let why = format!("line 2: the interval from 1 to {end} ns {what}");
        assert_eq!(said("[0,10,20]", &other), why);
    }
    let other = "[1, 2]";
    assert_eq!(said("[0,10,20]", other), "line 2: neither a frame, nor a scheme, nor a mark");
}

#[test]
fn rows_of_csv_that_contradict_themselves_are_refused_with_their_line() {
    let head = "start_ns,end_ns,series,quality,sum_ns,lo_ns,hi_ns,count,attribute.op\n";
    let said = |rows: &str| {
        let text = format!("{head}{rows}");
        let error = of_csv(text.as_bytes()).unwrap_err().to_string();
        error.split(';').next().unwrap().to_owned()
    };
    assert_eq!(said("1,2,a,complete,,10,20,1\n"), "line 2: 8 fields instead of 9");
    assert_eq!(said("1,2,a,complete,,20,20,1,\n"), "line 2: the bucket from 20 to 20 ns is empty");
    assert_eq!(said("x,2,a,complete,,10,20,1,\n"), "line 2: 'x' is no time");
    assert_eq!(
        said("1,2,a,complete,,10,20,1,\n3,3,a,complete,,10,20,1,\n"),
        "line 3: the interval from 3 to 3 ns is empty"
    );
    assert_eq!(
        said("1,2,a,complete,9223372036854775808,10,20,1,\n"),
        "line 2: a time of 9223372036854775808 ns is more than a recording holds (9223372036854775807)"
    );
    let overlapping = "1,2,a,complete,,10,20,1,R\n1,2,a,complete,,15,30,1,R\n";
    assert_eq!(said(overlapping), "line 3: buckets of one frame overlap");
}

#[test]
fn a_line_that_never_ends_is_refused_before_it_fills_the_memory() {
    let endless = |begin: &'static [u8]| {
        std::io::BufReader::new(std::io::Read::chain(begin, std::io::repeat(b' ')))
    };
    let error = read_jsonl(&mut endless(b"{"), &mut |_| {}).unwrap_err().to_string();
    assert!(error.starts_with("line 1: it is longer than 8388608 bytes"), "{error}");
    let error = read_csv((&mut endless(b"start_ns"), &mut std::io::empty()), &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("line 1: it is longer than 8388608 bytes"), "{error}");
}

#[test]
fn a_frame_that_no_reader_would_take_is_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    let of = |name: &str| frame(&Series::named(name), 1, &[0, 10, 20], &[1, 2]);
    let good = of("a");
    let bad = Frame { end: good.start, ..of("b") };
    let error = writer.write(std::slice::from_ref(&bad)).unwrap_err().to_string();
    assert!(error.contains("cannot hold a frame of 'b'") && error.contains("is empty"), "{error}");
    let refused = writer.write_what_fits(&[bad, good]).unwrap().unwrap();
    assert_eq!(refused.frames, [0]);
    let most = Account { records: u64::MAX >> 1, ..Account::default() };
    writer.add_account(&most).unwrap();
    let more = Account { records: 1, ..Account::default() };
    let error = writer.add_account(&more).unwrap_err().to_string();
    assert!(error.contains("1 records of this input beside those of others"), "{error}");
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.frames(None, None).unwrap().map(Result::unwrap).count(), 1);
    assert_eq!(reader.account().records, u64::MAX >> 1);
}
