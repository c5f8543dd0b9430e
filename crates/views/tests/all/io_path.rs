//! A made-up path of two I/Os as text, as JSON and as lines of a page.

use isotherm_analysis::{IoPath, PathInput};
use isotherm_frame::{Clock, Nanos, PathLevel, PathOutcome, PathStep, TimeRange, Timestamp};
use isotherm_views::{
    Depth, PathTimeline, TimelineInput, TimelineJson, TimelineText, timeline_lines,
    timeline_sections, write_json,
};
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;
use crate::shown;

/// 2026-11-21 05:00:00 UTC.
const ZERO: i64 = 1_795_237_200_000_000_000;

struct Made(Vec<PathStep>);

impl Made {
    fn step(
        &mut self,
        level: PathLevel,
        name: &str,
        subject: &str,
        at_us: (i64, u64),
    ) -> &mut PathStep {
        let (start, duration) = at_us;
        self.0.push(PathStep {
            level,
            recursion: 0,
            start: Timestamp::new(ZERO + 1_000 * start),
            duration: Nanos::from_micros(duration),
            queued: Nanos::ZERO,
            process: 4711,
            thread: 4711,
            name: name.into(),
            subject: subject.into(),
            offset: None,
            bytes: None,
            outcome: PathOutcome::Done,
            program: "postgres".into(),
        });
        self.0.last_mut().unwrap()
    }
}

/// A statement with two reads: one of 1 MiB that is split, one that reads ahead; a statement that
/// failed; a write of the kernel.
fn steps() -> Vec<PathStep> {
    let mut made = Made(Vec::new());
    made.step(
        PathLevel::Statement,
        "statement",
        "select sum(amount) from orders where day < '2026-01-01'",
        (0, 2_400),
    );
    for (wait, length) in [(100, 1_500), (1_700, 300)] {
        made.step(PathLevel::Wait, "DataFileRead", "5/16384:17", (wait, length));
        let call = made.step(PathLevel::SystemCall, "pread64", "5/16384", (wait + 10, length - 20));
        (call.offset, call.bytes) =
            (Some(139_264), Some(if wait == 100 { 1 << 20 } else { 8_192 }));
    }
    for (start, length, split) in [(140, 1_300, false), (180, 1_380, true), (1_760, 900, false)] {
        let name = if start == 1_760 { "read ahead" } else { "read" };
        let request = made.step(PathLevel::BlockRequest, name, "254:0", (start, length));
        request.bytes = Some(if start == 1_760 { 131_072 } else { 524_288 });
        request.queued = Nanos::from_micros(12);
        request.outcome = if split { PathOutcome::RestOfSplit } else { PathOutcome::Done };
    }
    made.step(PathLevel::Statement, "statement", "select 1/0", (5_000, 80)).outcome =
        PathOutcome::Failed;
    let kernel = made.step(PathLevel::BlockRequest, "write", "254:0", (600, 90));
    (kernel.thread, kernel.program, kernel.bytes) = (35, "kworker/u8:2".into(), Some(4_096));
    made.0
}

fn timeline() -> PathTimeline {
    let input = TimelineInput {
        name: "path.json".to_owned(),
        steps: 10,
        lost: 3,
        ..TimelineInput::default()
    };
    let steps = PathInput { steps: steps(), rounding: Nanos::ZERO };
    PathTimeline {
        path: IoPath::of(vec![steps], TimeRange::default()),
        zero: Timestamp::new(ZERO),
        clock: Clock::Epoch,
        inputs: vec![input],
    }
}

pub fn text(width: usize, depth: Depth) -> String {
    let mut out = Vec::new();
    let view = TimelineText { width: Some(width), top: 100 };
    view.render(&timeline(), shown::style(depth), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn wide_and_narrow() {
    let wide = text(140, Depth::Glyphs);
    assert!(wide.lines().all(|line| line.chars().count() <= 140), "{wide}");
    insta::assert_snapshot!("path_of_an_io_wide", wide);
    let narrow = text(100, Depth::Ascii);
    assert!(narrow.lines().all(|line| line.chars().count() <= 100), "{narrow}");
    insta::assert_snapshot!("path_of_an_io_narrow", narrow);
}

#[test]
fn fewer_lines_say_how_many_are_left() {
    let mut out = Vec::new();
    TimelineText { width: None, top: 3 }
        .render(&timeline(), shown::style(Depth::Glyphs), &mut out)
        .unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("6 more steps"), "{text}");
}

#[test]
fn the_object_is_what_its_schema_says_and_holds_every_step() {
    let schema = schema_of::<TimelineJson>("timeline.schema.json");
    let mut out = Vec::new();
    write_json(&TimelineJson::new(&timeline()), &mut out).unwrap();
    let object: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(faults(&object, &schema), Vec::<String>::new());
    assert_eq!(object["steps"].as_array().unwrap().len(), 9);
    assert_eq!(object["not_placed"][0]["program"], "kworker/u8:2");
    let counts: u64 = object["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["count"].as_u64().unwrap())
        .sum();
    assert_eq!(counts, 10);
    let ahead =
        object["steps"].as_array().unwrap().iter().find(|step| step["name"] == "read ahead");
    // It began 60 µs into its call, which took 280 µs from 1,710 µs on.
    assert_eq!(ahead.unwrap()["beyond_ns"], (1_760 + 900 - 1_990) * 1_000);
}

#[test]
fn bars_of_a_page_lie_within_their_axis() {
    let lines = timeline_lines(&timeline(), 100);
    assert_eq!(lines.len(), 9);
    for line in &lines {
        let bar = line.bar;
        assert!(
            0.0 <= bar.asked && bar.asked <= bar.start && bar.start <= bar.end && bar.end <= 1.0,
            "{line:?}"
        );
    }
    assert!(
        (lines[0].bar.end - 2_400.0 / 2_660.0).abs() < 1e-9,
        "its axis ends where reading ahead does"
    );
    let sections = timeline_sections(&timeline());
    assert!(
        sections[0].sentences.iter().any(|sentence| sentence.contains("bpftrace lost 3 lines"))
    );
}
