//! The path of each I/O, measured on a real `PostgreSQL` with a filesystem of its own, and on a program
//! with functions named like Oracle's: counts of every level are those of the server, of /proc and of
//! the device.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use super::top::started::Started;
use super::uprobes::{Oracle, may_trace, passed_over};
use super::{Room, isotherm, signal, succeed, wait_for};

/// A filesystem in a file, on a device that nobody else uses.
struct LoopDisk {
    device: String,
    mounted: PathBuf,
}

impl LoopDisk {
    /// `None`, said aloud, where no such device can be made.
    fn new(room: &Room) -> Option<LoopDisk> {
        let image = room.path("disk.img");
        File::create(&image).unwrap().set_len(512 << 20).unwrap();
        let made = Command::new("losetup").args(["-f", "--show"]).arg(&image).output().ok()?;
        let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        if !made.status.success() || device.is_empty() {
            passed_over("no loop device can be made");
            return None;
        }
        let mounted = room.path("disk");
        fs::create_dir(&mounted).unwrap();
        let disk = LoopDisk { device, mounted };
        let format = Command::new("mkfs.ext4").args(["-q", &disk.device]).status();
        let mount = || Command::new("mount").arg(&disk.device).arg(&disk.mounted).status();
        let done =
            |status: std::io::Result<std::process::ExitStatus>| status.is_ok_and(|s| s.success());
        if !done(format) || !done(mount()) {
            passed_over("no filesystem can be made");
            return None;
        }
        // The server runs as another user.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(&disk.mounted, open).unwrap();
        let through = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(room.path(""), through).unwrap();
        Some(disk)
    }

    /// Writes everything down.
    fn sync(&self) {
        let done = Command::new("sync").arg("-f").arg(&self.mounted).status().unwrap();
        assert!(done.success());
    }

    /// What the kernel counts: reads, sectors read, writes, flushes.
    fn counts(&self) -> [u64; 4] {
        let name = self.device.trim_start_matches("/dev/");
        let all = fs::read_to_string("/proc/diskstats").unwrap();
        let line = all.lines().find(|line| line.split_whitespace().nth(2) == Some(name)).unwrap();
        let field = |at: usize| line.split_whitespace().nth(at).unwrap().parse().unwrap();
        [field(3), field(5), field(7), field(18)]
    }

    /// `7:0`
    fn number(&self) -> String {
        let name = self.device.trim_start_matches("/dev/");
        fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap().trim().to_owned()
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.mounted).status();
        let _ = Command::new("losetup").args(["-d", &self.device]).status();
    }
}

/// A session that stays.
struct Session {
    child: Child,
    says: ChildStdin,
    hears: BufReader<ChildStdout>,
}

