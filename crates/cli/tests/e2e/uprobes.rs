//! The programs that `isotherm bpftrace` writes, run on a program that calls functions named like
//! Oracle's a known number of times.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::{Room, run, signal, start, succeed};

/// Says so past the test harness, which hides what passing tests print.
pub(super) fn passed_over(why: &str) {
    let mut error = std::io::stderr();
    writeln!(error, "PASSED OVER: {why}").unwrap();
}

/// A running program with Oracle's functions, which does as it is reported.
pub(super) struct Oracle {
    /// Ended when it is dropped.
    child: bounded::Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Compiles it into `room/home/bin/oracle` and starts it; none, said aloud, without a compiler.
    pub(super) fn start(room: &Room) -> Option<Oracle> {
        if !cfg!(target_arch = "x86_64") {
            passed_over("Oracle's functions are known on x86-64 only");
            return None;
        }
        std::fs::create_dir_all(room.path("home/bin")).unwrap();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/oracle.c");
        let binary = room.name("home/bin/oracle");
        let mut cc = Command::new("cc");
        let Ok(compiled) = bounded::try_output(cc.args(["-O1", "-o", &binary, source])) else {
            passed_over("cc is not installed");
            return None;
        };
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let mut command = Command::new(binary);
        command.arg(room.path("data")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = bounded::spawn(&mut command);
        let orders = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Some(Oracle { child, orders, answers })
    }

    pub(super) fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Has it do something and waits until it is done.
    pub(super) fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, "done\n", "{order}");
    }
}

/// Whether programs can be run here; said aloud if not.
pub(super) fn may_trace() -> bool {
    let why = if !rustix::process::geteuid().is_root() {
        "bpftrace needs root"
    } else if bounded::try_output(Command::new("bpftrace").arg("--version")).is_err() {
        "bpftrace is not installed"
    } else if !std::path::Path::new("/sys/kernel/tracing/events/syscalls").is_dir() {
        "tracefs is not mounted"
    } else {
        return true;
    };
    passed_over(why);
    false
}

/// The usual warm up.
const WARM_UP: WarmUp = &[("wait 1 10 1 none", "warm up")];

/// What `isotherm stats` tells of each series: buckets as bounds and count.
type Counted = std::collections::BTreeMap<String, Vec<(u64, u64, u64)>>;

fn counted(heat: &str) -> Option<Counted> {
    let output = run(&["stats", heat, "--format", "json"]);
    let stats: Value = serde_json::from_slice(&output.stdout).ok()?;
    let number = |value: &Value| value.as_u64().unwrap();
    let series = stats["series"].as_array()?.iter().map(|series| {
        let buckets = series["buckets"].as_array().unwrap().iter();
        let buckets =
            buckets.map(|b| (number(&b["lo_ns"]), number(&b["hi_ns"]), number(&b["count"])));
        (series["name"].as_str().unwrap().to_owned(), buckets.collect())
    });
    Some(series.collect())
}

fn events(counted: &Counted, series: &str) -> u64 {
    counted.get(series).map_or(0, |buckets| buckets.iter().map(|(.., count)| count).sum())
}

const NAMES: &str = "EVENT# NAME\n------ ----\n1|warm up\n152|db file sequential read\n\
                     153|db file \"scattered\" \\ read\n";

/// Orders that warm up, each with the series in which it is counted once its probes are attached.
type WarmUp<'a> = &'a [(&'a str, &'a str)];

/// Gives each order until it is counted: probes are attached one by one. What was counted then is given, in a
/// print later than the one in which the last of them came.
fn warmed_up(
    oracle: &mut Oracle,
    warm_up: WarmUp,
    mut counted: impl FnMut() -> Option<Counted>,
) -> Counted {
    let mut before = Counted::new();
    for (order, series) in warm_up.iter().chain(warm_up.last()) {
        let earlier = events(&before, series);
        before = bounded::until(series, || {
            oracle.order(order);
            counted().filter(|counted| events(counted, series) > earlier)
        });
    }
    before
}

/// Writes the program, runs it, warms it up, then gives the `orders`; gives what was counted when
/// all `last` are there.
fn traced(
    options: &[&str],
    warm_up: WarmUp,
    orders: &[&str],
    last: &[(&str, u64)],
) -> Option<Counted> {
    let room = Room::new();
    let mut oracle = Oracle::start(&room)?;
    if !may_trace() {
        return None;
    }
    let (pid, names) = (oracle.pid(), room.file("names.txt", NAMES));
    let mut arguments = vec!["bpftrace"];
    arguments.extend(options);
    arguments.extend(["--pid", &pid, "--interval", "200ms"]);
    if !options.contains(&"oracle-lio") {
        arguments.extend(["--names", &names]);
    }
    let program = room.file("it.bt", succeed(&arguments));
    let heat = room.name("it.heat");
    let mut live =
        start(&["live", &format!("bpftrace:{program}"), "--ui", "stream", "--record", &heat]);
    let mut so_far = || {
        let end = live.try_wait().unwrap();
        assert!(end.is_none(), "live ended: {end:?}");
        counted(&heat)
    };
    let before = warmed_up(&mut oracle, warm_up, &mut so_far);
    for order in orders {
        oracle.order(order);
    }
    let since = |all: &Counted, series: &str| events(all, series) - events(&before, series);
    bounded::until("what was ordered", || {
        let all = so_far()?;
        last.iter().all(|(series, wanted)| since(&all, series) >= *wanted).then_some(())
    });
    signal(&live, Signal::INT);
    assert_eq!(live.wait().unwrap().code(), Some(0));
    let mut all = counted(&heat).unwrap();
    for (series, wanted) in last {
        assert_eq!(since(&all, series), *wanted, "{series}: {all:?}");
    }
    let is_warm_up = |name: &String| warm_up.iter().any(|(_, series)| name == series);
    all.retain(|series, _| !series.contains("warm up") && !is_warm_up(series));
    Some(all)
}

