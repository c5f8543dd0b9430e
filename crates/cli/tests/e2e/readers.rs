//! What is said of inputs that are not what they seem: formats of other tools, wrong columns and
//! units, dates far off, numbers too large; and programs that end with isotherm.

use rustix::process::{Pid, Signal, test_kill_process};
use testing::bounded;

use super::{Room, run, start, succeed};

/// 40 reads and writes of one job as fio logs them, one every 10 ms; they take 100
/// to 139 us.
fn fio_log() -> String {
    let line = |n: u64| {
        format!(
            "{}, {}, {}, 8192, 0\n",
            1_700_000_000_000 + n * 10,
            (100 + n * 7 % 40) * 1_000,
            n % 2
        )
    };
    (0..40).map(line).collect()
}

/// 40 transactions of two clients as pgbench logs them; they take 1000 to 1039 us.
fn pgbench_log() -> String {
    let line = |n: u64| {
        format!(
            "{} {} {} 0 {} {}\n",
            n % 2,
            n / 2 + 1,
            1_000 + n * 7 % 40,
            1_700_000_000 + n / 10,
            n % 10 * 100_000
        )
    };
    (0..40).map(line).collect()
}

fn code_and_errors(args: &[&str]) -> (Option<i32>, String) {
    let output = run(args);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Events and their mean latency in microseconds.
fn read(text: &str) -> (u64, f64) {
    let stats: serde_json::Value = serde_json::from_str(text).unwrap();
    let events = stats["input"]["events"].as_u64().unwrap();
    let sum = |series: &serde_json::Value| {
        series["mean_ns"].as_f64().unwrap() / 1_000.0 * series["events"].as_f64().unwrap()
    };
    let sums: f64 = stats["series"].as_array().unwrap().iter().map(sum).sum();
    (events, sums / events as f64)
}

/// 40 requests as `vegeta encode --to csv` prints them; they take 100 to 139 ms.
fn vegeta_results() -> String {
    let line = |n: u64| {
        let (at, ns) = (1_700_000_000_000_000_000 + n * 10_000_000, (100 + n * 7 % 40) * 1_000_000);
        format!("{at},200,{ns},0,5,,Ym8=,a,{n},GET,http://h/,\n")
    };
    (0..40).map(line).collect()
}

#[test]
fn files_of_other_tools_are_read_as_they_are() {
    let room = Room::new();
    let cases = [
        ("job_lat.1.log", fio_log(), 119.5),
        ("pgbench_log.77", pgbench_log(), 1_019.5),
        ("results.csv", vegeta_results(), 119_500.0),
    ];
    for (name, content, mean_us) in cases {
        let file = room.file(name, content);
        let output = run(&["stats", &file, "--format", "json"]);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{name}");
        let (events, mean) = read(&String::from_utf8(output.stdout).unwrap());
        assert_eq!(events, 40);
        assert!((mean - mean_us).abs() < 0.01, "{name}: {mean}");
    }
    // Only the name says that these are no latencies.
    let file = room.file("job_bw.1.log", fio_log());
    let (code, refusal) = code_and_errors(&["stats", &file]);
    assert_eq!(code, Some(1), "{refusal}");
    assert!(refusal.contains("a bandwidth log of fio"), "{refusal}");
}

#[test]
fn columns_that_contradict_a_known_format_are_questioned() {
    let room = Room::new();
    let wrong = ["--columns", "time,latency", "--unit", "us"];
    for (name, content) in [("a.log", fio_log()), ("b.log", pgbench_log())] {
        let file = room.file(name, content);
        let (_, warnings) = code_and_errors(&[&["stats", &file][..], &wrong].concat());
        assert!(warnings.contains("this looks like a"), "{warnings}");
        assert!(warnings.contains("columns are not read: 3rd '"), "{warnings}");
    }
}

#[test]
fn a_plan_is_no_second_duration_of_its_statement_and_counts_where_that_was_not_logged() {
    let room = Room::new();
    let line = |n: u64| {
        format!(
            "2026-11-21 05:15:{n:02}.312 UTC [7] a@b LOG:  duration: {n}.500 ms  statement: select 1\n\tfrom t\n"
        )
    };
    let plan = |of: &str| {
        format!(
            "2026-11-21 05:15:29.312 UTC [{of}] a@b LOG:  duration: 20.000 ms  plan:\n\tQuery Text: select 1\n\t  from t\n"
        )
    };
    // That of backend 7 is the last statement, 29.5 ms; backend 8 logged no statement at all.
    let text: String = (10..29).map(line).chain([plan("7"), line(29), plan("8")]).collect();
    let file = room.file("postgresql.log", text);
    let output = run(&["stats", &file, "--format", "json"]);
    let (events, mean) = read(&String::from_utf8(output.stdout).unwrap());
    // 10.5, 11.5, ... 29.5 ms, which are 400 ms together, and 20 ms of the other backend.
    assert_eq!(events, 21);
    assert!((mean - 20_000.0).abs() < 0.01, "{mean}");
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(warnings.contains("durations of plans left out: 1"), "{warnings}");
}

#[test]
fn one_time_of_zero_does_not_stretch_the_picture() {
    let room = Room::new();
    let line = |n: u64| {
        if n == 700 { "0 250\n".to_owned() } else { format!("{} 250\n", 1_700_000_000 + n) }
    };
    for first in [700, 0] {
        let text: String = (first..first + 1_000).map(line).collect();
        let file = room.file("zero.txt", text);
        let columns = ["--columns", "end,latency", "--unit", "us"];
        let output = run(&[&["stats", &file, "--format", "json"][..], &columns].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.contains("1 event is dated 1970-01-01 00:00:00 UTC, 53 years before"),
            "{error}"
        );
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let input = |name: &str| stats["input"][name].as_u64().unwrap();
        assert_eq!((input("records"), input("events"), input("rejected")), (999, 999, 1));
        let (code, error) =
            code_and_errors(&[&["stats", &file, "--strict"][..], &columns].concat());
        assert_eq!(code, Some(4), "{error}");
        let recording = room.name(&format!("{first}.heat"));
        succeed(&[&["import", &file, "-o", &recording, "-i", "1s"][..], &columns].concat());
        let rows = succeed(&["export", &recording, "--format", "csv"]);
        assert!(!rows.lines().skip(1).any(|row| row.starts_with("0,")), "{rows}");
        assert!(rows.lines().count() > 900, "a second is a second: {}", rows.lines().count());
    }
}

#[test]
fn times_in_the_future_are_questioned() {
    let room = Room::new();
    // In 2250.
    let file = room.file("later.txt", "8850000000 250\n8850000001 250\n");
    let (_, warnings) =
        code_and_errors(&["stats", &file, "--columns", "end,latency", "--unit", "us"]);
    assert!(warnings.contains("which is in the future"), "{warnings}");
}

#[test]
fn counts_beyond_what_anybody_counts_are_rejected_and_the_rest_is_read() {
    let room = Room::new();
    let print = |second: u64, count: &str| {
        format!(
            "04:48:{second:02}\n@usecs: \n[4, 8)            {count} |@@|\n[8, 16)            3 |@@|\n\n"
        )
    };
    let huge = "4611686018427387904";
    let text = print(10, "5") + &print(11, huge) + &print(12, "7");
    let file = room.file("huge.txt", text);
    let (code, warnings) = code_and_errors(&["stats", &file, "--temporality", "delta"]);
    assert_eq!(code, Some(0), "{warnings}");
    // 2^62 and the three of the next bucket, in the print whose heading is on line 7.
    let said = "rejected at line 7 ";
    assert!(
        warnings.contains(said) && warnings.contains("4611686018427387907 events"),
        "{warnings}"
    );
    let all = [10, 11].map(|second| print(second, huge)).concat();
    let file = room.file("all.txt", all);
    let (code, warnings) = code_and_errors(&["stats", &file, "--temporality", "delta"]);
    assert_eq!(code, Some(1), "{warnings}");
}

/// 50 waits of a second and one of 48 hours, of which a day is looked back.
#[test]
fn what_was_waited_more_than_a_day_before_is_said_and_marked() {
    let room = Room::new();
    let row = |second: u32| format!("{},1\n", 1_795_238_000 + second);
    let rows: String = (1..=50).map(row).collect();
    let file = room.file("days.csv", format!("time,latency_s\n{rows}1795338010,172800\n"));
    let page = room.name("days.html");
    let words = "was waited more than 24 h before the event ended";
    let recording = room.name("days.heat");
    for args in [
        vec!["stats", &file],
        vec!["show", &file],
        vec!["frames", &file],
        vec!["report", &file, "-o", &page],
        vec!["import", &file, "-o", &recording],
    ] {
        let (code, said) = code_and_errors(&args);
        assert_eq!(code, Some(0), "{args:?}: {said}");
        assert!(said.contains("86400s was waited") && said.contains(words), "{args:?}: {said}");
    }
    assert!(std::fs::read_to_string(&page).unwrap().contains("≈86,450 s"));
    let numbers: serde_json::Value =
        serde_json::from_str(&succeed(&["stats", "--format", "json", &file])).unwrap();
    let series = &numbers["series"][0];
    let of = |name: &str| series[name].as_f64().unwrap();
    // 50 s and one day of the two, but the mean is of all: 172,850 s in 51 waits.
    assert_eq!((of("time_waited_s"), &series["time_waited_exact"]), (86_450.0, &false.into()));
    assert!((of("mean_ns") / 1e9 - 172_850.0 / 51.0).abs() < 1e-3, "{series}");
    assert!(succeed(&["stats", &file]).contains("≈86,450 s"));
}

#[test]
fn the_zone_holds_for_the_recording_of_a_trace() {
    let room = Room::new();
    let trace = "*** 2012-05-21 05:00:00.000\n*** SESSION ID:(1.1) 2012-05-21 05:00:00.000\n\n\
        PARSING IN CURSOR #1 len=8 dep=0 uid=0 oct=3 lid=0 tim=1000000 hv=1 ad='1' sqlid='abc'\n\
        select 1\nEND OF STMT\nPARSE #1:c=0,e=10,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1000000\n\
        WAIT #1: nam='db file sequential read' ela= 500 file#=1 block#=1 blocks=1 obj#=1 tim=1001000\n\
        WAIT #1: nam='db file sequential read' ela= 500 file#=1 block#=2 blocks=1 obj#=1 tim=1002000\n";
    let file = room.file("x.trc", trace);
    let start = |name: &str, zone: &[&str]| {
        let recording = room.name(name);
        succeed(&[&["trace", &file, "--record", &recording][..], zone].concat());
        let rows = succeed(&["export", &recording, "--format", "csv"]);
        let first = rows.lines().nth(1).and_then(|row| row.split(',').next()).map(str::to_owned);
        first.unwrap().parse::<i64>().unwrap()
    };
    let (plain, zoned) = (start("a.heat", &[]), start("b.heat", &["--zone", "+02:00"]));
    assert_eq!(plain - zoned, 2 * 3_600 * 1_000_000_000);
}

#[test]
fn programs_end_with_isotherm_even_if_it_is_killed() {
    let room = Room::new();
    let numbers = room.path("numbers");
    // The shell, and a program it waits for.
    let command = format!("cmd:sleep 600 & echo $$ $! > {}; wait", numbers.display());
    let mut child = start(&["live", &command, "--columns", "time,latency", "--unit", "us"]);
    let pids = bounded::until("the numbers", || {
        let text = std::fs::read_to_string(&numbers).ok().filter(|text| text.ends_with('\n'))?;
        text.split_whitespace()
            .map(|number| number.parse().ok().and_then(Pid::from_raw))
            .collect::<Option<Vec<Pid>>>()
    });
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| test_kill_process(*pid).is_ok()));
    super::signal(&child, Signal::KILL);
    child.wait().unwrap();
    bounded::until("the end of both", || pids.iter().all(|pid| is_over(*pid)).then_some(()));
}

