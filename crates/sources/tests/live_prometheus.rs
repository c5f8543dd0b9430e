//! A real Prometheus server: what is read from it is what it holds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use isotherm_frame::{Frame, Gap, Nanos, Quality, Reading};
use isotherm_sources::{Ending, Feed, Item, LiveOptions};
use tempfile::TempDir;

/// Says so past the test harness, which hides what passing tests print.
fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").expect("said");
}

/// A Prometheus server of a test's own that holds a history; ends with the test.
struct Started {
    _directory: TempDir,
    child: Child,
    place: String,
}

impl Started {
    /// `None` where Prometheus is not installed.
    fn with_history(text: &str) -> Option<Started> {
        if !Started::is_possible() {
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("history.txt"), text).unwrap();
        let made = Command::new("promtool")
            .args(["tsdb", "create-blocks-from", "openmetrics"])
            .args([path("history.txt"), path("data")])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Some(Started::with(directory, "{}\n"))
    }

    /// One that scrapes the program at this place, native histograms too. `None` where Prometheus is not
    /// installed.
    fn scraping(place: &str) -> Option<Started> {
        if !Started::is_possible() {
            return None;
        }
        let settings = format!(
            "scrape_configs:\n- job_name: app\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\n  \
             static_configs:\n  - targets: ['{place}']\n"
        );
        Some(Started::with(tempfile::tempdir().unwrap(), &settings))
    }

    fn is_possible() -> bool {
        let there = |program| Command::new(program).arg("--version").output().is_ok();
        let is_possible = there("prometheus") && there("promtool");
        if !is_possible {
            skipped("prometheus is not installed");
        }
        is_possible
    }

