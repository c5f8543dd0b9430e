//! Names, values, marks, labels and file names that a terminal, a browser or a spreadsheet would
//! obey, through every command and every form.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Output, Stdio};

use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp, is_hidden};
use isotherm_recording::{About, Durability, RecordedMark, Writer};
use serde_json::Value;
use testing::{bounded, grid};

use super::{Room, isotherm, run, succeed};

/// What an attacker would call things.
pub const PAYLOADS: &[&str] = &[
    // Control sequences: colours, screens, titles, reports, clipboards, links, pictures, keys.
    "\x1b[31mred",
    "\x1b[8mhidden\x1b[0m",
    "\x1b[2J\x1b[H",
    "\x1b[3J",
    "\x1b[1;1H",
    "\x1b[6n",
    "\x1b[c",
    "\x1b[5i",
    "\x1b[?1049h",
    "\x1b[?2026h",
    "\x1b[?25l",
    "\x1b[200~ls\n\x1b[201~",
    "\x1b[9999;9999H\x1b[s",
    "\x1b]0;title\x07",
    "\x1b]2;title\x1b\\",
    "\x1b]52;c;cm0gLXJmIH4=\x07",
    "\x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\",
    "\x1b]1337;File=inline=1:AAAA\x07",
    "\x1b]4;1;?\x07",
    "\x1bP1$r0m\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\x1b_Gf=100;AAAA\x1b\\",
    "\x1b^private\x1b\\",
    "\x1bXstart of string\x1b\\",
    "\x1bc",
    "\x1b#8",
    "\x1b(0lqqk\x1b(B",
    "\x1b",
    // C1 controls, single bytes of 8-bit terminals.
    "\u{9b}31mred",
    "\u{9d}52;c;QQ==\u{9c}",
    "\u{90}q\u{9c}",
    "\u{85}next line",
    "\u{80}\u{8d}\u{9f}",
    // C0 controls.
    "bell\x07",
    "back\x08\x08\x08\x08space",
    "carriage\rreturn",
    "two\nlines",
    "tab\tstop",
    "form\x0cfeed\x0bvertical",
    "shift\x0eout\x0fin",
    "delete\x7f",
    "nul\0byte",
    // Directions, widths, separators, variations, tags.
    "\u{202e}txt.exe",
    "\u{202a}a\u{202b}b\u{202c}c\u{202d}d",
    "\u{2066}a\u{2067}b\u{2068}c\u{2069}",
    "\u{200e}left\u{200f}right\u{61c}",
    "zero\u{200b}width\u{200c}non\u{200d}joiner",
    "\u{feff}mark",
    "word\u{2060}joiner\u{2061}\u{2064}",
    "soft\u{ad}hyphen\u{34f}",
    "line\u{2028}paragraph\u{2029}",
    "heart\u{2764}\u{fe0f}\u{fe0e}",
    "tag\u{e0041}\u{e0042}\u{e007f}",
    "\u{e0100}ideographic",
    "interlinear\u{fff9}\u{fffb}",
    "\u{180e}mongolian\u{3164}hangul",
    // Pages, images and Markdown.
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<!--",
    "]]><svg onload=alert(1)>",
    "&lt;b&gt;&#x202e;",
    "javascript:alert(1)",
    "```\n# heading\n[x](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "|a|b|\n|-|-|",
    // Spreadsheets, shells, formats.
    "=cmd|'/C calc'!A0",
    "+1+cmd|'x'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "a,b;c\"d\"",
    "'; DROP TABLE frame; --",
    "$(touch pwned)`id`",
    "%s%n%1000000d{0}{}",
    "../../etc/passwd",
    "--help",
];

/// Long names are bounded where they are shown.
fn payloads() -> Vec<String> {
    let mut all: Vec<String> = PAYLOADS.iter().map(|one| (*one).to_owned()).collect();
    all.push(format!("long{}", "\u{202e}x".repeat(5_000)));
    all
}