/// Whether a process is no more, or only waits to be collected.
pub(super) fn is_over(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| {
        stat.rsplit(')').next().is_some_and(|rest| rest.trim().starts_with('Z'))
    })
}

#[test]
fn a_program_that_is_killed_is_reported_as_before() {
    let (code, error) = code_and_errors(&["live", "cmd:kill -9 $$"]);
    assert_eq!(code, Some(3), "{error}");
    assert!(error.contains("killed by signal 9"), "{error}");
    let (code, error) = code_and_errors(&["live", "cmd:exit 7"]);
    assert_eq!(code, Some(3), "{error}");
    assert!(error.contains("exit code 7"), "{error}");
}

#[test]
fn conditions_are_refused_where_nothing_looks_at_them() {
    let room = Room::new();
    let file = room.file("x.csv", "1700000000.5 250 read\n1700000001.5 900 write\n");
    let columns = ["--columns", "time,latency,op", "--unit", "us"];
    let output = run(&[&["stats", &file], &columns[..], &["--where", "op=read"]].concat());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && output.stdout.is_empty(), "{message}");
    assert!(message.contains("choose series with --series TEXT"), "{message}");
    succeed(&[&["stats", &file], &columns[..], &["--series", "op=read"]].concat());
}

/// A page of buckets without the last one, and a trace without durations: either way there is nothing
/// to look at.
#[test]
fn an_input_of_which_everything_is_rejected_fails_in_every_format() {
    let room = Room::new();
    let page = |at: u64| {
        format!(
            "{at}\n# TYPE s histogram\ns_bucket{{le=\"0.1\"}} 1{at}\ns_bucket{{le=\"1\"}} 2{at}\n"
        )
    };
    let pages = room.file("page.txt", page(1_795_393_000) + &page(1_795_393_005));
    let calls = room.file("calls.txt", "1 read(3) = 0\n2 read(3) = 0\n");
    for file in [&pages, &calls] {
        for command in ["stats", "show"] {
            let (code, said) = code_and_errors(&[command, file]);
            assert_eq!(code, Some(1), "{command} {file}: {said}");
        }
    }
}

