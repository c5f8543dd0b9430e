//! Tables of rows and exports, which no decoder reads: named twice, with numbers that cannot be true, without
//! some of their rows, and with intervals that overlap.

use std::process::Command;

use serde_json::Value;
use testing::bounded;

use super::{Room, run, succeed};

const HEAD: &str = "start_ns,end_ns,series,attributes,quality,sum_ns,lo_ns,hi_ns,count,waited_ns\n";

/// A table: a second each with 3 events of 1 to 2 ms and 1 of 8 to 16 ms, which took 15 ms together.
fn table(seconds: std::ops::Range<u64>) -> String {
    let row = |second: u64| {
        let at = 1_770_000_000 + second;
        let head =
            format!("{at}000000000,{}000000000,read,,complete; counted where it ended", at + 1);
        format!("{head},15000000,,,0,\n{head},,1000000,2000000,3,\n{head},,8000000,16000000,1,\n")
    };
    HEAD.to_owned() + &seconds.map(row).collect::<String>()
}

/// Merges files; gives the events and the time waited of the recording, and what was said.
fn merged(room: &Room, args: &[&str]) -> (u64, f64, String) {
    let heat = room.name("merged.heat");
    let _ = std::fs::remove_file(&heat);
    let output = run(&[&["merge", "-o", &heat][..], args].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    let stats: Value =
        serde_json::from_str(&succeed(&["stats", &heat, "--format", "json"])).unwrap();
    let series = &stats["series"][0];
    (series["events"].as_u64().unwrap(), series["time_waited_s"].as_f64().unwrap(), said)
}

#[test]
fn a_table_or_an_export_that_is_named_twice_is_added_once() {
    let room = Room::new();
    let rows = room.file("t.csv", table(0..10));
    let heat = room.name("one.heat");
    succeed(&["import", &rows, "-o", &heat]);
    let (csv, jsonl) = (room.name("e.csv"), room.name("e.jsonl"));
    succeed(&["export", &heat, "-o", &csv]);
    succeed(&["export", &heat, "-o", &jsonl]);
    for file in [&rows, &csv, &jsonl, &heat] {
        let (events, _, said) = merged(&room, &[file]);
        assert!(events == 40 && !said.contains("twice"), "{said}");
        let (events, waited, said) = merged(&room, &[file, file]);
        assert!(
            events == 40 && said.matches("is named twice and read once").count() == 1,
            "{said}"
        );
        assert!((waited - 0.15).abs() < 1e-9, "{file}: {waited}");
        assert_eq!(merged(&room, &[file, file, "--again"]).0, 80, "{file}");
    }
    for file in [&rows, &jsonl] {
        let status = bounded::status(Command::new("gzip").args(["--keep", file]));
        let packed = format!("{file}.gz");
        assert!(status.success(), "{packed}");
        let (events, _, said) = merged(&room, &[file, &packed]);
        assert!(events == 40 && said.contains("holds the same as"), "{said}");
        assert_eq!(merged(&room, &[file, &packed, "--again"]).0, 80);
    }
    // The same bytes under another name may be rows of another process.
    let copy = room.file("copy of t.csv", table(0..10));
    let (events, _, said) = merged(&room, &[&rows, &copy]);
    assert!(events == 80 && said.contains("copy of t.csv holds the same bytes as"), "{said}");
    let (events, _, said) = merged(&room, &[&rows, &copy, "--again"]);
    assert!(events == 80 && !said.contains("same bytes"), "{said}");
    let (events, _, said) = merged(&room, &[&rows, &room.file("u.csv", table(5..15))]);
    assert!(events == 80 && said.is_empty(), "{said}");
    // The same of `frames` and of ranges of one file.
    let text = room.file("c.csv", "end,latency_us\n1770000000,5\n1770000001,6\n1770000002,7\n");
    let events = |args: &[&str]| {
        let table = succeed(&[&["frames"][..], args].concat());
        let counts = table.lines().filter(|line| !line.contains("tally."));
        counts.filter_map(|line| line.split(',').nth(8)?.parse::<u64>().ok()).sum::<u64>()
    };
    let (first, second) = (format!("{text}@0..30"), format!("{text}@30.."));
    assert_eq!((events(&[&text]), events(&[&text, &text])), (3, 3));
    let copy = room.file("d.csv", "end,latency_us\n1770000000,5\n1770000001,6\n1770000002,7\n");
    for args in [&[&text[..], &copy][..], &[&text, &copy, "--again"]] {
        let output = run(&[&["stats"][..], args].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let copies = said.matches("d.csv holds the same bytes as").count();
        assert_eq!((events(args), copies), (6, usize::from(args.len() == 2)), "{said}");
    }
    assert_eq!(events(&[&text, &text, "--again"]), 6);
    assert_eq!(events(&[&first, &second]), 3);
    assert_eq!(events(&[&first, &second, &first]), 3);
    for wrong in [[&first, &text], [&first, &format!("{text}@20..")]] {
        let output = run(&["frames", wrong[0], wrong[1]]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("overlap"), "{said}");
    }
}

/// A number of a table and what it is replaced by, and a word of the reason.
const IMPOSSIBLE: [(&str, &str, &str); 6] = [
    // 2^60 events.
    (",3,\n", ",1152921504606846976,\n", "1152921504606846976 events cannot be true"),
    // A latency of 11 years.
    (",8000000,16000000,", ",346896000000000000,346896000000000001,", "more than ten years"),
    (",15000000,,,", ",18446744073709551615,,,", "more than a recording holds"),
    // A mean of 37 years.
    (",15000000,,,", ",4611686018427387904,,,", "more than ten years"),
    (",3,\n", ",3,18446744073709551615\n", "more than a recording holds"),
    (",1,\n", ",9007199254740993,\n", "9007199254740993 events cannot be true"),
];

#[test]
fn numbers_of_a_table_that_cannot_be_true_are_refused_with_their_line() {
    let room = Room::new();
    let whole = table(0..4);
    for (number, wrong, why) in IMPOSSIBLE {
        let file = room.file("t.csv", whole.replacen(number, wrong, 1));
        for command in ["merge", "import"] {
            let heat = room.name("x.heat");
            let output = run(&[command, &file, "-o", &heat]);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(why), "{wrong}: {said}");
            // Only the mean of a frame is known when all of its rows are.
            let place = if why == "more than ten years" && number.contains("15000000") {
                "read from"
            } else {
                "line "
            };
            assert!(said.contains(place), "{wrong}: {said}");
            assert!(!room.path("x.heat").exists());
        }
    }
    // The limits themselves hold.
    let most =
        whole.replacen(",3,\n", ",9007199254740991,\n", 1).replacen(",15000000,,,", ",,,,", 1);
    assert!(merged(&room, &[&room.file("t.csv", most)]).0 >= 9_007_199_254_740_991);
    // Rows of several tables are added up before they are looked at.
    let half = whole.replacen(",3,\n", ",4503599627370497,\n", 1);
    let (one, two) = (room.file("one.csv", &half), room.file("two.csv", half));
    let output = run(&["merge", &one, &two, "-o", &room.name("x.heat")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("9007199254740994 events"), "{said}");
}

/// A table without some of its lines.
fn without(table: &str, is_dropped: impl Fn(&str) -> bool) -> String {
    let kept: Vec<&str> = table.lines().filter(|line| !is_dropped(line)).collect();
    kept.join("\n") + "\n"
}

#[test]
fn a_table_that_lacks_rows_says_so_where_its_totals_show_it() {
    let room = Room::new();
    let whole = table(0..10);
    let (events, waited, said) = merged(&room, &[&room.file("t.csv", &whole)]);
    assert!((events, said.as_str()) == (40, "") && (waited - 0.15).abs() < 1e-9, "{said}");
    // Without the slow bucket of three seconds: 15 ms are not in three events of at most 2 ms.
    let slow = |line: &&str| line.contains(",8000000,16000000,");
    let dropped: Vec<&str> = whole.lines().filter(slow).skip(2).take(3).collect();
    let lacking = without(&whole, |line| dropped.contains(&line));
    let (events, waited, said) = merged(&room, &[&room.file("t.csv", &lacking)]);
    assert!(said.contains("3 intervals have a total time (sum_ns)"), "{said}");
    assert!(said.contains("read from 1770000002000000000 to 1770000003000000000 ns"), "{said}");
    assert!(said.contains("15ms, and at most 6ms in buckets"), "{said}");
    // Seven seconds of 15 ms, and three of three events of 1 to 2 ms.
    assert!(events == 37 && (0.114..=0.123).contains(&waited), "{events} {waited}");
    // All of the rows of a second but its sum.
    let bucket = |line: &str| line.starts_with("1770000004") && !line.contains(",15000000,");
    let lacking = without(&whole, bucket);
    let (events, _, said) = merged(&room, &[&room.file("t.csv", &lacking)]);
    assert!(events == 36 && said.contains("1 interval has a total time (sum_ns)"), "{said}");
    assert!(said.contains("from 1770000004000000000"), "{said}");
}

#[test]
fn intervals_of_a_series_that_overlap_are_counted_and_the_first_is_named() {
    let room = Room::new();
    let rows = room.file("t.csv", table(0..10));
    // The same seconds, each half a second later.
    let later = table(0..5).replace("000000000,", "500000000,");
    let (events, _, said) = merged(&room, &[&rows, &room.file("later.csv", later)]);
    assert_eq!(events, 60);
    assert!(said.contains("10 intervals overlap a part of another one"), "{said}");
    assert!(
        said.contains("the first read from 1770000000500000000 to 1770000001500000000"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let (_, _, said) = merged(&room, &[&rows, &room.file("more.csv", table(5..15))]);
    assert_eq!(said, "");
}
