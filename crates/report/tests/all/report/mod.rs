//! Reports are read back by a decoder of their own: what is in the page is what was given.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::float_cmp,
    reason = "a test fails by panicking; equal numbers are equal"
)]

mod decoded;
mod given;
mod sections;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use base64ct::{Base64, Encoding};
use isotherm_analysis::{History, Summary, summarise};
use isotherm_frame::{
    Binner, BinnerLimits, Frame, Gap, Histogram, Mark, Nanos, Quality, Scheme, Series, Timestamp,
    Unit,
};
use isotherm_report::{
    MOST_BYTES, Report, ReportError, ReportJson, ReportOptions, html, json, markdown,
};
use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::schema::faults;
use crate::schema_pages::schema_of;
use decoded::{Decoded, between};
use given::{given, history, second, text};

fn page_of(frames: &[Frame], most: u64) -> String {
    let history = history(frames);
    let given = [given(&history, frames)];
    let report = Report::of(&given, &ReportOptions::default()).unwrap();
    let mut page = Vec::new();
    html(&report, most, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

/// The Markdown form of a report on these frames.
pub fn markdown_of(frames: &[Frame]) -> String {
    let history = history(frames);
    let given = [given(&history, frames)];
    let options = ReportOptions {
        title: None,
        command: "isotherm report a.txt -o a.md".to_owned(),
        compare: None,
        sections: Vec::new(),
    };
    let report = Report::of(&given, &options).unwrap();
    text(|out| markdown(&report, out).unwrap())
}

/// The schema in the documentation, which is that of the type.
fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<ReportJson>("report.schema.json"))
}

fn of(frames: &[Frame]) -> Decoded {
    Decoded::read(&page_of(frames, MOST_BYTES))
}

/// Seconds of one series with these latencies in microseconds.
fn seconds(name: &str, latencies: &[&[u64]]) -> Vec<Frame> {
    let counted = latencies.iter().enumerate();
    counted.map(|(at, us)| second(&Series::named(name), at as i64, us)).collect()
}

#[test]
fn the_page_holds_every_cell_and_the_numbers_of_stats() {
    let frames = seconds("read", &[&[100, 100, 9_000], &[], &[100]]);
    let page = of(&frames);
    let entry = &page.entries[0];
    assert_eq!(page.header["format"], 1);
    assert_eq!((&entry.head["events"], &entry.head["kind"]), (&4.into(), &"series".into()));
    assert_eq!((&entry.head["t0_us"], &entry.head["width_us"]), (&0.into(), &1_000_000.into()));
    assert_eq!(entry.states, [0, 0, 0]);
    let events: Vec<u64> = entry.cells.iter().map(|column| column.iter().sum()).collect();
    assert_eq!(events, [3, 0, 1]);
    assert_eq!(entry.sums.as_deref(), Some(&[9_200_000, 0, 100_000][..]));
    assert_eq!(entry.covered, [1_000_000; 3]);
    assert!(entry.peaks.is_none(), "the columns are those of the source");
    assert_eq!(entry.head["waited_s"], 0.0093);
}

/// 40 waits of 5 s one after the other, as a trace tells them.
fn waits_in_sequence() -> Vec<Frame> {
    let at_ms = |ms: i64| Timestamp::new(ms * 1_000_000);
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    binner.observe(at_ms(0), at_ms(200_000));
    for wait in 1..=40 {
        binner.record(at_ms(5_000 * wait), &Series::named("lock"), Nanos::from_millis(5_000));
    }
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    frames
}

