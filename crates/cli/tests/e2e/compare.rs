//! Two runs against each other, as a user does it.

use std::fmt::Write as _;
use std::path::Path;

use super::{Room, run, succeed};

const COLUMNS: [&str; 4] = ["--columns", "time,latency", "--unit", "us"];
/// 2025-11-21 14:00:00 UTC.
const START: u64 = 1_763_733_600;

/// A run of so many seconds of 50 events; `latency` gives the microseconds of each second's events,
/// which are spread around it by a number that looks random and is not.
fn events(seconds: u64, seed: u64, latency: impl Fn(u64) -> f64) -> String {
    let mut state = seed;
    let mut text = String::new();
    for second in 0..seconds {
        for part in 0..50 {
            let mut sum = 0.0;
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                sum += (state >> 40) as f64 / f64::from(1 << 24);
            }
            let spread = (sum - 1.5) * 0.8;
            let us = latency(second) * spread.exp();
            writeln!(text, "{}.{:02} {us:.0}", START + second, 2 * part).unwrap();
        }
    }
    text
}

/// The columns of texts; a recording has none to be named.
fn columns(names: &[&str]) -> &'static [&'static str] {
    let is_recording = |name: &&str| Path::new(name).extension().is_some_and(|end| end == "heat");
    if names.iter().all(is_recording) { &[] } else { &COLUMNS }
}

fn compare(names: &[&str], more: &[&str]) -> std::process::Output {
    run(&[&["compare"], names, columns(names), more].concat())
}

fn json(names: &[&str], more: &[&str]) -> serde_json::Value {
    let args = [&["compare"], names, columns(names), &["--format", "json"], more].concat();
    serde_json::from_str(&succeed(&args)).unwrap()
}

fn shift<'a>(found: &'a serde_json::Value, measure: &str) -> &'a serde_json::Value {
    let shifts = found["shifts"].as_array().unwrap();
    shifts.iter().find(|shift| shift["measure"] == measure).unwrap()
}

#[test]
fn what_is_half_as_slow_again_is_found_and_fails_with_99() {
    let room = Room::new();
    let a = room.file("a.txt", events(60, 1, |_| 200.0));
    let b = room.file("b.txt", events(60, 2, |_| 300.0));
    let found = json(&[&a, &b], &[]);
    assert_eq!(found["verdict"], "slower");
    assert_eq!((&found["a"]["events"], &found["b"]["events"]), (&3_000.into(), &3_000.into()));
    for measure in ["mean", "p50", "p99", "waited"] {
        let shift = shift(&found, measure);
        let ratio = shift["ratio"].as_f64().unwrap();
        assert!((ratio - 1.5).abs() < 0.12, "{shift}");
        assert!(shift["ci"][0].as_f64().unwrap() < 1.5 && shift["ci"][1].as_f64().unwrap() > 1.4);
        assert_eq!(shift["moved"], "more");
    }
    assert!(shift(&found, "rate")["moved"].is_null());
    let output = compare(&[&a, &b], &["--fail-if", "p50>1.2x", "--fail-if", "rate<0.9x"]);
    assert_eq!(output.status.code(), Some(99));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("FAIL p50>1.2x: latency has ×1."), "{error}");
    assert!(error.contains("\nisotherm: PASS rate<0.9x: latency has ×1.00"), "{error}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("FAIL p50>1.2x") && text.contains("PASS rate<0.9x"), "{text}");
    assert_eq!(json(&[&b, &a], &[])["verdict"], "faster");
}

