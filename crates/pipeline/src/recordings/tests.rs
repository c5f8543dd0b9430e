use std::path::PathBuf;

use isotherm_frame::{BinnerLimits, Event, Frame, Histogram, Nanos, Quality, Random, Scheme};
use isotherm_recording::{About, Durability, RecordedMark, Writer};
use testing::bounded::Deadline;

use super::*;
use crate::{Binning, EventStream, ReadOptions, WholeInputs, expand};

const ALL: ReplayRange = (Timestamp::new(0), Timestamp::new(i64::MAX));

fn at(second: i64) -> Timestamp {
    Timestamp::new((1_700_000_000 + second) * 1_000_000_000)
}

fn frame(name: &str, second: i64, events: u64) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    (0..events).for_each(|event| counts.record(Nanos::from_micros(100 + event)));
    let (series, end) = (Series::named(name), at(second + 1));
    Frame { series, start: at(second), end, counts, quality: Quality::Complete }
}

/// Recordings of some hosts: they overlap, one of them is over before another begins.
fn record(folder: &Path, hosts: &[(&str, std::ops::Range<i64>)]) -> Vec<PathBuf> {
    let mut random = Random::new(7);
    let record = |(host, seconds): &(&str, std::ops::Range<i64>)| {
        let path = folder.join(format!("{host}.heat"));
        let mut writer = Writer::create(&path, &About::default(), Durability::Normal).unwrap();
        for second in seconds.clone() {
            let mut some = |name: &str| frame(&format!("{host} {name}"), second, random.below(9));
            writer.write(&[some("read"), some("write")]).unwrap();
        }
        let (text, origin) = (format!("{host} began"), "test".to_owned());
        writer.mark(&RecordedMark { at: at(seconds.start - 1), text, origin }).unwrap();
        path
    };
    hosts.iter().map(record).collect()
}

/// All events, and why one of the recordings could not be read.
fn events_and_error(mut replay: Replay) -> (Vec<Event>, Option<String>) {
    let (mut events, deadline) = (Vec::new(), Deadline::default());
    loop {
        assert!(!deadline.left().is_zero(), "the replay does not end");
        let batch = replay.next(deadline.left());
        events.extend(batch.events);
        if batch.ended.is_some() {
            return (events, replay.take_error().map(|error| error.to_string()));
        }
    }
}

fn all_of(replay: Replay) -> Vec<Event> {
    let (events, error) = events_and_error(replay);
    assert_eq!(error, None);
    events
}

/// A line for each event; what happened at one moment in the order of names.
fn lines(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::Frame(frame) => {
            format!("{} {} {:?}", frame.end.as_nanos(), frame.series, frame.counts.counts())
        }
        Event::Mark(mark) => format!("{} mark {}", mark.at.as_nanos(), mark.text),
        other => panic!("{other:?}"),
    };
    let mut lines: Vec<String> = events.iter().map(line).collect();
    lines.sort();
    lines
}

fn streamed(paths: &[PathBuf], range: ReplayRange) -> Replay {
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let recordings = OpenRecordings::open(&paths).unwrap().unwrap();
    recordings.replay(range, false, Speed::Max, Arc::default())
}

fn whole(paths: &[PathBuf], range: ReplayRange) -> Replay {
    let addresses = paths.iter().map(|path| path.to_str().unwrap().parse().unwrap()).collect();
    let binning = Binning::new(Nanos::SECOND, BinnerLimits::cells(8_192));
    let inputs = expand(addresses).unwrap();
    let whole = WholeInputs::read(&inputs, &ReadOptions::default(), binning).unwrap();
    whole.replay(range, Speed::Max, Arc::default())
}

#[test]
fn recordings_merged_while_they_are_read_give_what_they_give_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    // Longer than what is read ahead of each, and more than are open before their time comes.
    let mut hosts = vec![("a", 0..3_000), ("b", 1_500..2_500), ("c", 2_990..6_000)];
    let late: Vec<String> = (0..20).map(|number| format!("late{number}")).collect();
    hosts.extend(late.iter().map(|name| (name.as_str(), 6_100..6_103)));
    let paths = record(folder.path(), &hosts);
    for range in [ALL, (at(1_600), at(3_100))] {
        let streamed = all_of(streamed(&paths, range));
        let moments: Vec<Timestamp> = streamed.iter().filter_map(Event::at).collect();
        assert!(moments.is_sorted());
        assert_eq!(moments.len(), streamed.len());
        assert!(!streamed.is_empty());
        assert!(lines(&streamed) == lines(&all_of(whole(&paths, range))));
    }
}

#[test]
fn a_recording_that_vanished_before_its_time_came_is_an_error_after_the_others_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..18).map(|number| format!("host{number:02}")).collect();
    let hosts = names.iter().zip(0..).map(|(name, n)| (name.as_str(), n * 10..n * 10 + 5));
    let paths = record(folder.path(), &hosts.collect::<Vec<_>>());
    let borrowed: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let recordings = OpenRecordings::open(&borrowed).unwrap().unwrap();
    std::fs::remove_file(&paths[17]).unwrap();
    let replay = recordings.replay(ALL, false, Speed::Max, Arc::default());
    let (events, error) = events_and_error(replay);
    assert!(error.unwrap().contains("host17"));
    let frames = events.iter().filter_map(Event::frame).count();
    assert_eq!(frames, 17 * 5 * 2);
    let told = |event: &&Event| matches!(event, Event::Message(text) if text.contains("host17"));
    assert_eq!(events.iter().filter(told).count(), 1);
}