/// A wait of five days, of which the last day is looked at: what is left out is left out in every copy.
#[test]
fn time_that_is_in_no_interval_is_so_in_every_copy() {
    let room = Room::new();
    let lines: Vec<String> = (0..20_u64)
        .map(|at| (1_795_000_000 + at * 60, if at == 5 { 5 * 86_400 } else { 1 }))
        .map(|(at, seconds)| format!("{at},{seconds}\n"))
        .collect();
    let log = room.file("days.csv", format!("end,latency_s\n{}", lines.concat()));
    let known = |input: &str| {
        let stats = succeed(&["stats", input, "--format", "json"]);
        let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
        let series = &stats["series"][0];
        (series["time_waited_s"].as_f64().unwrap(), series["time_waited_exact"].as_bool().unwrap())
    };
    // A day, and 19 s.
    assert_eq!(known(&log), (86_419.0, false));
    let (recording, merged) = (room.name("days.heat"), room.name("merged.heat"));
    succeed(&["import", &log, "-o", &recording]);
    assert_eq!(known(&recording), (86_419.0, false));
    for name in ["days.jsonl", "export.csv"] {
        let (export, again) = (room.name(name), room.name(&format!("{name}.heat")));
        succeed(&["export", &recording, "-o", &export]);
        succeed(&["import", &export, "-o", &again]);
        assert_eq!(known(&again), (86_419.0, false), "{name}");
    }
    let rows = room.file("rows.csv", succeed(&["frames", &log]));
    succeed(&["merge", &rows, "-o", &merged]);
    assert_eq!(known(&merged), (86_419.0, false));
    let table = succeed(&["stats", &merged]);
    assert!(table.contains("≈86,419 s"), "{table}");
}
