//! The path of each I/O, measured on a real `PostgreSQL` with a filesystem of its own, and on a program
//! with functions named like Oracle's: counts of every level are those of the server, of /proc and of
//! the device.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use testing::bounded;

use super::loop_disk::LoopDisk;
use super::path_capture::{Capture, assert_counted, in_a_whole_capture, lost, number};
use super::top::started::Started;
use super::uprobes::{Oracle, may_trace};
use super::{Room, run, succeed};

/// A session that stays.
struct Session {
    /// Ended when it is dropped.
    _process: bounded::Child,
    says: ChildStdin,
    hears: BufReader<ChildStdout>,
}

impl Session {
    fn new(server: &Started) -> Session {
        let mut process = bounded::spawn(
            Command::new("psql")
                .args(["-XqAt", "-h", &server.folder, "-U", "isotherm", "-d", "postgres"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped()),
        );
        let says = process.stdin.take().unwrap();
        let hears = BufReader::new(process.stdout.take().unwrap());
        Session { _process: process, says, hears }
    }

    fn asked(&mut self, sql: &str) -> String {
        writeln!(self.says, "{sql};\n\\echo -- that is all").unwrap();
        let mut answer = String::new();
        loop {
            let mut line = String::new();
            assert!(self.hears.read_line(&mut line).unwrap() > 0, "{sql}: {answer}");
            if line.trim() == "-- that is all" {
                return answer.trim().to_owned();
            }
            answer.push_str(&line);
        }
    }
}

/// Blocks that the server's cache holds.
const BUFFERS: u64 = 128;

/// Whether a step is of this process.
fn is_of(step: &Value, pid: &str) -> bool {
    step["process"].as_u64() == pid.parse().ok()
}

/// The whole timeline of a file.
fn timeline(file: &str) -> Value {
    serde_json::from_str(&succeed(&["trace", "--timeline", "..", file, "--format", "json"]))
        .unwrap()
}

/// The steps below another.
fn below(steps: &[Value], parent: usize) -> Vec<(usize, &Value)> {
    let is_in = |step: &(usize, &Value)| step.1["parent"].as_u64() == Some(parent as u64);
    steps.iter().enumerate().skip(parent).filter(is_in).collect()
}

/// System calls of a process that read, as the kernel counts them.
fn calls_that_read(pid: &str) -> u64 {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix("syscr: ")).unwrap();
    line.trim().parse().unwrap()
}

/// Events of the device by operation.
fn of_device(file: &str, device: &str) -> BTreeMap<String, u64> {
    let only = format!("file={device}");
    let arguments =
        ["stats", file, "--by", "level,name", "--where", "level=block request", "--where", &only];
    let stats = succeed(&[&arguments[..], &["--format", "json"]].concat());
    let stats: Value = serde_json::from_str(&stats).unwrap();
    let series = stats["series"].as_array().unwrap().iter();
    series
        .map(|series| {
            let name = series["attributes"]["name"].as_str().unwrap().to_owned();
            let count =
                series["buckets"].as_array().unwrap().iter().map(|b| number(&b["count"])).sum();
            (name, count)
        })
        .collect()
}

/// Reading ahead has few requests in progress at a time.
const BEGUN_BEFORE: u64 = 2;
/// The most bytes that one of them reads.
const LARGEST_READ: u64 = 1 << 20;

/// Requests of the device are those that the kernel counts: what it counted while the program began and while
/// it ended may be in the capture or not. Of requests that were in progress when it began it saw no beginning.
fn compare_with_device(
    file: &str,
    disk: &LoopDisk,
    [earlier, before, after, later]: [[u64; 4]; 4],
    lost: u64,
) {
    let seen = of_device(file, &disk.number());
    let sum = |names: &[&str]| -> u64 { names.iter().filter_map(|name| seen.get(*name)).sum() };
    let counted = [sum(&["read", "read ahead"]), sum(&["write"]), sum(&["flush"])];
    for (at, field) in [(0, 0), (1, 2), (2, 3)] {
        let (least, most) = (after[field] - before[field], later[field] - earlier[field]);
        let least = least.saturating_sub(BEGUN_BEFORE + lost);
        assert!(
            (least..=most).contains(&counted[at]),
            "{seen:?}: {earlier:?} {before:?} {after:?} {later:?}, {lost} lines were lost"
        );
    }
    assert!(lost > 0 || counted[0] > 0 && counted[1] > 0);
}

