//! What is written is what is read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::collections::BTreeMap;

use given::{BEGIN, SECOND, about, frame, frames, with_quality, with_sum};
use isotherm_frame::{
    Account, Clock, Frame, Gap, Histogram, Nanos, Partial, Quality, Scheme, Series, Timestamp,
};
use isotherm_recording::{
    About, Durability, Reader, RecordedMark, RecordingError, Writer, is_recording,
};
use proptest::prelude::*;

const NO_BOUND: u64 = Scheme::UNBOUNDED;

fn reads() -> Series {
    Series::with_attributes("read", [("device", "vda"), ("op", "R \"x\", 'y'\n\u{e9}")])
}

#[test]
fn every_kind_of_frame_reads_back_as_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let log = Series::named("log file sync");
    let first = [
        with_sum(frame(&reads(), 0, &[0, 1_000, 2_000, 4_000], &[0, 7, 0]), 10_500),
        frame(&log, 0, &[0, 500, NO_BOUND], &[3, u64::MAX]),
    ];
    let second = [
        with_quality(
            frame(&reads(), 1, &[0, 1_000, 2_000, 4_000], &[0, 0, 0]),
            Quality::Gap(Gap::SourceAway),
        ),
        with_quality(frame(&log, 1, &[0, 500, NO_BOUND], &[1, 0]), Quality::Lost(12)),
        // The same series in other buckets, in the same interval.
        with_quality(frame(&log, 1, &[0, 10, 20], &[4, 5]), Quality::Partial(Partial::LatePoll)),
    ];
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&first).unwrap();
    writer.write(&second).unwrap();
    writer.finish().unwrap();

    let read = frames(&path);
    assert_eq!(read, [&first[..], &second[..]].concat());
    assert_eq!(read[0].series.attributes().nth(1), Some(("op", "R \"x\", 'y'\n\u{e9}")));
    assert_eq!(read[0].counts.counts(), [0, 7, 0]);
    assert_eq!(read[0].counts.sum(), Some(Nanos::new(10_500)));
    assert_eq!(read[1].counts.counts(), [3, 18_446_744_073_709_551_615]);
    assert_eq!(read[1].counts.sum(), None);
    assert_eq!(read[1].counts.scheme().bounds(), [0, 500, NO_BOUND]);
    assert_eq!(read[4].counts.scheme().bounds(), [0, 10, 20]);

    let reader = Reader::open(&path).unwrap();
    let end = Timestamp::new(BEGIN + 2 * SECOND);
    assert_eq!(reader.span().unwrap(), Some((Timestamp::new(BEGIN), end)));
    assert_eq!(reader.series().unwrap(), [log, reads()]);
}

#[test]
fn two_frames_of_one_series_in_one_interval_are_both_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let (one, two) = (Series::named("one"), Series::named("two"));
    let written = [
        frame(&one, 0, &[0, 10], &[1]),
        frame(&one, 0, &[0, 10], &[2]),
        frame(&two, 0, &[0, 10], &[4]),
        frame(&one, 0, &[0, 10], &[8]),
    ];
    let mut writer = Writer::create(&path, &about(), Durability::Full).unwrap();
    writer.write(&written).unwrap();
    writer.finish().unwrap();
    assert_eq!(frames(&path), written);
}

#[test]
fn a_recording_says_where_it_comes_from_word_for_word() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    // Each would lose something if it were taken for a number.
    let said = About::new("007")
        .with_command_line(" 1.50 ")
        .with_host("2345678901e5")
        .with_isotherm_version("0.10")
        .with_clock(Clock::Arbitrary)
        .with_started(Timestamp::new(-5));
    let mut writer = Writer::create(&path, &said, Durability::Normal).unwrap();
    assert_eq!(Reader::open(&path).unwrap().about(), &said);
    writer.set_clock(Clock::TimeOfDay).unwrap();
    writer.finish().unwrap();
    assert_eq!(Reader::open(&path).unwrap().about(), &said.with_clock(Clock::TimeOfDay));
}

#[test]
fn secrets_are_never_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let said = About::new("oracle://scott:tiger@db/x")
        .with_command_line("isotherm record oracle://scott:tiger@db/x --password hunter2");
    Writer::create(&path, &said, Durability::Normal).unwrap().finish().unwrap();
    let kept = Reader::open(&path).unwrap().about().clone();
    assert_eq!(kept.source, "oracle://scott:***@db/x");
    let command_line = "isotherm record oracle://scott:***@db/x --password ***";
    assert_eq!(kept.command_line, command_line);
    let bytes = std::fs::read(&path).unwrap();
    for secret in ["tiger", "hunter2"] {
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
    }
}