/// A recording in which each payload is the name of a series, a value, and a mark.
fn record(path: &Path, slower: u64) {
    let hostile = payloads().concat();
    let about = About::new(hostile.clone()).with_command_line(hostile.clone()).with_host(hostile);
    let mut writer = Writer::create(path, &about, Durability::Normal).unwrap();
    for second in 0..3_i64 {
        let start = Timestamp::new(1_700_000_000_000_000_000 + second * 1_000_000_000);
        let frame = |(index, payload): (usize, &String)| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            for number in 0..=40 {
                let micros = 100 + number + u64::try_from(index).unwrap() + slower * number;
                counts.record(Nanos::from_micros(micros));
            }
            let value = format!("value {payload}");
            Frame {
                series: Series::with_attributes(payload.as_str(), [("key", value)]),
                start,
                end: start.plus(Nanos::SECOND),
                counts,
                quality: Quality::Complete,
            }
        };
        let frames: Vec<Frame> = payloads().iter().enumerate().map(frame).collect();
        writer.write(&frames).unwrap();
    }
    for (index, payload) in payloads().iter().enumerate() {
        let at =
            Timestamp::new(1_700_000_000_000_000_000 + i64::try_from(index).unwrap() * 10_000_000);
        let mark = RecordedMark { at, text: payload.clone(), origin: payload.clone() };
        writer.mark(&mark).unwrap();
    }
    writer.finish().unwrap();
}

/// Fails if there is anything but text: what the program wrote, on which stream, after what.
fn is_only_text(what: &str, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|_| panic!("{what}: not UTF-8"));
    let found = text.char_indices().find(|(_, c)| *c != '\n' && is_hidden(*c));
    if let Some((at, character)) = found {
        let near: String = text[..at].chars().rev().take(60).collect();
        let near: String = near.chars().rev().collect();
        panic!("{what}: {character:?} after {near:?}");
    }
}

fn both_are_only_text(args: &[&str], output: &Output) {
    let shown = args.join(" ").escape_debug().to_string();
    is_only_text(&format!("stdout of {shown}"), &output.stdout);
    is_only_text(&format!("stderr of {shown}"), &output.stderr);
}

/// Runs a command, which may fail; all it says must be text.
fn text_of(args: &[&str]) -> String {
    let output = run(args);
    both_are_only_text(args, &output);
    assert!(output.status.code().is_some_and(|code| code != 101), "{args:?} panicked");
    String::from_utf8(output.stdout).unwrap()
}

/// The same of a command that must succeed.
fn good_text_of(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    text_of(args)
}

fn names(values: &Value, key: &str) -> BTreeSet<String> {
    let all = values.as_array().unwrap().iter();
    all.filter_map(|one| one[key].as_str().map(str::to_owned)).collect()
}

fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&good_text_of(args)).unwrap()
}

#[test]
fn the_corpus_is_large_enough() {
    let distinct: BTreeSet<&str> = PAYLOADS.iter().copied().collect();
    assert_eq!(distinct.len(), PAYLOADS.len());
    assert!(distinct.len() >= 52, "{}", distinct.len());
}

