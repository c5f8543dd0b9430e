//! Real servers with the history of a fleet: Prometheus, and `VictoriaMetrics` with histograms of its own.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use testing::bounded;

use super::scraped::{AS_LONG_AS_A_TEST, is_installed, place_of};
use super::{Room, run, schemas, succeed};

/// A server that ends with the test.
pub struct Server {
    /// Ended when it is dropped.
    _process: bounded::Child,
    pub place: String,
}

impl Server {
    /// Starts a server that is to listen on port 0, and waits until it is ready.
    fn start(command: &mut Command, ready: &str) -> Server {
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = bounded::spawn_for(command, AS_LONG_AS_A_TEST);
        let place = place_of(&mut process).expect("the server does not end");
        let started = Server { _process: process, place };
        bounded::until("a server that is ready", || {
            let answer = started.ask(&format!("GET {ready} HTTP/1.0\r\n\r\n"))?;
            answer.split(' ').nth(1).filter(|status| *status == "200").map(drop)
        });
        started
    }

    /// `None` where it is not installed.
    pub fn prometheus(room: &Room, samples: &[Sample]) -> Option<Server> {
        if !is_installed("prometheus") {
            return None;
        }
        let mut text = String::from("# TYPE a_seconds histogram\n");
        for Sample { name, value, at_s } in samples {
            writeln!(text, "{name} {value} {at_s}").unwrap();
        }
        let (history, data) = (room.file("history.txt", text + "# EOF\n"), room.name("data"));
        let mut promtool = Command::new("promtool");
        promtool.args(["tsdb", "create-blocks-from", "openmetrics", &history, &data]);
        if let Ok(made) = bounded::try_output(&mut promtool) {
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        }
        let settings = room.file("settings.yml", "{}\n");
        let mut command = Command::new("prometheus");
        command.arg(format!("--config.file={settings}"));
        command.arg(format!("--storage.tsdb.path={data}"));
        command.arg("--web.listen-address=127.0.0.1:0");
        Some(Server::start(&mut command, "/-/ready"))
    }

    /// `None` where it is not installed.
    pub fn victoria(room: &Room, samples: &[Sample]) -> Option<Server> {
        if !is_installed("victoria-metrics") {
            return None;
        }
        let mut command = Command::new("victoria-metrics");
        command.arg(format!("-storageDataPath={}", room.name("victoria")));
        command.arg("-httpListenAddr=127.0.0.1:0");
        // Only so that the test need not wait: what was written is found at once.
        command.arg("-search.latencyOffset=0s");
        let server = Server::start(&mut command, "/health");
        let mut text = String::new();
        for Sample { name, value, at_s } in samples {
            writeln!(text, "{name} {value} {at_s}000").unwrap();
        }
        let at = samples.last().unwrap().at_s;
        writeln!(text, "last_written 1 {at}000").unwrap();
        let (head, length) = ("POST /api/v1/import/prometheus HTTP/1.0", text.len());
        let answer = server.ask(&format!("{head}\r\nContent-Length: {length}\r\n\r\n{text}"));
        assert!(answer.is_some_and(|answer| answer.contains(" 204 ")));
        // What was written can be read a moment later.
        bounded::until("what was written", || {
            let question =
                "GET /api/v1/query?query=last_over_time(last_written[1h]) HTTP/1.0\r\n\r\n";
            server.ask(question)?.contains("\"1\"").then_some(())
        });
        Some(server)
    }

    /// The answer; `None` where nothing listens yet.
    fn ask(&self, request: &str) -> Option<String> {
        let mut stream = bounded::connect(&self.place).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }
}

pub struct Sample {
    pub name: String,
    pub value: f64,
    pub at_s: u64,
}

/// Three hours of eight hosts, a sample in 15 seconds: 100 events each time, of host 5 15 slow ones,
/// else one. `buckets` gives those of the fast and the slow events.
fn history(buckets: impl Fn(u64, u64) -> Vec<(String, u64)>) -> Vec<Sample> {
    // wall clock: the server is asked for the time before its own present
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut samples = Vec::new();
    for host in 0..8_u64 {
        let slow = if host == 5 { 15 } else { 1 };
        for sample in 0..=720_u64 {
            let at_s = now - 10_800 + sample * 15;
            let (fast, slow) = (sample * (100 - slow), sample * slow);
            let mut add = |name: String, value: f64| samples.push(Sample { name, value, at_s });
            for (label, reached) in buckets(fast, slow) {
                add(format!("a_seconds_bucket{{host=\"h{host}\",{label}}}"), reached as f64);
            }
            let sum = fast as f64 * 4e-4 + slow as f64 * 1e-2;
            add(format!("a_seconds_sum{{host=\"h{host}\"}}"), sum);
            add(format!("a_seconds_count{{host=\"h{host}\"}}"), (fast + slow) as f64);
        }
    }
    samples
}