#[test]
fn the_time_of_long_waits_lies_where_it_was_waited() {
    let entry = &of(&waits_in_sequence()).entries[0];
    let events: u64 = entry.cells.iter().flatten().sum();
    assert_eq!((events, &entry.head["mean_ns"]), (40, &5e9.into()));
    assert_eq!(entry.head["waited_s"], 200.0);
    let times = entry.times.as_ref().unwrap();
    let sums = entry.sums.as_ref().unwrap();
    let waited: Vec<u64> = times
        .iter()
        .zip(sums)
        .map(|(times, &sum)| times.as_ref().map_or(sum, |times| times.total_ns))
        .collect();
    assert_eq!(waited.iter().sum::<u64>(), 200_000_000_000);
    assert!(waited.iter().all(|&ns| ns <= 1_000_000_000), "one session: {waited:?}");
    assert_eq!(entry.unplaced, None);
    // As a server counts them nobody knows when they were waited.
    let mut counted = waits_in_sequence();
    for frame in &mut counted {
        frame.counts = frame.counts.clone().with_sum(frame.counts.sum());
    }
    let entry = &of(&counted).entries[0];
    assert!(entry.times.is_none());
    let ended: Vec<bool> =
        entry.cells.iter().map(|column| column.iter().any(|&count| count > 0)).collect();
    let marked = entry.unplaced.as_ref().unwrap();
    assert!(marked.iter().zip(&ended).all(|(&share, &ended)| share == u64::from(ended) * 1_000));
    let unplaced = &entry.head["findings"]["unplaced"];
    assert_eq!((&unplaced["waited_s"], &unplaced["time_share"]), (&200.0.into(), &1.0.into()));
}