#[test]
fn what_people_read_of_a_recording_is_only_text() {
    let room = Room::new();
    let (heat, other) = (room.name("x.heat"), room.name("y.heat"));
    record(Path::new(&heat), 0);
    record(Path::new(&other), 7);
    let forms: &[&[&str]] = &[
        &["stats", &heat],
        &["stats", &heat, "--describe"],
        &["stats", &heat, "--series", "value", "--color", "never"],
        &["show", &heat, "--width", "120"],
        &["show", &heat, "--describe"],
        &["show", &heat, "--ascii"],
        &["replay", &heat, "--ui", "stream", "--speed", "max"],
        &["replay", &heat, "--ui", "classic", "--speed", "max"],
        &["replay", &heat, "--ui", "buckets", "--speed", "max"],
        &["replay", &heat, "--ui", "stream", "--speed", "max", "--describe"],
        &["report", &heat, "-o", "-", "--format", "md"],
        &["report", &heat, "-o", "-", "--format", "html"],
        &["report", &heat, "-o", "-", "--format", "svg"],
        &["compare", &heat, &other],
        &["compare", &heat, &other, "--describe"],
        &["compare", &heat, &other, "-o", "-"],
        &["explain", &heat, "--above", "110us"],
    ];
    for args in forms {
        good_text_of(args);
    }
    let failing: &[&[&str]] = &[
        &["stats", &heat, "--fail-if", "p99>1ns"],
        &["compare", &heat, &other, "--fail-if", "p99>1ns"],
        &["compare", &heat, &other, "--fail-if", "p99>1.1x", "--pass-when-unsure"],
        &["stats", &heat, "--series", "no such series"],
        &["compare", &heat, &other, "--align", "no such mark"],
        &["compare", &heat, "--a", "..no such mark", "--b", "1s.."],
        &["export", &heat, "--format", "pylatencymap", "-o", "/dev/null"],
    ];
    for args in failing {
        text_of(args);
    }
}

#[test]
fn colours_are_the_only_sequences_on_a_terminal() {
    let room = Room::new();
    let heat = room.name("x.heat");
    record(Path::new(&heat), 0);
    for args in [
        &["stats", &heat, "--color", "always"][..],
        &["show", &heat, "--color", "24bit"],
        &["replay", &heat, "--ui", "stream", "--speed", "max", "--color", "16"],
        &["explain", &heat, "--above", "110us", "--color", "256"],
    ] {
        let shown = succeed(args);
        assert!(shown.contains("\x1b["), "{args:?} has no colour");
        let mut rest = String::new();
        for (index, part) in shown.split("\x1b[").enumerate() {
            // Of a view: digits and semicolons up to m. `8`, which hides text, is none of ours.
            let code = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(0);
            let own = index == 0 || part[code..].starts_with('m');
            assert!(own && (index == 0 || &part[..code] != "8"), "{args:?}: {:?}", &part[..code]);
            rest.push_str(if index == 0 { part } else { &part[code + 1..] });
        }
        is_only_text("what is between colours", rest.as_bytes());
    }
}

#[test]
fn programs_get_the_exact_names() {
    let room = Room::new();
    let (heat, other) = (room.name("x.heat"), room.name("y.heat"));
    record(Path::new(&heat), 0);
    record(Path::new(&other), 7);
    let exact: BTreeSet<String> = payloads().into_iter().collect();
    let full: BTreeSet<String> =
        payloads().iter().map(|name| format!("{name}{{key=value {name}}}")).collect();

    let stats = json_of(&["stats", &heat, "--format", "json"]);
    assert_eq!(names(&stats["series"], "name"), exact);
    let values = stats["series"].as_array().unwrap().iter().map(|one| &one["attributes"]["key"]);
    let values: BTreeSet<&str> = values.map(|value| value.as_str().unwrap()).collect();
    assert!(exact.iter().all(|name| values.contains(format!("value {name}").as_str())));

    let report = json_of(&["report", &heat, "-o", "-", "--format", "json"]);
    let labels: BTreeSet<String> = names(&report["entries"], "label")
        .union(&names(&report["not_drawn"], "label"))
        .cloned()
        .collect();
    assert!(full.is_subset(&labels), "{:?}", full.difference(&labels).collect::<Vec<_>>());
    assert_eq!(names(&report["recordings"][0]["marks"], "text"), exact);

    let compared = json_of(&["compare", &heat, &other, "--each", "--format", "json"]);
    assert_eq!(names(&compared["pairs"], "label"), full);

    let explained =
        json_of(&["explain", &heat, "--above", "110us", "--format", "json", "--top", "1000"]);
    let named = explained["attributes"].as_array().unwrap().iter();
    let listed: BTreeSet<String> = named.flat_map(|one| names(&one["values"], "value")).collect();
    assert!(exact.is_subset(&listed), "{:?}", exact.difference(&listed).collect::<Vec<_>>());

    // Each line of an export is JSON, and import gives back what was exported.
    let lines = good_text_of(&["export", &heat, "--format", "jsonl"]);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let (file, again) = (room.file("x.jsonl", &lines), room.name("again.heat"));
    good_text_of(&["import", &file, "-o", &again]);
    let stats = json_of(&["stats", &again, "--format", "json"]);
    assert_eq!(names(&stats["series"], "name"), exact);

    // The exchange form keeps the bytes, formulas included.
    let csv = room.file("x.csv", run(&["export", &heat, "--format", "csv"]).stdout);
    let from_csv = room.name("csv.heat");
    good_text_of(&["import", &csv, "-o", &from_csv]);
    let stats = json_of(&["stats", &from_csv, "--format", "json"]);
    assert_eq!(names(&stats["series"], "name"), exact);
}

