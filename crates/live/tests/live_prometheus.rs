//! A real Prometheus server: what is read from it is what it holds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use isotherm_formats::Message;
use isotherm_frame::{Frame, Gap, Nanos, Quality, Reading, Timestamp};
use isotherm_live::{Ending, Feed, LiveOptions};
use tempfile::TempDir;
use testing::bounded::{self, Child, Deadline};

#[path = "fake/listening.rs"]
mod listening;

/// Says so past the test harness, which hides what passing tests print.
fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").expect("said");
}

/// A Prometheus server of a test's own that holds a history; ends with the test.
struct Started {
    _child: Child,
    _directory: TempDir,
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
        let mut promtool = Command::new("promtool");
        promtool.args(["tsdb", "create-blocks-from", "openmetrics"]);
        let made = bounded::output(promtool.args([path("history.txt"), path("data")]));
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
            "scrape_configs:\n- job_name: app\n  scrape_interval: 100ms\n  scrape_timeout: 100ms\n  \
             static_configs:\n  - targets: ['{place}']\n"
        );
        Some(Started::with(tempfile::tempdir().unwrap(), &settings))
    }

    fn is_possible() -> bool {
        let there = |program| bounded::try_output(Command::new(program).arg("--version")).is_ok();
        let is_possible = there("prometheus") && there("promtool");
        if !is_possible {
            skipped("prometheus is not installed");
        }
        is_possible
    }

    fn with(directory: TempDir, settings: &str) -> Started {
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("settings.yml"), settings).unwrap();
        let mut child = start(&path("settings.yml"), &path("data"));
        let place = bounded::until("the server's port", || {
            assert!(child.try_wait().unwrap().is_none(), "the server ended");
            listening::address_of(child.id())
        });
        let started = Started { _child: child, _directory: directory, place };
        bounded::until("a server that is ready", || {
            started.get("/-/ready").filter(|answer| answer.starts_with("HTTP/1.0 200"))
        });
        started
    }

    /// What it answers, with its head.
    fn get(&self, path: &str) -> Option<String> {
        let mut stream = bounded::connect(&self.place).ok()?;
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

fn start(settings: &Path, data: &Path) -> Child {
    let mut prometheus = Command::new("prometheus");
    prometheus
        .arg(format!("--config.file={}", settings.display()))
        .arg(format!("--storage.tsdb.path={}", data.display()))
        .args(["--web.listen-address=127.0.0.1:0", "--enable-feature=native-histograms"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    bounded::spawn_for(&mut prometheus, Duration::from_secs(110))
}

/// Everything that a source that ends by itself says.
fn read(address: &str) -> (Vec<Message>, Ending) {
    let feed = Feed::open(&address.parse().unwrap(), &LiveOptions::default()).unwrap();
    let (mut messages, deadline) = (Vec::new(), Deadline::default());
    loop {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {messages:?}"));
        messages.extend(batch.messages);
        if let Some(ending) = batch.ending {
            return (messages, ending);
        }
    }
}

fn frames(messages: &[Message]) -> Vec<&Frame> {
    let frame = |message| match message {
        &Message::Reading(Reading::Delta(ref frame)) => Some(frame),
        _ => None,
    };
    messages.iter().filter_map(frame).collect()
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
    let (messages, ending) = read(&address);
    assert!(ending.error.is_none(), "{:?}", ending.error);
    let frames = frames(&messages);
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
    let (messages, ending) = read(&format!("prom+http://{}/?query={query}", server.place));
    assert!(ending.error.is_none(), "{:?}", ending.error);
    let frames = frames(&messages);
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
    page: Arc<Mutex<Page>>,
}

#[derive(Default)]
struct Page {
    /// Empty while the program is away.
    text: String,
    /// How often it was asked for since it is as it is.
    scrapes: u64,
}

impl Program {
    fn new() -> Program {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let page = Arc::new(Mutex::new(Page::default()));
        let shown = Arc::clone(&page);
        std::thread::spawn(move || {
            while let Ok(stream) = bounded::accept(&listener) {
                answer(stream, &shown);
            }
        });
        Program { place, page }
    }

    fn turn(&self, text: String) {
        *self.page.lock().unwrap() = Page { text, scrapes: 0 };
    }

    /// Waits until what is shown now was asked for.
    fn scraped(&self) {
        bounded::until("a scrape", || (self.page.lock().unwrap().scrapes > 0).then_some(()));
    }

    fn show(&self, started: u32, [fast, all]: [u64; 2]) {
        self.turn(format!(
            "# TYPE app_seconds histogram\n\
             app_seconds_bucket{{le=\"0.001\"}} {fast}\n\
             app_seconds_bucket{{le=\"+Inf\"}} {all}\n\
             app_seconds_count {all}\n\
             process_start_time_seconds {started}\n"
        ));
    }
}

/// Answers what is asked on one connection.
fn answer(stream: TcpStream, page: &Mutex<Page>) {
    let mut asked = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    let mut line = String::new();
    while asked.read_line(&mut line).is_ok_and(|length| length > 0) {
        if line.ends_with("\r\n\r\n") || line.trim_end().is_empty() {
            let text = {
                let mut page = page.lock().unwrap();
                page.scrapes += 1;
                page.text.clone()
            };
            let (status, page) = match text.as_str() {
                "" => ("503 Service Unavailable", "away"),
                page => ("200 OK", page),
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", page.len());
            if stream.write_all((head + page).as_bytes()).is_err() {
                return;
            }
        }
        line.clear();
    }
}

/// Takes what the source says up to the next frame with events or a gap.
fn next(feed: &Feed) -> Frame {
    let (deadline, mut seen) = (Deadline::default(), Vec::new());
    loop {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {seen:?}"));
        for message in batch.messages {
            match message {
                Message::Reading(Reading::Delta(frame))
                    if frame.is_gap() || !frame.counts.is_empty() =>
                {
                    return frame;
                }
                message => seen.push(message),
            }
        }
        assert!(batch.ending.is_none(), "{:?}", batch.ending);
    }
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
    program.scraped();
    program.show(1_700_000_000, [13, 20]);
    frames.push(next(&feed));
    // It is away, and has counted on when it is back.
    program.turn(String::new());
    program.scraped();
    program.show(1_700_000_000, [14, 21]);
    frames.push(next(&feed));
    // It was started anew and counts more than it ever did.
    program.show(1_700_000_500, [100, 200]);
    frames.push(next(&feed));
    program.show(1_700_000_500, [101, 203]);
    frames.push(next(&feed));
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

/// A program whose native histogram counts on with each scrape.
fn native_program() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let mut scrape = 0;
        while let Ok(mut stream) = bounded::accept(&listener) {
            let mut asked = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while asked.read_line(&mut line).is_ok_and(|length| length > 0) {
                if line.trim_end().is_empty() {
                    scrape += 1;
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
    place
}

#[test]
fn a_native_histogram_is_asked_for_by_its_name() {
    let Some(server) = Started::scraping(&native_program()) else { return };
    let address = format!("prom+http://{}/?query=app_seconds&range=10m", server.place);
    let frames: Vec<Frame> = bounded::until("nine intervals", || {
        let (messages, ending) = read(&address);
        // There is no sample before the first scrape.
        assert!(ending.error.is_none_or(|error| error.to_string().contains("no samples")));
        let whole = frames(&messages).into_iter().filter(|frame| !frame.is_gap());
        let whole: Vec<Frame> = whole.cloned().collect();
        (whole.len() >= 9).then_some(whole)
    });
    // The scrape at which the last interval ended, and its moment.
    let mut last: Option<(u64, Timestamp)> = None;
    for frame in &frames {
        let buckets = frame.counts.non_zero();
        let upper: Vec<(u64, u64)> =
            buckets.map(|(bucket, count)| (bucket.hi.unwrap().as_nanos(), count)).collect();
        let [(1_953_125, first), (7_812_500, third)] = upper[..] else { panic!("{upper:?}") };
        // From scrape n to n + k, where some are lost on a busy machine: 3 k more, none, and
        // (n + k)^2 - n^2 more.
        let k = first / 3;
        let n = (third / k - k) / 2;
        assert_eq!((first, third), (3 * k, (n + k) * (n + k) - n * n), "{frame:?}");
        if let Some((scrape, at)) = last {
            assert!(if frame.start == at { n == scrape } else { n > scrape }, "{n} {scrape}");
        }
        last = Some((n + k, frame.end));
        assert_eq!(frame.counts.sum().unwrap().as_nanos(), (first + third) * 250_000_000);
    }
    let (_, ending) = read(&format!("prom+http://{}/?query=up", server.place));
    assert!(ending.error.unwrap().to_string().contains("NAME_bucket"));
}
