//! Every number of the command line, absurd: a result or a clear error, never a panic, gigabytes or
//! a wait without end.

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};

use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_recording::{About, Durability, RecordedMark, Writer};

use testing::{bounded, grid};

use super::{RECORDS, Room};

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "0.0",
    "",
];
const LENGTHS: &[&str] = &[
    "0s",
    "1ns",
    "-1s",
    "1000000h",
    "106751d",
    "213503d",
    "1e300s",
    "18446744073709551615ns",
    "18446744073709551616ns",
    "99999999999999999999999999d",
    "s",
    "1",
    "",
];
const MOMENTS: &[&str] = &[
    "0s",
    "1ns",
    "1000000h",
    "-9999-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "1677-09-21T00:12:43Z",
    "2262-04-11T23:47:17Z",
    "0001-01-01T00:00:00Z",
    "25:00",
    "-1s",
    "",
];

/// The pairs of an option and a value that are tried: `each` values for each option, spread over all of them and
/// beginning with another at each option, so that every value is tried; all pairs by `cargo xtask exhaustive`.
pub fn pairs(options: usize, values: usize, each: usize) -> Vec<(usize, usize)> {
    let each = grid::cases(values, each);
    let of = |option| (0..each).map(move |turn| (option, (option + turn * values / each) % values));
    let pairs: Vec<(usize, usize)> = (0..options).flat_map(of).collect();
    let is_tried = |value| pairs.iter().any(|pair| pair.1 == value);
    assert!((0..values).all(is_tried), "{each} values for each of {options} options are too few");
    pairs
}

/// Runs a command with little memory and little time.
fn run_bounded(args: &[&str]) -> Output {
    // 6 GiB of addresses, most of them of threads and never touched.
    let limited = "ulimit -v 6291456; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh", env!("CARGO_BIN_EXE_isotherm")]).args(args);
    command.env("COLUMNS", "60000").env("LINES", "60000").stdin(Stdio::null());
    bounded::output(&mut command)
}

/// What is wrong with how a command ended.
fn fault(args: &[&str], output: &Output) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    let known = code.is_some_and(|code| [0, 1, 2, 3, 4, 99].contains(&code));
    let much = output.stdout.len() > 50 << 20;
    let bad = !known || much || said.contains("panicked") || said.contains("overflow");
    bad.then(|| {
        let said: String = said.chars().take(600).collect();
        format!("{args:?}: {:?}, {} bytes: {said}", output.status, output.stdout.len())
    })
}

/// Puts the value in the place of `{}`; gives what is wrong.
fn wrong_with(command: &str, value: &str, files: &[(&str, &str)]) -> Option<String> {
    let filled = |word: &str| {
        let word =
            files.iter().fold(word.to_owned(), |word, (name, path)| word.replace(name, path));
        word.replace("{}", value)
    };
    let args: Vec<String> = command.split_whitespace().map(filled).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    fault(&args, &run_bounded(&args))
}

const OF_NUMBERS: &[&str] = &[
    "show HEAT --width={}",
    "show HEAT --height={}",
    "compare HEAT HEAT --width={}",
    "compare HEAT HEAT --height={}",
    "compare HEAT HEAT -o - --max-size={}",
    "report HEAT -o - --format svg --image-width={}",
    "report HEAT -o - --format png --dots={}",
    "report HEAT -o - --max-size={}",
    "report HEAT -o - --max-size={}g",
    "analyze SWEEP --width={}",
    "analyze SWEEP --height={}",
    "analyze SWEEP --format svg --image-width={}",
    "analyze SWEEP --format html --max-size={}",
    "fit POINTS --width={}",
    "fit POINTS --at-load={} --servers=+1",
    "fit POINTS --servers=+{}",
    "fit POINTS --arrival=x{}",
    "fit POINTS --service-time=x{}",
    "fit POINTS --seed={}",
    "trace TRACE --top={}",
    "trace TRACE --width={}",
    "trace TRACE --block-size={}",
    "explain HEAT --above 1us --top={}",
    "stats EVENTS --columns time,latency --unit us --by={}",
    "replay HEAT --ui stream --speed={}",
    "stress sim: --for 20ms --in-flight={}",
    "stress sim: --for 20ms --rate={}",
    "stress sim: --for 20ms --rate 100 --slots={}",
    "stress sim: --for 20ms --in-flight 4 --threads={}",
    "stress sim: --for 20ms --operations={}",
    "stress sim: --for 20ms --seed={}",
    "stress sim: --for 20ms --read={}",
    "stress sim: --for 20ms --block={}",
    "sweep sim: --dry-run --repeats={}",
    "sweep sim: --dry-run --order-seed={}",
    "sweep sim: --dry-run --vary in-flight={}",
    "sweep sim: --dry-run --vary in-flight=1..{}",
    "live probe:DIR --for 100ms --ui stream --rate={}",
    "live probe:DIR --for 100ms --ui stream --block={}",
    "sqlplus-script --count={}",
    "stats HEAT --fail-if p{}>1ms",
    "stats HEAT --fail-if p99>{}ms",
    "compare HEAT HEAT --fail-if p99>{}x",
];