/// Three sessions that wait without a pause, for any time from 3 us to 1.5 s: what each waited in a
/// second and a bucket, by arithmetic of starts and ends alone.
#[test]
fn the_time_of_a_cell_is_right_to_one_per_cent_and_that_of_a_column_to_the_nanosecond() {
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    binner.observe(Timestamp::new(0), Timestamp::new(60_000_000_000));
    let mut waits: Vec<(u64, u64)> = Vec::new();
    for session in 1..=3_u64 {
        let (mut at, mut number) = (0_u64, session * 7_919);
        loop {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let octave = 3_000_u64 << (number >> 60);
            let ns = (octave + (number >> 33) % octave).min(1_500_000_000);
            if at + ns > 60_000_000_000 {
                break;
            }
            waits.push((at, at + ns));
            at += ns;
        }
    }
    waits.sort_by_key(|&(_, end)| end);
    for &(start, end) in &waits {
        binner.record(Timestamp::new(end as i64), &Series::named("lock"), Nanos::new(end - start));
    }
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    let entry = &of(&frames).entries[0];
    let width = entry.head["width_us"].as_u64().unwrap() * 1_000;
    let t0 = entry.head["t0_us"].as_u64().unwrap() * 1_000;
    let bounds: Vec<u64> = entry.head["bounds_ns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b.as_u64().unwrap_or(u64::MAX))
        .collect();
    let rows = bounds.len() - 1;
    let mut truth = vec![vec![0_u64; rows]; entry.states.len()];
    for &(start, end) in &waits {
        let row = bounds.partition_point(|&bound| bound <= end - start) - 1;
        for (column, cells) in truth.iter_mut().enumerate() {
            let from = t0 + column as u64 * width;
            cells[row] += end.min(from + width).saturating_sub(start.max(from));
        }
    }
    let mut spread = 0;
    for (column, times) in entry.times.as_ref().unwrap().iter().enumerate() {
        let Some(times) = times else { continue };
        spread += 1;
        assert_eq!(times.total_ns, truth[column].iter().sum::<u64>(), "column {column}");
        for (row, &ns) in times.cells_ns.iter().enumerate() {
            let wanted = truth[column][row] as f64;
            assert!((ns - wanted).abs() <= wanted / 100.0, "{column} {row}: {ns} of {wanted}");
        }
    }
    assert!(spread > 30, "{spread} columns");
}

#[test]
fn beside_a_trace_counters_alone_are_said_to_count_where_waits_end() {
    // Two sessions that wait 5 s 40 times each: one as a trace tells it, one as a server counts it.
    let mut frames = waits_in_sequence();
    for frame in waits_in_sequence() {
        let counts = frame.counts.clone().with_sum(frame.counts.sum());
        frames.push(Frame { series: Series::named("counted"), counts, ..frame });
    }
    let history = history(&frames);
    let given = [given(&history, &frames)];
    let report = Report::of(&given, &ReportOptions::default()).unwrap();
    let object: Value =
        serde_json::from_str(&text(|out| json(&report, true, out).unwrap())).unwrap();
    let entries = object["entries"].as_array().unwrap();
    let together = entries.iter().find(|entry| entry["events"] == 80).unwrap();
    let unplaced = &together["findings"]["unplaced"];
    assert_eq!((&unplaced["waited_s"], &unplaced["time_share"]), (&200.0.into(), &0.5.into()));
    let mut all_s = 0.0;
    for column in together["columns"].as_array().unwrap() {
        let number = |name: &str| column[name].as_f64().unwrap();
        let ended = if number("events") > 0.0 { 5.0 } else { 0.0 };
        assert!((number("unplaced_s") - ended).abs() < 1e-9, "{column}");
        assert!(number("waited_s") - ended <= 1.0 + 1e-9, "one traced session: {column}");
        all_s += number("waited_s");
    }
    assert!((all_s - 400.0).abs() < 1e-6, "{all_s}");
    let traced = entries.iter().find(|entry| entry["label"] == "lock").unwrap();
    assert!(traced["findings"]["unplaced"].is_null(), "{traced}");
}

#[test]
fn gaps_and_resets_are_columns_without_counts() {
    let mut frames = seconds("read", &[&[100], &[100], &[100], &[100], &[100]]);
    frames[1].quality = Quality::Gap(Gap::Reset);
    frames[1].counts = frames[1].counts.cleared();
    frames.remove(3);
    let entry = &of(&frames).entries[0];
    assert_eq!(entry.states, [0, 2, 0, 1, 0]);
    assert_eq!(entry.covered, [1_000_000, 0, 1_000_000, 0, 1_000_000]);
    assert_eq!(entry.head["events"], 3);
}

#[test]
fn several_names_are_looked_at_together_and_one_by_one() {
    let mut frames = seconds("read", &[&[100], &[200]]);
    frames.extend(seconds("write", &[&[9_000], &[9_000]]));
    let page = of(&frames);
    let shown: Vec<(&str, &str, u64)> = page
        .entries
        .iter()
        .map(|entry| {
            let word = |key: &str| entry.head[key].as_str().unwrap();
            (word("kind"), word("label"), entry.head["events"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        shown,
        [("all", "everything", 4), ("series", "write", 2), ("series", "read", 2)],
        "most time waited first, after everything"
    );
    let all = &page.entries[0];
    assert_eq!(all.head["covered_s"], 2.0, "time that both cover is counted once");
    assert_eq!(all.facets["series"].values, ["read", "write"]);
}

#[test]
fn attributes_divide_the_events_of_every_tile() {
    let series = |program: &str, file: Option<&str>| {
        let file = file.map(|file| ("file", file));
        Series::with_attributes("read", [("program", program)].into_iter().chain(file))
    };
    let mut frames = Vec::new();
    for at in 0..10 {
        frames.push(second(&series("app", Some("1")), at, &[100, 100, 100]));
        frames.push(second(&series("rman", None), at, &[16_000]));
    }
    let page = of(&frames);
    let name = &page.entries[0];
    assert_eq!(name.head["kind"], "name");
    let program = &name.facets["program"];
    assert_eq!((program.values.clone(), program.others), (vec!["app".into(), "rman".into()], 0));
    let sums = |facet: &decoded::Facet, value: usize| -> u64 {
        facet.tiles.iter().map(|tile| tile[value].iter().sum::<u64>()).sum()
    };
    assert_eq!((sums(program, 0), sums(program, 1)), (30, 10));
    assert_eq!(name.facets["file"].values, ["1", "(none)"]);
    // The slow reads are in a longer octave than the fast ones.
    let octave = |value: usize| program.tiles[0][value].iter().position(|&count| count > 0);
    assert!(octave(1) > octave(0));
    assert_eq!(page.entries.len(), 3, "the name and each of its series");
}

#[test]
fn a_coarser_page_keeps_the_largest_count_of_one_interval() {
    let quiet: &[u64] = &[100];
    let loud: Vec<u64> = vec![100; 50];
    let mut latencies = vec![quiet; 20_000];
    latencies[7_777] = &loud;
    let entry = &of(&seconds("read", &latencies)).entries[0];
    let factor =
        entry.head["width_us"].as_u64().unwrap() / entry.head["native_us"].as_u64().unwrap();
    assert!(factor > 1, "6,000 columns are the most");
    let column = 7_777 / factor as usize;
    let peaks = entry.peaks.as_ref().unwrap();
    let row = entry.cells[column].iter().position(|&count| count > 0).unwrap();
    assert_eq!((entry.cells[column][row], peaks[column][row]), (49 + factor, 50));
    assert_eq!(peaks[0][row], 1);
}

#[test]
fn the_page_fits_and_what_is_not_drawn_is_listed_with_its_totals() {
    let mut frames = Vec::new();
    for name in 0..15_u64 {
        let latencies: Vec<Vec<u64>> = (0..300)
            .map(|at| (0..8).map(|n| 50 + (at * 7 + n * n * 131 + name) % 9_000).collect())
            .collect();
        let latencies: Vec<&[u64]> = latencies.iter().map(Vec::as_slice).collect();
        frames.extend(seconds(&format!("event {name}"), &latencies));
    }
    let most = 91_500;
    let page = page_of(&frames, most);
    assert!(page.len() as u64 <= most, "{}", page.len());
    let read = Decoded::read(&page);
    let not_drawn = read.header["not_drawn"].as_array().unwrap();
    assert!(!not_drawn.is_empty() && !read.entries.is_empty());
    let events = |value: &Value| value["events"].as_u64().unwrap();
    let listed: u64 = not_drawn.iter().map(events).sum();
    let drawn = read.entries.iter().filter(|entry| entry.head["kind"] == "series");
    assert_eq!(listed + drawn.map(|entry| events(&entry.head)).sum::<u64>(), 15 * 300 * 8);
    for series in not_drawn {
        assert!(page.contains(series["label"].as_str().unwrap()), "in the table, too");
    }
    let history = history(&frames);
    let given = [given(&history, &frames)];
    let report = Report::of(&given, &ReportOptions::default()).unwrap();
    let refused = html(&report, 10_000, &mut Vec::new()).unwrap_err();
    assert!(matches!(refused, ReportError::TooLarge { most: _, least } if least > 0), "{refused}");
}

#[test]
fn nothing_from_an_input_is_markup_or_script() {
    let evil = "</script><img src=x onerror=alert(1)>\"'&";
    let frames = seconds(evil, &[&[100]]);
    let history = history(&frames);
    let mut one = given(&history, &frames);
    (one.label, one.source, one.host) = (evil.to_owned(), evil.to_owned(), Some(evil.to_owned()));
    one.marks = vec![Mark { at: Timestamp::new(0), text: evil.to_owned() }];
    let given = [one];
    let options = ReportOptions {
        title: Some(evil.to_owned()),
        command: evil.to_owned(),
        compare: None,
        sections: Vec::new(),
    };
    let report = Report::of(&given, &options).unwrap();
    let page = text(|out| html(&report, MOST_BYTES, out).unwrap());
    assert!(!page.contains("<img") && !page.contains("onerror=alert(1)>\""));
    assert_eq!(page.matches("</script").count(), 3, "the data and both scripts end once each");
    assert_eq!(Decoded::read(&page).header["title"], evil);
    let note = text(|out| markdown(&report, out).unwrap());
    // In a block or a span of code nothing is markup; elsewhere it is escaped.
    let prose = note.split("```").step_by(2).flat_map(str::lines);
    let outside = |line: &&str| !line.starts_with("Made by ");
    assert!(prose.filter(outside).all(|line| !line.contains("<img")), "{note}");
}

#[test]
fn the_policy_allows_exactly_the_style_and_scripts_of_the_page() {
    let page = page_of(&seconds("read", &[&[100]]), MOST_BYTES);
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    let hash = |text: &str| Base64::encode_string(&Sha256::digest(text.as_bytes()));
    let style = hash(between(&page, "<style>", "</style>"));
    let boot = hash(between(&page, "<script>", "</script>"));
    // What the browser checks is the script as it is unpacked.
    let packed = between(&page, "id=\"isotherm-script\">", "</script>");
    let script = hash(&String::from_utf8(decoded::unpacked(packed)).unwrap());
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src 'sha256-{style}'; \
             script-src 'sha256-{boot}' 'sha256-{script}'; \
             img-src data: blob:; base-uri 'none'; form-action 'none'"
        )
    );
    for address in ["http://", "https://", " style=\"", "onclick=", "<link rel=\"stylesheet"] {
        assert!(!page.contains(address), "{address}");
    }
}

fn is_script(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|ending| ending == "js")
}

/// The scripts that a source puts into its page, in their order.
fn scripts_in(source: &str) -> Vec<String> {
    let included = source.split("../assets/").skip(1).map(|rest| rest.split('"').next().unwrap());
    included.filter(|name| is_script(name)).map(str::to_owned).collect()
}

#[test]
fn every_script_is_in_a_page() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let names: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| is_script(name))
        .collect();
    let report = scripts_in(include_str!("../../../src/page.rs"));
    let flame = scripts_in(
        &include_str!("../../../src/flame/page.rs").replace("../../assets", "../assets"),
    );
    let awr = scripts_in(include_str!("../../../src/awr.rs"));
    assert_eq!(awr.last().map(String::as_str), Some("awr-main.js"));
    let cache = scripts_in(include_str!("../../../src/cache_page.rs"));
    assert_eq!(cache.last().map(String::as_str), Some("cache-main.js"));
    let live = scripts_in(include_str!("../../../src/live.rs"));
    assert_eq!(live.last().map(String::as_str), Some("live-main.js"));
    assert_eq!(report.last().map(String::as_str), Some("start.js"));
    assert_eq!(flame.last().map(String::as_str), Some("flame-main.js"));
    assert!(report.split_last().is_some_and(|(_, others)| others.is_sorted()));
    let boot = scripts_in(include_str!("../../../src/shell.rs"));
    assert_eq!(boot, ["boot.js"]);
    assert_eq!(
        [report, flame, awr, cache, live, boot].concat().into_iter().collect::<BTreeSet<_>>(),
        names
    );
}