/// Buckets of which the middles are the latencies: what is estimated of them is true.
fn classic(fast: u64, slow: u64) -> Vec<(String, u64)> {
    let bounds = [
        ("0.0003", 0),
        ("0.0005", fast),
        ("0.008", fast),
        ("0.012", fast + slow),
        ("+Inf", fast + slow),
    ];
    bounds.map(|(bound, reached)| (format!("le=\"{bound}\""), reached)).to_vec()
}

/// Those of the server's own histograms, which count what is in each.
fn ranges(fast: u64, slow: u64) -> Vec<(String, u64)> {
    let ranges = [("3.594e-04...4.084e-04", fast), ("8.799e-03...1.000e-02", slow)];
    ranges.map(|(range, count)| (format!("vmrange=\"{range}\""), count)).to_vec()
}

/// Host 5 is the one that differs; `slow` and `fast` are the seconds that events take by their buckets, `bounds`
/// those of the slow ones.
fn finds_the_host(room: &Room, server: &Server, (fast, slow): (f64, f64), bounds: (f64, f64)) {
    let address = format!("prom+http://{}", server.place);
    // The last samples are older than the server's present by as long as it took to start.
    let asked =
        ["fleet", &address, "--metric", "a_seconds{host!='x'}", "--by", "host", "--since", "2h"];
    let found = schemas::parsed("fleet", &succeed(&[&asked[..], &["--json"]].concat()));
    let hosts = found["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 8);
    assert_eq!(hosts[0]["host"], "h5");
    let share = |key: &str| hosts[0][key].as_f64().unwrap();
    let of_time = |slow_ones: f64| {
        let (slow, fast) = (slow_ones * slow, (100.0 - slow_ones) * fast);
        slow / (slow + fast)
    };
    assert!((share("own_share_above") - of_time(15.0)).abs() < 1e-3, "{}", hosts[0]);
    assert!((share("others_share_above") - of_time(1.0)).abs() < 1e-3, "{}", hosts[0]);
    // increase() extrapolates, at most to the end of the time.
    for host in hosts {
        let events = host["events"].as_f64().unwrap();
        assert!((40_000.0..=48_000.0 * 1.02).contains(&events), "{host}");
        assert!(host["p99"]["hi_ns"].as_u64().is_some(), "{host}");
    }
    // Of 15 in a hundred that are slow, 14 are below the p99.
    let p99_s = bounds.0 + (bounds.1 - bounds.0) * 14.0 / 15.0;
    let course = hosts[0]["p99_s"].as_array().unwrap();
    let known: Vec<f64> = course.iter().filter_map(serde_json::Value::as_f64).collect();
    assert!(known.len() >= 60 && known.len() <= course.len(), "{} intervals", known.len());
    assert!(known.iter().all(|p99| (p99 / p99_s - 1.0).abs() < 0.02), "{p99_s}: {known:?}");
    // Its history can be read with the command that is named.
    let text = succeed(&[&asked[..], &["--width", "100"]].concat());
    let open = text.lines().find_map(|line| line.split_once("sample by sample: isotherm "));
    let open = open.unwrap().1;
    let command = format!("{} {}", env!("CARGO_BIN_EXE_isotherm"), open.replace("HOST", "h5"));
    let mut shell = Command::new("sh");
    let output = bounded::output(shell.args(["-c", &command]).current_dir(room.dir()));
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let page = room.name("fleet.html");
    succeed(&[&asked[..], &["-o", &page, "--reports", "--top", "2"]].concat());
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("h5 differs most from the other 7"));
    assert!(page.contains("<a href=\"fleet%2Dhosts/h5.html\">h5</a>"));
    let report = std::fs::read_to_string(room.path("fleet-hosts").join("h5.html")).unwrap();
    assert!(report.contains("<title>h5"));
}

#[test]
fn prometheus_has_the_counts_and_the_host_that_differs() {
    let room = Room::new();
    let Some(server) = Server::prometheus(&room, &history(classic)) else { return };
    finds_the_host(&room, &server, (4e-4, 1e-2), (8e-3, 1.2e-2));
    let address = format!("prom+http://{}", server.place);
    let output = run(&["fleet", &address, "--metric", "a_seconds", "--by", "pod"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no label 'pod'; it has host"), "{said}");
    let output = run(&["fleet", &address, "--metric", "b_seconds"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no b_seconds_bucket, and no native"));
}

#[test]
fn victoria_has_them_in_classic_histograms() {
    let room = Room::new();
    let Some(server) = Server::victoria(&room, &history(classic)) else { return };
    finds_the_host(&room, &server, (4e-4, 1e-2), (8e-3, 1.2e-2));
}

#[test]
fn victoria_has_them_in_histograms_of_its_own() {
    let room = Room::new();
    let Some(server) = Server::victoria(&room, &history(ranges)) else { return };
    let middle = |low: f64, high: f64| f64::midpoint(low, high);
    let times = (middle(3.594e-4, 4.084e-4), middle(8.799e-3, 1e-2));
    finds_the_host(&room, &server, times, (8.799e-3, 1e-2));
}