fn names_of(counted: &Counted) -> Vec<&str> {
    counted.keys().map(String::as_str).collect()
}

#[test]
fn each_wait_is_counted_once_by_the_kernels_clock() {
    let orders = ["wait 152 2000 30 none", "wait 153 100 20 none", "wait 9 0 10 none"];
    let wanted =
        [("db file sequential read", 30), ("db file \"scattered\" \\ read", 20), ("event#9", 10)];
    let options = ["oracle-waits"];
    let Some(all) = traced(&options, WARM_UP, &orders, &wanted) else { return };
    let series = ["db file \"scattered\" \\ read", "db file sequential read", "event#9"];
    assert_eq!(names_of(&all), series);
    // A sleep never ends early: 2 ms are in the bucket from 2^20 ns or above, 100 us from 2^16.
    assert!(all[series[1]].iter().all(|(lo, ..)| *lo >= 1 << 20), "{all:?}");
    assert!(all[series[0]].iter().all(|(lo, ..)| *lo >= 1 << 16), "{all:?}");
    assert!(all.values().flatten().all(|(lo, hi, _)| *hi == lo * 2), "{all:?}");
}

#[test]
fn what_oracle_measured_is_in_its_bucket() {
    let orders = [
        "wait 152 300 50 none",
        "wait 152 1 7 none",
        "wait 152 1024 3 none",
        "wait 153 1023 4 none",
        "wait 9 0 10 none",
    ];
    let wanted = [("db file sequential read", 60), ("db file \"scattered\" \\ read", 4)];
    let options = ["oracle-waits", "--clock", "oracle"];
    let Some(all) = traced(&options, WARM_UP, &orders, &wanted) else { return };
    let us = |lo: u64, count| (lo * 1_000, lo * 2_000, count);
    let reads = vec![us(1, 7), us(256, 50), us(1_024, 3)];
    let wanted = [
        ("db file \"scattered\" \\ read".to_owned(), vec![us(512, 4)]),
        ("db file sequential read".to_owned(), reads),
    ];
    assert_eq!(all, wanted.into(), "waits of 0 us are skipped");
}

#[test]
fn only_the_events_asked_for_are_counted() {
    let orders = ["wait 152 10 5 none", "wait 153 10 6 none", "wait 7 10 8 none"];
    let options = ["oracle-waits", "--event", "DB FILE SEQ*,7,1"];
    let wanted = [("db file sequential read", 5), ("event#7", 8)];
    if let Some(all) = traced(&options, WARM_UP, &orders, &wanted) {
        assert_eq!(names_of(&all), ["db file sequential read", "event#7"]);
    }
}

#[test]
fn system_calls_are_counted_with_the_wait_they_were_made_in() {
    let orders = [
        "wait 152 50 30 pread64",
        "wait 153 50 20 pwrite64",
        "wait 153 50 4 pread64",
        "wait 9 50 3 none",
        "call pwrite64 6",
    ];
    let wanted = [
        ("pread64 within db file \"scattered\" \\ read", 4),
        ("pread64 within db file sequential read", 30),
        ("pwrite64 outside waits", 6),
        ("pwrite64 within db file \"scattered\" \\ read", 20),
        ("wait db file \"scattered\" \\ read", 24),
        ("wait db file sequential read", 30),
        ("wait event#9", 3),
    ];
    let warm_up = &[
        ("wait 1 10 1 pread64", "pread64 within warm up"),
        ("wait 1 10 1 pwrite64", "pwrite64 within warm up"),
    ];
    if let Some(mut all) = traced(&["oracle-io"], warm_up, &orders, &wanted) {
        // What was called for the warm up before the waits themselves were probed.
        all.remove("pread64 outside waits");
        assert_eq!(names_of(&all), wanted.map(|(series, _)| series));
    }
}