#[test]
fn counts_of_every_level_are_those_of_the_server_of_proc_and_of_the_device() {
    in_a_whole_capture(counts_of_every_level);
}

/// A server on a disk of its own with a table that is not in its cache, and what is known of the table.
struct Table {
    session: Session,
    pages: u64,
    /// The number of its file.
    node: String,
    /// Of the session.
    pid: String,
    /// Ended when it is dropped, before its disk.
    _server: Started,
    disk: LoopDisk,
}

impl Table {
    fn new(room: &Room) -> Option<Table> {
        let disk = LoopDisk::new(room)?;
        let folder = disk.mounted.display().to_string();
        let options = [
            "-c",
            "autovacuum=off",
            "-c",
            "shared_buffers=1MB",
            "-c",
            "max_parallel_workers_per_gather=0",
        ];
        let server = Started::new("postgres", &options, &[("TMPDIR", &folder)])?;
        let mut session = Session::new(&server);
        session.asked(
            "create table t as \
             select g as id, repeat('x', 500) as v from generate_series(1, 30000) g",
        );
        session.asked("vacuum analyze t");
        session.asked("checkpoint");
        let pages = session.asked("select relpages from pg_class where relname = 't'");
        let pages = pages.parse().unwrap();
        let node = session.asked("select pg_relation_filenode('t')");
        let pid = session.asked("select pg_backend_pid()");
        Some(Table { session, pages, node, pid, _server: server, disk })
    }

    /// Writes the program that captures the path of the session's I/O.
    fn program(&self, room: &Room) -> String {
        let binary = fs::read_link(format!("/proc/{}/exe", self.pid)).unwrap();
        let binary = binary.to_str().unwrap();
        let options = ["--binary", binary, "--device", &self.disk.device, "--pid", &self.pid];
        room.file("path.bt", succeed(&[&["bpftrace", "pg-path"], &options[..]].concat()))
    }

    /// Compares the waits of a statement with the blocks that the server read for it.
    fn compare_waits(&self, steps: &[Value], waits: &[(usize, &Value)], of_table: u64, lost: u64) {
        let is_table =
            |step: &Value| step["subject"].as_str().unwrap().contains(&format!("/{}:", self.node));
        let waits: Vec<_> = waits.iter().filter(|(_, wait)| is_table(wait)).collect();
        assert_counted("waits for the table", waits.len(), of_table, lost);
        // Each wait holds one system call, for the block that it names.
        let mut with_call = 0;
        for (at, wait) in waits.iter().copied() {
            let calls = below(steps, *at);
            assert!(calls.len() <= 1, "{wait}");
            let Some((_, call)) = calls.first() else { continue };
            with_call += 1;
            let block = wait["subject"].as_str().unwrap().rsplit(':').next().unwrap();
            let offset = 8_192 * block.parse::<u64>().unwrap();
            assert_eq!((&call["name"], number(&call["offset"])), (&"pread64".into(), offset));
            assert_eq!(number(&call["bytes"]), 8_192);
            assert!(call["subject"].as_str().unwrap().ends_with(&self.node), "{call}");
            assert!(number(&call["duration_ns"]) <= number(&wait["duration_ns"]));
        }
        assert_counted("waits with a call", with_call, waits.len() as u64, lost);
    }

    /// Compares with the kernel's account of the process: every call that reads, until the statement ended.
    fn compare_calls(&self, steps: &[Value], statement: usize, read: u64, lost: u64) {
        let end = |step: &Value| {
            step["start_ns"].as_i64().unwrap() + step["duration_ns"].as_i64().unwrap()
        };
        let until = end(&steps[statement]);
        let calls = steps.iter().filter(|step| {
            let name = step["name"].as_str().unwrap();
            let reads = step["level"] == "system call" && name.contains("read");
            reads && is_of(step, &self.pid) && end(step) <= until
        });
        assert_counted("calls that read", calls.count(), read, lost);
    }
}