#[test]
fn pages_hold_no_markup_of_an_input() {
    let room = Room::new();
    let heat = room.name("x.heat");
    record(Path::new(&heat), 0);
    for form in ["html", "svg"] {
        let page = good_text_of(&["report", &heat, "-o", "-", "--format", form]);
        for markup in ["<script>alert", "<img src=x", "<svg onload", "onerror=alert(1)>"] {
            assert!(!page.contains(markup), "{form}: {markup}");
        }
    }
    let markdown = good_text_of(&["report", &heat, "-o", "-", "--format", "md"]);
    // Between fences nothing is markup; every second part lies between two.
    let markdown: String = markdown.split("\n```").step_by(2).collect();
    for markup in ["<script>", "\n# heading", "![x](", "[x](javascript:"] {
        assert!(!markdown.contains(markup), "{markup}");
    }
}

/// Folded stacks, samples and a trace in which payloads are frames, programs and statements.
fn hostile_stacks(room: &Room) -> Vec<String> {
    let lines = payloads().into_iter().map(|name| name.replace('\n', " "));
    let lines: Vec<String> = lines.collect();
    let folded: Vec<String> =
        lines.iter().map(|name| format!("main {name};{name};leaf 3\n")).collect();
    let samples: Vec<String> = lines
        .iter()
        .map(|name| {
            format!(
                "p{name} 12 3.5: 7 cpu-clock: \n\t12 f{name}+0x1 (/lib/{name})\n\t13 main (x)\n\n"
            )
        })
        .collect();
    vec![room.file("x.folded", folded.concat()), room.file("x.script", samples.concat())]
}

#[test]
fn flame_graphs_hold_no_markup_of_an_input() {
    let room = Room::new();
    let files = hostile_stacks(&room);
    let mut forms: Vec<Vec<&str>> = files.iter().map(|file| vec!["flame", file]).collect();
    forms.push(vec![
        "flame",
        &files[0],
        "--frames",
        "a",
        "--title",
        "<script>alert(1)</script>\u{202e}",
    ]);
    forms.push(vec!["flame", "diff", &files[0], &files[1]]);
    for args in &forms {
        for form in ["html", "svg"] {
            let page = good_text_of(&[args.as_slice(), &["-o", "-", "--format", form]].concat());
            for markup in ["<script>alert", "<img src=x", "<svg onload", "onerror=alert(1)>"] {
                assert!(!page.contains(markup), "{args:?} {form}: {markup}");
            }
        }
        let json = json_of(&[args.as_slice(), &["-o", "-", "--format", "json"]].concat());
        assert!(json["total"].as_u64().is_some_and(|total| total > 60), "{args:?}");
    }
}

/// All payloads that a file name may hold, as many in each name as fit.
fn file_names() -> Vec<String> {
    let mut names: Vec<String> = vec![String::new()];
    for payload in payloads().into_iter().filter(|one| !one.contains(['/', '\0'])) {
        let fits = |name: &&mut String| name.len() + payload.len() < 150;
        match names.last_mut().filter(fits) {
            Some(name) => name.push_str(&payload),
            None if payload.len() < 150 => names.push(payload),
            None => {}
        }
    }
    names
}