const OF_LENGTHS: &[&str] = &[
    "stats EVENTS --columns time,latency --unit us -i {}",
    "show EVENTS --columns time,latency --unit us -i {}",
    "report EVENTS --columns time,latency --unit us -i {} -o -",
    "compare EVENTS EVENTS --columns time,latency --unit us -i {}",
    "explain EVENTS --columns time,latency --unit us --above 1us -i {}",
    "replay EVENTS --columns time,latency --unit us -i {} --ui stream --speed max",
    "live RECORDS --ui stream --for={}",
    "live EVENTS --columns time,latency --unit us --ui stream -i {}",
    "live EVENTS --columns time,latency --unit us --ui classic -i {}",
    "explain HEAT --above={}",
    "explain HEAT --below={}",
    "stats HEAT --fail-if p99>{}",
    "stats HEAT --describe --device={}",
    "stress sim: --operations 10 --for={}",
    "stress sim: --operations 10 --warm-up={}",
    "sweep sim: --dry-run --cool-down={}",
    "sweep sim: --dry-run --most-time={}",
    "sweep sim: --dry-run --for={}",
    "sqlplus-script --interval={}",
    "sqlplus-script --for={}",
    "bpftrace oracle-waits --pid 1 --interval={}",
];

const OF_MOMENTS: &[&str] = &[
    "report HEAT -o - --from={}",
    "report HEAT -o - --to={}",
    "replay HEAT --ui stream --speed max --from={}",
    "replay HEAT --ui stream --speed max --to={}",
    "explain HEAT --from={}",
    "explain HEAT --to={}",
    "compare HEAT --a={}..1s --b=1s..",
    "compare HEAT --a=..1s --b={}..",
    "compare HEAT --a=..1s --b=..{}",
    "mark MARKED deploy --at={}",
];

fn heat(room: &Room, name: &str, series: &[String]) -> String {
    let path = room.path(name);
    let about = About::new("test").with_command_line("isotherm").with_host("host");
    let mut writer = Writer::create(&path, &about, Durability::Normal).unwrap();
    for second in 0..4_i64 {
        let start = Timestamp::new(1_700_000_000_000_000_000 + second * 1_000_000_000);
        let mut counts = Histogram::empty(Scheme::log_linear());
        (1..100).for_each(|number| counts.record(Nanos::from_micros(number * 7)));
        let frame = |name: &String| Frame {
            series: Series::with_attributes(name.as_str(), [("key", name.as_str())]),
            start,
            end: start.plus(Nanos::SECOND),
            counts: counts.clone(),
            quality: Quality::Complete,
        };
        writer.write(&series.iter().map(frame).collect::<Vec<Frame>>()).unwrap();
    }
    let text = series.first().cloned().unwrap_or_default();
    let at = Timestamp::new(1_700_000_001_000_000_000);
    writer.mark(&RecordedMark { at, text, origin: "test".to_owned() }).unwrap();
    writer.finish().unwrap();
    path.to_str().unwrap().to_owned()
}

/// Tries the commands with the values; a sample tries each with the value that asks for most, and others in turn.
fn in_a_room(commands: &[&str], values: &[&str], largest: &str) {
    let room = Room::new();
    let heat_file = heat(&room, "x.heat", &["read".to_owned(), "write".to_owned()]);
    let marked = heat(&room, "marked.heat", &["read".to_owned()]);
    let events = room.file("events.txt", "1700000000.1 100\n1700000000.2 300\n1700000005.0 200\n");
    let records = room.file("records.txt", RECORDS);
    let points = room.file("points.csv", "workers;iops\n1;1010\n2;1985\n4;3960\n8;4980\n16;5030\n");
    let trace = room.file(
        "x.trc",
        "*** SESSION ID:(1.2) 2026-11-21T09:08:07.123456+01:00\nWAIT #1: nam='db file sequential \
         read' ela= 2000 file#=7 block#=131 blocks=1 obj#=8042 tim=7093000\n",
    );
    let sweep = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/fixtures/saturation.sweep");
    let dir = room.dir().to_str().unwrap().to_owned();
    let files = [
        ("HEAT", heat_file.as_str()),
        ("MARKED", marked.as_str()),
        ("EVENTS", events.as_str()),
        ("RECORDS", records.as_str()),
        ("POINTS", points.as_str()),
        ("TRACE", trace.as_str()),
        ("SWEEP", sweep),
        ("DIR", dir.as_str()),
    ];
    let largest = values.iter().position(|value| *value == largest).unwrap();
    let others = pairs(commands.len(), values.len(), values.len().div_ceil(commands.len()));
    let pairs: BTreeSet<(usize, usize)> =
        (0..commands.len()).map(|command| (command, largest)).chain(others).collect();
    let found: Vec<String> = pairs
        .into_iter()
        .filter_map(|(command, value)| wrong_with(commands[command], values[value], &files))
        .collect();
    assert!(found.is_empty(), "{} wrong:\n{}", found.len(), found.join("\n"));
}