#[test]
fn marks_and_tallies_are_kept_and_tallies_of_several_runs_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mark = |at: i64, text: &str| RecordedMark {
        at: Timestamp::new(at),
        text: text.to_owned(),
        origin: "me".to_owned(),
    };
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    assert_eq!(Reader::open(&path).unwrap().account(), Account::default());
    writer.mark(&mark(BEGIN + 9, "later")).unwrap();
    isotherm_recording::mark(&path, &mark(BEGIN + 3, "earlier, by hand")).unwrap();
    let first = Account {
        records: 10,
        rejected: 2,
        rejected_events: 30,
        lost: 4,
        ignored_lines: 5,
        ..Account::default()
    };
    writer.add_account(&first).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    writer.add_account(&Account { records: 1, lost: 1, ..Account::default() }).unwrap();
    writer.finish().unwrap();

    let reader = Reader::open(&path).unwrap();
    assert_eq!(
        reader.marks().unwrap(),
        [mark(BEGIN + 3, "earlier, by hand"), mark(BEGIN + 9, "later")]
    );
    assert_eq!(reader.marks_after(1).unwrap(), [(2, mark(BEGIN + 3, "earlier, by hand"))]);
    let both = Account {
        records: 11,
        rejected: 2,
        rejected_events: 30,
        lost: 5,
        ignored_lines: 5,
        ..Account::default()
    };
    assert_eq!(reader.account(), both);
}

#[test]
fn appending_goes_on_at_the_end_with_known_and_new_series() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let (old, new) = (reads(), Series::named("write"));
    let written = [
        frame(&old, 0, &[0, 10, 20], &[1, 2]),
        frame(&old, 5, &[0, 10, 20], &[3, 0]),
        frame(&old, 5, &[0, 10, 30], &[4, 0]),
        frame(&new, 5, &[0, 10, 20], &[0, 5]),
    ];
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&written[..1]).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    writer.write(&written[1..]).unwrap();
    writer.finish().unwrap();
    assert_eq!(frames(&path), written);
    assert_eq!(Reader::open(&path).unwrap().series().unwrap(), [old, new]);
}

#[test]
fn a_finished_recording_is_exactly_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    writer.write(&[frame(&reads(), 0, &[0, 10], &[1])]).unwrap();
    writer.finish().unwrap();
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["x.heat"]);
    assert!(is_recording(&std::fs::read(&path).unwrap()));
    let again = Writer::create(&path, &about(), Durability::Normal);
    assert!(matches!(again, Err(RecordingError::Exists(_))));
    assert_eq!(frames(&path).len(), 1);
}

#[test]
fn only_the_asked_range_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    // More frames than fit in a page, so that the edges of pages are passed.
    for second in 0..1_000 {
        let count = u64::try_from(second).unwrap();
        let one = frame(&Series::named("one"), second, &[0, 10], &[count]);
        let two = frame(&Series::named("two"), second, &[0, 10], &[count]);
        let three = frame(&Series::named("three"), second, &[0, 10], &[count]);
        writer.write(&[one, two, three]).unwrap();
    }
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    let counts = |from: Option<i64>, to: Option<i64>| -> Vec<u64> {
        let at = |second: i64| Timestamp::new(BEGIN + second * SECOND);
        let frames = reader.frames(from.map(at), to.map(at)).unwrap();
        frames.map(|frame| frame.unwrap().counts.events()).collect()
    };
    let thrice = |seconds: std::ops::Range<u64>| -> Vec<u64> {
        seconds.flat_map(|second| [second; 3]).collect()
    };
    assert_eq!(counts(None, None), thrice(0..1_000));
    // Ending at `from` and beginning at `to` lie outside.
    assert_eq!(counts(Some(10), Some(700)), thrice(10..700));
    assert_eq!(counts(Some(998), None), thrice(998..1_000));
    assert_eq!(counts(None, Some(1)), thrice(0..1));
    assert_eq!(counts(Some(1_000), None), thrice(0..0));
    assert_eq!(counts(None, Some(0)), thrice(0..0));
}

#[test]
fn a_batch_that_is_refused_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    let kept = frame(&Series::named("0"), 0, &[0, 10], &[1]);
    writer.write(std::slice::from_ref(&kept)).unwrap();
    let many: Vec<Frame> =
        (0..65_537).map(|n| frame(&Series::named(n.to_string()), 1, &[0, 20], &[1])).collect();
    let refused = writer.write(&many);
    assert!(matches!(refused, Err(RecordingError::TooManySeries(_))), "{refused:?}");
    // What the refused batch would have made known must be written by the next.
    let next = frame(&Series::named("7"), 1, &[0, 20], &[5]);
    writer.write(std::slice::from_ref(&next)).unwrap();
    // Not one number was lost to the refused batch: 2 are used, 65,533 of these are new.
    writer.write(&many[..65_534]).unwrap();
    writer.finish().unwrap();
    let read = frames(&path);
    assert_eq!(read[..2], [kept, next]);
    assert_eq!(read.len(), 2 + 65_534);
    assert_eq!(Reader::open(&path).unwrap().series().unwrap().len(), 65_534);
}

