//! Memory is bounded whatever comes in.

use std::fs::{self, File};
use std::path::Path;

use testing::{bounded, grid};

use super::scraped::listening;
use super::{Room, isotherm, succeed};

/// The most resident memory of a command, in KiB. All take 47 to 86 MiB, of 30,000 seconds of history as of 3,000.
const MOST_KIB: u64 = 128 << 10;

/// The most memory of a process that was resident at once so far, in KiB; `None` if there is no such process.
pub fn peak_of(process: u32) -> Option<u64> {
    peak(&Path::new("/proc").join(process.to_string()).join("status"))
}

/// The same by the file in which the kernel says so.
fn peak(status: &Path) -> Option<u64> {
    let status = fs::read_to_string(status).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Runs isotherm, which must succeed with little memory; gives its standard output.
fn run_in_little_memory(room: &Room, args: &[&str]) -> String {
    run_in_memory(room, args, MOST_KIB)
}

/// The same with at most so many KiB.
fn run_in_memory(room: &Room, args: &[&str], most_kib: u64) -> String {
    let (stdout, message, code) = end_in_memory(room, args, most_kib);
    assert_eq!(code, Some(0), "{args:?}: {message}");
    stdout
}

/// Runs isotherm to its end, however that is: its standard output, what it says, and the exit code.
fn end_in_memory(room: &Room, args: &[&str], most_kib: u64) -> (String, String, Option<i32>) {
    let (stdout, stderr) = (room.path("stdout"), room.path("stderr"));
    let mut command = isotherm(args);
    command.stdout(File::create(&stdout).unwrap()).stderr(File::create(&stderr).unwrap());
    let mut child = bounded::spawn(&mut command);
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut most = 0;
    let end = bounded::until("its end", || {
        // The kernel keeps the peak: only what comes in the last milliseconds of the process is missed.
        most = peak(&status).unwrap_or(most);
        child.try_wait().unwrap()
    });
    let message = fs::read_to_string(&stderr).unwrap();
    assert!((1..=most_kib).contains(&most), "{args:?} took {most} KiB: {message}");
    (fs::read_to_string(&stdout).unwrap(), message, end.code())
}

/// One event a second, each of another of 100 series than the one before.
fn history(seconds: u32) -> String {
    let line = |s: u32| format!("{}.5,{},s{}\n", 1_700_000_000 + s, 100 + s % 7, s % 100);
    (0..seconds).map(line).collect::<Vec<String>>().concat()
}

fn events(stats: &str) -> u64 {
    let stats: serde_json::Value = serde_json::from_str(stats).unwrap();
    stats["input"]["events"].as_u64().unwrap()
}

#[test]
fn history_that_comes_fast_is_recorded_and_looked_at_in_little_memory() {
    let room = Room::new();
    // A sample still finds what keeps 16 KiB a second: a frame for each of the 100 series is more.
    let seconds = grid::cases(30_000, 4_000);
    let (file, heat) = (room.file("history.csv", history(seconds)), room.name("history.heat"));
    let columns = ["--columns", "time,latency,name", "--unit", "us"];
    run_in_little_memory(&room, &[&["record", &file, "-o", &heat][..], &columns].concat());
    let stats = run_in_little_memory(&room, &["stats", &heat, "--format", "json"]);
    assert_eq!(events(&stats), u64::from(seconds));
    let (page, png) = (room.name("x.html"), room.name("x.png"));
    for args in [
        &["show", &heat, "--memory", "32M"][..],
        &["compare", &heat, &heat, "--memory", "32M"],
        &["report", &heat, "-o", &page, "--memory", "32M"],
        &["report", &heat, "-o", &png, "--memory", "32M"],
        &["replay", &heat, "--speed", "max", "--ui", "stream"],
    ] {
        run_in_little_memory(&room, args);
    }
}

#[test]
fn longer_intervals_lose_no_event() {
    let room = Room::new();
    let file = room.file("history.csv", history(60_000));
    let columns = ["--columns", "time,latency", "--unit", "us", "-i", "1s"];
    let of = |memory: &str| {
        let args = ["report", &file, "--format", "json", "-o", "-", "--memory", memory];
        let report = succeed(&[&args[..], &columns].concat());
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        report["entries"][0]["events"].as_u64().unwrap()
    };
    assert_eq!([of("32M"), of("1G")], [60_000; 2]);
}

#[test]
fn too_little_memory_is_a_usage_error() {
    let room = Room::new();
    let file = room.file("history.csv", history(10));
    let output = super::run(&["show", &file, "--columns", "time,latency", "--memory", "1M"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("at least 32M"));
}

/// The most resident memory of what collects stacks, steps and rows with `--memory 32M`, in KiB: the program itself
/// takes 40 MiB, and a page and its text are made of what is kept.
const MOST_OF_COLLECTORS_KIB: u64 = 112 << 10;

/// Folded stacks, each another one: 40,000 are more than fit into 32 MiB with their names.
fn different_stacks(count: u32) -> String {
    let line = |n: u32| {
        let frames: Vec<String> =
            (0..40).map(|depth| format!(";f{}_{depth}", n % (97 * (1 + depth)))).collect();
        let frames = frames.concat();
        format!("program{}{frames};leaf_{n} {}\n", n % 3, 1 + n % 5)
    };
    (0..count).map(line).collect()
}

/// Stacks that do not fit in memory, and the sum of their counts.
struct ManyStacks {
    room: Room,
    file: String,
    sum: u64,
}

impl ManyStacks {
    fn new() -> ManyStacks {
        let (room, count) = (Room::new(), 40_000);
        let file = room.file("many.folded", different_stacks(count));
        ManyStacks { room, file, sum: (0..u64::from(count)).map(|n| 1 + n % 5).sum() }
    }

    fn drawn(&self, command: &[&str], form: &str) -> String {
        let memory = ["-o", "-", "--format", form, "--memory", "32M", "--counts", "samples"];
        run_in_memory(&self.room, &[command, &memory].concat(), MOST_OF_COLLECTORS_KIB)
    }
}

#[test]
fn more_stacks_than_fit_are_added_up_in_numbers() {
    let stacks = ManyStacks::new();
    let (file, sum) = (&stacks.file, stacks.sum);
    let text = stacks.drawn(&["flame", file], "json");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let listed = json["stacks"].as_array().unwrap();
    assert_eq!(listed.iter().map(|one| one["count"].as_u64().unwrap()).sum::<u64>(), sum);
    let beyond = json["inputs"][0]["beyond_memory"].as_u64().unwrap();
    let others = listed.iter().filter(|one| one["frames"][1] == "(other)");
    assert_eq!(others.map(|one| one["count"].as_u64().unwrap()).sum::<u64>(), beyond);
    assert!(beyond > 0 && beyond < sum, "{beyond} of {sum}");
    let text = stacks.drawn(&["flame", file], "folded");
    let counts = text.lines().map(|line| line.rsplit_once(' ').unwrap().1);
    assert_eq!(counts.map(|count| count.parse::<u64>().unwrap()).sum::<u64>(), sum);
}

#[test]
fn more_stacks_than_fit_are_added_up_in_pictures() {
    let stacks = ManyStacks::new();
    for form in ["html", "svg"] {
        let text = stacks.drawn(&["flame", &stacks.file], form);
        assert!(text.contains("are added up as (other)"), "{form}");
    }
}

#[test]
fn more_stacks_than_fit_are_added_up_where_two_files_are_compared() {
    let stacks = ManyStacks::new();
    let text = stacks.drawn(&["flame", "diff", &stacks.file, &stacks.file], "json");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let sums = (json["total"].as_u64(), json["total_before"].as_u64());
    assert_eq!(sums, (Some(stacks.sum), Some(stacks.sum)));
}

#[test]
fn more_steps_than_fit_are_counted() {
    let room = Room::new();
    let mut trace =
        "Trace file /u01/x_ora_1.trc\n*** 2026-03-01T10:00:00.000000+00:00\n".to_owned();
    let (waits, begin) = (300_000_u64, 1_772_359_200_000_000_u64);
    for n in 0..waits {
        let end = begin + 100 * (n + 1);
        let wait = format!(
            "WAIT #1: nam='db file sequential read' ela= 60 file#=4 block#={n} blocks=1 obj#=7 tim={end}\n"
        );
        trace.push_str(&wait);
    }
    let file = room.file("many.trc", trace);
    let args = ["trace", &file, "--timeline", "..", "--format", "json", "--memory", "32M"];
    let text = run_in_memory(&room, &args, MOST_OF_COLLECTORS_KIB);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (kept, left) = (&json["inputs"][0]["steps"], &json["inputs"][0]["left_out"]);
    let (kept, left) = (kept.as_u64().unwrap(), left.as_u64().unwrap());
    assert!(kept > 20_000 && left > 0 && kept + left == waits, "{kept} and {left}");
    assert_eq!(json["steps"].as_array().unwrap().len() as u64, kept);
    // What is given is enough for the program, too.
    let args = ["trace", &file, "--timeline", "..", "--format", "json", "--memory", "128M"];
    let text = run_in_memory(&room, &args, 128 << 10);
    assert!(text.len() > 1 << 20);
}

#[test]
fn more_rows_of_awr_than_fit_are_counted() {
    let room = Room::new();
    let mut table =
        "end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,\
                     foreground_time_us\n"
            .to_owned();
    for hour in 0..24 {
        for event in 0..20_000 {
            let row = format!(
                "2026-03-01T{hour:02}:00:00Z,3600,5,1,{hour},event number {event},Other,7,{event},7,{event}\n"
            );
            table.push_str(&row);
        }
    }
    let (file, page) = (room.file("awr-system-events.csv", table), room.name("x.html"));
    let args = ["awr", "report", &file, "-o", &page, "--memory", "32M"];
    run_in_memory(&room, &args, MOST_OF_COLLECTORS_KIB);
    let said = fs::read_to_string(room.path("stderr")).unwrap();
    assert!(said.contains(" rows left out: they do not fit into memory"), "{said}");
    assert!(fs::metadata(&page).unwrap().len() < 4 << 20);
}

#[test]
fn what_is_given_is_enough_for_the_program_and_its_page_too() {
    let room = Room::new();
    let event =
        |n: u32| format!("2026-03-01T10:00:00Z,3600,5,1,7,event number {n},Other,7,{n},7,{n}\n");
    let head = "end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,\
                foreground_time_us\n";
    let table = head.to_owned() + &(0..300_000).map(event).collect::<String>();
    let (file, page) = (room.file("awr-system-events.csv", table), room.name("x.html"));
    let args = ["awr", "report", &file, "-o", &page, "--memory", "128M"];
    run_in_memory(&room, &args, 128 << 10);
}

#[test]
fn a_table_of_more_series_than_fit_is_refused() {
    let room = Room::new();
    let mut table =
        "start_ns,end_ns,series,attributes,quality,sum_ns,lo_ns,hi_ns,count,waited_ns\n".to_owned();
    for number in 0..200_000 {
        let row = format!(
            "1790000000000000000,1790000001000000000,w,who=s{number},complete,,1000,2000,1,\n"
        );
        table.push_str(&row);
    }
    let file = room.file("rows.csv", table);
    for command in ["import", "merge"] {
        let heat = room.name("rows.heat");
        let args = [command, &file, "-o", &heat, "--memory", "32M"];
        let (_, said, code) = end_in_memory(&room, &args, MOST_OF_COLLECTORS_KIB);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("do not fit in memory: choose fewer series"), "{said}");
    }
}

/// A page that is replaced is known by its mark: it is not held for that.
#[test]
fn a_large_file_that_is_written_again_is_not_held() {
    let room = Room::new();
    let file = room.file("few.folded", "main;read 1\n");
    // Three million numbers take 96 MiB as values.
    let (numbers, text) = ("0,".repeat(3_000_000), " ".repeat(48 << 20));
    for (name, [begin, filler, end]) in [
        ("x.json", [r#"{"generator":"isotherm 1","stacks":["#, &numbers, "0]}"]),
        ("x.html", ["<!doctype html>", &text, r#"<script id="isotherm-data"></script>"#]),
    ] {
        let path = room.file(name, [begin, filler, end].concat());
        let args = ["flame", &file, "--counts", "samples", "-o", &path, "--force"];
        run_in_memory(&room, &args, 80 << 10);
        assert!(fs::metadata(&path).unwrap().len() < 4 << 20);
    }
}

/// Sends a body to a place slowly enough to be held, and keeps the connection; says whether it was taken that far.
fn hold(place: &str, mebibytes: usize) -> (std::net::TcpStream, bool) {
    use std::io::Write as _;
    // ends: somebody listens there.
    let mut stream = std::net::TcpStream::connect(place).unwrap();
    stream.set_write_timeout(Some(std::time::Duration::from_secs(5))).unwrap();
    let head = "POST /v1/metrics HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length:";
    write!(stream, "{head} {}\r\n\r\n", mebibytes << 20).unwrap();
    // All but the last byte.
    let body = vec![b' '; (mebibytes << 20) - 1];
    let is_taken = stream.write_all(&body).is_ok();
    (stream, is_taken)
}

#[test]
fn bodies_that_never_end_do_not_fill_the_memory() {
    let room = Room::new();
    let mut command = isotherm(&["record", "otlp:127.0.0.1:0", "-o", &room.name("o.heat")]);
    let child = bounded::spawn(command.stderr(File::create(room.path("stderr")).unwrap()));
    let place = bounded::until("a listener", || listening::address_of(child.id()));
    let held: Vec<(std::net::TcpStream, bool)> = (0..24).map(|_| hold(&place, 16)).collect();
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let most = peak(&status).unwrap();
    assert!(most < MOST_KIB, "{most} KiB");
    for (stream, _) in &held {
        stream.set_nonblocking(true).unwrap();
    }
    let is_refused = |stream: &std::net::TcpStream| {
        let mut answer = [0; 12];
        match stream.peek(&mut answer) {
            Ok(_) => &answer == b"HTTP/1.1 503",
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
    };
    bounded::until("the answers to all that do not fit", || {
        let refused = held.iter().filter(|(stream, is_taken)| !is_taken || is_refused(stream));
        // Two or three of 16 MiB fit into 48.
        let refused = refused.count();
        assert!(refused <= 22, "{refused} of 24");
        (refused >= 20).then_some(())
    });
    super::signal(&child, rustix::process::Signal::INT);
}

/// Every collector that distinguishes series, with a million of them (in `cargo xtask exhaustive`).
#[test]
fn a_million_series_of_each_collector_fit_into_the_default_memory() {
    const DEFAULT_KIB: u64 = 256 << 10;
    let (room, series) = (Room::new(), grid::cases(1_000_000_u32, 6_000));
    let event = |n: u32| format!("{}.5,{},series{n}\n", 1_700_000_000 + n / 10_000, 100 + n % 7);
    let text = room.file("series.csv", (0..series).map(event).collect::<String>());
    let bucket = |n: u32, le: &str| format!("x_seconds_bucket{{op=\"{n}\",le=\"{le}\"}} 1\n");
    let histogram = |n: u32| bucket(n, "1") + &bucket(n, "+Inf");
    let page = room.file("series.prom", (0..series).map(histogram).collect::<String>());
    let stack = |n: u32| format!("main;f{};g{n} 1\n", n % 1_000);
    let stacks = room.file("series.folded", (0..series).map(stack).collect::<String>());
    let (heat, imported) = (room.name("recorded.heat"), room.name("imported.heat"));
    let (html, flame) = (room.name("x.html"), room.name("flame.html"));
    let columns = ["--columns", "time,latency,name", "--unit", "us"];
    for args in [
        &[&["stats", &text, "--format", "json"][..], &columns].concat(),
        &[&["record", &text, "-o", &heat][..], &columns].concat(),
        &[&["import", &text, "-o", &imported][..], &columns].concat(),
        &[&["report", &text, "-o", &html][..], &columns].concat(),
        &[&["frames", &text][..], &columns].concat(),
        &vec!["stats", &page, "--format", "json"],
        &vec!["flame", &stacks, "--counts", "samples", "-o", &flame],
    ] {
        run_in_memory(&room, args, DEFAULT_KIB);
    }
    for recording in [&heat, &imported] {
        assert_eq!(events(&succeed(&["stats", recording, "--format", "json"])), u64::from(series));
    }
}
