//! The profile of a made-up trace as text and as JSON.

use isotherm_oracle::trace::profile::{GroupBy, Limits, Profile, Profiler, Rank};
use isotherm_oracle::trace::scan_slice;
use isotherm_views::{
    Depth, PAGE_GROUPS, TraceProfileJson, TraceProfileText, trace_sections, write_json,
};
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;
use crate::shown;

/// A session of 11.2: a query that reads, a PL/SQL block with recursive SQL, a commit, an error,
/// and a line that was cut.
const TRACE: &str = include_str!("trace.trc");

pub fn profile() -> Profile {
    let mut profiler = Profiler::new("orcl_ora_4711.trc", Limits::default(), 8_192);
    scan_slice(TRACE.as_bytes(), &mut profiler);
    profiler.finish()
}

fn grouped(by: &[&str]) -> Profile {
    let by = by.iter().map(|name| (*name).to_owned()).collect();
    let profiler = Profiler::new("orcl_ora_4711.trc", Limits::default(), 8_192);
    let mut profiler = profiler.with_groups(GroupBy { by, ..GroupBy::default() });
    scan_slice(TRACE.as_bytes(), &mut profiler);
    profiler.finish()
}

pub fn text(width: usize, depth: Depth) -> String {
    text_of(&profile(), width, depth)
}

fn text_of(profile: &Profile, width: usize, depth: Depth) -> String {
    let view = TraceProfileText { width: Some(width), top: 10, rank: Rank::Elapsed };
    let mut out = Vec::new();
    view.render(profile, shown::style(depth), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn json(profile: &Profile, top: Option<usize>) -> Value {
    let mut out = Vec::new();
    write_json(&TraceProfileJson::new(profile, top, Rank::Elapsed), &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn narrow() {
    let text = text(80, Depth::Glyphs);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn wide() {
    let text = text(120, Depth::Ascii);
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn an_empty_profile_says_so() {
    let profile = Profiler::new("empty.trc", Limits::default(), 8_192).finish();
    let mut out = Vec::new();
    let view = TraceProfileText { width: Some(80), top: 10, rank: Rank::Elapsed };
    view.render(&profile, shown::style(Depth::Glyphs), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with("No response time"), "{text}");
    assert_eq!(json(&profile, None)["response_time"]["response_s"], 0.0);
}

/// Sums made by hand from the lines of the trace.
#[test]
fn the_numbers_are_those_of_the_trace() {
    let object = json(&profile(), None);
    let time = &object["response_time"];
    // Parse 90, exec 60, fetch 10,000, the block 3,000, the commit 200; 1,500 of log file sync and
    // 2 + 1 of sending lie between calls.
    assert_eq!(time["response_s"], 14_853e-6);
    // 80 + 50 + 1,000 + 1,400 + 100.
    assert_eq!(time["cpu_s"], 2_630e-6);
    assert_eq!(time["waits_between_calls_s"], 1_503e-6);
    assert_eq!(time["idle_s"], 50e-3);
    assert_eq!(object["calls"]["round_trips"], 2);
    assert_eq!(object["calls"]["user"]["fetch"]["rows"], 12);
    // Two blocks one by one, one of them twice, and eight at once.
    assert_eq!(object["reads"]["addressed"]["blocks"], 11);
    let factor = object["reads"]["reread_factor"].as_f64().unwrap();
    assert!((factor - 11.0 / 10.0).abs() < 0.02, "{factor}");
    let block = &object["statements"][1];
    assert_eq!((&block["id"], &block["response_s"]), (&"blk2x8mv3kq1z".into(), &3e-3.into()));
    // Less 800 and 400 of the recursive statement.
    assert_eq!(block["own_s"], 1_800e-6);
    let recursive = &object["recursive_statements"][0];
    assert_eq!(recursive["parents"][0]["id"], "blk2x8mv3kq1z");
    assert_eq!(object["transactions"]["commits"], 1);
    assert_eq!(object["errors"][0], serde_json::json!({ "ora": 942, "count": 1 }));
    assert_eq!(object["findings"][0]["places"][0]["line"], 37);
}

/// Three reads of file 7, 400 + 700 + 500; one of file 9; everything else is no read.
#[test]
fn groups_are_those_of_the_trace() {
    let object = json(&grouped(&["file"]), None);
    let groups = &object["groups"];
    assert_eq!(groups["total_s"], object["response_time"]["response_s"]);
    let file = |at: usize| {
        let group = &groups["groups"][at];
        (group["values"][0].clone(), group["count"].clone(), group["total_s"].clone())
    };
    assert_eq!(file(1), ("9".into(), 1.into(), 5_900e-6.into()));
    assert_eq!(file(2), ("7".into(), 3.into(), 1_600e-6.into()));
    assert_eq!(groups["groups"][2]["longest"][0]["line"], 22);
    let share = groups["groups"][1]["share"].as_f64().unwrap();
    assert!((share - 5_900.0 / 14_853.0).abs() < 1e-9);
}

#[test]
fn groups_fit_any_width() {
    let profile = grouped(&["sql", "event"]);
    for (width, depth) in [(60, Depth::Glyphs), (80, Depth::Glyphs), (120, Depth::Ascii)] {
        let text = text_of(&profile, width, depth);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        assert!(depth != Depth::Ascii || (text.is_ascii() && !text.contains('?')), "{text}");
        assert!(text.contains("By sql, event") && text.contains("Longest waits"), "{text}");
    }
    insta::assert_snapshot!(text_of(&profile, 120, Depth::Glyphs));
}

#[test]
fn a_page_has_a_statement_with_its_calls_waits_and_places() {
    let sections = trace_sections(&grouped(&PAGE_GROUPS));
    let titles: Vec<&str> = sections.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Between calls", "Where the time went", "Statements", "Longest waits"]);
    let statement = &sections[2].details[0];
    assert!(statement.summary.contains("q7r2m9bw4cz0x"), "{}", statement.summary);
    let fetch = &statement.details[0];
    // 10 ms of the fetch, 7.5 ms of it waits.
    assert!(fetch.summary.starts_with("fetch: 10ms, 5 waits and calls"), "{}", fetch.summary);
    let longest = &fetch.tables[1].rows[0];
    assert_eq!((longest[0].as_str(), longest[1].as_str()), ("orcl_ora_4711.trc:24", "5.9ms"));
}

#[test]
fn the_object_keeps_to_its_schema() {
    let schema = schema_of::<TraceProfileJson>("trace.schema.json");
    let empty = Profiler::new("empty.trc", Limits::default(), 8_192).finish();
    for profile in [profile(), empty, grouped(&["sql", "event"])] {
        let object = json(&profile, None);
        assert_eq!(faults(&object, &schema), Vec::<String>::new());
    }
    let short = json(&profile(), Some(1));
    assert_eq!(short["statements"].as_array().unwrap().len(), 1);
    let mut broken = json(&profile(), None);
    broken["calls"]["user"]["fetch"]["rows"] = "twelve".into();
    broken["statements"][0].as_object_mut().unwrap().remove("own_s");
    assert_eq!(faults(&broken, &schema).len(), 2);
}