    fn with(directory: TempDir, settings: &str) -> Started {
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("settings.yml"), settings).unwrap();
        let place = free_place();
        let child = start(&path("settings.yml"), &path("data"), &place);
        let mut started = Started { _directory: directory, child, place };
        // wall clock: the server says when it is ready
        let deadline = Instant::now() + Duration::from_mins(1);
        while started.get("/-/ready").is_none_or(|answer| !answer.starts_with("HTTP/1.0 200")) {
            assert!(Instant::now() < deadline, "the server does not start");
            assert!(started.child.try_wait().unwrap().is_none(), "the server ended");
            std::thread::sleep(Duration::from_millis(50));
        }
        started
    }

    /// What it answers, with its head.
    fn get(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(&self.place).ok()?;
        let asked = format!("GET {path} HTTP/1.0\r\n\r\n");
        stream.write_all(asked.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }

    /// What it holds, in its own words.
    fn matrix(&self, selector: &str) -> Vec<serde_json::Value> {
        let answer = self.get(&format!("/api/v1/query?query={selector}")).unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let answer: serde_json::Value = serde_json::from_str(body).unwrap();
        answer["data"]["result"].as_array().unwrap().clone()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(settings: &Path, data: &Path, place: &str) -> Child {
    Command::new("prometheus")
        .arg(format!("--config.file={}", settings.display()))
        .arg(format!("--storage.tsdb.path={}", data.display()))
        .arg(format!("--web.listen-address={place}"))
        .arg("--enable-feature=native-histograms")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn free_place() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// Everything that a source that ends by itself says.
fn read(address: &str) -> (Vec<Item>, Ending) {
    let feed = Feed::open(&address.parse().unwrap(), &LiveOptions::default()).unwrap();
    let mut items = Vec::new();
    loop {
        // wall clock: an answer that never comes must not hold the tests
        for item in feed.receiver().recv_timeout(Duration::from_mins(1)).unwrap() {
            match item {
                Item::Ended(ending) => return (items, ending),
                item => items.push(item),
            }
        }
    }
}

fn frames(items: &[Item]) -> Vec<&Frame> {
    let frame = |item| match item {
        &Item::Reading(Reading::Delta(ref frame)) => Some(frame),
        _ => None,
    };
    items.iter().filter_map(frame).collect()
}

const BOUNDS: [&str; 4] = ["0.001", "0.01", "0.1", "+Inf"];

/// Two instances, scraped every 15 s at different moments for two hours: one is started anew, of the
/// other ten scrapes are missing.
fn history() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut text = "# TYPE app_seconds histogram\n".to_owned();
    let mut rows: [BTreeMap<String, String>; 2] = Default::default();
    let mut state = 7_u64;
    for (instance, offset) in [("a", "250"), ("b\\\"x", "900")] {
        let mut counts = [0_u64; 4];
        for scrape in 0..480_u64 {
            if instance == "a" && scrape == 200 {
                counts = [0; 4];
            }
            for count in &mut counts {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *count += (state >> 33) % 50;
            }
            if instance != "a" && (100..110).contains(&scrape) {
                continue;
            }
            let at = format!("{}.{offset}", now - 7_230 + scrape * 15);
            let mut reached = 0;
            for (bound, count) in BOUNDS.iter().zip(counts) {
                reached += count;
                let name = format!("app_seconds_bucket{{instance=\"{instance}\",le=\"{bound}\"}}");
                let row = rows[0].entry(name.clone()).or_default();
                writeln!(row, "{name} {reached} {at}").unwrap();
            }
            let name = format!("app_seconds_sum{{instance=\"{instance}\"}}");
            let row = rows[1].entry(name.clone()).or_default();
            // A quarter of a second is exact in binary.
            writeln!(row, "{name} {} {at}", reached as f64 * 0.25).unwrap();
        }
    }
    text.extend(rows.iter().flat_map(BTreeMap::values).map(String::as_str));
    text + "# EOF\n"
}

/// What was counted up to each bound between samples that follow one another, and how often nothing
/// is known: from the server's own answer, one bucket at a time.
fn increments(server: &Started) -> (BTreeMap<String, u64>, usize) {
    let mut sums = BTreeMap::new();
    let mut unknown = 0;
    for line in server.matrix("app_seconds_bucket[3h]") {
        let values = line["values"].as_array().unwrap();
        for pair in values.windows(2) {
            let time = |at: usize| pair[at][0].as_f64().unwrap();
            let count = |at: usize| pair[at][1].as_str().unwrap().parse::<u64>().unwrap();
            let is_top = line["metric"]["le"] == "+Inf";
            if time(1) - time(0) > 20.0 || count(1) < count(0) {
                unknown += usize::from(is_top);
                continue;
            }
            let le = line["metric"]["le"].as_str().unwrap().to_owned();
            *sums.entry(le).or_insert(0) += count(1) - count(0);
        }
    }
    (sums, unknown)
}

#[test]
fn a_history_becomes_the_increments_of_its_samples() {
    let Some(server) = Started::with_history(&history()) else { return };
    let (sums, unknown) = increments(&server);
    assert_eq!(unknown, 2, "one instance was started anew, one was away");
    let address = format!("prom+http://{}/?query=app_seconds_bucket&range=3h", server.place);
    let (items, ending) = read(&address);
    assert!(ending.error.is_none(), "{:?}", ending.error);
    let frames = frames(&items);
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for bound in BOUNDS {
        let upper = bound.parse::<f64>().unwrap();
        let upper = if upper.is_finite() { Nanos::from_secs_f64(upper) } else { None };
        let below = |frame: &Frame| -> u64 {
            let buckets = frame.counts.non_zero();
            let inside =
                |hi: Option<Nanos>| upper.is_none() || hi.is_some_and(|hi| Some(hi) <= upper);
            buckets.filter(|(bucket, _)| inside(bucket.hi)).map(|(_, count)| count).sum()
        };
        found.insert(bound.to_owned(), frames.iter().map(|frame| below(frame)).sum());
    }
    assert_eq!(found, sums);
    let of = |quality| frames.iter().filter(|frame| frame.quality == quality).count();
    assert_eq!(of(Quality::Gap(Gap::Reset)), 1);
    assert_eq!(of(Quality::Gap(Gap::SourceAway)), 1);
    let names: Vec<_> = frames.iter().map(|frame| frame.series.full()).collect();
    assert!(names.contains(&"app_seconds{instance=b\"x}".to_owned()), "{:?}", names.first());
    for frame in frames.iter().filter(|frame| !frame.is_gap()) {
        let time = frame.counts.sum().unwrap().as_nanos();
        assert_eq!(time, frame.counts.events() * 250_000_000, "{frame:?}");
    }
}

#[test]
fn a_history_in_steps_counts_the_same_events_where_nothing_is_missing() {
    let Some(server) = Started::with_history(&history()) else { return };
    // The instance that was started anew would differ: a step may lie before and after.
    let query = "app_seconds_bucket{instance!=\"a\"}&range=20m&step=30s";
    let (items, ending) = read(&format!("prom+http://{}/?query={query}", server.place));
    assert!(ending.error.is_none(), "{:?}", ending.error);
    let frames = frames(&items);
    let whole = frames.iter().filter(|frame| frame.length() == Nanos::from_millis(30_000)).count();
    assert_eq!(whole, frames.len());
    let first = frames.first().unwrap().start.as_secs_f64();
    let last = frames.last().unwrap().end.as_secs_f64();
    // What the server says stood there at both ends.
    let stood = |at: f64| -> u64 {
        let query = "app_seconds_bucket%7Binstance!=%22a%22,le=%22%2BInf%22%7D";
        let lines = server.matrix(&format!("{query}&time={at:.3}"));
        lines[0]["value"][1].as_str().unwrap().parse().unwrap()
    };
    let events: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
    assert_eq!(events, stood(last) - stood(first));
}

#[test]
fn what_a_server_refuses_is_told_in_its_words() {
    let Some(server) = Started::with_history(&history()) else { return };
    let problem = |rest: &str| {
        let (_, ending) = read(&format!("prom+http://{}{rest}", server.place));
        ending.error.unwrap().to_string()
    };
    assert!(problem("/?query=nothing_seconds_bucket").contains("no samples"));
    assert!(problem("/?query=app_seconds_bucket{a=~\"(\"}").contains("parse error"));
    assert!(problem("/x/?query=app_seconds_bucket").contains("not from Prometheus' query API"));
    assert!(problem("/nowhere").contains("answers 404"));
    let refused = "prom+http://127.0.0.1:1/metrics";
    let (_, ending) = read(refused);
    let error = ending.error.unwrap();
    assert!(error.is_unreachable());
    assert_eq!(error.to_string(), "127.0.0.1:1: nothing listens there");
}

/// A program with a page of metrics.
struct Program {
    place: String,
    page: Arc<Mutex<String>>,
    answers: Arc<AtomicU64>,
}

impl Program {
    fn new() -> Program {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let page = Arc::new(Mutex::new(String::new()));
        let answers = Arc::new(AtomicU64::new(0));
        let (shown, counted) = (Arc::clone(&page), Arc::clone(&answers));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &shown, &counted);
            }
        });
        Program { place, page, answers }
    }

    /// Waits until the page was asked for twice more: once at least after now.
    fn was_scraped(&self) {
        // wall clock: a source that never asks must not hold the tests
        let (seen, begun) = (self.answers.load(Ordering::Relaxed), Instant::now());
        while self.answers.load(Ordering::Relaxed) < seen + 2 {
            // wall clock: the same
            assert!(begun.elapsed() < Duration::from_mins(1), "nobody asks");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn show(&self, started: u32, [fast, all]: [u64; 2]) {
        *self.page.lock().unwrap() = format!(
            "# TYPE app_seconds histogram\n\
             app_seconds_bucket{{le=\"0.001\"}} {fast}\n\
             app_seconds_bucket{{le=\"+Inf\"}} {all}\n\
             app_seconds_count {all}\n\
             process_start_time_seconds {started}\n"
        );
    }
}

/// Answers what is asked on one connection.
fn answer(stream: TcpStream, page: &Mutex<String>, answers: &AtomicU64) {
    let mut asked = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    let mut line = String::new();
    while asked.read_line(&mut line).is_ok_and(|length| length > 0) {
        if line.ends_with("\r\n\r\n") || line.trim_end().is_empty() {
            let page = page.lock().unwrap().clone();
            let (status, page) = match page.as_str() {
                "" => ("503 Service Unavailable", "away"),
                page => ("200 OK", page),
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", page.len());
            if stream.write_all((head + page).as_bytes()).is_err() {
                return;
            }
            answers.fetch_add(1, Ordering::Relaxed);
        }
        line.clear();
    }
}

/// Takes what the source says until it has said `wanted` frames with events or gaps.
fn until(feed: &Feed, wanted: usize) -> Vec<Frame> {
    let mut found = Vec::new();
    while found.len() < wanted {
        // wall clock: a page that never comes must not hold the tests
        for item in feed.receiver().recv_timeout(Duration::from_mins(1)).unwrap() {
            match item {
                Item::Reading(Reading::Delta(frame))
                    if frame.is_gap() || !frame.counts.is_empty() =>
                {
                    found.push(frame);
                }
                Item::Ended(ending) => panic!("{:?}", ending.error),
                _ => {}
            }
        }
    }
    found
}

#[test]
fn pages_are_scraped_live_and_a_program_that_was_away_or_started_anew_is_noticed() {
    let program = Program::new();
    program.show(1_700_000_000, [10, 12]);
    let options = LiveOptions { interval: Some(Nanos::from_millis(20)), ..LiveOptions::default() };
    let address = format!("prom+http://{}", program.place).parse().unwrap();
    let feed = Feed::open(&address, &options).unwrap();
    let mut frames = Vec::new();
    // The first totals are the baseline.
    program.was_scraped();
    program.show(1_700_000_000, [13, 20]);
    frames.extend(until(&feed, 1));
    // It is away, and has counted on when it is back.
    *program.page.lock().unwrap() = String::new();
    program.was_scraped();
    program.show(1_700_000_000, [14, 21]);
    frames.extend(until(&feed, 1));
    // It was started anew and counts more than it ever did.
    program.show(1_700_000_500, [100, 200]);
    frames.extend(until(&feed, 1));
    program.show(1_700_000_500, [101, 203]);
    frames.extend(until(&feed, 1));
    let counts: Vec<_> = frames.iter().map(|frame| frame.counts.counts()).collect();
    assert_eq!(counts, [[3, 5], [1, 0], [0, 0], [1, 2]]);
    assert_eq!(frames[2].quality, Quality::Gap(Gap::Reset));
}

/// A number in the protocol buffers' variable length.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
    bytes
}

fn field(number: u64, content: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn double(field: u64, value: f64) -> Vec<u8> {
    [varint(field << 3 | 1), value.to_le_bytes().to_vec()].concat()
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// A native histogram of schema 0 (bounds are powers of two) with so many events in the three buckets
/// that end at 2^-9 s, 2^-8 s and 2^-7 s, each of a quarter of a second in the sum: a page of
/// Prometheus' client library in its protobuf format.
fn native_page(counts: [u64; 3]) -> Vec<u8> {
    let total: u64 = counts.iter().sum();
    let span = [number(1, zigzag(-9)), number(2, 3)].concat();
    let signed = counts.map(u64::cast_signed);
    let deltas = [signed[0], signed[1] - signed[0], signed[2] - signed[1]];
    let deltas: Vec<u8> = deltas.into_iter().flat_map(|delta| varint(zigzag(delta))).collect();
    let histogram = [
        number(1, total),
        double(2, total as f64 * 0.25),
        number(5, zigzag(0)),
        double(6, 1e-9),
        number(7, 0),
        field(12, &span),
        field(13, &deltas),
    ];
    let metric = field(7, &histogram.concat());
    let family = [field(1, b"app_seconds"), number(3, 4), field(4, &metric)].concat();
    [varint(family.len() as u64), family].concat()
}

/// A program whose native histogram counts on with each scrape; how often it was scraped.
fn native_program() -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let scrapes = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&scrapes);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut asked = BufReader::new(stream.try_clone().unwrap());
            let (mut stream, mut line) = (stream, String::new());
            while asked.read_line(&mut line).is_ok_and(|length| length > 0) {
                if line.trim_end().is_empty() {
                    let scrape = counted.fetch_add(1, Ordering::Relaxed) + 1;
                    let page = native_page([3 * scrape, 5, scrape * scrape]);
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.google.protobuf; \
                         proto=io.prometheus.client.MetricFamily; encoding=delimited\r\n\
                         Content-Length: {}\r\n\r\n",
                        page.len()
                    );
                    if stream.write_all(&[head.as_bytes(), &page].concat()).is_err() {
                        break;
                    }
                }
                line.clear();
            }
        }
    });
    (place, scrapes)
}