#[test]
fn absurd_numbers_end_well() {
    // Above it the options of 32 bits are refused as numbers already.
    in_a_room(OF_NUMBERS, NUMBERS, "4294967295");
}

#[test]
fn absurd_lengths_of_time_end_well() {
    // The longest in nanoseconds of 64 bits.
    in_a_room(OF_LENGTHS, LENGTHS, "106751d");
}

#[test]
fn absurd_moments_end_well() {
    // A second after the last moment in nanoseconds of 64 bits.
    in_a_room(OF_MOMENTS, MOMENTS, "2262-04-11T23:47:17Z");
}

#[test]
fn names_of_any_length_are_shown_shortened_and_kept_in_full() {
    let room = Room::new();
    let long: Vec<String> =
        [30_000, 65_535, 65_536].iter().map(|length| "n".repeat(*length)).collect();
    let file = heat(&room, "long.heat", &long);
    let trace = room.file(
        "long.trc",
        format!(
            "*** SESSION ID:(1.2) 2026-11-21T09:08:07.123456+01:00\nWAIT #1: nam='{}' ela= 2000 \
             tim=7093000\n",
            long[1]
        ),
    );
    for args in [
        &["stats", &file][..],
        &["stats", &file, "--describe"],
        &["show", &file],
        &["explain", &file, "--above", "1us"],
        &["compare", &file, &file],
        &["compare", &file, &file, "--each"],
        &["replay", &file, "--ui", "stream", "--speed", "max"],
        &["replay", &file, "--ui", "buckets", "--speed", "max"],
        &["replay", &file, "--ui", "classic", "--speed", "max"],
        &["report", &file, "-o", "-", "--format", "svg"],
        &["report", &file, "-o", "-", "--format", "png"],
        &["report", &file, "-o", "-", "--format", "md"],
        &["report", &file, "-o", "-", "--format", "html"],
        &["trace", &trace],
        &["stats", &file, "--fail-if", "p99>1ns"],
        &["stats", &file, "--series", "typo"],
    ] {
        let shown = run_bounded(args);
        assert_eq!(fault(args, &shown), None);
        let size = shown.stdout.len() + shown.stderr.len();
        assert!(size < 1 << 20, "{args:?}: {size} bytes");
    }
    let stats = super::succeed(&["stats", &file, "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let mut lengths: Vec<usize> = stats["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap().len())
        .collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [30_000, 65_535, 65_536]);
}

#[test]
fn a_width_beyond_the_bound_is_a_usage_error_that_names_it() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let output = super::run(&["show", &file, "--width", "18446744073709551615"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("from 1 to 2000"), "{said}");
}

#[test]
fn a_terminal_of_60000_columns_is_drawn_up_to_the_bound() {
    let room = Room::new();
    let file = heat(&room, "x.heat", &["read".to_owned()]);
    // `script` runs a command in a terminal of its own.
    for rest in ["stats --color never", "show --color never", "replay --speed max"] {
        let ends = if rest.starts_with("replay") {
            "(while sleep 3; do echo q || break; done) 2>/dev/null |"
        } else {
            ""
        };
        let isotherm = env!("CARGO_BIN_EXE_isotherm");
        let inside =
            format!("stty cols 60000 rows 60000; ulimit -v 6291456; '{isotherm}' {rest} '{file}'");
        let command = format!("{ends} script -qec \"{inside}\" /dev/null");
        if bounded::try_output(Command::new("script").arg("--version")).is_err() {
            return;
        }
        let output = bounded::output(Command::new("sh").args(["-c", &command]));
        // Which colours the terminal has is asked first.
        let asked = "\u{1b}]10;?\u{7}\u{1b}]11;?\u{7}\u{1b}[c";
        let shown = String::from_utf8_lossy(&output.stdout).replace(asked, "");
        let end: String = shown.chars().rev().take(300).collect();
        assert!(
            output.status.success(),
            "{rest}: {:?} {}",
            output.status,
            end.chars().rev().collect::<String>()
        );
        let longest = shown.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(rest.starts_with("replay") || longest <= 2_000, "{rest}: {longest}");
    }
}
