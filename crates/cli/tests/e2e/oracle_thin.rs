//! Oracle over the network: the real driver, and a server that plays Oracle's part.

use std::process::Output;
use std::sync::atomic::{AtomicU64, Ordering};

use fake_oracle::{Answer, FakeOracle, Script, Simulation};

use super::{Room, isotherm, succeed};

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

fn asked(args: &[&str]) -> Output {
    isotherm(args).env("ISOTHERM_ORACLE_PASSWORD", PASSWORD).output().unwrap()
}

#[test]
fn a_database_is_watched_recorded_and_its_password_kept_nowhere() {
    let (server, room) = (counting(), Room::new());
    let recording = room.name("oracle.heat");
    let source = address(&server, "?event=log file sync");
    let output = asked(&[
        "live",
        &source,
        "--table",
        "--interval",
        "100ms",
        "--for",
        "4s",
        "--record",
        &recording,
    ]);
    let (text, message) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{message}");
    // 5 x 384 µs + 768 µs is what buckets say of 2,100 µs.
    assert!(text.contains("log file sync{inst=1}"), "{text}");
    assert!(text.contains("2.1ms") && text.contains("mean 350µs"), "{text}");
    assert!(text.contains("(estimated ≈2.69ms, +28 %)"), "{text}");
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
    let sampled = asked(&["live", &address(&server, "?sample=session"), "--for", "3s"]);
    let message = String::from_utf8(sampled.stderr).unwrap();
    assert!(sampled.status.success(), "{message}");
    assert!(message.contains("polls of sessions") && message.contains("seen "), "{message}");
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
    let open = isotherm(&["live", "oracle://scott:tiger@127.0.0.1/FAKE"]).output().unwrap();
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