impl Session {
    fn new(server: &Started) -> Session {
        let mut child = Command::new("psql")
            .args(["-XqAt", "-h", &server.folder, "-U", "isotherm", "-d", "postgres"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let says = child.stdin.take().unwrap();
        let hears = BufReader::new(child.stdout.take().unwrap());
        Session { child, says, hears }
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

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A capture that is being written.
struct Capture {
    bpftrace: Child,
    file: String,
}

impl Capture {
    /// Runs a program until it says that it has begun.
    fn of(program: &str, room: &Room) -> Capture {
        let file = room.name("path.json");
        let output = File::create(&file).unwrap();
        let bpftrace = Command::new("bpftrace")
            .args(["-f", "json", program])
            .env("BPFTRACE_PERF_RB_PAGES", "1024")
            .stdout(output)
            .stderr(File::create(room.path("path.err")).unwrap())
            .spawn()
            .unwrap();
        let capture = Capture { bpftrace, file };
        wait_for("the program to begin", || {
            let text = fs::read_to_string(&capture.file).unwrap_or_default();
            text.contains("isotherm-path 1 ").then_some(())
        });
        capture.wait_for_probes();
        capture
    }

    /// Waits until the last probe is attached: that happens one by one after the beginning, and nothing says
    /// when it is done.
    fn wait_for_probes(&self) {
        let folder = format!("/proc/{}/fd", self.bpftrace.id());
        let (mut last, mut unchanged) = (0, 0);
        while unchanged < 15 {
            // wall clock: each probe opens a descriptor, and three seconds without a new one is taken for the end
            std::thread::sleep(std::time::Duration::from_millis(200));
            let open = fs::read_dir(&folder).unwrap().count();
            unchanged = if open == last { unchanged + 1 } else { 0 };
            last = open;
        }
    }

    /// Ends it; the file.
    fn finish(mut self) -> String {
        signal(&self.bpftrace, Signal::INT);
        assert!(self.bpftrace.wait().unwrap().success());
        std::mem::take(&mut self.file)
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let _ = self.bpftrace.kill();
        let _ = self.bpftrace.wait();
    }
}

/// Blocks that the server's cache holds.
const BUFFERS: u64 = 128;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// Whether a step is of this process.
fn is_of(step: &Value, pid: &str) -> bool {
    step["process"].as_u64() == pid.parse().ok()
}

/// The whole timeline of a file.
fn timeline(file: &str) -> Value {
    let output =
        isotherm(&["trace", "--timeline", "..", file, "--format", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
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
    let output = isotherm(&[&arguments[..], &["--format", "json"]].concat()).output().unwrap();
    let stats: Value = serde_json::from_slice(&output.stdout).unwrap();
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

/// The kernel's account of the process: every call that reads, while the statement ran. What it read before
/// the statement began may be in the kernel's number or not.
fn compare_with_process(steps: &[Value], statement: &Value, (pid, read): (&str, u64)) {
    let start = |step: &Value| step["start_ns"].as_i64().unwrap();
    let end = |step: &Value| start(step) + step["duration_ns"].as_i64().unwrap();
    let calls = steps.iter().filter(|step| {
        let reads = step["name"].as_str().unwrap().contains("read");
        let is_call = step["level"] == "system call" && reads && is_of(step, pid);
        is_call && end(step) <= end(statement)
    });
    let starts: Vec<i64> = calls.map(start).collect();
    let inside = starts.iter().filter(|&&at| at >= start(statement)).count() as u64;
    assert!((inside..=starts.len() as u64).contains(&read), "{inside} {} {read}", starts.len());
}

/// Requests of the device are those that the kernel counts: what it counted before the program had begun
/// may be in the capture or not. Of requests that were in progress when it began it saw no beginning.
fn compare_with_device(file: &str, disk: &LoopDisk, [earlier, before, after]: [[u64; 4]; 3]) {
    let seen = of_device(file, &disk.number());
    let sum = |names: &[&str]| -> u64 { names.iter().filter_map(|name| seen.get(*name)).sum() };
    let counted = [sum(&["read", "read ahead"]), sum(&["write"]), sum(&["flush"])];
    for (at, field) in [(0, 0), (1, 2), (2, 3)] {
        /// Reading ahead has few requests in progress at a time.
        const BEGUN_BEFORE: u64 = 2;
        let (least, most) = (after[field] - before[field], after[field] - earlier[field]);
        let least = least.saturating_sub(BEGUN_BEFORE);
        assert!(
            (least..=most).contains(&counted[at]),
            "{seen:?}: {earlier:?} {before:?} {after:?}"
        );
    }
    assert!(counted[0] > 0 && counted[1] > 0);
}

/// Runs a test of a capture until it holds. On a busy machine bpftrace loses lines, and says so, or
/// attaches a probe late: then a capture has less than there was. Captures that say so are not compared;
/// what is counted wrongly fails three times.
fn with_a_whole_capture(test: fn() -> Capturing) {
    let (mut failed, mut lost) = (0, 0);
    while lost < 5 {
        match std::panic::catch_unwind(test) {
            Ok(Capturing::Compared) => return,
            Ok(Capturing::LostLines) => lost += 1,
            Err(cause) => {
                failed += 1;
                if failed == 3 {
                    std::panic::resume_unwind(cause);
                }
            }
        }
    }
    passed_over("bpftrace loses lines on this machine");
}

/// What became of a capture.
#[derive(PartialEq)]
enum Capturing {
    /// It was compared with what others counted, or there is nothing to be captured here.
    Compared,
    /// It says itself that lines are missing.
    LostLines,
}

#[test]
fn counts_of_every_level_are_those_of_the_server_of_proc_and_of_the_device() {
    with_a_whole_capture(counts_of_every_level);
}

fn counts_of_every_level() -> Capturing {
    if !may_trace() {
        return Capturing::Compared;
    }
    let room = Room::new();
    let Some(disk) = LoopDisk::new(&room) else { return Capturing::Compared };
    let folder = disk.mounted.display().to_string();
    let options = [
        "-c",
        "autovacuum=off",
        "-c",
        "shared_buffers=1MB",
        "-c",
        "max_parallel_workers_per_gather=0",
    ];
    let Some(server) = Started::new("postgres", &options, &[("TMPDIR", &folder)]) else {
        return Capturing::Compared;
    };
    let mut session = Session::new(&server);
    session.asked(
        "create table t as select g as id, repeat('x', 500) as v from generate_series(1, 30000) g",
    );
    session.asked("vacuum analyze t");
    session.asked("checkpoint");
    let pages: u64 =
        session.asked("select relpages from pg_class where relname = 't'").parse().unwrap();
    let node = session.asked("select pg_relation_filenode('t')");
    let pid = session.asked("select pg_backend_pid()");
    let binary = fs::read_link(format!("/proc/{pid}/exe")).unwrap();
    let binary = binary.display().to_string();
    let program = succeed(&[
        "bpftrace",
        "pg-path",
        "--binary",
        &binary,
        "--device",
        &disk.device,
        "--pid",
        &pid,
    ]);
    let program = room.file("path.bt", &program);
    disk.sync();
    fs::write("/proc/sys/vm/drop_caches", "3").unwrap();
    let earlier = disk.counts();
    let capture = Capture::of(&program, &room);
    let before = (disk.counts(), calls_that_read(&pid));
    let explained = session.asked("explain (analyze, buffers, format json) select count(v) from t");
    let read = calls_that_read(&pid) - before.1;
    session.asked("insert into t values (0, 'written')");
    disk.sync();
    let after = disk.counts();
    let file = capture.finish();

    let shown = timeline(&file);
    assert_eq!(number(&shown["inputs"][0]["rejected"]), 0);
    if number(&shown["inputs"][0]["lost"]) > 0 {
        return Capturing::LostLines;
    }
    let steps = shown["steps"].as_array().unwrap();
    let statement = steps.iter().position(|step| {
        step["level"] == "statement" && step["subject"].as_str().unwrap().starts_with("explain")
    });
    let statement = statement.expect("the statement");

    // The server: blocks of the table and of what was needed to plan.
    let plan: Value = serde_json::from_str(&explained).unwrap();
    let of_table = number(&plan[0]["Plan"]["Shared Read Blocks"]);
    let of_plan = number(&plan[0]["Planning"]["Shared Read Blocks"]);
    assert!(of_table <= pages && of_table + BUFFERS >= pages, "{of_table} of {pages}");
    let waits = below(steps, statement);
    let waits: Vec<_> =
        waits.into_iter().filter(|(_, step)| step["name"] == "DataFileRead").collect();
    let is_table = |step: &Value| step["subject"].as_str().unwrap().contains(&format!("/{node}:"));
    assert_eq!(waits.iter().filter(|(_, wait)| is_table(wait)).count() as u64, of_table);
    // What is read to understand the statement, before it is planned, is in neither number.
    assert!(waits.len() as u64 >= of_table + of_plan, "{} {of_table} {of_plan}", waits.len());

    // Each wait holds one system call, for the block that it names.
    for &(at, wait) in waits.iter().filter(|(_, wait)| is_table(wait)) {
        let calls = below(steps, at);
        assert_eq!(calls.len(), 1, "{wait}");
        let call = calls[0].1;
        let block: u64 =
            wait["subject"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
        assert_eq!((&call["name"], number(&call["offset"])), (&"pread64".into(), 8_192 * block));
        assert_eq!(number(&call["bytes"]), 8_192);
        assert!(call["subject"].as_str().unwrap().ends_with(&node), "{call}");
        assert!(number(&call["duration_ns"]) <= number(&wait["duration_ns"]));
    }

    compare_with_process(steps, &steps[statement], (&pid, read));
    compare_with_device(&file, &disk, [earlier, before.0, after]);

    // Reading is asked for by the session, and so every request of it has its place.
    let placed = |step: &&Value| {
        step["level"] == "block request" && is_of(step, &pid) && step["subject"] == disk.number()
    };
    let bytes: u64 = steps.iter().filter(placed).filter_map(|step| step["bytes"].as_u64()).sum();
    assert!(bytes >= 8_192 * of_table, "{bytes}: {of_table} blocks");
    Capturing::Compared
}

#[test]
fn waits_of_oracle_hold_the_system_calls_made_in_them() {
    with_a_whole_capture(waits_of_oracle);
}

fn waits_of_oracle() -> Capturing {
    let room = Room::new();
    let Some(mut oracle) = Oracle::start(&room) else { return Capturing::Compared };
    if !may_trace() {
        return Capturing::Compared;
    }
    let names = room.file("names.txt", "EVENT# NAME\n------ ----\n152|db file sequential read\n");
    let program = succeed(&["bpftrace", "oracle-path", "--pid", &oracle.pid(), "--names", &names]);
    let program = room.file("path.bt", &program);
    let capture = Capture::of(&program, &room);
    oracle.order("call pwrite64 1");
    oracle.order("wait 152 500 7 pread64");
    oracle.order("wait 9 100 3 none");
    oracle.order("call pwrite64 5");
    let file = capture.finish();
    let shown = timeline(&file);
    if number(&shown["inputs"][0]["lost"]) > 0 {
        return Capturing::LostLines;
    }
    let steps = shown["steps"].as_array().unwrap();
    let of = |name: &str| -> Vec<usize> {
        (0..steps.len())
            .filter(|&at| steps[at]["name"] == name && is_of(&steps[at], &oracle.pid()))
            .collect()
    };
    let waits = of("db file sequential read");
    assert_eq!((waits.len(), of("event#9").len(), of("pread64").len()), (7, 3, 7));
    for at in waits {
        let calls = below(steps, at);
        assert_eq!(calls.len(), 1);
        assert_eq!((&calls[0].1["name"], number(&calls[0].1["bytes"])), (&"pread64".into(), 4_096));
        assert!(calls[0].1["subject"].as_str().unwrap().ends_with("/data"));
        assert!(number(&steps[at]["own_ns"]) >= 500_000, "it slept after the call");
    }
    let writes = of("pwrite64");
    assert_eq!(writes.len(), 6);
    assert!(writes.iter().all(|&at| steps[at].get("parent").is_none()));
    Capturing::Compared
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
        let output = isotherm(&arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(word), "{arguments:?}: {error}");
    }
}