#[test]
fn the_same_again_is_the_same_and_ends_with_0() {
    let room = Room::new();
    let a = room.file("a.txt", events(60, 1, |_| 200.0));
    let b = room.file("b.txt", events(60, 2, |_| 200.0));
    let output = compare(&[&a, &b], &["--fail-if", "p99>1.2x", "--describe"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("No difference of latency beyond chance"), "{text}");
    assert!(!text.contains("FREQUENCY"), "--describe has no picture: {text}");
}

#[test]
fn a_small_change_beyond_chance_is_not_called_none() {
    let room = Room::new();
    // The same noise on both sides: the mean differs by exactly 3.6 %.
    let a = room.file("a.txt", events(120, 1, |_| 2_000.0));
    let b = room.file("b.txt", events(120, 1, |_| 2_072.0));
    let found = json(&[&a, &b], &[]);
    let (lo, hi) = (&shift(&found, "mean")["ci"][0], &shift(&found, "mean")["ci"][1]);
    assert!(lo.as_f64().unwrap() > 1.0 && hi.as_f64().unwrap() < 1.08, "{found}");
    let text = String::from_utf8(compare(&[&a, &b], &["--describe"]).stdout).unwrap();
    assert!(text.contains("B is slightly slower: mean ×1.04"), "{text}");
    assert!(!text.contains("as they were") && !text.contains("No difference"), "{text}");
}

#[test]
fn what_cannot_be_tested_is_still_ordered_and_reported() {
    let room = Room::new();
    let side = |name: &str, mutex_us: u32| {
        let each = |i: u64| {
            let at = format!("{}.{}", START + i / 3, i % 3);
            format!("{at} {mutex_us} mutex\n{at} 90000 client\n")
        };
        room.file(name, (0..9).map(each).collect::<String>())
    };
    let (a, b) = (side("a.txt", 3), side("b.txt", 70_000));
    let columns = ["--columns", "time,latency,name", "--unit", "us", "--each", "--describe"];
    let text = succeed(&[&["compare", &a, &b], &columns[..]].concat());
    assert!(text.lines().next().unwrap().contains("mutex"), "{text}");
    let text = text.replace('\n', " ");
    assert!(text.contains("Too few intervals to rule out chance"), "{text}");
    assert!(text.contains("none can be tested; the largest changes: "), "{text}");
    assert!(!text.contains("0 differ"), "{text}");
}

#[test]
fn a_factor_that_cannot_be_decided_fails_unless_that_is_to_pass() {
    let room = Room::new();
    let a = room.file("a.txt", events(60, 1, |_| 200.0));
    let output = compare(&[&a, &a], &["--fail-if", "p99>1.01x"]);
    assert_eq!(output.status.code(), Some(99));
    assert!(String::from_utf8_lossy(&output.stderr).contains("UNSURE p99>1.01x"), "{output:?}");
    let unsure = ["--fail-if", "p99>1.01x", "--pass-when-unsure"];
    assert_eq!(compare(&[&a, &a], &unsure).status.code(), Some(0));
    // A limit of B alone, as in `stats`.
    assert_eq!(compare(&[&a, &a], &["--fail-if", "p50>50us"]).status.code(), Some(99));
    assert_eq!(compare(&[&a, &a], &["--fail-if", "p50>5ms"]).status.code(), Some(0));
}

/// Twelve seconds, the first as before, all others five times as long.
#[test]
fn a_short_run_that_is_five_times_as_slow_fails_on_every_surface() {
    let room = Room::new();
    let a = room.file("a.txt", events(12, 1, |second| 200.0 + 10.0 * (second % 3) as f64));
    let slow = |second| if second == 0 { 200.0 } else { 1_000.0 + 60.0 * (second % 4) as f64 };
    let b = room.file("b.txt", events(12, 2, slow));
    let p50 = json(&[&a, &b], &[]);
    let p50 = shift(&p50, "p50");
    assert!(p50["moved"] == "more" && p50["ci"][0].as_f64().unwrap() > 1.2, "{p50}");
    let fails = |more: &[&str]| {
        let output = compare(&[&a, &b], &[&["--fail-if", "p50>1.2x"], more].concat());
        assert_eq!(output.status.code(), Some(99), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("FAIL p50>1.2x"), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = fails(&["--describe"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["compare latency: slower", "FAIL p50>1.2x"], "{text}");
    let verdict = fails(&["-q"]);
    assert_eq!(verdict.lines().count(), 1, "{verdict}");
    assert!(verdict.starts_with("B is slower: ") && verdict.contains("p50 "), "{verdict}");
    for name in ["comment.md", "junit.xml"] {
        let file = room.name(name);
        assert_eq!(fails(&["-o", &file]), "");
        // What it wrote itself it overwrites.
        fails(&["-o", &file, "-q"]);
        let text = std::fs::read_to_string(&file).unwrap();
        let first = match name {
            "comment.md" => {
                "<!-- isotherm report -->\n### latency: slower\n\n- **FAIL** p50>1.2x: "
            }
            _ => {
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"isotherm compare\" "
            }
        };
        assert!(text.starts_with(first), "{text}");
    }
    let none = compare(&[&a, &b], &["-o", &room.name("none.xml")]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
}

/// A server that waits for test results finds them where a side has no events, too.
#[test]
fn a_side_without_events_fails_in_the_test_results() {
    let room = Room::new();
    let a = room.file("a.txt", events(30, 1, |_| 200.0));
    for (name, text) in [("nothing.txt", ""), ("head.txt", "time,latency\n")] {
        let (b, junit) = (room.file(name, text), room.name(&format!("{name}.xml")));
        let gate = ["--fail-if", "p99>2x", "--fail-if", "rate<1", "-o", &junit];
        let output = compare(&[&a, &b], &gate);
        assert_eq!(output.status.code(), Some(99), "{output:?}");
        let text = std::fs::read_to_string(&junit).unwrap();
        assert!(text.contains("tests=\"2\" failures=\"2\""), "{text}");
        assert_eq!(text.matches("<failure ").count(), 2, "{text}");
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn each_series_is_compared_with_itself_alone() {
    let room = Room::new();
    let of = |name: &str, device: &str| {
        let line = |i: u32| format!("{}.{} 200 {device}\n", START + u64::from(i / 20), i % 10);
        room.file(name, (0..1_200).map(line).collect::<String>())
    };
    let (a, b) = (of("a.txt", "sda"), of("b.txt", "sdb"));
    let columns = ["compare", &a, &b, "--columns", "time,latency,device", "--unit", "us"];
    let by_name = run(&columns);
    assert!(by_name.status.success(), "{by_name:?}");
    let each = run(&[&columns[..], &["--each"]].concat());
    let said = String::from_utf8_lossy(&each.stderr);
    assert!(!each.status.success() && each.stdout.is_empty(), "{each:?}");
    for part in ["only in A latency{device=sda}", "only in B latency{device=sdb}"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn silence_across_a_limit_is_cut_there() {
    let room = Room::new();
    let mut text = events(60, 1, |_| 200.0).replace('\n', " often\n");
    for second in [0, 59] {
        writeln!(text, "{}.99 500 seldom", START + second).unwrap();
    }
    let file = room.file("run.txt", text);
    let columns = ["--columns", "time,latency,how", "--unit", "us", "--format", "json"];
    let stretches = ["compare", &file, "--a", "..20s", "--b", "20s.."];
    let found = succeed(&[&stretches[..], &columns[..]].concat());
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    // From when the first wait began.
    let limit = found["a"]["start_us"].as_f64().unwrap() + 20e6;
    let near = |us: Option<f64>| (us.unwrap() - limit).abs() < 1e3;
    assert!(near(found["a"]["end_us"].as_f64()) && near(found["b"]["start_us"].as_f64()));
    assert_eq!((&found["a"]["events"], &found["b"]["events"]), (&1_001.into(), &2_001.into()));
    assert!((found["a"]["covered_s"].as_f64().unwrap() - 20.0).abs() < 1e-3);
}

#[test]
fn two_stretches_of_one_recording_by_time_and_by_mark() {
    let room = Room::new();
    let slow = |second: u64| if (20..40).contains(&second) { 800.0 } else { 200.0 };
    let text = room.file("run.txt", events(60, 1, slow));
    let heat = room.name("run.heat");
    succeed(&[&["import", &text, "-o", &heat][..], &COLUMNS].concat());
    succeed(&["mark", &heat, "backup start", "--at", "2025-11-21T14:00:20Z"]);
    succeed(&["mark", &heat, "backup end", "--at", "2025-11-21T14:00:40Z"]);
    let by_time = json(&[&heat], &["--a", "..20s", "--b", "20s..40s"]);
    let by_mark = json(&[&heat], &["--a", "..backup start", "--b", "backup start..backup end"]);
    assert_eq!(by_time["shifts"], by_mark["shifts"]);
    assert_eq!(by_time["b"]["events"], 1_000);
    assert!((shift(&by_time, "p50")["ratio"].as_f64().unwrap() - 4.0).abs() < 0.4);
    let after = json(&[&heat], &["--a", "..20s", "--b", "backup end.."]);
    assert_eq!(after["verdict"], "same");
    let aligned = json(&[&heat, &heat], &["--align", "backup start"]);
    assert_eq!(aligned["align"], "mark");
    for wrong in [
        &["--a", "..backup middle"][..],
        &["--a", "10s"],
        &["--a", "2h.."],
        &["--align", "no such mark"],
        &[],
    ] {
        let output = compare(&[&heat], wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?} {output:?}");
    }
}

#[test]
fn what_only_one_side_has_is_listed() {
    let room = Room::new();
    let named = |name: &str, us: u32| -> String {
        let line =
            |i: u32| format!("{}.{} {} {name}\n", START + u64::from(i / 20), i % 10, us + i % 7);
        (0..1_200).map(line).collect()
    };
    let a = room.file("a.txt", named("read", 200) + &named("write", 900) + &named("sync", 50));
    let b = room.file("b.txt", named("read", 200) + &named("write", 2_900) + &named("trim", 50));
    let args = ["compare", &a, &b, "--columns", "time,latency,name", "--unit", "us", "--each"];
    let found: serde_json::Value =
        serde_json::from_str(&succeed(&[&args[..], &["--format", "json"]].concat())).unwrap();
    let pairs = found["pairs"].as_array().unwrap();
    let of = |name: &str| {
        pairs.iter().find(|pair| pair["label"].as_str().unwrap().contains(name)).unwrap()
    };
    assert_eq!(pairs.len(), 4);
    assert!(found["label"].as_str().unwrap().contains("write"), "the most changed is shown");
    assert_eq!((&of("sync")["in"], &of("trim")["in"]), (&"a".into(), &"b".into()));
    assert_eq!(
        (&of("write")["verdict"], &of("read")["verdict"]),
        (&"slower".into(), &"same".into())
    );
    let text = succeed(&args);
    assert!(text.contains("only in A") && text.contains("only in B"), "{text}");
}

#[test]
fn a_page_is_written_and_nothing_else_is_overwritten() {
    let room = Room::new();
    let a = room.file("a.txt", events(30, 1, |_| 200.0));
    let b = room.file("b.txt", events(30, 2, |_| 300.0));
    let page = room.name("d.html");
    let written = compare(&[&a, &b], &["-o", &page]);
    assert!(written.status.success() && written.stdout.is_empty(), "{written:?}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("B is slower") && html.contains("id=\"isotherm-data\""));
    let precious = room.file("precious.html", "<p>mine</p>");
    assert_eq!(compare(&[&a, &b], &["-o", &precious]).status.code(), Some(2));
    assert_eq!(compare(&[&a, &b], &["-o", &room.name("d.png")]).status.code(), Some(2));
    assert_eq!(compare(&["-", &b], &["-o", &page]).status.code(), Some(2));
}

#[test]
fn rare_events_have_their_true_rate() {
    let room = Room::new();
    let lines = |every: u64| -> String {
        let line = |i: u64| format!("{} {}\n", START + i * every, 200 + i % 9);
        (0..300).map(line).collect::<Vec<String>>().concat()
    };
    let a = room.file("a.txt", lines(10));
    let b = room.file("b.txt", lines(20));
    let found = json(&[&a, &b], &[]);
    let rate = shift(&found, "rate");
    assert!((rate["a"]["value"].as_f64().unwrap() - 0.1).abs() < 0.002, "{rate}");
    assert!((rate["ratio"].as_f64().unwrap() - 0.5).abs() < 0.01, "{rate}");
}

#[test]
fn nonsense_is_a_usage_error() {
    assert_eq!(run(&["compare", "a", "b", "--fail-if", "p98>1.2x"]).status.code(), Some(2));
    assert_eq!(run(&["compare", "a", "b", "--fail-if", "p99"]).status.code(), Some(2));
    assert_eq!(run(&["compare", "/no/such/a", "/no/such/b"]).status.code(), Some(1));
}