#[test]
fn logical_reads_are_counted_by_object() {
    let orders = ["get consistent 77 4 30", "get current 77 5 20", "get consistent 4294967295 4 3"];
    let wanted = [
        ("consistent get object#-1", 3),
        ("consistent get object#77", 30),
        ("current get object#77", 20),
    ];
    let warm_up = &[
        ("get consistent 1 1 1", "consistent get object#1"),
        ("get current 1 1 1", "current get object#1"),
    ];
    if let Some(all) = traced(&["oracle-lio"], warm_up, &orders, &wanted) {
        assert_eq!(names_of(&all), wanted.map(|(series, _)| series));
    }
    let wanted = [("consistent get tablespace#4", 33), ("current get tablespace#5", 20)];
    let warm_up = &[
        ("get consistent 1 1 1", "consistent get tablespace#1"),
        ("get current 1 1 1", "current get tablespace#1"),
    ];
    let options = ["oracle-lio", "--by", "tablespace", "--numbers", "1,4,5"];
    let more = [&orders[..], &["get consistent 7 6 9"]].concat();
    if let Some(all) = traced(&options, warm_up, &more, &wanted) {
        assert_eq!(names_of(&all), wanted.map(|(series, _)| series));
    }
}

#[test]
fn what_bpftrace_prints_as_text_is_read_as_well() {
    let room = Room::new();
    let Some(mut oracle) = Oracle::start(&room) else { return };
    if !may_trace() {
        return;
    }
    let (home, names) = (room.name("home"), room.file("names.txt", NAMES));
    let options = ["bpftrace", "oracle-waits", "--oracle-home", &home, "--names", &names];
    let program = room.file("it.bt", succeed(&[&options[..], &["--clock", "oracle"]].concat()));
    let printed = room.path("printed.txt");
    let mut bpftrace = bounded::spawn(
        Command::new("bpftrace")
            .arg(&program)
            .stdout(std::fs::File::create(&printed).unwrap())
            .stderr(Stdio::null()),
    );
    bounded::until("the warm up", || {
        oracle.order("wait 1 10 1 none");
        std::fs::read_to_string(&printed).unwrap().contains("[1]: \n").then_some(())
    });
    oracle.order("wait 152 300 50 none");
    signal(&bpftrace, Signal::INT);
    assert!(bpftrace.wait().unwrap().success());
    let all = counted(printed.to_str().unwrap()).unwrap();
    // What was counted after the last regular print is there: the program prints at its end, too.
    assert_eq!(all["db file sequential read"], [(256_000, 512_000, 50)]);
}

#[test]
fn what_cannot_be_probed_is_refused_with_what_to_do() {
    let room = Room::new();
    let refused = |options: &[&str], code: i32, words: &str| {
        let output = run(&[&["bpftrace", "oracle-waits"], options].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{options:?}: {error}");
        assert!(error.contains(words), "{options:?}: {error}");
        assert!(output.stdout.is_empty(), "{options:?}");
    };
    refused(&[], 2, "nothing to probe");
    refused(&["--pid"], 2, "did pgrep find none?");
    refused(&["--oracle-home", "/u01", "--unchecked", "--pid"], 2, "did pgrep find none?");
    refused(&["--oracle-home", &room.name("nowhere")], 3, "--unchecked");
    refused(&["--pid", "4194304"], 3, "there is no process 4194304");
    refused(&["--pid", "1", "--version", "10.2.0.5"], 2, "older than 11.2");
    refused(&["--pid", &std::process::id().to_string()], 3, "has no function kskthbwt");
    std::fs::create_dir_all(room.path("script/bin")).unwrap();
    room.file("script/bin/oracle", "#!/bin/sh\n");
    refused(&["--oracle-home", &room.name("script")], 3, "not a 64-bit program");
    let Some(oracle) = Oracle::start(&room) else { return };
    let pid = oracle.pid();
    refused(&["--pid", &pid, "--offset", "+1"], 2, "inside an instruction");
    refused(&["--pid", &pid, "--event", "log file sync"], 2, "--names");
    refused(&["--pid", &pid, "--interval", "1ms"], 2, "from 10ms to 1h");
    let names = room.file("names.txt", "ORA-00942: table or view does not exist\n");
    refused(&["--pid", &pid, "--names", &names], 1, "v$event_name");
    std::fs::remove_file(room.path("home/bin/oracle")).unwrap();
    refused(&["--pid", &pid], 3, "not there any more");
}

#[test]
fn the_offset_follows_the_release_and_the_binary_is_described() {
    let room = Room::new();
    let Some(oracle) = Oracle::start(&room) else { return };
    let pid = oracle.pid();
    let written = |version: &str| {
        let program = succeed(&["bpftrace", "oracle-waits", "--pid", &pid, "--version", version]);
        program.replace("\n *  ", "")
    };
    let program = written("19.12");
    assert!(program.contains("home/bin/oracle\":kskthbwt+2\n"), "{program}");
    assert!(program.contains("begins with 66 90 55 48 89 e5"), "{program}");
    assert!(program.contains("an instruction begins at the probe"), "{program}");
    assert!(program.contains("nobody is known to have confirmed"), "{program}");
    let program = written("11.2.0.4");
    assert!(program.contains("home/bin/oracle\":kskthbwt\n"), "{program}");
    assert!(succeed(&["bpftrace", "list"]).contains("oracle-lio"));
}
