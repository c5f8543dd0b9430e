//! Any counts over any intervals as a report: it is made as a page and as JSON, and its entries
//! hold every event.
#![no_main]

use isotherm_analysis::History;
use isotherm_frame::{
    Account, Clock, Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit,
};
use isotherm_report::{MOST_BYTES, Report, ReportInput, ReportOptions, html, json};
use isotherm_views::InputAccount;

/// One frame of six bytes: series, how long after the last one, its length, bucket, and count.
fn frame(bytes: &[u8], at: &mut Timestamp) -> Frame {
    let scheme = Scheme::powers_of_two(Unit::Micros);
    let mut counts = vec![0; scheme.buckets()];
    let bucket = usize::from(bytes[3]) % counts.len();
    counts[bucket] = u64::from(bytes[4]) << (bytes[5] % 32);
    let start = at.plus(Nanos::from_millis(u64::from(bytes[1])));
    *at = start.plus(Nanos::from_millis(1 + 10 * u64::from(bytes[2])));
    let series = Series::named(["read", "write", "sync"][usize::from(bytes[0]) % 3]);
    let counts = Histogram::new(scheme, counts, None).expect("a count for each bucket");
    Frame { series, start, end: *at, counts, quality: Quality::Complete }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let begin = Timestamp::new(1_700_000_000_000_000_000);
    let mut at = begin;
    let frames: Vec<Frame> =
        bytes.chunks_exact(6).take(200).map(|bytes| frame(bytes, &mut at)).collect();
    let mut history = History::of_everything(1 << 20);
    frames.iter().for_each(|frame| history.push(frame));
    let events: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
    let read = Account { records: frames.len() as u64, clock: Clock::Epoch, ..Account::default() };
    let input = InputAccount { read, events, span: Some((begin, at)), ..InputAccount::default() };
    let given = [ReportInput {
        label: "fuzz".into(),
        source: "fuzz".into(),
        host: None,
        command: None,
        isotherm_version: None,
        file: None,
        input,
        marks: Vec::new(),
        device: None,
        history: &history,
        span: None,
        series: Vec::new(),
    }];
    let Ok(report) = Report::of(&given, &ReportOptions::default()) else { return };
    let mut out = Vec::new();
    html(&report, MOST_BYTES, &mut out).expect("a page");
    out.clear();
    json(&report, true, &mut out).expect("JSON");
    let object: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    let entries = object["entries"].as_array().expect("entries");
    // Of several series there is an entry of all, beside theirs.
    let held = entries.iter().filter_map(|entry| entry["events"].as_u64()).max();
    assert_eq!(held, Some(events), "an event was lost");
});
