//! `/metrics` through a real Prometheus server and back: the same counts and sums.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded::{self, Child, Deadline};

use super::{Room, isotherm, signal, succeed};

#[path = "../../../live/tests/fake/listening.rs"]
pub mod listening;

/// How long a server may run: a little less than the test runner gives a test.
pub const AS_LONG_AS_A_TEST: Duration = Duration::from_secs(110);

/// Whether a program is installed; says so if it is not.
pub fn is_installed(program: &str) -> bool {
    let is_there = bounded::try_output(Command::new(program).arg("--version")).is_ok();
    if !is_there {
        writeln!(std::io::stderr(), "SKIPPED: {program} is not installed").expect("said");
    }
    is_there
}

/// Where a server listens, as soon as it does; `None` if it ends before.
pub fn place_of(server: &mut Child) -> Option<String> {
    bounded::until("a server that listens", || {
        if server.try_wait().unwrap().is_some() {
            return Some(None);
        }
        listening::address_of(server.id()).map(Some)
    })
}

/// A Prometheus server that scrapes a place; ends with the test.
struct Prometheus {
    /// Ended when it is dropped.
    _process: Child,
    place: String,
}

impl Prometheus {
    fn scraping(room: &Room, target: &str) -> Prometheus {
        let settings = format!(
            "scrape_configs:\n- job_name: isotherm\n  scrape_interval: 1s\n  scrape_timeout: 1s\n  \
             static_configs:\n  - targets: ['{target}']\n"
        );
        let settings = room.file("prometheus.yml", settings);
        let mut command = Command::new("prometheus");
        command
            .arg(format!("--config.file={settings}"))
            .arg(format!("--storage.tsdb.path={}", room.name("data")))
            .arg("--web.listen-address=127.0.0.1:0")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut process = bounded::spawn_for(&mut command, AS_LONG_AS_A_TEST);
        let place = place_of(&mut process).expect("the server does not end");
        Prometheus { _process: process, place }
    }

    /// All samples of a metric in the order of time.
    fn samples(&self, metric: &str) -> Vec<Sample> {
        let Ok(mut stream) = bounded::connect(&self.place) else { return Vec::new() };
        let path = format!("/api/v1/query?query={metric}%5B1h%5D");
        write!(stream, "GET {path} HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let Ok(found) = serde_json::from_str::<Value>(body) else { return Vec::new() };
        let values = found["data"]["result"][0]["values"].as_array().cloned().unwrap_or_default();
        values.iter().map(Sample::of).collect()
    }

    /// Waits until the last sample of a metric has this value.
    fn wait_for(&self, metric: &str, value: f64) {
        bounded::until("a scrape", || {
            let last = self.samples(metric).pop()?;
            ((last.value - value).abs() < 0.5).then_some(())
        });
    }
}

struct Sample {
    /// Milliseconds since 1970.
    ms: u64,
    value: f64,
}

impl Sample {
    fn of(pair: &Value) -> Sample {
        let ms = (pair[0].as_f64().unwrap() * 1e3).round() as u64;
        Sample { ms, value: pair[1].as_str().unwrap().parse().unwrap() }
    }
}

/// Events from this second on, ten in each: 300 us, and every fifth 5 ms.
fn events(seconds: std::ops::Range<u64>) -> String {
    let mut text = String::new();
    for second in seconds {
        for number in 0..10 {
            let latency = if number % 5 == 0 { 5_000 } else { 300 };
            writeln!(text, "{} {latency}", 1_763_735_400 + second).unwrap();
        }
    }
    text
}

/// Serves a file, with port 0 at any free place; gives the place, too.
fn serve(file: &str, place: &str) -> (Child, String) {
    let read = ["--follow", "--columns", "time,latency", "--unit", "us", "-i", "1s"];
    let metrics = ["--metrics", "--metrics-without-token", "--listen", place];
    let mut command = isotherm(&[&["serve", file], &read[..], &metrics[..]].concat());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    bounded::until("a place to serve at", || {
        let mut served = bounded::spawn_for(&mut command, AS_LONG_AS_A_TEST);
        // It ends while another program has a port that was served at before.
        let place = place_of(&mut served)?;
        Some((served, place))
    })
}

fn end(mut served: Child) {
    signal(&served, Signal::INT);
    assert!(served.wait().unwrap().success());
}

/// What was added from each sample to the next. Where totals fell nothing is known, nor where samples are
/// missing: where two are more than one and a half times as far apart as they usually are, by the median.
fn added(samples: &[Sample]) -> f64 {
    let length = |pair: &[Sample]| pair[1].ms - pair[0].ms;
    let mut lengths: Vec<u64> = samples.windows(2).map(length).collect();
    lengths.sort_unstable();
    let usual = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    let whole = samples.windows(2).filter(|pair| length(pair) * 2 <= usual * 3);
    whole.map(|pair| pair[1].value - pair[0].value).filter(|more| *more >= 0.0).sum()
}

const COUNT: &str = "isotherm_latency_seconds_count";

#[test]
fn what_prometheus_scraped_comes_back_and_a_restart_is_a_gap() {
    if !is_installed("prometheus") {
        return;
    }
    let room = Room::new();
    let file = room.file("events.txt", events(0..6));
    let append = |text: &str| {
        let mut open = std::fs::File::options().append(true).open(&file).unwrap();
        open.write_all(text.as_bytes()).unwrap();
    };
    let (served, place) = serve(&file, "127.0.0.1:0");
    let prometheus = Prometheus::scraping(&room, &place);
    prometheus.wait_for(COUNT, 60.0);
    // A busy machine scrapes too late now and then: more events follow until enough were not missed.
    let (mut seconds, deadline) = (6..8, Deadline::default());
    while added(&prometheus.samples(COUNT)) < 35.0 {
        assert!(!deadline.left().is_zero(), "scrapes are missing wherever events came");
        append(&events(seconds.clone()));
        prometheus.wait_for(COUNT, seconds.end as f64 * 10.0);
        seconds = seconds.end..seconds.end + 2;
    }
    end(served);
    room.file("events.txt", events(0..3));
    let (served, _) = serve(&file, &place);
    prometheus.wait_for(COUNT, 30.0);
    append(&events(3..4));
    prometheus.wait_for(COUNT, 40.0);
    end(served);
    // Whatever was scraped is stored once a later scrape has found nobody.
    prometheus.wait_for("up", 0.0);
    let expected = added(&prometheus.samples(COUNT));
    let waited = added(&prometheus.samples("isotherm_latency_seconds_sum"));
    let (query, back) = ("?query=isotherm_latency_seconds_bucket&range=1h", room.name("back.heat"));
    succeed(&["record", &format!("prom+http://{}/{query}", prometheus.place), "-o", &back]);
    let stats = succeed(&["stats", &back, "--format", "json"]);
    let stats: Value = serde_json::from_str(&stats).unwrap();
    let all = &stats["series"][0];
    assert!((all["events"].as_f64().unwrap() - expected).abs() < 0.5, "{stats:#}");
    assert!((all["time_waited_s"].as_f64().unwrap() - waited).abs() < 1e-6, "{stats:#}");
    assert!((waited - expected * 0.00124).abs() < 1e-9, "{waited} s of {expected} events");
}
