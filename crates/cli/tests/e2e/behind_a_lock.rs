//! A real lock on a real `PostgreSQL`: written line by line, recorded, and cut anywhere.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::psql::{Client, asked};
use super::top::started::Started;
use super::{Room, isotherm, signal, succeed};

/// Holds a lock that four sessions wait for, for five seconds or longer; `goes_on` until nobody looks
/// any more. Gives the lines written meanwhile.
fn recorded(server: &Started, recording: &str, goes_on: bool) -> String {
    let address = format!("postgres://isotherm@/postgres?host={}", server.folder);
    let words = ["live", &address, "--ui", "stream", "--record", recording];
    let live = bounded::spawn(isotherm(&words).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let looks = "select count(*) from pg_stat_activity where application_name = 'isotherm'";
    bounded::until("somebody looks", || (asked(server, looks) != "0").then_some(()));
    // wall clock: a second without a lock, as the program counts them.
    std::thread::sleep(Duration::from_millis(1_500));
    let mut holds = Client::new(server, "nightly-job");
    holds.say("begin; lock table t;");
    let idles = "select count(*) from pg_stat_activity where state = 'idle in transaction'";
    bounded::until("the lock", || (asked(server, idles) == "1").then_some(()));
    let mut waits: Vec<Client> = (0..4).map(|_| Client::new(server, "shop")).collect();
    for client in &mut waits {
        client.say("insert into t values (1);");
    }
    let locked = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
    bounded::until("four sessions wait", || (asked(server, locked) == "4").then_some(()));
    // wall clock: sessions of a real server wait for so long at least.
    std::thread::sleep(Duration::from_secs(5));
    if !goes_on {
        holds.say("commit;");
        bounded::until("nobody waits", || (asked(server, locked) == "0").then_some(()));
        // wall clock: the program writes of each second when it is over.
        std::thread::sleep(Duration::from_millis(2_500));
    }
    signal(&live, Signal::INT);
    let output = live.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The time and the average waiting of each line.
fn lines(stream: &str) -> Vec<(&str, f64)> {
    let lines = stream.lines().filter(|line| !line.starts_with('#'));
    let line = |line: &'_ str| -> f64 {
        let waiting = line.split_whitespace().nth(2).unwrap();
        waiting.trim_start_matches('≈').parse().unwrap()
    };
    lines.map(|text| (text.split(' ').next().unwrap(), line(text))).collect()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&succeed(words)).unwrap()
}

fn waited_s(recording: &str, range: &[&str]) -> f64 {
    let all = json(&[&["stats", recording, "--format", "json"], range].concat());
    let series = all["series"].as_array().unwrap();
    series.iter().filter_map(|one| one["time_waited_s"].as_f64()).sum()
}

fn reported_s(recording: &str, range: &[&str]) -> f64 {
    let all = json(&[&["report", recording, "--format", "json", "-o", "-"], range].concat());
    all["entries"].as_array().unwrap().first().map_or(0.0, |one| one["waited_s"].as_f64().unwrap())
}

#[test]
fn those_behind_a_lock_wait_in_each_line_and_in_each_part() {
    let Some(server) = Started::new("postgres", &["-c", "autovacuum=off"], &[]) else { return };
    asked(&server, "create table t (id int)");
    for goes_on in [false, true] {
        let room = Room::new();
        let recording = room.name("lock.heat");
        let stream = recorded(&server, &recording, goes_on);
        let lines = lines(&stream);
        let mut sorted = lines.clone();
        sorted.sort_by_key(|(time, _)| *time);
        sorted.dedup_by_key(|(time, _)| *time);
        assert_eq!(lines, sorted, "each second has one line, one after the other:\n{stream}");
        // Four behind the lock, and who holds it idles in a transaction.
        let all = lines.iter().filter(|(_, waiting)| (waiting - 5.0).abs() < 0.02).count();
        assert!(all >= 4, "{stream}");
        assert!(lines.iter().all(|(_, waiting)| *waiting < 5.02), "{stream}");
        assert!(!stream.contains(">0ns"), "{stream}");

        // From the start in seconds on, and of the second before the end of the lock, and within it.
        let whole_s = waited_s(&recording, &[]);
        assert!((24.0..60.0).contains(&whole_s), "{whole_s}");
        assert!((reported_s(&recording, &[]) - whole_s).abs() < 1e-6);
        for cut in ["1s", "3s", "4s500ms", "5s250ms", "6s"] {
            for of in [waited_s, reported_s] {
                let (before, after) =
                    (of(&recording, &["--to", cut]), of(&recording, &["--from", cut]));
                assert!(
                    (before + after - whole_s).abs() < 1e-6,
                    "{cut}: {before} {after} {whole_s}"
                );
            }
        }
        // No second holds more than those who waited in it.
        for second in 1..9 {
            let (from, to) = (format!("{second}s"), format!("{}s", second + 1));
            let words = ["--from", &from, "--to", &to];
            let output =
                super::run(&[&["stats", &recording, "--format", "json"], &words[..]].concat());
            if output.status.success() {
                let all: Value = serde_json::from_slice(&output.stdout).unwrap();
                let series = all["series"].as_array().unwrap();
                let waiting: f64 =
                    series.iter().filter_map(|one| one["sessions_waiting"].as_f64()).sum();
                assert!(waiting < 5.02, "{second}: {waiting}");
            }
        }
        // Events or none: there is no gap, and no shade stands for next to nothing.
        let described = succeed(&["show", &recording, "--describe"]);
        assert!(!described.contains("gap"), "{described}");
        let shown = succeed(&["show", &recording, "--width", "100"]);
        assert!(!shown.contains("e-3") && !shown.contains("without data"), "{shown}");
    }
}
