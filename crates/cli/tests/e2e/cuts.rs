//! Two parts of a recording are the whole, wherever it is cut, on every surface that cuts.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Room, run, succeed};

/// 2023-11-14 22:13:20 UTC, in microseconds.
const START_US: u64 = 1_700_000_000_000_000;
const COLUMNS: &[&str] =
    &["--columns", "time,latency,event", "--unit", "us", "--by", "event", "-i", "1s"];

/// An event: when it ended, how long it took, both in microseconds, and its series.
type Waited = (u64, u64, &'static str);

/// A minute of ten reads a second of 30 ms, one write that took 8.7 s and ended at 20.3 s, four
/// locks of 8 s that ended at 40.25 s, and a rare one at 55 s.
fn events() -> Vec<Waited> {
    let mut all: Vec<Waited> = (1..600).map(|n| (n * 100_000 + 7_000, 30_000, "read")).collect();
    all.push((20_300_000, 8_700_000, "write"));
    all.extend([(40_250_000, 8_000_000, "lock"); 4]);
    all.push((55_000_000, 250, "rare"));
    all.sort_unstable();
    all
}

/// What is true of a part.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Part {
    events: u64,
    waited_s: f64,
    covered_s: f64,
}

impl Part {
    fn near(self, other: Part) -> bool {
        let near = |one: f64, two: f64| (one - two).abs() < 1e-6 || one.is_nan() || two.is_nan();
        self.events == other.events
            && near(self.waited_s, other.waited_s)
            && near(self.covered_s, other.covered_s)
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn stats(args: &[&str]) -> Part {
    let all = json(&succeed(&[&["stats", "--format", "json"], args].concat()));
    let series = all["series"].as_array().unwrap();
    let sum = |key: &str| series.iter().map(|one| one[key].as_f64().unwrap()).sum::<f64>();
    let waiting = sum("sessions_waiting");
    let covered_s = if waiting > 0.0 { sum("time_waited_s") / waiting } else { f64::NAN };
    let events = all["input"]["events"].as_u64().unwrap();
    Part { events, waited_s: sum("time_waited_s"), covered_s }
}

fn report(args: &[&str]) -> Part {
    let words = ["report", "--format", "json", "--with-columns", "-o", "-"];
    let all = json(&succeed(&[&words, args].concat()));
    let whole = &all["entries"][0];
    let number = |key: &str| whole[key].as_f64().unwrap();
    let columns = whole["columns"].as_array().unwrap();
    let waited_s: f64 = columns.iter().filter_map(|column| column["waited_s"].as_f64()).sum();
    assert!((waited_s - number("waited_s")).abs() < 1e-6, "{args:?}: {waited_s} in columns");
    let events = whole["events"].as_u64().unwrap();
    Part { events, waited_s: number("waited_s"), covered_s: number("covered_s") }
}

/// The number of events in the first line, and no more: the rest is rounded.
fn show(args: &[&str]) -> Part {
    let text = succeed(&[&["show", "--width", "160"], args].concat());
    let line = text.lines().find(|line| line.contains(" events │")).unwrap();
    let events = line.split(" events").next().unwrap().trim().replace(',', "").parse().unwrap();
    Part { events, waited_s: f64::NAN, covered_s: f64::NAN }
}

fn both_sides(file: &str, cut: &str) -> [Part; 2] {
    let (a, b) = (format!("..{cut}"), format!("{cut}.."));
    let output = run(&["compare", file, "--a", &a, "--b", &b, "--format", "json"]);
    let all = json(&String::from_utf8(output.stdout).unwrap());
    ["a", "b"].map(|side| Part {
        events: all[side]["events"].as_u64().unwrap(),
        waited_s: all[side]["waited_s"].as_f64().unwrap(),
        covered_s: f64::NAN,
    })
}

/// What ended, and was waited, between two moments in microseconds.
fn truth(from_us: u64, to_us: u64) -> Part {
    let inside = |at: u64| at.clamp(from_us, to_us);
    let waited = events().into_iter().map(|(end, us, _)| inside(end) - inside(end - us));
    Part {
        events: events().iter().filter(|(end, ..)| (from_us..to_us).contains(end)).count() as u64,
        waited_s: waited.sum::<u64>() as f64 / 1e6,
        covered_s: f64::NAN,
    }
}

/// Compares both halves of the minute with what is true of them, on every surface that cuts. An interval
/// belongs where its middle lies.
fn two_parts_are_the_whole(cut_us: u64) {
    let room = Room::new();
    let mut text = String::new();
    for (end_us, us, event) in events() {
        let at = START_US + end_us;
        writeln!(text, "{}.{:06} {us} {event}", at / 1_000_000, at % 1_000_000).unwrap();
    }
    let (log, heat) = (room.file("a.txt", text), room.name("a.heat"));
    succeed(&[&["import", &log, "-o", &heat], COLUMNS].concat());
    let end_us = 61_000_000;
    let whole = stats(&[&heat]);
    assert!(whole.near(truth(0, end_us)), "{whole:?}");
    let cut = format!("22:13:{:02}.{:06}", 20 + cut_us / 1_000_000, cut_us % 1_000_000);
    let halves = [["--to", &cut], ["--from", &cut]];
    let first_s = (cut_us + 500_000 - 1) / 1_000_000;
    let expected = [truth(0, first_s * 1_000_000), truth(first_s * 1_000_000, end_us)];
    let mut found = vec![("compare", both_sides(&heat, &cut))];
    for (surfaces, args) in [
        (["stats", "report", "show", "import"], vec![heat.as_str()]),
        (
            ["stats of a log", "report of a log", "show of a log", "import of a log"],
            [&[&*log], COLUMNS].concat(),
        ),
    ] {
        let of = |read: fn(&[&str]) -> Part| halves.map(|half| read(&[&args[..], &half].concat()));
        let imported = halves.map(|half| {
            let part = room.name(&format!("{}{}.heat", surfaces[3], half[0]));
            succeed(&[&["import"], &args[..], &half, &["-o", &part]].concat());
            stats(&[&part])
        });
        found.extend(surfaces.into_iter().zip([of(stats), of(report), of(show), imported]));
    }
    let exported = halves.map(|half| {
        let [file, again] = ["csv", "heat"].map(|kind| room.name(&format!("x{}.{kind}", half[0])));
        succeed(&[&["export", &heat, "-o", &file], &half[..]].concat());
        succeed(&["import", &file, "-o", &again]);
        stats(&[&again])
    });
    found.push(("export", exported));
    for (surface, halves) in found {
        for (half, expected) in halves.iter().zip(expected) {
            assert!(half.near(expected), "{surface} at {cut}: {half:?} {expected:?}");
        }
        let covered_s = halves[0].covered_s + halves[1].covered_s;
        let all = Part { covered_s, ..whole };
        assert!(all.near(whole), "{surface} at {cut}: {covered_s} s of {whole:?}");
    }
}

/// Each cut is a test of its own: one starts some twenty programs.
macro_rules! cuts {
    ($($name:ident: $cut_us:literal,)*) => {
        $(#[test]
        fn $name() {
            two_parts_are_the_whole($cut_us);
        })*
    };
}

cuts! {
    at_the_end_of_an_interval: 10_000_000,
    in_the_first_half_of_an_interval: 12_499_999,
    in_the_second_half_of_an_interval: 12_500_001,
    within_the_write: 15_250_000,
    within_the_locks: 35_700_000,
    at_an_end_within_the_locks: 36_000_000,
}
