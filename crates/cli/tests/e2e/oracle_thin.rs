//! Oracle over the network: the real driver, and a server that plays Oracle's part.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use fake_oracle::{Answer, FakeOracle, Script, Simulation};
use rustix::process::Signal;
use testing::bounded;

use super::{Room, isotherm, run, signal, succeed};

const PASSWORD: &str = "correct-horse";

/// Every poll adds 5 waits below 512 µs and 1 below 1,024 µs, in 2,100 µs together.
fn counting() -> FakeOracle {
    let polls = AtomicU64::new(0);
    let poll = move |_: &str| {
        let n = polls.fetch_add(1, Ordering::SeqCst);
        Answer::lines([
            "I|1|2026-11-20T06:12:44|19.0.0.0.0|ORCL1".to_owned(),
            format!("H|1||us|512:{},1024:{n}|log file sync", 5 * n),
            format!("S|1||{}|{}|log file sync", 6 * n, 2_100 * n),
            ".".to_owned(),
        ])
    };
    let script = Script::default()
        .on("parallel as line", Answer::lines(["I|1||19.0.0.0.0|NO"]))
        .on("1 = 0", Answer::lines(Vec::<String>::new()))
        .on_call("histogram_micro", poll);
    FakeOracle::start(script).unwrap()
}

fn address(server: &FakeOracle, rest: &str) -> String {
    format!("oracle://mon@127.0.0.1:{}/FAKE{rest}", server.port())
}

fn command(args: &[&str]) -> Command {
    let mut command = isotherm(args);
    command.env("ISOTHERM_ORACLE_PASSWORD", PASSWORD);
    command
}

fn asked(args: &[&str]) -> Output {
    bounded::output(&mut command(args))
}

#[test]
fn a_database_is_watched_recorded_and_its_password_kept_nowhere() {
    let (server, room) = (counting(), Room::new());
    let recording = room.name("oracle.heat");
    let source = address(&server, "?event=log file sync");
    let args = ["live", &source, "--table", "--interval", "100ms", "--record", &recording];
    let child = bounded::spawn(command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()));
    bounded::until("two polls after the first", || {
        let output = run(&["stats", "--format", "json", &recording]);
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        stats["input"]["events"].as_u64().filter(|events| *events >= 12)
    });
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    let (text, message) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{message}");
    // 5 x 384 µs + 768 µs is what buckets say of 2,100 µs.
    assert!(text.contains("log file sync{inst=1}"), "{text}");
    assert!(text.contains("2.10 ms") && text.contains("mean 350µs"), "{text}");
    assert!(text.contains("(estimated ≈2.69 ms, +28 %)"), "{text}");
    let stats = succeed(&["stats", "--format", "json", &recording]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let series = &stats["series"][0];
    let events = series["events"].as_u64().unwrap();
    assert!(events >= 12 && events.is_multiple_of(6), "{events}");
    assert_eq!(series["time_waited_exact"], true);
    assert!((series["mean_ns"].as_f64().unwrap() - 350_000.0).abs() < 1e-6);
    for file in std::fs::read_dir(room.dir()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes()));
    }
    assert!(!text.contains(PASSWORD) && !message.contains(PASSWORD));
}

#[test]
fn events_are_listed_and_a_simulated_database_is_sampled() {
    let server = FakeOracle::start(Simulation::new(2, true).script()).unwrap();
    let events = asked(&["live", &address(&server, ""), "--events"]);
    let listed = String::from_utf8(events.stdout).unwrap();
    assert!(listed.lines().next().unwrap().starts_with("event"), "{listed}");
    assert!(listed.contains("log file sync"), "{listed}");
    let mut sampling = command(&["live", &address(&server, "?sample=session")]);
    sampling.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = bounded::spawn(&mut sampling);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let is_sampled = lines.any(|line| !line.starts_with('#'));
    signal(&child, Signal::INT);
    // To the end of what it writes.
    lines.for_each(drop);
    let sampled = child.wait_with_output().unwrap();
    let message = String::from_utf8(sampled.stderr).unwrap();
    assert!(sampled.status.success() && is_sampled, "{message}");
    assert!(message.contains("polls of sessions") && message.contains("seen "), "{message}");
}

