//! What `--fail-if` says where only one side, only a part, or nothing at all is there.

use std::fmt::Write as _;

use super::{Room, run};

const COLUMNS: [&str; 4] = ["--columns", "time,latency,name", "--unit", "us"];
/// 2025-11-21 14:00:00 UTC.
const START: u64 = 1_763_733_600;

/// A minute of 20 events per second of each kind, around so many microseconds.
fn events(kinds: &[(&str, u64)]) -> String {
    let mut text = String::new();
    for (name, us) in kinds {
        for event in 0..1_200_u64 {
            let (second, part) = (START + event / 20, 5 * (event % 20));
            writeln!(text, "{second}.{part:02} {} {name}", us + event % 7).unwrap();
        }
    }
    text
}

/// The lines of the conditions, and the exit code.
fn judged(args: &[&str], conditions: &[&str]) -> (Vec<String>, Option<i32>) {
    let conditions = conditions.iter().flat_map(|condition| ["--fail-if", condition]);
    let args: Vec<&str> = args.iter().copied().chain(conditions).collect();
    let output = run(&args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_judged =
        |line: &&str| ["PASS ", "FAIL ", "UNSURE "].iter().any(|word| line.contains(word));
    (said.lines().filter(is_judged).map(str::to_owned).collect(), output.status.code())
}

fn compared(a: &str, b: &str, conditions: &[&str]) -> (Vec<String>, Option<i32>) {
    judged(&[&["compare", a, b, "--each", "--describe"], &COLUMNS[..]].concat(), conditions)
}

#[test]
fn a_series_that_vanished_has_a_rate_of_zero_and_a_new_one_is_more() {
    let room = Room::new();
    let a = room.file("a.txt", events(&[("read", 200), ("sync", 50)]));
    let b = room.file("b.txt", events(&[("read", 200), ("trim", 50)]));
    for (condition, word, of, code) in [
        ("rate<0.5x", "FAIL", "sync", 99),
        ("waited<0.5x", "FAIL", "sync", 99),
        ("rate>1.5x", "FAIL", "trim", 99),
        ("p99>3x", "UNSURE", "", 99),
        ("mean<0.3x", "UNSURE", "", 99),
        ("rate<10/s", "FAIL", "sync", 99),
    ] {
        let (lines, found) = compared(&a, &b, &[condition]);
        let [line] = &lines[..] else { panic!("{condition}: {lines:?}") };
        assert!(line.starts_with(&format!("isotherm: {word} {condition}: ")), "{line}");
        assert!(line.contains(of) && line.contains("has no events in"), "{line}");
        assert_eq!(found, Some(code), "{line}");
    }
    // Limits of B are asked of what it has, as in `stats`.
    assert_eq!(compared(&a, &b, &["p99>20ms"]).1, Some(0));
    // What only A has is not more in B, and what both have is judged as ever.
    assert_eq!(
        compared(&a, &room.file("r.txt", events(&[("read", 200)])), &["rate>1.5x"]).1,
        Some(0)
    );
    // Once in a minute may be not at all in another.
    let once = format!("{}{START}.50 90 flush\n", events(&[("read", 200)]));
    let rare = room.file("rare.txt", once);
    let (lines, code) =
        compared(&rare, &room.file("c.txt", events(&[("read", 200)])), &["rate<0.5x"]);
    assert!(
        lines[0].contains("UNSURE rate<0.5x: latency{name=flush} has no events in B"),
        "{lines:?}"
    );
    assert_eq!(code, Some(99));
}

/// 1,200 syncs of one minute are gone in the next, whatever else is looked at beside them.
#[test]
fn a_series_that_vanished_is_judged_alike_when_it_is_chosen() {
    let room = Room::new();
    let a = room.file("a.txt", events(&[("read", 200), ("sync", 50)]));
    let b = room.file("b.txt", events(&[("read", 200)]));
    let chosen = |condition: &str| {
        let args = [&["compare", &a, &b, "--each", "--series", "sync"], &COLUMNS[..]].concat();
        judged(&args, &[condition])
    };
    for (condition, code) in [("rate<0.5x", 99), ("waited<0.5x", 99), ("rate>2x", 0)] {
        let (lines, found) = chosen(condition);
        assert_eq!(found, Some(code), "{condition}: {lines:?}");
        let alone = lines.iter().find(|line| line.contains("name=sync")).unwrap();
        if code == 99 {
            assert_eq!(lines, compared(&a, &b, &[condition]).0);
            let of =
                if condition.starts_with("rate") { "of its rate" } else { "of its time waited" };
            assert!(alone.contains("FAIL") && alone.ends_with(of), "{alone}");
        }
    }
    // On neither side it is a mistake, as ever.
    let args = ["compare", &a, &b, "--series", "typo", "--fail-if", "rate<0.5x"];
    let (lines, code) = judged(&[&args[..], &COLUMNS[..]].concat(), &[]);
    assert_eq!((lines.len(), code), (1, Some(99)), "{lines:?}");
    assert!(lines[0].contains("UNSURE"), "{lines:?}");
}

/// Ten times as long by the buckets alone, but of nine events.
#[test]
fn what_was_measured_is_reported_where_chance_cannot_be() {
    let room = Room::new();
    let run = |slow: u64| {
        let line = |n: u64| {
            let us = if n.is_multiple_of(3) { slow } else { 5_000 } + n;
            format!("{}.{:02} {us} read\n", START + n / 20, 5 * (n % 20))
        };
        (0..900).map(line).collect::<String>()
    };
    let (a, b) = (room.file("a.txt", run(9_000)), room.file("b.txt", run(90_000)));
    let (lines, code) = compared(&a, &b, &["p99>8x"]);
    assert_eq!(code, Some(99), "{lines:?}");
    let said = &lines[0];
    assert!(said.contains("UNSURE p99>8x: ") && said.contains(" measured, but "), "{said}");
}

#[test]
fn each_condition_of_a_comparison_has_one_line_and_all_begin_alike() {
    let room = Room::new();
    let a = room.file("a.txt", events(&[("read", 200), ("write", 900), ("sync", 50)]));
    let b = room.file("b.txt", events(&[("read", 400), ("write", 900), ("sync", 50)]));
    let (lines, code) = compared(&a, &b, &["p50>1.2x", "p50>1.01x", "p50>9x", "rate<0.5x"]);
    assert_eq!((lines.len(), code), (4, Some(99)), "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("isotherm: ")), "{lines:?}");
    assert!(lines[0].contains("FAIL p50>1.2x: latency{name=read} has ×"), "{lines:?}");
    assert!(lines[2].contains("PASS p50>9x: ") && lines[2].contains("(highest of 3)"), "{lines:?}");
    // Of those that nobody can tell the nearest, and no PASS beside it.
    let same = compared(&a, &a, &["p50>1.01x"]);
    assert_eq!((same.0.len(), same.1), (1, Some(99)), "{same:?}");
    assert!(
        same.0[0].contains("UNSURE p50>1.01x: ") && same.0[0].contains(": 95 % interval ×"),
        "{same:?}"
    );
}

#[test]
fn slow_events_of_one_side_prove_no_more_than_they_can() {
    let room = Room::new();
    // Every fiftieth event of B, in turn early and late, takes a second: the mean is 21 times as long
    // or so, and a minute does not say whether it is 20 or 22.
    let mut state = 5_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    let mut run = |slow: f64| {
        let mut text = String::new();
        for event in 0..3_000_u64 {
            let us = if random() < slow { 1_000_000 } else { 1_000 + event % 500 };
            writeln!(text, "{}.{:02} {us} read", START + event / 50, 2 * (event % 50)).unwrap();
        }
        text
    };
    let (a, b) = (room.file("a.txt", run(0.0)), room.file("b.txt", run(0.02)));
    let (lines, code) = compared(&a, &b, &["mean>1.5x", "mean<18x", "mean>15x"]);
    assert!(lines[0].contains("FAIL mean>1.5x"), "{lines:?}");
    assert!(
        lines[1].contains("UNSURE mean<18x") && lines[2].contains("UNSURE mean>15x"),
        "{lines:?}"
    );
    assert_eq!(code, Some(99));
}

#[test]
fn nothing_to_look_at_is_unsure_with_99_in_every_command() {
    let room = Room::new();
    let (page, heat) = (room.name("x.html"), room.name("x.heat"));
    let (empty, garbage) = (room.file("empty.txt", ""), room.file("g.txt", "no\nsuch thing\n"));
    let good = room.file("good.txt", events(&[("read", 200)]));
    for input in [&empty, &garbage] {
        for args in [
            &["stats", input][..],
            &["show", input],
            &["report", input, "-o", &page],
            &["replay", input, "--speed", "max", "--ui", "stream"],
            &["live", input, "--ui", "stream"],
            &["record", input, "-o", &heat],
            &["compare", &good, input],
        ] {
            let (lines, code) = judged(args, &["p99>1ms", "rate<1/s"]);
            let expected =
                ["p99>1ms", "rate<1/s"].map(|one| format!("isotherm: UNSURE {one}: no events"));
            assert_eq!((lines, code), (expected.to_vec(), Some(99)), "{args:?}");
        }
    }
    let args = ["report", &good, "-o", &page, "--series", "nosuch"];
    let (lines, code) = judged(&[&args[..], &COLUMNS].concat(), &["p99>1ms"]);
    assert_eq!((lines, code), (vec!["isotherm: UNSURE p99>1ms: no events".to_owned()], Some(99)));
    // What cannot be opened is another failure.
    let missing = room.name("missing.txt");
    for args in [&["record", &missing, "-o", &heat][..], &["report", &missing, "-o", &page]] {
        let (lines, code) = judged(args, &["p99>1ms"]);
        assert_eq!((lines.len(), code), (0, Some(1)), "{args:?}");
    }
}

#[test]
fn a_share_is_one_of_all_time_waited_also_of_chosen_series() {
    let room = Room::new();
    // 1,200 events each of 100 to 106 and of 300 to 306 µs: reads have a quarter.
    let input = room.file("run.txt", events(&[("read", 100), ("write", 300)]));
    let page = room.name("x.html");
    for args in [
        &["stats", &input][..],
        &["show", &input],
        &["report", &input, "-o", &page],
        &["replay", &input, "--speed", "max", "--ui", "stream"],
    ] {
        let args = [args, &COLUMNS, &["--series", "read"]].concat();
        let (lines, code) = judged(&args, &["waited>30%"]);
        let expected =
            "isotherm: PASS waited>30%: latency{name=read} has 25.4 % of all time waited";
        assert_eq!((lines, code), (vec![expected.to_owned()], Some(0)), "{args:?}");
    }
}

#[test]
fn a_load_is_not_begun_for_a_condition_that_cannot_be_judged() {
    let room = Room::new();
    let (file, sweep) = (room.name("load.dat"), room.name("sweep"));
    for args in [&["stress", &file][..], &["sweep", &file, "-o", &sweep]] {
        let output = run(&[args, &["--fail-if", "waited>5%"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("p0 to p100, mean, max and rate can be judged"), "{said}");
    }
    assert!(!room.path("load.dat").exists() && !room.path("sweep").exists());
}