#[test]
fn file_names_and_arguments_are_shown_as_text() {
    let room = Room::new();
    let heat = room.name("plain.heat");
    record(Path::new(&heat), 0);
    for payload in &file_names() {
        let copy = room.path(payload);
        std::fs::copy(&heat, &copy).unwrap();
        let copy = copy.to_str().unwrap();
        text_of(&["stats", copy, "--describe"]);
        text_of(&["show", copy]);
        text_of(&["report", copy, "-o", "-", "--format", "md"]);
        let json = text_of(&["report", copy, "-o", "-", "--format", "json"]);
        serde_json::from_str::<Value>(&json).unwrap();
        std::fs::remove_file(copy).unwrap();
        // None of these is there.
        for args in [
            &["stats", copy][..],
            &["export", copy, "--format", "csv"],
            &["mark", copy, payload],
            &["sources", payload],
            &["stats", &heat, "--as", payload],
            &["stats", &heat, "--series", &format!("none {payload}")],
            &["stats", &heat, "--fail-if", payload],
            &["stats", &heat, "--format", payload],
            &["live", payload, "--ui", payload],
            &["compare", &heat, &heat, "--align", payload],
            &["report", &heat, "--from", payload, "-o", "-"],
            &["flame", copy, "-o", "-"],
            &["flame", &heat, "--frames", payload, "-o", "-"],
            &["stress", &format!("sim:{payload}"), "--for", "1ms"],
            &["fit", copy],
            &["analyze", copy],
            &["trace", copy],
            &["awr", copy],
            &["explain", copy],
            &["sweep", &format!("sim:{payload}"), "--dry-run"],
        ] {
            text_of(args);
        }
    }
}

#[test]
fn names_that_are_not_utf8_are_shown_as_text() {
    let room = Room::new();
    let name = room.dir().join(OsStr::from_bytes(b"bad\xff\x9b2J\xfe"));
    std::fs::write(&name, "x\n").unwrap();
    for command in ["stats", "show", "report", "trace", "awr", "analyze", "fit"] {
        let output = bounded::output(isotherm(&[command]).arg(&name));
        both_are_only_text(&[command], &output);
    }
    let lines = b"1700000000.1 100 \xff\x9b2J\n1700000001.2 \xc3 \x1b]52;c;QQ==\x07\n";
    let file = room.file("bytes.txt", lines);
    text_of(&["stats", &file, "--columns", "time,latency,device", "--unit", "us"]);
    text_of(&["stats", &file]);
}

#[test]
fn text_inputs_are_shown_as_text() {
    let room = Room::new();
    let payloads = payloads();
    let payloads: Vec<&String> =
        payloads.iter().filter(|name| !name.contains(['\n', '\0'])).collect();
    // A sample has every payload, too, but several of them in each file, as many as are all shown.
    for together in payloads.chunks(grid::cases(1, 7)) {
        let records = |payload: &&String| super::RECORDS.replace("log file sync", payload);
        let file = room.file("records.txt", together.iter().map(records).collect::<String>());
        text_of(&["stats", &file]);
        text_of(&["stats", &file, "--describe"]);
        let waits = |payload: &&String| {
            let parameters = "ela= 2000 file#=7 block#=131 blocks=1 obj#=8042 tim=7093000";
            let wait = format!("WAIT #1: nam='{payload}' {parameters}\n");
            format!("*** SESSION ID:(148.2391) {payload}\n{wait}{wait}")
        };
        let trace = room.file("x.trc", together.iter().map(waits).collect::<String>());
        text_of(&["trace", &trace]);
        let json = text_of(&["trace", &trace, "--format", "json"]);
        assert!(json.is_empty() || serde_json::from_str::<Value>(&json).is_ok());
    }
    for payload in payloads {
        let points = format!("{payload};iops\n1;1010\n2;1985\n{payload};3040\n4;3960\n5;4930\n");
        let table = room.file("points.csv", points);
        text_of(&["fit", &table]);
    }
}