/// 40,000 and 60,000 waits for a block in two hours, 100 and 250 s together; most of them below 4 ms.
const EVENTS: [&str; 2] = [
    "2026-03-01T08:00:00Z,3600.000,27,1,11,\"db file sequential read\",\"User I/O\",40000,100000000,38000,95000000",
    "2026-03-01T09:00:00Z,3600.000,27,1,12,\"db file sequential read\",\"User I/O\",60000,250000000,58000,245000000",
];
const HISTOGRAMS: [&str; 4] = [
    "2026-03-01T08:00:00Z,3600.000,27,1,11,\"db file sequential read\",\"User I/O\",4,39000",
    "2026-03-01T08:00:00Z,3600.000,27,1,11,\"db file sequential read\",\"User I/O\",8,1000",
    "2026-03-01T09:00:00Z,3600.000,27,1,12,\"db file sequential read\",\"User I/O\",4,50000",
    "2026-03-01T09:00:00Z,3600.000,27,1,12,\"db file sequential read\",\"User I/O\",8,10000",
];

/// The same waits in buckets of microseconds.
const MICROS: [&str; 4] = [
    "2026-03-01T08:00:00Z,3600.000,27,1,11,\"db file sequential read\",\"User I/O\",\"4096\",39000",
    "2026-03-01T08:00:00Z,3600.000,27,1,11,\"db file sequential read\",\"User I/O\",\"8192\",1000",
    "2026-03-01T09:00:00Z,3600.000,27,1,12,\"db file sequential read\",\"User I/O\",\"4096\",50000",
    "2026-03-01T09:00:00Z,3600.000,27,1,12,\"db file sequential read\",\"User I/O\",\"8192\",10000",
];

/// What `stats` says of a recording of these waits: each of them once, though two tables count it, the bounds of
/// the bucket of the median, and whether 350 s in all are exact.
fn recorded(recording: &str) -> (serde_json::Value, [u64; 2], bool) {
    let stats = succeed(&["stats", "--format", "json", recording]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let series = &stats["series"][0];
    let bound = |name: &str| series["quantiles"][0][name].as_u64().unwrap();
    let exact = series["time_waited_exact"] == true
        && (series["mean_ns"].as_f64().unwrap() - 3_500_000.0).abs() < 1e-6;
    (stats["input"]["events"].clone(), [bound("lo_ns"), bound("hi_ns")], exact)
}

#[test]
fn history_becomes_tables_and_a_recording_in_one_go() {
    let script = Script::default()
        .on("1 = 0", Answer::lines(Vec::<String>::new()))
        .on("all_tab_columns", Answer::lines(Vec::<String>::new()))
        .on("dba_hist_event_histogram", Answer::lines(HISTOGRAMS))
        .on("dba_hist_system_event", Answer::lines(EVENTS));
    let (server, room) = (FakeOracle::start(script).unwrap(), Room::new());
    let (recording, page) = (room.name("prod.heat"), room.name("prod.html"));
    let address = address(&server, "");
    let queries = ["--queries", "system-events,event-histograms,sql"];
    let collect = ["awr", "collect", &address, "--licensed", "diagnostics", "-o", &recording];
    let output = asked(&[&collect[..], &queries].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("sql is left out") && said.contains("prod.heat"), "{said}");
    let table = std::fs::read_to_string(room.path("prod").join("awr-system-events.csv")).unwrap();
    assert_eq!(table.lines().skip(1).collect::<Vec<_>>(), EVENTS);
    assert_eq!(recorded(&recording), (100_000.into(), [2_000_000, 4_000_000], true));
    // The page has the tables, which lie beside the recording.
    let output = run(&["awr", "report", &recording, "-o", &page]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("its tables are in"), "{said}");
    assert!(std::fs::metadata(&page).unwrap().len() > 50_000);
    // A recording is replaced only where that is asked for.
    let again = asked(&[&collect[..], &queries].concat());
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.code() == Some(2) && said.contains("replace it with --force"), "{said}");
    let forced = asked(&[&collect[..], &queries, &["--force"]].concat());
    assert!(forced.status.success(), "{}", String::from_utf8_lossy(&forced.stderr));
    assert_eq!(recorded(&recording), (100_000.into(), [2_000_000, 4_000_000], true));
    // What an earlier collection left in the directory is not recorded: here its histograms.
    let events = ["--queries", "system-events", "--force"];
    let forced = asked(&[&collect[..], &events].concat());
    assert!(forced.status.success(), "{}", String::from_utf8_lossy(&forced.stderr));
    let stats = succeed(&["stats", "--format", "json", &recording]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["input"]["events"], 100_000);
    assert_eq!(stats["series"][0]["quantiles"], serde_json::json!([]));
}