fn any_quality() -> impl Strategy<Value = Quality> {
    prop_oneof![
        Just(Quality::Complete),
        Just(Quality::Partial(Partial::LatePoll)),
        Just(Quality::Partial(Partial::UnknownWindow)),
        Just(Quality::Partial(Partial::FromPercentages)),
        any::<u64>().prop_map(Quality::Lost),
        Just(Quality::Gap(Gap::Reset)),
        Just(Quality::Gap(Gap::ClockBack)),
        Just(Quality::Gap(Gap::SourceAway)),
    ]
}

fn any_histogram() -> impl Strategy<Value = Histogram> {
    let bounds = prop_oneof![
        Just(vec![0, 10, 20, NO_BOUND]),
        Just(vec![0, 10, 20, 40]),
        Just(vec![5, 1 << 40, u64::MAX - 1]),
        prop::collection::btree_set(any::<u64>(), 2..12).prop_map(|set| set.into_iter().collect()),
    ];
    let sum = prop::option::of(0..=u64::try_from(i64::MAX).unwrap());
    (bounds, sum).prop_flat_map(|(bounds, sum)| {
        let scheme = Scheme::new(bounds).unwrap();
        let count = prop_oneof![3 => Just(0), 2 => 1_u64..9, 1 => any::<u64>()];
        prop::collection::vec(count, scheme.buckets()).prop_map(move |counts| {
            Histogram::new(scheme.clone(), counts, sum.map(Nanos::new)).unwrap()
        })
    })
}

fn any_series() -> impl Strategy<Value = Series> {
    let attributes = prop::collection::btree_map("[ab]", "\\PC{0,3}", 0..3);
    ("\\PC{0,2}", attributes)
        .prop_map(|(name, attributes)| Series::with_attributes(name, attributes))
}

fn any_batches() -> impl Strategy<Value = Vec<Vec<Frame>>> {
    prop::collection::vec(any_series(), 3).prop_flat_map(|pool| {
        let time = (prop_oneof![4 => 0..4_i64, 1 => i64::MIN + 1..i64::MAX - 1], 1..3_i64);
        let frame = (prop::sample::select(pool), time, any_histogram(), any_quality()).prop_map(
            |(series, (start, length), counts, quality)| Frame {
                series,
                start: Timestamp::new(start),
                end: Timestamp::new(start.saturating_add(length)),
                counts,
                quality,
            },
        );
        prop::collection::vec(prop::collection::vec(frame, 0..8), 1..4)
    })
}

/// The frames of each series, scheme and interval, in the order they came.
fn grouped(frames: &[Frame]) -> BTreeMap<(Series, i64, i64, Vec<u64>), Vec<Frame>> {
    let mut groups: BTreeMap<_, Vec<Frame>> = BTreeMap::new();
    for frame in frames {
        let bounds = frame.counts.scheme().bounds().to_vec();
        let key = (frame.series.clone(), frame.start.as_nanos(), frame.end.as_nanos(), bounds);
        groups.entry(key).or_default().push(frame.clone());
    }
    groups
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_frames_read_back_as_they_were_written(batches in any_batches(), reopen in any::<bool>()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.heat");
        let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
        for batch in &batches {
            writer.write(batch).unwrap();
            if reopen {
                writer.finish().unwrap();
                writer = Writer::append_to(&path, Durability::Normal).unwrap();
            }
        }
        prop_assert_eq!(grouped(&frames(&path)), grouped(&batches.concat()));
    }
}

/// A recorder that is started again after its clock stepped back by ten seconds.
#[test]
fn what_is_written_into_time_recorded_before_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let second = |name: &str, second| frame(&Series::named(name), second, &[0, 10], &[1]);
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    (0..20).for_each(|n| writer.write(&[second("one", n), second("one", n)]).unwrap());
    assert_eq!(writer.overlapping(), 0, "a series reported twice in one run is no step");
    writer.finish().unwrap();
    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    // Another series, and a time in which there was nothing.
    writer.write(&[second("two", 12), second("one", -3)]).unwrap();
    assert_eq!(writer.overlapping(), 0);
    (10..25).for_each(|n| writer.write(&[second("one", n)]).unwrap());
    assert_eq!(writer.overlapping(), 10);
    writer.finish().unwrap();
}