#[test]
fn only_the_time_asked_for_is_shown_in_whole_intervals() {
    let latencies: Vec<&[u64]> = vec![&[100]; 100];
    let frames = seconds("read", &latencies);
    let history = history(&frames);
    let mut one = given(&history, &frames);
    one.span = Some((Timestamp::new(10_500_000_000), Timestamp::new(20_000_000_000)));
    let given = [one];
    let report = Report::of(&given, &ReportOptions::default()).unwrap();
    assert_eq!(report.entries[0].events(), 10);
    let read = Decoded::read(&text(|out| html(&report, MOST_BYTES, out).unwrap()));
    assert_eq!(read.entries[0].head["t0_us"], 10_000_000);
    assert_eq!(read.entries[0].states.len(), 10);
}

#[test]
fn nothing_to_show_is_an_error_that_says_so() {
    let history = History::new(100);
    let given = [given(&history, &[])];
    let refused = Report::of(&given, &ReportOptions::default()).unwrap_err();
    assert_eq!(refused.to_string(), "there is no interval to report on");
}

#[test]
fn the_json_form_says_the_same_and_keeps_to_its_schema() {
    let frames = seconds("read", &[&[100, 100, 9_000], &[], &[100]]);
    let history = history(&frames);
    let given = [given(&history, &frames)];
    let report = Report::of(&given, &ReportOptions::default()).unwrap();
    for columns in [false, true] {
        let text = text(|out| json(&report, columns, out).unwrap());
        let object: Value = serde_json::from_str(&text).unwrap();
        let entry = &object["entries"][0];
        assert_eq!(entry["columns"].as_array().map(Vec::len), columns.then_some(3));
        assert_eq!(entry["buckets"][0]["count"], 3);
        let page = &of(&frames).entries[0].head;
        for key in ["events", "waited_s", "mean_ns", "quantiles", "sentences", "findings"] {
            assert_eq!(entry[key], page[key], "{key}");
        }
        let faults = faults(&object, schema());
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

#[test]
fn the_markdown_form_has_sentences_numbers_maps_and_origin() {
    let frames = seconds("read", &[&[100, 100, 9_000], &[], &[100, 150]]);
    let history = history(&frames);
    let mut one = given(&history, &frames);
    one.marks = vec![Mark { at: Timestamp::new(1_000_000_000), text: "deploy".to_owned() }];
    let given = [one];
    let options = ReportOptions {
        title: None,
        command: "isotherm report a.txt".to_owned(),
        compare: None,
        sections: Vec::new(),
    };
    let report = Report::of(&given, &options).unwrap();
    insta::assert_snapshot!(text(|out| markdown(&report, out).unwrap()));
}

/// Any frames of a few series, in fine or coarse buckets, with exact times or without.
fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let latencies = prop::collection::vec((1_u64..10_000_000, 1_u64..5), 0..6);
    let one = (0_usize..4, 0_i64..4_000, 1_i64..1_500, latencies, 0_u8..12);
    (prop::collection::vec(one, 1..60), any::<bool>(), any::<bool>()).prop_map(
        |(given, coarse, exact)| {
            let scheme =
                if coarse { Scheme::powers_of_two(Unit::Micros) } else { Scheme::log_linear() };
            let names = ["read", "read", "write", "sync"];
            let frame =
                |(which, start, length, latencies, quality): (_, i64, i64, Vec<(u64, u64)>, _)| {
                    let gap = quality == 0;
                    let mut counts = Histogram::empty(scheme.clone());
                    for (us, times) in latencies.into_iter().filter(|_| !gap) {
                        (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
                    }
                    let sum = counts.sum().filter(|_| exact);
                    let attribute = [("member", format!("{which}"))];
                    Frame {
                        series: Series::with_attributes(names[which], attribute),
                        start: Timestamp::new(start * 1_000_000),
                        end: Timestamp::new((start + length) * 1_000_000),
                        counts: counts.with_sum(sum),
                        quality: if gap { Quality::Gap(Gap::Reset) } else { Quality::Complete },
                    }
                };
            given.into_iter().map(frame).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever was given: every event is in exactly one cell, time and facets add up, and the
    /// numbers are those of the account that `stats` prints.
    #[test]
    fn every_event_is_in_exactly_one_cell(frames in frames()) {
        let account = summarise(&frames);
        prop_assume!(frames.iter().any(|frame| !frame.is_gap()));
        let known: BTreeMap<String, &Summary> = account
            .by_time_waited()
            .into_iter()
            .map(|summary| (summary.series.to_string(), summary))
            .collect();
        for entry in of(&frames).entries {
            let events = entry.head["events"].as_u64().unwrap();
            let cells: u64 = entry.cells.iter().flatten().sum();
            prop_assert_eq!(cells, events);
            for facet in entry.facets.values() {
                prop_assert_eq!(facet.sums(), entry.tile_events(), "every tile of {}", facet.key);
            }
            if let Some(sums) = &entry.sums {
                let waited = entry.head["waited_s"].as_f64().unwrap();
                prop_assert!((sums.iter().sum::<u64>() as f64 / 1e9 - waited).abs() < 1e-6);
            }
            prop_assert_eq!(entry.sums.is_some(), entry.head["exact"].as_bool().unwrap());
            for (peak, count) in entry.peaks.iter().flatten().flatten().zip(entry.cells.iter().flatten()) {
                prop_assert!(peak <= count && (*peak > 0) == (*count > 0));
            }
            let together = if entry.head["kind"] == "all" { account.together() } else { None };
            let summary = known.get(entry.head["label"].as_str().unwrap());
            let Some(latencies) = together.or_else(|| summary.map(|one| one.latencies.clone())) else {
                continue;
            };
            prop_assert_eq!(events, latencies.events());
            let waited = latencies.time_waited();
            prop_assert!((entry.head["waited_s"].as_f64().unwrap() - waited.seconds).abs() < 1e-9);
            for found in entry.head["quantiles"].as_array().unwrap() {
                let wanted = latencies.quantile(found["q"].as_f64().unwrap()).unwrap();
                prop_assert_eq!(found["lo_ns"].as_u64().unwrap(), wanted.bucket.lo.as_nanos());
                prop_assert_eq!(found["hi_ns"].as_u64(), wanted.bucket.hi.map(Nanos::as_nanos));
            }
        }
    }
}