#[test]
fn history_is_collected_in_microseconds_where_the_release_has_them() {
    let script = Script::default()
        .on("1 = 0", Answer::lines(Vec::<String>::new()))
        .on("all_tab_columns", Answer::lines(["DBA_HIST_EVENT_HISTOGRAM_MICRO"]))
        .on("fetch first 1 rows only", Answer::lines(["y"]))
        .on("dba_hist_event_histogram_micro", Answer::lines(MICROS))
        .on("dba_hist_system_event", Answer::lines(EVENTS));
    let (server, room) = (FakeOracle::start(script).unwrap(), Room::new());
    let (recording, page) = (room.name("prod.heat"), room.name("prod.html"));
    let address = address(&server, "");
    let queries = "system-events,event-histograms";
    let collect = ["awr", "collect", &address, "--licensed", "diagnostics", "-o", &recording];
    let output = asked(&[&collect[..], &["--queries", queries]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("microseconds, from dba_hist_event_histogram_micro"), "{said}");
    let table = room.path("prod").join("awr-event-histograms.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    assert!(text.lines().next().unwrap().ends_with(",wait_time_us,waits"), "{text}");
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), MICROS);
    assert_eq!(recorded(&recording), (100_000.into(), [2_048_000, 4_096_000], true));
    // The table alone has the same buckets, and an estimate of their time.
    let table = table.to_str().unwrap();
    assert_eq!(recorded(table), (100_000.into(), [2_048_000, 4_096_000], false));
    let output = run(&["awr", "report", &recording, "-o", &page]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_cannot_be_reached_says_why_and_exits_with_3() {
    let server = FakeOracle::start(Script::default()).unwrap();
    let refused = asked(&["live", &address(&server, ""), "--for", "5s"]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3), "{message}");
    assert!(message.contains("GRANT SELECT ON SYS."), "{message}");
    let source = address(&server, "");
    drop(server);
    let gone = asked(&["record", &source, "-o", &Room::new().name("x.heat"), "--for", "9s"]);
    let message = String::from_utf8(gone.stderr).unwrap();
    assert_eq!(gone.status.code(), Some(3), "{message}");
    assert!(message.contains("127.0.0.1"), "{message}");
    let open = run(&["live", "oracle://scott:tiger@127.0.0.1/FAKE"]);
    let message = String::from_utf8(open.stderr).unwrap();
    assert_eq!(open.status.code(), Some(2), "{message}");
    assert!(
        message.contains("ISOTHERM_ORACLE_PASSWORD") && !message.contains("tiger"),
        "{message}"
    );
}

#[test]
fn options_of_history_are_refused_elsewhere() {
    let output = asked(&["show", "--since", "7d", "waits.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--since is for awr:"));
}