/// Gives the lines that were lost; none where nothing can be captured.
fn counts_of_every_level() -> Option<u64> {
    if !may_trace() {
        return None;
    }
    let room = Room::new();
    let mut table = Table::new(&room)?;
    let program = table.program(&room);
    table.disk.sync();
    fs::write("/proc/sys/vm/drop_caches", "3").unwrap();
    let earlier = table.disk.counts();
    let capture = Capture::of(&program, &room);
    let before = (table.disk.counts(), calls_that_read(&table.pid));
    let select = "explain (analyze, buffers, format json) select count(v) from t";
    let explained = table.session.asked(select);
    let read = calls_that_read(&table.pid) - before.1;
    table.session.asked("insert into t values (0, 'written')");
    table.disk.sync();
    let after = table.disk.counts();
    let file = capture.finish();
    let counts = [earlier, before.0, after, table.disk.counts()];

    let shown = timeline(&file);
    let lost = lost(&shown);
    compare_with_device(&file, &table.disk, counts, lost);
    let steps = shown["steps"].as_array().unwrap();
    let statement = steps.iter().position(|step| {
        step["level"] == "statement" && step["subject"].as_str().unwrap().starts_with("explain")
    });
    let Some(statement) = statement else {
        assert!(lost > 0, "the statement is not in the capture");
        return Some(lost);
    };
    // The server: blocks of the table and of what was needed to plan.
    let plan: Value = serde_json::from_str(&explained).unwrap();
    let of_table = number(&plan[0]["Plan"]["Shared Read Blocks"]);
    let of_plan = number(&plan[0]["Planning"]["Shared Read Blocks"]);
    let pages = table.pages;
    assert!(of_table <= pages && of_table + BUFFERS >= pages, "{of_table} of {pages}");
    let mut waits = below(steps, statement);
    waits.retain(|(_, step)| step["name"] == "DataFileRead");
    // What is read to understand the statement, before it is planned, is in neither number.
    let all = waits.len() as u64;
    assert!(all + lost >= of_table + of_plan, "{all} {of_table} {of_plan}, {lost} lines were lost");
    table.compare_waits(steps, &waits, of_table, lost);
    table.compare_calls(steps, statement, read, lost);
    // The bytes of the reads are those that the kernel counts: not the table's, of which some pages stay in the
    // page cache on a busy machine.
    let number_of_disk = table.disk.number();
    let is_read = |step: &&Value| {
        let reads = step["name"].as_str().is_some_and(|name| name.starts_with("read"));
        reads && step["level"] == "block request" && step["subject"] == number_of_disk
    };
    let reads: Vec<&Value> = steps.iter().filter(is_read).collect();
    let bytes: u64 = reads.iter().filter_map(|step| step["bytes"].as_u64()).sum();
    let [earlier, before, after, later] = counts.map(|counts| 512 * counts[1]);
    let least = (after - before).saturating_sub(BEGUN_BEFORE * LARGEST_READ);
    assert!(bytes <= later - earlier, "{bytes}: {counts:?}");
    assert!(lost > 0 || bytes >= least, "{bytes}: {counts:?}");
    // On a busy machine a thread of the kernel issues some of the requests that the session made.
    assert!(lost > 0 || reads.iter().any(|step| is_of(step, &table.pid)));
    Some(lost)
}

#[test]
fn waits_of_oracle_hold_the_system_calls_made_in_them() {
    in_a_whole_capture(waits_of_oracle);
}