/// Fails if a spreadsheet would compute something of what a command writes.
fn has_no_formula(args: &[&str]) {
    let csv = run(args).stdout;
    for line in String::from_utf8_lossy(&csv).lines() {
        let formula = ["=cmd", ",=", ",@", "@SUM"];
        assert!(!formula.iter().any(|one| line.starts_with(one)), "{line}");
        assert!(!line.contains(",=cmd") && !line.contains(",@SUM"), "{line}");
    }
}

#[test]
fn sweeps_and_reports_of_databases_are_shown_as_text() {
    let room = Room::new();
    let runs = include_str!("fixtures/saturation.sweep/runs.jsonl");
    let awr = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../formats/fixtures/awrreport/text-11201-noise/input.txt"
    );
    let payloads: Vec<String> = payloads().into_iter().filter(|name| name.len() < 200).collect();
    // A sample has every payload, too, but another at each of the seven points of a sweep.
    for together in payloads.chunks(grid::cases(1, 7)) {
        let sweep = room.path("x.sweep");
        std::fs::create_dir_all(&sweep).unwrap();
        let hostile = |line: &str| {
            let mut run: Value = serde_json::from_str(line).unwrap();
            let point = run["point"].as_u64().unwrap() as usize;
            run["label"] = Value::String(format!("{}{point}", together[point % together.len()]));
            run["recording"] = Value::Null;
            run.to_string()
        };
        let lines: Vec<String> = runs.lines().map(hostile).collect();
        std::fs::write(sweep.join("runs.jsonl"), lines.join("\n") + "\n").unwrap();
        let sweep = sweep.to_str().unwrap();
        for form in ["table", "md", "html", "svg", "json"] {
            let shown = text_of(&["analyze", sweep, "--format", form]);
            assert!(form != "json" || serde_json::from_str::<Value>(&shown).is_ok());
        }
        text_of(&["fit", sweep]);
        has_no_formula(&["analyze", sweep, "--format", "csv"]);
    }
    has_no_formula(&["awr", awr, "--csv"]);
    let name = room.path("=cmd|'calc'!A0\u{202e}.txt");
    std::fs::copy(awr, &name).unwrap();
    let name = name.to_str().unwrap();
    text_of(&["awr", name]);
    text_of(&["awr", name, "--format", "json"]);
    let mut command = isotherm(&["awr", "--csv", "=cmd|'calc'!A0\u{202e}.txt"]);
    let csv = bounded::output(command.current_dir(room.dir())).stdout;
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.lines().nth(1).unwrap().starts_with("'=cmd|"), "{csv}");
}

#[test]
fn a_terminal_gets_no_sequence_from_an_export() {
    // `script` runs a command in a terminal of its own.
    let room = Room::new();
    let heat = room.name("x.heat");
    record(Path::new(&heat), 0);
    let shell = |rest: &str| format!("'{}' {rest}", env!("CARGO_BIN_EXE_isotherm"));
    for rest in [
        format!("export '{heat}' --format csv"),
        format!("export '{heat}' --format jsonl"),
        format!("stats '{heat}' --format json"),
        format!("stats '{heat}' --describe"),
        format!("report '{heat}' -o - --format md"),
    ] {
        let command = ["-qec", &shell(&rest), "/dev/null"].map(str::to_owned);
        let mut script = std::process::Command::new("script");
        let output = bounded::try_output(script.args(command).stdin(Stdio::null()));
        let Ok(output) = output else { return };
        let shown =
            String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n").replace('\t', " ");
        assert!(!shown.is_empty(), "{rest}");
        is_only_text(&rest, shown.as_bytes());
    }
}
