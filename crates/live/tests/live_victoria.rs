//! A real `VictoriaMetrics` server: classic histograms and its own (vmrange) are read from it as they were
//! written to it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use isotherm_formats::Message;
use isotherm_frame::{Frame, Nanos, Reading};
use isotherm_live::{Ending, Feed, LiveOptions};
use tempfile::TempDir;
use testing::bounded::{self, Child, Deadline};

#[path = "fake/listening.rs"]
mod listening;

/// A server of a test's own, ends with the test.
struct Server {
    _child: Child,
    _data: TempDir,
    place: String,
}

impl Server {
    /// `None` where `VictoriaMetrics` is not installed.
    fn new() -> Option<Server> {
        let data = tempfile::tempdir().unwrap();
        if bounded::try_output(Command::new("victoria-metrics").arg("--version")).is_err() {
            writeln!(std::io::stderr(), "SKIPPED: victoria-metrics is not installed")
                .expect("said");
            return None;
        }
        let mut command = Command::new("victoria-metrics");
        command
            .arg(format!("-storageDataPath={}", data.path().display()))
            .args(["-httpListenAddr=127.0.0.1:0", "-retentionPeriod=100y"])
            .args(["-search.disableCache", "-search.latencyOffset=0s"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = bounded::spawn_for(&mut command, Duration::from_secs(110));
        let place = bounded::until("the server's port", || {
            assert!(child.try_wait().unwrap().is_none(), "the server ended");
            listening::address_of(child.id())
        });
        let server = Server { _child: child, _data: data, place };
        bounded::until("a server that is ready", || {
            server.get("/health").filter(|answer| answer.ends_with("OK"))
        });
        Some(server)
    }

    fn ask(&self, request: &str) -> Option<String> {
        let mut stream = bounded::connect(&self.place).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }

    fn get(&self, path: &str) -> Option<String> {
        self.ask(&format!("GET {path} HTTP/1.0\r\n\r\n"))
    }

    fn query(&self, query: &str) -> String {
        self.get(&format!("/api/v1/query?query={query}")).unwrap()
    }

    /// Writes samples, and waits until all of them can be read.
    fn hold(&self, text: &str) {
        let length = text.len();
        let head = "POST /api/v1/import/prometheus HTTP/1.0";
        let answer =
            self.ask(&format!("{head}\r\nContent-Length: {length}\r\n\r\n{text}")).unwrap();
        assert!(answer.contains(" 204 "), "{answer}");
        // What was written can be read seconds later, unless that is asked for.
        assert!(self.get("/internal/force_flush").unwrap().contains(" 200 "));
        bounded::until("what was written", || {
            self.query("last_written").contains("last_written").then_some(())
        });
    }

    /// The server's clock, in milliseconds.
    fn now_ms(&self) -> i64 {
        let answer = self.query("time()");
        let second: f64 = answer.rsplit('"').nth(1).unwrap().parse().unwrap();
        Duration::from_secs_f64(second).as_millis().try_into().unwrap()
    }

    fn read(&self, parameters: &str) -> (Vec<Frame>, Ending) {
        let address = format!("prom+http://{}/?{parameters}", self.place);
        let feed = Feed::open(&address.parse().unwrap(), &LiveOptions::default()).unwrap();
        let (mut frames, deadline) = (Vec::new(), Deadline::default());
        loop {
            let batch = feed.receiver().recv_timeout(deadline.left());
            let batch = batch.unwrap_or_else(|error| panic!("{error}: {frames:?}"));
            for message in batch.messages {
                if let Message::Reading(Reading::Delta(frame)) = message {
                    frames.push(frame);
                }
            }
            if let Some(ending) = batch.ending {
                return (frames, ending);
            }
        }
    }
}

/// What happened between two scrapes: events below 1 ms, 1 to 10 ms, and above.
const STEPS: [[u64; 3]; 6] = [[7, 8, 1], [3, 0, 2], [0, 0, 0], [9, 5, 0], [1, 1, 1], [40, 2, 7]];
const SCRAPE_MS: i64 = 15_000;

/// Samples of two histograms with the same events: one with le, one with vmrange.
fn samples(first_ms: i64) -> String {
    let (mut text, mut totals) = (String::new(), [0_u64; 3]);
    for (scrape, step) in STEPS.iter().enumerate() {
        let at = first_ms + SCRAPE_MS * i64::try_from(scrape).unwrap();
        for (total, more) in totals.iter_mut().zip(step) {
            *total += more;
        }
        let all: u64 = totals.iter().sum();
        let [fast, slow, _] = totals;
        for (bound, reached) in [("0.001", fast), ("0.01", fast + slow), ("+Inf", all)] {
            writeln!(text, "classic_seconds_bucket{{op=\"read\",le=\"{bound}\"}} {reached} {at}")
                .unwrap();
        }
        let ranges = ["8.799e-04...1.000e-03", "4.642e-03...5.275e-03", "1.000e-01...1.136e-01"];
        for (range, count) in ranges.iter().zip(totals).filter(|(_, count)| *count > 0) {
            writeln!(text, "own_seconds_bucket{{op=\"read\",vmrange=\"{range}\"}} {count} {at}")
                .unwrap();
        }
        for name in ["classic", "own"] {
            // A quarter of a second is exact in binary.
            writeln!(text, "{name}_seconds_sum{{op=\"read\"}} {} {at}", all as f64 * 0.25).unwrap();
            writeln!(text, "{name}_seconds_count{{op=\"read\"}} {all} {at}").unwrap();
        }
    }
    writeln!(text, "last_written 1").unwrap();
    text
}

fn counts(frames: &[Frame]) -> Vec<Vec<u64>> {
    let filled = |frame: &Frame| frame.counts.non_zero().map(|(_, count)| count).collect();
    frames.iter().map(filled).collect()
}

#[test]
fn both_kinds_of_histograms_are_read_as_they_were_written() {
    let Some(server) = Server::new() else { return };
    let first_ms = server.now_ms() / 1_000 * 1_000 - 600_000;
    server.hold(&samples(first_ms));
    let expected: Vec<Vec<u64>> = STEPS[1..]
        .iter()
        .map(|step| step.iter().copied().filter(|count| *count > 0).collect())
        .collect();
    for name in ["classic", "own"] {
        let (frames, ending) = server.read(&format!("query={name}_seconds_bucket&range=30m"));
        assert!(ending.error.is_none(), "{:?}", ending.error);
        assert_eq!(counts(&frames), expected, "{name}");
        for (frame, step) in frames.iter().zip(&STEPS[1..]) {
            assert_eq!(frame.length(), Nanos::from_millis(15_000));
            assert_eq!(frame.series.full(), format!("{name}_seconds{{op=read}}"));
            let events: u64 = step.iter().sum();
            assert_eq!(frame.counts.sum(), Some(Nanos::from_millis(250 * events)));
        }
    }
    let (own, _) = server.read("query=own_seconds_bucket&range=30m");
    let buckets: Vec<u64> =
        own[4].counts.non_zero().map(|(bucket, _)| bucket.lo.as_nanos()).collect();
    assert_eq!(buckets, [879_900, 4_642_000, 100_000_000]);
}

#[test]
fn a_history_in_steps_counts_the_same_events() {
    let Some(server) = Server::new() else { return };
    let first_ms = server.now_ms() / 1_000 * 1_000 - 600_000;
    server.hold(&samples(first_ms));
    for name in ["classic", "own"] {
        let (frames, ending) =
            server.read(&format!("query={name}_seconds_bucket&range=11m&step=15s"));
        assert!(ending.error.is_none(), "{:?}", ending.error);
        let events: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
        let all: u64 = STEPS[1..].iter().flatten().sum();
        assert_eq!(events, all, "{name}");
    }
}