/// Gives the lines that were lost; none where nothing can be captured.
fn waits_of_oracle() -> Option<u64> {
    let room = Room::new();
    let mut oracle = Oracle::start(&room)?;
    if !may_trace() {
        return None;
    }
    let names = room.file("names.txt", "EVENT# NAME\n------ ----\n152|db file sequential read\n");
    let session = "r13-3928,sid=1704,event=1602,p1=1608,p2=1616,p3=1624";
    let pid = oracle.pid();
    let options = ["--pid", &pid, "--names", &names, "--session-at", session];
    let program = succeed(&[&["bpftrace", "oracle-path"], options.as_slice()].concat());
    let program = room.file("path.bt", &program);
    let capture = Capture::of(&program, &room);
    oracle.order("call pwrite64 1");
    oracle.order("wait 152 500 7 pread64");
    oracle.order("wait 9 100 3 none");
    oracle.order("call pwrite64 5");
    let file = capture.finish();
    let shown = timeline(&file);
    let lost = lost(&shown);
    let steps = shown["steps"].as_array().unwrap();
    // The line that gives the event its name may be lost, too.
    let is_named = |step: &Value, name: &str| {
        let unnamed = lost > 0 && name == "db file sequential read" && step["name"] == "event#152";
        step["name"] == name || unnamed
    };
    let of = |name: &str| -> Vec<usize> {
        let is_one = |at: &usize| is_named(&steps[*at], name) && is_of(&steps[*at], &oracle.pid());
        (0..steps.len()).filter(is_one).collect()
    };
    let waits = of("db file sequential read");
    let truth = [("db file sequential read", 7), ("event#9", 3), ("pread64", 7), ("pwrite64", 6)];
    for (name, count) in truth {
        assert_counted(name, of(name).len(), count, lost);
    }
    // What the program put into its session; event 9 is not in it.
    let about = |at: &usize| steps[*at]["subject"].as_str().unwrap_or_default().to_owned();
    let blocks: Vec<String> = (1000..1007).map(|n| format!("sid=77,p1=4,p2={n},p3=1")).collect();
    assert!(waits.iter().all(|at| blocks.contains(&about(at))), "{blocks:?}");
    assert!(lost > 0 || waits.iter().map(about).eq(blocks));
    assert!(of("event#9").iter().all(|at| about(at).is_empty()));
    if lost == 0 {
        let by = ["stats", &file, "--by", "session", "--where", "p1=4", "--format", "json"];
        let found: Value = serde_json::from_str(&succeed(&by)).unwrap();
        let one = &found["series"][0];
        assert_eq!((&one["attributes"]["session"], number(&one["events"])), (&"77".into(), 7));
    }
    let mut with_call = 0;
    for at in waits.iter().copied() {
        assert!(number(&steps[at]["own_ns"]) >= 500_000, "it slept after the call");
        let calls = below(steps, at);
        assert!(calls.len() <= 1);
        let Some((_, call)) = calls.first() else { continue };
        with_call += 1;
        assert_eq!((&call["name"], number(&call["bytes"])), (&"pread64".into(), 4_096));
        assert!(call["subject"].as_str().unwrap().ends_with("/data"));
    }
    assert_counted("waits with a call", with_call, waits.len() as u64, lost);
    assert!(of("pwrite64").iter().all(|&at| steps[at].get("parent").is_none()));
    Some(lost)
}

#[test]
fn a_sql_trace_is_drawn_with_every_call_and_wait_it_has() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../views/tests/all/trace.trc");
    let shown = timeline(trace);
    let profile: Value =
        serde_json::from_str(&succeed(&["trace", trace, "--format", "json"])).unwrap();
    let count = |level: &str| {
        let levels = shown["levels"].as_array().unwrap();
        levels
            .iter()
            .find(|total| total["level"] == level)
            .map_or(0, |total| number(&total["count"]))
    };
    assert_eq!(count("wait"), number(&profile["input"]["waits"]));
    assert!(count("database call") > 0 && count("statement") > 0);
    let text = succeed(&["trace", "--timeline", "..", trace, "--width", "120"]);
    assert!(text.contains("exec") && text.contains("statement"), "{text}");
    let room = Room::new();
    let page = room.name("path.html");
    succeed(&["trace", "--timeline", "..", trace, "-o", &page]);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg class=\"timeline\"") && !page.contains("http://"));
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../views/tests/all/trace.trc");
    for (arguments, word) in [
        (vec!["trace", "--timeline", "09:08", trace], "FROM..TO"),
        (vec!["trace", "--timeline", "+100d..", trace], "has nothing there"),
        (vec!["trace", "--timeline", "..", "--by", "sql", trace], "cannot be used with"),
        (vec!["trace", "-o", "x.html", trace], "--timeline"),
        (vec!["bpftrace", "pg-path", "--binary", "/bin/true"], "--enable-dtrace"),
        (vec!["bpftrace", "pg-path", "--binary", "/nowhere"], "/nowhere"),
    ] {
        let output = run(&arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(word), "{arguments:?}: {error}");
    }
}