#[test]
fn a_native_histogram_is_asked_for_by_its_name() {
    let (place, scrapes) = native_program();
    let Some(server) = Started::scraping(&place) else { return };
    // wall clock: a server that never scrapes must not hold the tests
    let deadline = Instant::now() + Duration::from_mins(1);
    while scrapes.load(Ordering::Relaxed) < 30 {
        assert!(Instant::now() < deadline, "the server does not scrape");
        std::thread::sleep(Duration::from_millis(50));
    }
    let (items, ending) =
        read(&format!("prom+http://{}/?query=app_seconds&range=10m", server.place));
    assert!(ending.error.is_none(), "{:?}", ending.error);
    let frames: Vec<&Frame> = frames(&items).into_iter().filter(|frame| !frame.is_gap()).collect();
    let upper = |frame: &Frame| -> Vec<(u64, u64)> {
        let buckets = frame.counts.non_zero();
        buckets.map(|(bucket, count)| (bucket.hi.unwrap().as_nanos(), count)).collect()
    };
    // From scrape n to the next: 3 more, none, and 2 n + 1 more. Late scrapes are gaps.
    assert!(frames.len() >= 9, "{}", frames.len());
    let mut last = 0;
    for (at, frame) in frames.iter().enumerate() {
        let third = upper(frame)[1].1;
        assert_eq!(upper(frame), [(1_953_125, 3), (7_812_500, third)], "{at}");
        assert!(third > last && third % 2 == 1, "{third} after {last}");
        last = third;
        assert_eq!(frame.counts.sum().unwrap().as_nanos(), (3 + third) * 250_000_000);
    }
    let (_, ending) = read(&format!("prom+http://{}/?query=up", server.place));
    assert!(ending.error.unwrap().to_string().contains("NAME_bucket"));
}
