//! SQL traces.

use std::collections::BTreeMap;
use std::path::Path;

use isotherm_formats::{Context, Message, Only, Recognition, Sink, recognise};
use isotherm_frame::{Account, Clock, Reading};
use serde_json::Value;

use super::folder;

/// Every wait: event, when it ended and how long it took, in microseconds.
#[derive(Default)]
struct Waits {
    waits: Vec<(String, i64, u64)>,
    tally: Account,
}

impl Sink for Waits {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        let (at, series, latency) = match reading {
            Reading::Event { at, series, latency } => (at, series, latency),
            // What `--where` leaves out only says that it was observed.
            Reading::Unselected { .. } => return,
            other => panic!("no wait: {other:?}"),
        };
        let (at, latency) = (at.as_nanos() / 1_000, latency.as_nanos() / 1_000);
        self.waits.push((series.to_string(), at, latency));
    }
}

fn read(path: &Path, context: &Context) -> Waits {
    let input = std::fs::read(path).unwrap();
    let Recognition::Known(source) = recognise(&input) else { panic!("{}", path.display()) };
    assert_eq!(source.meta().name, "oracletrace", "{}", path.display());
    let mut waits = Waits::default();
    source.decode(&mut &input[..], context, &mut waits).unwrap();
    waits
}

fn counts(waits: &Waits) -> BTreeMap<String, (u64, u64)> {
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (series, _, latency) in &waits.waits {
        let (count, sum) = counts.entry(series.clone()).or_default();
        *count += 1;
        *sum += latency;
    }
    counts
}

fn said(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

fn expected(events: &Value, sum: &str) -> BTreeMap<String, (u64, u64)> {
    let events = events.as_object().unwrap().iter();
    let numbers = |said: &Value| (said["count"].as_u64().unwrap(), said[sum].as_u64().unwrap());
    events.map(|(event, said)| (event.clone(), numbers(said))).collect()
}

#[test]
fn traces_of_all_versions_have_the_waits_they_should() {
    let Some(folder) = folder("oracle/traces") else { return };
    for (name, said) in said(&folder, "expected.json").as_object().unwrap() {
        let waits = read(&folder.join(name), &Context::default());
        assert_eq!(counts(&waits), expected(&said["events"], "sum_us"), "{name}");
        assert_eq!(waits.tally.rejected, 0, "{name}");
        println!("{name}: {} waits, {:?}", waits.waits.len(), waits.tally.notices);
    }
}

#[test]
fn waits_are_where_the_stamps_say() {
    let Some(folder) = folder("oracle/traces") else { return };
    // The seconds of the first and last stamp of each, in UTC.
    for (name, first, last) in [
        ("jkstill_js122a1_ora_9850.trc", "2019-07-09T16:57:07Z", "2019-07-09T16:57:13.5Z"),
        ("jkstill_cdb1_ora_4690_PF-12ms-500.trc", "2024-03-26T23:12:50Z", "2024-03-26T23:12:54Z"),
        ("jkstill_js12c1_ora_21055.trc", "2017-01-18T12:07:55Z", "2017-01-18T12:08:17.5Z"),
    ] {
        let waits = read(&folder.join(name), &Context::default());
        let micros = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_microsecond();
        let range = micros(first)..micros(last);
        assert!(waits.waits.iter().all(|(_, at, _)| range.contains(at)), "{name}: {range:?}");
        assert_eq!(waits.tally.clock, Clock::Epoch, "{name}");
    }
    let extract = read(&folder.join("jlewis_extract_9206.trc"), &Context::default());
    assert_eq!(extract.tally.clock, Clock::Assumed);
}

#[test]
fn the_large_trace_has_its_waits_in_the_right_seconds() {
    let Some(folder) = folder("pylatencymap") else { return };
    let said = said(&folder, "expected_10046.json");
    let waits = read(&folder.join("test_10046_tracefile.trc"), &Context::default());
    assert_eq!(counts(&waits), expected(&said["events"], "sum_us"));
    for (event, said) in said["events"].as_object().unwrap() {
        let windows = &said["windows_1s"];
        let first = windows["first_start"].as_i64().unwrap();
        let mut counts =
            vec![0_u64; usize::try_from(windows["slots_incl_empty"].as_u64().unwrap()).unwrap()];
        for (_, at, _) in waits.waits.iter().filter(|(series, ..)| series == event) {
            counts[usize::try_from((at - first) / 1_000_000).unwrap()] += 1;
        }
        let expected: Vec<u64> = windows["counts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|count| count.as_u64().unwrap())
            .collect();
        assert_eq!(counts, expected, "{event}");
    }
    let by = vec!["object".to_owned()];
    let (attribute, pattern) = ("event".to_owned(), "db file seq*".to_owned());
    let only = vec![Only { attribute, pattern, other: false }];
    let waits =
        read(&folder.join("test_10046_tracefile.trc"), &Context { by, only, ..Context::default() });
    let found = counts(&waits).into_iter().map(|(series, (count, _))| (series, count));
    let expected = said["dfsr_by_obj"].as_object().unwrap().iter();
    let expected = expected
        .map(|(object, count)| (format!("waits{{object={object}}}"), count.as_u64().unwrap()));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected.collect());
}
