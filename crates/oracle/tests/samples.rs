//! Real traces, where they are at hand: `ISOTHERM_SAMPLES` names the folder. They are not part of
//! the repository. What they must say was counted by other programs.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot read its files must fail, and one that is skipped must say so"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use isotherm_oracle::trace::{
    Call, CallCounts, LobCall, UserCalls, Visitor, Wait, scan, scan_slice,
};
use serde_json::Value;

#[derive(Default, PartialEq, Debug)]
struct Counts {
    /// By event: count, sum, and counts below powers of two.
    events: BTreeMap<String, (u64, u64, BTreeMap<u64, u64>)>,
    calls: BTreeMap<(String, u32), u64>,
    lobs: BTreeMap<String, u64>,
    with_tim: u64,
    tim: Option<(u64, u64)>,
}

impl Visitor for Counts {
    fn wait(&mut self, wait: &Wait<'_>) {
        let event = String::from_utf8_lossy(wait.event).into_owned();
        let (count, sum, buckets) = self.events.entry(event).or_default();
        *count += 1;
        *sum += wait.ela;
        *buckets.entry((wait.ela + 1).next_power_of_two()).or_default() += 1;
        if let Some(tim) = wait.tim {
            self.with_tim += 1;
            let (least, most) = self.tim.unwrap_or((tim, tim));
            self.tim = Some((least.min(tim), most.max(tim)));
        }
    }

    fn call(&mut self, call: &Call) {
        let kind = format!("{:?}", call.kind).to_uppercase();
        *self.calls.entry((kind, call.depth)).or_default() += 1;
    }

    fn lob(&mut self, call: &LobCall<'_>) {
        let kind = String::from_utf8_lossy(call.kind).into_owned();
        *self.lobs.entry(kind).or_default() += 1;
    }
}

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("ISOTHERM_SAMPLES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: ISOTHERM_SAMPLES is not set");
    }
    folder
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn expected(said: &Value) -> Counts {
    let mut counts = Counts::default();
    let numbers = |value: &Value| -> BTreeMap<String, u64> {
        let pairs = value.as_object().unwrap().iter();
        pairs.map(|(key, value)| (key.clone(), number(value))).collect()
    };
    for (event, said) in said["events"].as_object().unwrap() {
        let buckets = numbers(&said["hist_us_lt"]);
        let buckets = buckets.into_iter().map(|(bound, count)| (bound.parse().unwrap(), count));
        let entry = (number(&said["count"]), number(&said["sum_ela_raw"]), buckets.collect());
        counts.events.insert(event.clone(), entry);
    }
    for (kind, depths) in said["calls"].as_object().unwrap() {
        for (depth, count) in numbers(depths) {
            let depth = depth.strip_prefix("dep=").unwrap().parse().unwrap();
            counts.calls.insert((kind.clone(), depth), count);
        }
    }
    counts.lobs = numbers(&said["lob_calls"]);
    counts.with_tim = number(&said["wait_lines_with_tim"]);
    counts.tim = said["tim_min"].as_u64().zip(said["tim_max"].as_u64());
    counts
}

#[test]
fn every_trace_has_the_waits_and_calls_it_should() {
    let Some(folder) = folder().map(|folder| folder.join("oracle/traces")) else { return };
    let said = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(said.as_object().unwrap().len() >= 7);
    for (name, said) in said.as_object().unwrap() {
        let mut counts = Counts::default();
        let account = scan(&mut File::open(folder.join(name)).unwrap(), &mut counts).unwrap();
        assert_eq!(counts, expected(said), "{name}");
        assert_eq!(account.waits, number(&said["wait_lines"]), "{name}");
        assert_eq!(account.bytes, number(&said["bytes"]), "{name}");
        assert_eq!(account.damaged, 0, "{name}: {:?}", account.examples);
        calls_are_divided_by_depth(&folder.join(name), &counts.calls);
        // Counted there: what line ends separate.
        assert_eq!(account.lines + 1, number(&said["lines"]), "{name}");
    }
}

/// The calls of users are those of depth 0, and all others the database's own.
fn calls_are_divided_by_depth(trace: &Path, expected: &BTreeMap<(String, u32), u64>) {
    let mut found = UserCalls::default();
    scan(&mut File::open(trace).unwrap(), &mut found).unwrap();
    found.end_file();
    let sum = |kind: &str, is_deeper: bool| -> u64 {
        let of = |(key, depth): &(String, u32)| key == kind && (*depth > 0) == is_deeper;
        expected.iter().filter(|(key, _)| of(key)).map(|(_, count)| count).sum()
    };
    for (calls, is_deeper) in [(found.calls(), false), (found.recursive, true)] {
        let CallCounts { parses, execs, fetches } = calls;
        let expected = ["PARSE", "EXEC", "FETCH"].map(|kind| sum(kind, is_deeper));
        assert_eq!([parses, execs, fetches], expected, "{}", trace.display());
    }
}

#[test]
fn the_large_trace_is_read_alike_whole_and_in_parts() {
    let Some(folder) = folder().map(|folder| folder.join("pylatencymap")) else { return };
    let said = std::fs::read_to_string(folder.join("expected_10046.json")).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    let bytes = std::fs::read(folder.join("test_10046_tracefile.trc")).unwrap();
    let mut whole = Counts::default();
    let account = scan_slice(&bytes, &mut whole);
    let mut parts = Counts::default();
    assert_eq!(scan(&mut &bytes[..], &mut parts).unwrap(), account);
    assert_eq!(whole, parts);
    assert_eq!(account.waits, number(&said["wait_lines"]));
    for (event, said) in said["events"].as_object().unwrap() {
        let (count, sum, buckets) = &whole.events[event];
        assert_eq!((*count, *sum), (number(&said["count"]), number(&said["sum_us"])), "{event}");
        for (bound, count) in said["hist_us_exclusive_upper_bound"].as_object().unwrap() {
            assert_eq!(buckets[&bound.parse().unwrap()], number(count), "{event} below {bound}");
        }
    }
    for (kind, said) in said["calls"].as_object().unwrap() {
        assert_eq!(whole.calls[&(kind.clone(), 1)], number(&said["count"]), "{kind}");
    }
    assert_eq!((account.damaged, account.ignored), (0, 2), "{:?}", account.examples);
}
